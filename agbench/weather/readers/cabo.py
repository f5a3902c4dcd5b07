"""CABO weather files: one file a station and year, in the format of the Wageningen crop models.

Comment lines begin with `*`; the first other line gives longitude, latitude, elevation and the
two Angstrom coefficients (negative where radiation was measured, positive where the radiation
column holds hours of sunshine); then a record a day: station, year, day of the year, radiation
[kJ m-2 d-1], TMIN, TMAX [degC], vapour pressure [kPa], wind [m s-1], rain [mm d-1]. Lines that
begin with -999 carry status codes, the value -99 means none.
"""

import functools
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import numpy as np

from agbench.errors import WeatherError, unknown
from agbench.variables import Floats
from agbench.weather import series_cache
from agbench.weather.columns import OBSERVED
from agbench.weather.daily import DailySeries, derive
from agbench.weather.plausibility import check_plausible

Fill = Literal["none", "neighbours"]

_NONE = -99.0
_FACTORS = {"IRRAD": 1000.0, "TMIN": 1.0, "TMAX": 1.0, "VAP": 10.0, "WIND": 1.0, "RAIN": 0.1}


@dataclass(frozen=True)
class _Place:
    """The place line of a file: degrees, m, and the absolute Angstrom coefficients."""

    longitude: float
    latitude: float
    elevation: float
    angstrom_a: float
    angstrom_b: float


@functools.lru_cache(maxsize=16)
def read_cabo(folder: Path, station: str, fill: Fill = "none") -> DailySeries:
    """Return all years of a station, whose files `station.YYY` lie in `folder`.

    `fill="neighbours"` puts the mean of yesterday and tomorrow where a single value is missing,
    except for rain; the provenance names each such value. Days that still lack a value are
    missing. Files are read once a process, and what is read is kept on disk.
    """
    if fill not in ("none", "neighbours"):
        raise unknown("way to fill gaps", fill, ("none", "neighbours"), where=f"weather {station}")
    years = _files(folder, station)
    return series_cache.daily(
        f"cabo {station} {fill}",
        years.values(),
        f"{__name__}:{_read_years.__name__}",
        lambda: _read_years(years, station, fill),
    )


def _read_years(years: dict[int, Path], station: str, fill: Fill) -> DailySeries:
    """Read the files of some years."""
    start, end = date(min(years), 1, 1), date(max(years), 12, 31)
    values = np.full(((end - start).days + 1, len(OBSERVED)), np.nan)
    place = _read_files(years, start, values)
    filled = _fill_from_neighbours(values, start) if fill == "neighbours" else {}
    columns = {v: values[:, i] * _FACTORS[v] for i, v in enumerate(OBSERVED)}
    angstrom = (place.angstrom_a, place.angstrom_b)
    table = derive(columns, start, place.latitude, place.elevation, angstrom)
    check_plausible(table, start, station)
    provenance = {
        "reader": "cabo",
        "files": f"{years[min(years)].name} to {years[max(years)].name}",
        "angstrom": f"{place.angstrom_a:g} {place.angstrom_b:g}",
        "fill": fill,
        **{f"filled {day}": ", ".join(names) for day, names in filled.items()},
    }
    where = (place.latitude, place.longitude, place.elevation)
    return DailySeries(station, start, table, *where, provenance)


def _files(folder: Path, station: str) -> dict[int, Path]:
    """Return the files by year: NL1.976 is 1976, NL1.003 is 2003."""
    files = {}
    for path in sorted(folder.glob(f"{station}.[0-9][0-9][0-9]")):
        code = int(path.suffix[1:])
        files[code + (1000 if code >= 900 else 2000)] = path
    if not files:
        stations = sorted({p.stem for p in folder.glob("*.[0-9][0-9][0-9]")})
        hint = f"Stations there: {', '.join(stations)}." if stations else "No CABO files there."
        raise WeatherError(f"no CABO weather file {station}.??? in {folder}. {hint}")
    return files


def _read_files(years: dict[int, Path], start: date, values: Floats) -> _Place:
    """Fill `values` (T, 6), in the files' own units, and return the one place of all files."""
    places = {}
    for year, path in years.items():
        lines = [line for line in path.read_text(encoding="latin-1").splitlines() if line.strip()]
        data = [line for line in lines if not line.startswith("*")]
        places[_read_place(data[0] if data else "", path)] = path
        for line in data[1:]:
            if not line.lstrip().startswith("-999"):
                _read_record(line, year, path, start, values)
    if len(places) > 1:
        names = ", ".join(path.name for path in places.values())
        raise WeatherError(f"the place differs between the CABO files {names}.")
    return next(iter(places))


def _read_place(line: str, path: Path) -> _Place:
    try:
        longitude, latitude, elevation, a, b = (float(x) for x in line.split())
    except ValueError:
        raise WeatherError(
            f"{path.name}: expected longitude, latitude, elevation and two Angstrom coefficients,"
            f" found {line!r}."
        ) from None
    if a > 0.0 and b > 0.0:
        raise WeatherError(
            f"{path.name}: positive Angstrom coefficients mean hours of sunshine, which this"
            " reader does not convert. Give radiation in kJ m-2 d-1 and negative coefficients."
        )
    return _Place(longitude, latitude, elevation, abs(a), abs(b))


def _read_record(line: str, year: int, path: Path, start: date, values: Floats) -> None:
    try:
        _, result, day, *numbers = line.split()
        row = [float(x) for x in numbers]
        position = (date(int(result), 1, 1) - start).days + int(day) - 1
    except ValueError:
        row, result = [], str(year)
    if len(row) != len(OBSERVED) or int(result) != year:
        raise WeatherError(f"{path.name}: expected a record of nine numbers of {year}: {line!r}.")
    values[position] = [np.nan if x == _NONE else x for x in row]


def _fill_from_neighbours(values: Floats, start: date) -> dict[date, list[str]]:
    """Fill single missing values but rain in place; return which values on which days."""
    filled: dict[date, list[str]] = {}
    for column, name in enumerate(OBSERVED):
        if name == "RAIN":
            continue
        series = values[:, column].copy()
        present = ~np.isnan(series)
        for i in np.flatnonzero(~present[1:-1] & present[:-2] & present[2:]) + 1:
            before, after = series[i - 1], series[i + 1]
            values[i, column] = before + (after - before) / 2.0
            filled.setdefault(start + timedelta(days=int(i)), []).append(name)
    return dict(sorted(filled.items()))
