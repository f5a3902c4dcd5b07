"""Observations: a table read, checked, and put into the seasons in which they were made."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.calibration.targets import Target, days_since_epoch, find
from agbench.data.calibration import CalibrationSeason, CalibrationSpec
from agbench.errors import ConfigError, did_you_mean
from agbench.simulators.field.calendar import as_date
from agbench.simulators.models import CropModel
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Final = ("variable", "date", "value", "site", "season", "start", "sd", "weight", "unit")
_FIRST_YEAR: Final = 1000  # a year of fewer digits is a slip of the pen
_LAST_YEAR: Final = 9000  # leaves room for the longest season before the last date of the calendar


@dataclass(frozen=True, order=True)
class ObservedSeason:
    """One season at one place: the days on which its simulation and its crop start."""

    site: str
    start: date
    crop_start: date

    @property
    def year(self) -> int:
        """The year in which the season starts, its name."""
        return self.start.year

    def __str__(self) -> str:
        return f"{self.site}/{self.year}"


@dataclass(frozen=True)
class Observation:
    """One observation: a date in days since 1970-01-01 for a stage, else a number in the target's unit.

    `day` is None for a state at the end of its season. `sd` is its standard deviation, if known.
    """

    season: ObservedSeason
    target: Target
    day: date | None
    value: float
    sd: float | None
    weight: float


@dataclass(frozen=True)
class Observations:
    """All observations of a calibration, in the order of the table, and the table's hash."""

    rows: Sequence[Observation]
    sha256: str

    def column(self, name: str) -> Floats:
        """Return one number of each observation, NaN where there is none."""
        return np.array([getattr(row, name) for row in self.rows], dtype=np.float64)


def read(spec: CalibrationSpec, given: "pd.DataFrame | str | Path", model: CropModel) -> Observations:
    """Return the observations of a CSV file or a DataFrame.

    Raises `ConfigError` naming the row of what is missing or wrong.
    """
    table, where = _table(given)
    if not table.columns.is_unique:
        twice = sorted({str(name) for name in table.columns[table.columns.duplicated()]})
        raise ConfigError(f"{where}: two columns have the name {', '.join(twice)}; leave one out.")
    for column in table.columns:
        if column not in COLUMNS:
            raise ConfigError(f"{where}: unknown column {column!r}.{did_you_mean(str(column), COLUMNS)}")
    if "variable" not in table.columns or not len(table):
        raise ConfigError(f"{where}: observations need rows, and a column 'variable'.")
    rows = [_TableRow(where, i, entry, spec) for i, entry in enumerate(table.to_dict("records"))]
    result = [row.observation(model) for row in rows]
    _require_different(where, result)
    observed = {row.target.name for row in result}
    for stage in spec.stages:
        for name in stage.observations:
            if (variable := find(model, name, f"stages: {stage.name}").name) not in observed:
                raise ConfigError(f"stages: {stage.name}: {where} has no observation of {variable}.")
    return Observations(result, _sha256(result))


def _require_different(where: str, rows: Sequence[Observation]) -> None:
    """Raise `ConfigError` for a row that repeats another; those that differ in value are replicates."""
    first: dict[Any, int] = {}
    for number, row in enumerate(rows, start=1):
        what = (row.season, row.target.name, row.day, row.value)
        if what in first:
            raise ConfigError(
                f"{where}: row {number} repeats row {first[what]}: {row.target.name} of {row.season}. Leave"
                " one out; if both were observed, write a weight of 2."
            )
        first[what] = number


def _table(given: Any) -> tuple["pd.DataFrame", str]:
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return given, "observations"
    if not isinstance(given, (str, Path)):
        raise ConfigError(
            "observations: give a DataFrame or the path of a CSV file; got a value of type"
            f" {type(given).__name__!r}."
        )
    path = Path(given)
    try:
        return pd.read_csv(path, dtype={"date": str, "start": str, "site": str}), str(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}.") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not a CSV table: {error}.") from None


