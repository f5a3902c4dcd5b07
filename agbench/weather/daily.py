"""A daily weather series: an array with its place, its calendar and where it came from."""

import calendar
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.errors import WeatherError, did_you_mean
from agbench.variables import Floats, number_of, numbers_of
from agbench.weather.columns import DAILY, EVAPORATION, OBSERVED
from agbench.weather.generator.kernel import angot_year
from agbench.weather.plausibility import check_plausible, check_sun
from agbench.weather.readers.dates import read_dates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ANGSTROM", "DAILY", "DailySeries", "derive", "from_frame"]

ANGSTROM = (0.29, 0.49)  # -; PCSE's defaults where a place has no fitted Angstrom coefficients


@dataclass(frozen=True, eq=False)
class DailySeries:
    """Weather of one place, a row a day without a break; a row of NaN is a missing day.

    `latitude` and `longitude` in degrees (north and east positive), `elevation` in m.
    """

    name: str
    start: date
    values: Floats
    latitude: float
    longitude: float
    elevation: float
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    @property
    def end(self) -> date:
        """The last day."""
        return self.start + timedelta(days=len(self.values) - 1)

    def missing(self, start: date, end: date) -> list[date]:
        """Return the days without weather from `start` to `end`, both included."""
        first, last = (start - self.start).days, (end - self.start).days
        return [
            self.start + timedelta(days=i)
            for i in range(first, last + 1)
            if not 0 <= i < len(self.values) or np.isnan(self.values[i, 0])
        ]

    def window(self, start: date, end: date) -> Floats:
        """Return the rows from `start` to `end`, both included, read-only and without gaps."""
        if start < self.start or end > self.end or start > end:
            raise WeatherError(
                f"weather {self.name} covers {self.start} to {self.end}, not all of {start} to {end}."
            )
        rows = self.values[(start - self.start).days : (end - self.start).days + 1]
        if np.isnan(rows[:, 0]).any():
            raise WeatherError(self._gap_message(start, end))
        return rows

    def complete_years(self) -> list[int]:
        """Return the calendar years that have all their days."""
        return [year for year, days in self._days_of_years().items() if days == _length(year)]

    def incomplete_years(self) -> dict[int, int]:
        """Return the calendar years that lack days, and how many days they have."""
        return {y: days for y, days in self._days_of_years().items() if days != _length(y)}

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the values, the first day and the place."""
        digest = hashlib.sha256(np.ascontiguousarray(self.values, dtype="<f8").tobytes())
        place = (self.latitude, self.longitude, self.elevation)
        digest.update(f"{self.start.isoformat()} {place!r}".encode())
        return digest.hexdigest()

    def to_frame(self) -> "pd.DataFrame":
        """Return a table indexed by day; place and provenance are in its `attrs`."""
        import pandas as pd

        index = pd.date_range(self.start, periods=len(self.values), name="DAY")
        frame = pd.DataFrame(self.values.copy(), index=index, columns=list(DAILY.names))
        frame.attrs.update(lat=self.latitude, lon=self.longitude, elev=self.elevation)
        frame.attrs["provenance"] = dict(self.provenance)
        return frame

    def _days_of_years(self) -> dict[int, int]:
        present = ~np.isnan(self.values[:, 0])
        days = np.datetime64(self.start) + np.flatnonzero(present)
        result = days.astype("datetime64[Y]").astype(np.int64) + 1970
        return {y: int((result == y).sum()) for y in range(self.start.year, self.end.year + 1)}

    def _gap_message(self, start: date, end: date) -> str:
        missing = self.missing(start, end)
        count = f"{len(missing)} day{'s' if len(missing) > 1 else ''}"
        counted = [
            f"{year} has {_length(year) - len(lost)} of {_length(year)} days"
            for year in range(start.year, end.year + 1)
            if _covers(start, end, year) and (lost := [d for d in missing if d.year == year])
        ]
        years = f" ({', '.join(counted)})" if counted else ""
        return (
            f"weather {self.name} lacks {count} from {start} to {end}{years}:"
            f" {day_ranges(missing)}. Choose other days, or {self._remedy()}."
        )

    def _remedy(self) -> str:
        """Return what fills the gaps of a series of this origin."""
        if self.provenance.get("reader") == "table":
            return "fill the gaps in the table before you give it"
        own = "give weather=, a table of your own without the gaps"
        if self.provenance.get("fill") == "none":
            return f"let neighbours fill single values (fill: neighbours, in a site's series), or {own}"
        return own


def day_ranges(days: Sequence[date]) -> str:
    """Return sorted days as text, neighbours joined: `1990-01-01 to 1990-01-03, 1990-02-07`."""
    runs: list[list[date]] = []
    for day in days:
        if runs and day - runs[-1][-1] == timedelta(days=1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs)


def derive(
    columns: Mapping[str, Floats],
    start: date,
    latitude: float,
    elevation: float,
    angstrom: tuple[float, float] = ANGSTROM,
) -> Floats:
    """Return all columns (T, len(DAILY)) from the observed ones; given columns stay as given.

    TEMP is the mean of TMIN and TMAX; E0, ES0 and ET0 are reference evapotranspiration; DAYLP
    is astronomical. A day that lacks any value becomes a row of NaN.
    """
    series = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    series.setdefault("TEMP", (series["TMIN"] + series["TMAX"]) / 2.0)
    day_of_year = _days_of_year(start, series["TMIN"].size)
    if not series.keys() >= set(EVAPORATION):
        computed = _evaporation(series, day_of_year, latitude, elevation, angstrom)
        series = {**dict(zip(EVAPORATION, computed.T, strict=True)), **series}
    series["DAYLP"] = _photoperiods(start, day_of_year.size, float(latitude))
    values = np.column_stack([series[name] for name in DAILY.names])
    values[np.isnan(values).any(axis=1)] = np.nan
    return values


def from_frame(frame: "pd.DataFrame", name: str = "given") -> DailySeries:
    """Return the series in a table: one row a day, columns in PCSE's units.

    The index holds the dates, or a column DAY, day or date does. IRRAD, TMIN, TMAX, VAP, WIND and RAIN
    must be there; TEMP, E0, ES0 and ET0 are used where given, else derived (see `derive`). The
    place is in columns LAT, LON, ELEV or in `frame.attrs` as lat, lon, elev; Angstrom
    coefficients in `attrs` as angstA, angstB, else 0.29 and 0.49. Absent dates and rows with an
    empty cell are missing days.
    """
    days = _days(frame, name)
    _require(frame, name)
    latitude, longitude, elevation = (_place(frame, name, c) for c in ("LAT", "LON", "ELEV"))
    positions = (days - days[0]).astype(np.int64)
    columns = {}
    for column in (c for c in (*OBSERVED, "TEMP", *EVAPORATION) if c in frame.columns):
        columns[column] = np.full(positions[-1] + 1, np.nan)
        columns[column][positions] = _numbers(frame, name, column)
    start: date = days[0].item()
    angstrom = _angstrom(frame, name)
    values = derive(columns, start, latitude, elevation, angstrom)
    check_plausible(values, start, name)
    check_sun(values, start, angot_year(latitude), name)
    provenance = {"reader": "table", "angstrom": f"{angstrom[0]:g} {angstrom[1]:g}"}
    return DailySeries(name, start, values, latitude, longitude, elevation, provenance)


def _days(frame: "pd.DataFrame", name: str) -> Any:
    """Return the dates of a table as an ascending datetime64[D] array."""
    days = read_dates(frame, f"weather {name}", WeatherError)
    _check_days(days, name)
    return days


def _check_days(days: Any, name: str) -> None:
    """Refuse days out of order, or given twice."""
    steps = np.diff(days).astype(np.int64)
    if (steps == 0).any():
        day = days[1:][steps == 0][0]
        raise WeatherError(
            f"weather {name}: {day} appears more than once. One row a day is expected; resample"
            " finer data to days first."
        )
    if (steps < 0).any():
        day = days[1:][steps < 0][0]
        raise WeatherError(f"weather {name}: {day} is out of order. Sort the table by date.")
    if steps.size > 1 and steps.min() > 1:
        raise WeatherError(
            f"weather {name}: no two rows are consecutive days (the shortest step is"
            f" {steps.min()} days). One row a day is expected."
        )


def _require(frame: "pd.DataFrame", name: str) -> None:
    present = [str(column) for column in frame.columns]
    for column in OBSERVED:
        if column not in present:
            raise WeatherError(
                f"weather {name}: column {column} ({DAILY[column].unit}) is missing."
                f"{did_you_mean(column, present)}"
            )


def _numbers(frame: "pd.DataFrame", name: str, column: str) -> Floats:
    try:
        return numbers_of(frame[column])
    except (ValueError, TypeError) as error:
        raise WeatherError(f"weather {name}: column {column} is not numeric: {error}.") from None


def _place(frame: "pd.DataFrame", name: str, column: str) -> float:
    """Return LAT, LON or ELEV from its column or from the table's attributes."""
    key = column.lower()
    values = frame[column].unique() if column in frame.columns else [frame.attrs.get(key)]
    if len(values) != 1:
        raise WeatherError(f"weather {name}: {column} changes within the table: {list(values)}.")
    if values[0] is None:
        raise WeatherError(
            f"weather {name}: {column} is unknown. Give a column {column} or"
            f" frame.attrs[{key!r}] (degrees; elevation in m)."
        )
    value, limit = _number(values[0], name, column), {"LAT": 90.0, "LON": 180.0, "ELEV": 9000.0}[column]
    if not abs(value) <= limit:
        raise WeatherError(f"weather {name}: {column} is {value:g}; expected -{limit:g} to {limit:g}.")
    return value


