"""A world of LINTUL-3: weather, parameters and calendar, ready for the kernels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.simulators.field import afgen
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.events import DEFAULT_FRACTION
from agbench.simulators.field.parameters import once
from agbench.simulators.lintul3.parameters import check_emergence, read
from agbench.variables import Floats
from agbench.weather.daily import DAILY, DailySeries

_TABLE_WIDTH = 32  # points; wider tables round up to a multiple


@dataclass(frozen=True, eq=False)
class Lintul3World:
    """All that fixes a LINTUL-3 simulation apart from management.

    `weather` (days, len(DAILY)) starts on `start`; `factors` are the recovery of nitrogen and the
    efficiency of irrigation.
    """

    model: str
    start: date
    weather: Floats
    parameters: NDArray[Any]
    tables: Floats
    calendar: NDArray[Any]
    factors: Floats
    arrays: Mapping[str, NDArray[Any]] = field(init=False)

    def __post_init__(self) -> None:
        record = self.weather.view(DAILY.record_type())[:, 0]
        arrays = {
            "weather": record,
            "parameters": _joined(self.parameters, self.calendar),
            "tables": self.tables,
            "factors": self.factors,
            "last": self.calendar["last"],
        }
        object.__setattr__(self, "arrays", arrays)


def _joined(*records: NDArray[Any]) -> NDArray[Any]:
    """Return one record with the fields of several, whose bytes are theirs in a row."""
    joined = np.empty((), dtype=_joint(*(record.dtype for record in records)))
    joined.reshape(1).view(np.uint8)[:] = np.frombuffer(b"".join(map(np.ndarray.tobytes, records)), np.uint8)
    return joined


@cache
def _joint(*types: "np.dtype[Any]") -> "np.dtype[Any]":
    """Return the type of records with the fields of several."""
    return np.dtype([field for one in types for field in one.descr])


def build_world(
    model: str,
    parameters: Mapping[str, Any],
    series: DailySeries,
    calendar: CropCalendar,
    start: date,
    end: date,
    *,
    recovery: float = DEFAULT_FRACTION,
    efficiency: float = DEFAULT_FRACTION,
    setting: str = "sound",
) -> Lintul3World:
    """Return the world of `model` from `start` to at latest `end`.

    Raises `ConfigError` for parameters that are missing or wrong and `WeatherError` where the
    series does not cover the days.
    """
    record, tables = once(parameters, (model, setting), lambda: _read(model, parameters, setting))
    if calendar.crop_start_type == "sowing":
        check_emergence(model, record)
    return Lintul3World(
        model=model,
        start=start,
        weather=np.ascontiguousarray(series.window(start, end)),
        parameters=record,
        tables=tables,
        calendar=calendar.as_record(start, end),
        factors=np.array([recovery, efficiency]),
    )


def _read(model: str, parameters: Mapping[str, Any], setting: str) -> tuple[NDArray[Any], Floats]:
    """Return the record of parameters, and the tables side by side, for worlds to share."""
    record, tables = read(model, parameters, setting)
    widest = max(table.shape[1] for table in tables)
    result = record, afgen.stack(tables, -(-widest // _TABLE_WIDTH) * _TABLE_WIDTH)
    for array in result:
        array.flags.writeable = False
    return result