def _sha256(rows: Sequence[Observation]) -> str:
    """Return the hash of what was read, so that a DataFrame and its CSV file have the same."""
    lines = [
        f"{row.season.site} {row.season.start} {row.season.crop_start} {row.target.name} {row.day}"
        f" {row.value!r} {row.sd!r} {row.weight!r}"
        for row in rows
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class _TableRow:
    """One row of the table, read cell by cell."""

    def __init__(self, where: str, number: int, cells: dict[Any, Any], spec: CalibrationSpec) -> None:
        self._where = f"{where}: row {number + 1}"
        self._cells = cells
        self._spec = spec

    def observation(self, model: CropModel) -> Observation:
        """Return what the row says."""
        name = self._cell("variable")
        if name is None:
            raise ConfigError(f"{self._where}: the variable is missing.")
        target = find(model, str(name), self._where)
        day = self._date("date")
        unit = self._cell("unit")
        if unit is not None and unit != target.unit:
            raise ConfigError(f"{self._where}: {target.name} is in {target.unit}; got the unit {unit!r}.")
        value = self._day_of(target, day) if target.is_date else self._value_of(target)
        sd, weight = self._number("sd", above=0.0), self._number("weight", above=0.0)
        return Observation(self._season(day), target, day, value, sd, 1.0 if weight is None else weight)

    def _day_of(self, target: Target, day: date | None) -> float:
        """Return the date of a stage in days since 1970-01-01."""
        if day is None:
            raise ConfigError(f"{self._where}: {target.name} is the date of a stage: give its date.")
        if (value := self._cell("value")) is not None:
            raise ConfigError(
                f"{self._where}: {target.name} is the date of a stage, {day}: leave its value empty; got"
                f" {value!r}."
            )
        return float(days_since_epoch(day))

    def _value_of(self, target: Target) -> float:
        """Return a number in the unit of its variable."""
        number = self._number("value")
        if number is None:
            raise ConfigError(f"{self._where}: {target.name} needs a value in {target.unit}.")
        if not target.low <= number <= target.high:
            raise ConfigError(
                f"{self._where}: {target.name} is in {target.unit}, from {target.low:g} to {target.high:g};"
                f" got {number:g}."
            )
        return number

    def _cell(self, name: str) -> Any:
        """Return a cell; None where it is absent or empty."""
        value = self._cells.get(name)
        return None if value is None or value != value or value == "" else value

    def _date(self, name: str) -> date | None:
        value = self._cell(name)
        if value is None:
            return None
        day = as_date(f"{self._where}: {name}", value)
        if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            raise ConfigError(f"{self._where}: {name} {day} lies beyond any weather; write it as 1984-02-24.")
        return day

    def _number(self, name: str, above: float | None = None) -> float | None:
        value = self._cell(name)
        if value is None:
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ConfigError(f"{self._where}: {name} {value!r} is not a number.") from None
        if not np.isfinite(number) or (above is not None and number <= above):
            least = "" if above is None else f" above {above:g}"
            raise ConfigError(f"{self._where}: {name} must be a finite number{least}; got {value!r}.")
        return number

    def _year(self) -> int | None:
        """Return the year in which the season starts, None where the row does not say it."""
        number = self._number("season")
        if number is not None and not (number == int(number) and _FIRST_YEAR <= number <= _LAST_YEAR):
            raise ConfigError(f"{self._where}: season must be a year such as 1984; got {number:g}.")
        return None if number is None else int(number)

    def _season(self, day: date | None) -> ObservedSeason:
        """Return the season of the row: by its year, the start of its crop, or its date."""
        spec = self._spec.season
        site = str(self._cell("site") or self._spec.site)
        crop_start, year = self._date("start"), self._year()
        if spec.start is None:
            if crop_start is None:
                raise ConfigError(
                    f"{self._where}: the column start must say when its crop started, or season.start of"
                    " the specification when every season does."
                )
            return ObservedSeason(site, crop_start, crop_start)
        if year is not None:
            start = _on(year, spec.start)
        else:
            within = crop_start or day
            if within is None:
                raise ConfigError(f"{self._where}: a row without a date needs its season, a year.")
            start = _on(within.year, spec.start)
            start = start if start <= within else _on(within.year - 1, spec.start)
        return ObservedSeason(site, start, crop_start or _crop_start(spec, start))


def _crop_start(spec: CalibrationSeason, start: date) -> date:
    return start if spec.crop_start is None else following(start, spec.crop_start)


def _on(year: int, month_day: str) -> date:
    return date.fromisoformat(f"{year:04d}-{month_day}")


def following(start: date, month_day: str) -> date:
    """Return a day of the year, on or after `start`."""
    day = _on(start.year, month_day)
    return day if day >= start else _on(start.year + 1, month_day)