def _angstrom(frame: "pd.DataFrame", name: str) -> tuple[float, float]:
    """Return the Angstrom coefficients in a table's attributes; CABO's sign does not count."""
    keys = ("angstA", "angstB")
    a, b = (
        abs(_number(frame.attrs.get(key, usual), name, key))
        for key, usual in zip(keys, ANGSTROM, strict=True)
    )
    if not a + b <= 1.0:
        raise WeatherError(
            f"weather {name}: angstA and angstB are {a:g} and {b:g}; expected shares of the radiation above "
            "the atmosphere, at most 1 together, as 0.25 and 0.5."
        )
    return a, b


_FORMS: Final = {
    "LAT": "degrees, north of the equator above 0, as 51.97 or -33.9",
    "LON": "degrees, east of Greenwich above 0, as 5.66 or -71.2",
    "ELEV": "m above the sea, as 7.0",
}


def _number(value: Any, name: str, what: str) -> float:
    """Return what a table says of its place as a number; raises `WeatherError` for what is none."""
    try:
        return number_of(value)
    except (TypeError, ValueError):
        form = _FORMS.get(what, "a share of radiation, as 0.25")
        raise WeatherError(f"weather {name}: {what} is {value!r}, not a number. Give {form}.") from None


def _evaporation(
    series: Mapping[str, Floats],
    day_of_year: Floats,
    latitude: float,
    elevation: float,
    angstrom: tuple[float, float],
) -> Floats:
    from agbench.weather.evapotranspiration import reference_et

    tmin, tmax, irrad, vap, wind = (
        np.ascontiguousarray(series[c]) for c in ("TMIN", "TMAX", "IRRAD", "VAP", "WIND")
    )
    a, b = angstrom
    return reference_et(day_of_year, tmin, tmax, irrad, vap, wind, float(latitude), float(elevation), a, b)


@lru_cache(maxsize=256)
def _photoperiods(start: date, count: int, latitude: float) -> Floats:
    """Return the photoperiod of each day [h], not to be written."""
    from agbench.weather.astronomy import photoperiods

    return photoperiods(_days_of_year(start, count), latitude)


@lru_cache(maxsize=256)
def _days_of_year(start: date, count: int) -> Floats:
    """Return the day of the year of each day, 1 on 1 January; not to be written."""
    days = np.datetime64(start) + np.arange(count)
    first = days.astype("datetime64[Y]").astype("datetime64[D]")
    numbers: Floats = (days - first).astype(np.float64) + 1.0
    return numbers


def _length(year: int) -> int:
    return 366 if calendar.isleap(year) else 365


def _covers(start: date, end: date, year: int) -> bool:
    return start <= date(year, 1, 1) and date(year, 12, 31) <= end
