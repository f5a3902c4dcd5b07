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
from agbench.files import sha256
from agbench.simulators.base import Floats

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
                "fill the gaps by a named choice."
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


def from_frame(frame: "pd.DataFrame", name: str = "given") -> GreenhouseSeries:
    """Return the series in a table: one row an interval, indexed by time, the columns of `COLUMNS`.

    Absent rows and rows with an empty cell are missing.
    """
    import pandas as pd

    if not isinstance(frame.index, pd.DatetimeIndex) or len(frame) < 2:
        raise WeatherError(f"weather {name}: the index must hold the times of at least two rows.")
    steps = np.diff(frame.index.to_numpy()).astype("timedelta64[s]").astype(np.int64)
    interval = int(steps.min())
    if interval <= 0 or (steps % interval).any():
        raise WeatherError(
            f"weather {name}: rows are {int(steps.min())} to {int(steps.max())} s apart; they must "
            "ascend in equal steps."
        )
    values = np.full((int(steps.sum()) // interval + 1, len(COLUMNS)), np.nan)
    rows = np.concatenate([[0], np.cumsum(steps // interval)])
    for i, column in enumerate(COLUMNS):
        values[rows, i] = _column(frame, column, name)
    begin = frame.index[0].to_pydatetime().replace(tzinfo=None)
    return GreenhouseSeries(name, begin, interval, values)


def _column(frame: "pd.DataFrame", column: str, name: str) -> Floats:
    known = [c for c in (column, _OTHER_NAMES.get(column)) if c in frame.columns]
    if not known:
        raise WeatherError(
            f"weather {name}: column {column} ({COLUMNS[column]}) is missing."
            f"{did_you_mean(column, map(str, frame.columns))}"
        )
    try:
        return np.asarray(frame[known[0]], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeatherError(f"weather {name}: column {column} is not numeric: {error}.") from None


def read_parquet(path: Path, name: str, expected: str | None = None) -> GreenhouseSeries:
    """Return the series in a Parquet file; `expected` is the SHA-256 that the file must have."""
    import pandas as pd

    if not path.is_file():
        raise WeatherError(f"weather {name}: there is no file {path}.")
    found = sha256(path)
    if expected is not None and found != expected:
        raise WeatherError(
            f"weather {name}: {path} has the SHA-256 {found}, not {expected}: it was changed or is "
            "damaged. Install it anew."
        )
    return from_frame(pd.read_parquet(path), name)
