"""Weather for greenhouses: a row an interval, in GreenLight's units, with its calendar and origin."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.errors import WeatherError, did_you_mean
from agbench.files import checked
from agbench.variables import Floats, numbers_of
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.position import Position, check_position, position_of

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Final[Mapping[str, str]] = {
    "iGlob": "W m-2",
    "tOut": "degC",
    "vpOut": "Pa",
    "co2Out": "mg m-3",
    "wind": "m s-1",
    "tSky": "degC",
    "tSoOut": "degC",
    "dli": "MJ m-2 d-1",
    "isDay": "-",
    "isDaySmooth": "-",
}
"""Columns and units, in the order of the simulator."""

READER: Final = "greenhouse-parquet"
HOURS_READER: Final = "greenhouse-hours"
READERS: Final = (READER, HOURS_READER)
"""What reads series that are for greenhouses only: every five minutes, and every hour."""

SWITCHES: Final = ("isDay", "isDaySmooth")
"""Columns that may be true or false."""

_OTHER_NAMES: Final = {"dli": "dayRadSum"}


@dataclass(frozen=True, eq=False)
class GreenhouseSeries:
    """Weather of one place, a row every `interval` [s] from `begin` without a break."""

    name: str
    begin: datetime
    interval: int
    values: Floats
    """(rows, 10) in the order of `COLUMNS`; a row with NaN is missing."""
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    @property
    def end(self) -> datetime:
        """The end of the last row."""
        return self.begin + timedelta(seconds=self.interval * len(self.values))

    def window(self, start: datetime, steps: int, ahead: int = 0) -> Floats:
        """Return `steps` rows from `start`, and up to `ahead` more as far as there are any."""
        seconds = (start - self.begin).total_seconds()
        first, rest = divmod(int(seconds), self.interval)
        if rest:
            raise WeatherError(
                f"weather {self.name}: {start} lies between two rows; they are {self.interval} s apart "
                f"from {self.begin}."
            )
        if first < 0 or first + steps > len(self.values):
            until = start + timedelta(seconds=self.interval * steps)
            raise WeatherError(
                f"weather {self.name} covers {self.begin} to {self.end}, not all of {start} to {until}."
            )
        rows = self.values[first : first + steps + ahead]
        missing = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(missing):
            when = start + timedelta(seconds=self.interval * int(missing[0]))
            raise WeatherError(
                f"weather {self.name} lacks {len(missing)} rows from {when} on. Choose other days, or "
                "give weather=, a table of your own without the gaps."
            )
        return rows

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the values, the first moment and the interval."""
        digest = hashlib.sha256(np.ascontiguousarray(self.values, dtype="<f8").tobytes())
        digest.update(f"{self.begin.isoformat()} {self.interval}".encode())
        return digest.hexdigest()

    def to_frame(self) -> "pd.DataFrame":
        """Return a table indexed by time."""
        import pandas as pd

        step = pd.Timedelta(seconds=self.interval)
        index = pd.date_range(self.begin, periods=len(self.values), freq=step, name="time")
        return pd.DataFrame(self.values.copy(), index=index, columns=list(COLUMNS))


def from_frame(frame: "pd.DataFrame", name: str = "given", place: Position | None = None) -> GreenhouseSeries:
    """Return the series in a table: one row an interval, indexed by time, the columns of `COLUMNS`.

    Absent rows and rows with an empty cell are missing. Where the `place` is known, from `frame.attrs` as
    lat, lon and zone too, radiation must follow its sun.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise WeatherError(
            f"weather {name}: give a DataFrame indexed by time with the columns {', '.join(COLUMNS)}, not "
            f"{type(frame).__name__}."
        )
    if not isinstance(frame.index, pd.DatetimeIndex) or len(frame) < 2:
        raise WeatherError(f"weather {name}: the index must hold the times of at least two rows.")
    steps = _spacing(frame.index, name)
    interval = int(steps.min())
    if interval != steps.min() or (steps % interval).any():
        raise WeatherError(
            f"weather {name}: rows are {steps.min():g} to {steps.max():g} s apart; they must "
            "ascend in equal steps of whole seconds."
        )
    steps = steps.astype(np.int64)
    values = np.full((int(steps.sum()) // interval + 1, len(COLUMNS)), np.nan)
    rows = np.concatenate([[0], np.cumsum(steps // interval)])
    for i, column in enumerate(COLUMNS):
        values[rows, i] = _column(frame, column, name)
    begin = frame.index[0].to_pydatetime().replace(tzinfo=None)
    moments = pd.date_range(begin, periods=len(values), freq=pd.Timedelta(seconds=interval))
    check_plausible(values, name, interval, moments)
    place = place or position_of(frame)
    if place is not None:
        check_position(values, begin, interval, place, name)
    return GreenhouseSeries(name, begin, interval, values)


def check_spacing(moments: "pd.DatetimeIndex", interval: float, name: str = "of the greenhouse") -> None:
    """Raise `WeatherError` unless there is a moment every `interval` [s], without gap or repetition."""
    steps = _spacing(moments, name)
    other = np.abs(steps - interval) > 1e-6
    if not other.any():
        return
    if (steps == steps[0]).all():
        raise WeatherError(
            f"weather {name}: rows are {steps[0]:g} s apart but interval is {interval:g} s. Pass "
            f"interval={steps[0]:g}, or resample the table to {interval:g} s."
        )
    i = int(np.argmax(other))
    raise WeatherError(
        f"weather {name}: row {i + 1} ({moments[i + 1]}) comes {steps[i]:g} s after the one before; rows "
        f"must be {interval:g} s apart, as interval says. Fill the gaps, or resample the table."
    )


def _spacing(moments: "pd.DatetimeIndex", name: str) -> Floats:
    """Return the time between moments [s]; raises `WeatherError` where they do not ascend."""
    if moments.hasnans:
        raise WeatherError(f"weather {name}: the index lacks the time of some rows (NaT).")
    universal = moments if moments.tz is None else moments.tz_convert(None)
    steps: Floats = np.diff(universal.to_numpy()) / np.timedelta64(1, "s")
    if (steps <= 0.0).any():
        i = int(np.argmax(steps <= 0.0))
        raise WeatherError(
            f"weather {name}: row {i + 1} ({moments[i + 1]}) comes {steps[i]:g} s after the one before; the "
            "rows must ascend in equal steps. Sort them (sort_index) and drop duplicates."
        )
    return steps


def _column(frame: "pd.DataFrame", column: str, name: str) -> Floats:
    names = [c for c in (column, _OTHER_NAMES.get(column)) if c in frame.columns]
    if not names:
        raise WeatherError(
            f"weather {name}: column {column} ({COLUMNS[column]}) is missing."
            f"{did_you_mean(column, map(str, frame.columns))}"
        )
    try:
        given = frame[names[0]]
        return np.asarray(given, dtype=np.float64) if column in SWITCHES else numbers_of(given)
    except (TypeError, ValueError) as error:
        raise WeatherError(f"weather {name}: column {column} is not numeric: {error}.") from None


def read_parquet(
    path: Path, name: str, expected: str | None = None, place: Position | None = None
) -> GreenhouseSeries:
    """Return the series in a Parquet file of a place; `expected` is the SHA-256 that the file must have."""
    import pandas as pd

    checked(path, expected, f"weather {name}", WeatherError)
    return from_frame(pd.read_parquet(path), name, place)
