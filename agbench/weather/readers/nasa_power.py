"""NASA POWER daily point data: the request, its answers as JSON or CSV, and the tables that sites ship.

The service's documentation: https://power.larc.nasa.gov/docs/services/api/temporal/daily/.
Radiation in MJ m-2 d-1, temperatures in degC, wind at 2 m in m s-1, rain in mm d-1; vapour
pressure follows from the dew point. -999 means missing. A table holds the same numbers in hundredths,
which is how NASA POWER rounds them, and the place in its metadata: an answer and a table give equal series.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather import series_cache
from agbench.weather.daily import ANGSTROM, DailySeries, derive
from agbench.weather.plausibility import check_plausible
from agbench.weather.readers.units import vapour_pressure

ENDPOINT: Final = "https://power.larc.nasa.gov/api/temporal/daily/point"
PARAMETERS: Final = {
    "ALLSKY_SFC_SW_DWN": "IRRAD",
    "T2M_MIN": "TMIN",
    "T2M_MAX": "TMAX",
    "T2MDEW": "VAP",
    "WS2M": "WIND",
    "PRECTOTCORR": "RAIN",
    "T2M": "TEMP",
}
_OPTIONAL: Final = ("T2M",)  # without it TEMP is the mean of TMIN and TMAX
_UNITS: Final = {
    "ALLSKY_SFC_SW_DWN": ("MJ/m^2/day",),
    "T2M_MIN": ("C",),
    "T2M_MAX": ("C",),
    "T2MDEW": ("C",),
    "WS2M": ("m/s",),
    "PRECTOTCORR": ("mm/day",),
    "T2M": ("C",),
}
_NONE = -999.0
_PLACE = re.compile(r"latitude\s+(-?[\d.]+)\s+longitude\s+(-?[\d.]+)", re.IGNORECASE)
_HEIGHT = re.compile(r"elevation.*=\s*(-?[\d.]+)\s*meters", re.IGNORECASE)
_UNIT_LINE = re.compile(r"^(\w+)\s.*\(([^()]+)\)\s*$")


def request(latitude: float, longitude: float, first: int, last: int) -> str:
    """Return the address of the daily data of a place [degrees] from one year to another."""
    query = {
        "parameters": ",".join(PARAMETERS),
        "community": "AG",
        "longitude": longitude,
        "latitude": latitude,
        "start": f"{first}0101",
        "end": f"{last}1231",
        "format": "JSON",
    }
    return f"{ENDPOINT}?{urlencode(query, safe=',')}"


def read_nasa_power(path: Path, angstrom: tuple[float, float] = ANGSTROM) -> DailySeries:
    """Return the series in an answer of the service, JSON or CSV, or in a table of them (.parquet)."""
    if path.suffix == ".parquet":
        what, start = f"nasa-power {path.stem} {angstrom}", f"{__name__}:{_read_table.__name__}"
        return series_cache.daily(what, [path], start, lambda: _read_table(path, angstrom))
    text = path.read_text(encoding="utf-8")
    try:
        if text.lstrip().startswith("{"):
            place, days, columns = _from_json(json.loads(text))
        else:
            place, days, columns = _from_csv(text.splitlines())
    except (KeyError, ValueError, TypeError, IndexError) as error:
        if isinstance(error, WeatherError):
            raise
        raise WeatherError(
            f"{path}: this is not an answer of the daily point service of NASA POWER:"
            f" {type(error).__name__} at {error}. Fetch it again."
        ) from None
    return _series(path.stem, place, days, columns, angstrom)


def _from_json(content: Any) -> tuple[tuple[float, float, float], list[date], dict[str, Floats]]:
    """Return place (latitude, longitude, elevation), days and columns of a JSON answer."""
    longitude, latitude, elevation = (float(x) for x in content["geometry"]["coordinates"])
    values_of = content["properties"]["parameter"]
    names = _present(values_of)
    for name in names:
        _check_unit(name, content["parameters"][name]["units"])
    stamps = sorted(values_of["T2M_MIN"])
    days = [date(int(s[:4]), int(s[4:6]), int(s[6:8])) for s in stamps]
    columns = {name: np.array([float(values_of[name][s]) for s in stamps]) for name in names}
    return (latitude, longitude, elevation), days, columns


def _from_csv(lines: list[str]) -> tuple[tuple[float, float, float], list[date], dict[str, Floats]]:
    """Return place, days and columns of a CSV answer with its header."""
    end = lines.index("-END HEADER-")
    header, titles = lines[:end], lines[end + 1].split(",")
    text = "\n".join(header)
    place, height = _PLACE.search(text), _HEIGHT.search(text)
    if place is None or height is None:
        raise ValueError("the header, which names neither latitude and longitude nor elevation")
    units = {m[1]: m[2] for line in header if (m := _UNIT_LINE.match(line.strip()))}
    names = _present(titles)
    for name in names:
        _check_unit(name, units[name])
    rows = [line.split(",") for line in lines[end + 2 :] if line.strip()]
    days = [_day(dict(zip(titles, row, strict=True))) for row in rows]
    columns = {name: np.array([float(row[titles.index(name)]) for row in rows]) for name in names}
    return (float(place[1]), float(place[2]), float(height[1])), days, columns


def _read_table(path: Path, angstrom: tuple[float, float]) -> DailySeries:
    """Return the series in a table of answers."""
    series, facts = _series(path.stem, *_from_table(path), angstrom), table_facts(path)
    kept: dict[str, str] = {key: facts[key] for key in ("source", "answer") if key in facts}
    return replace(series, provenance={**series.provenance, **kept})


def _from_table(path: Path) -> tuple[tuple[float, float, float], list[date], dict[str, Floats]]:
    """Return place, days and columns of a table in hundredths of NASA POWER's units."""
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
        facts = _facts(table.schema)
        columns = {name: table[name].to_numpy() / 100.0 for name in PARAMETERS}
        place = float(facts["latitude"]), float(facts["longitude"]), float(facts["elevation"])
        return place, table["date"].to_pylist(), columns
    except (pyarrow.ArrowException, KeyError, ValueError) as error:
        raise WeatherError(
            f"{path}: this is not a table of NASA POWER's days as sites/make_nasapower.py writes it: {error}."
        ) from None


def table_facts(path: Path) -> dict[str, str]:
    """Return what the metadata of a table say, by name: years, place, source, answer, archive."""
    import pyarrow.parquet

    return _facts(pyarrow.parquet.read_schema(path))


def _facts(schema: Any) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}


def _present(names: Iterable[str]) -> list[str]:
    """Return the parameters to read of an answer: all but those that it need not hold and lacks."""
    there = set(names)
    return [name for name in PARAMETERS if name in there or name not in _OPTIONAL]


def _day(row: dict[str, str]) -> date:
    """Return the date of a row: YEAR and DOY, or YEAR, MO and DY."""
    if "DOY" in row:
        first = date(int(row["YEAR"]), 1, 1)
        return date.fromordinal(first.toordinal() + int(row["DOY"]) - 1)
    return date(int(row["YEAR"]), int(row["MO"]), int(row["DY"]))


def _check_unit(name: str, unit: str) -> None:
    if unit not in _UNITS[name]:
        raise WeatherError(
            f"NASA POWER: {name} is in {unit!r}; expected {_UNITS[name][0]}, which the community AG gives."
        )


def _series(
    name: str,
    place: tuple[float, float, float],
    days: list[date],
    raw: dict[str, Floats],
    angstrom: tuple[float, float],
) -> DailySeries:
    """Return the series; a day that lacks a value is a missing day."""
    start = min(days)
    positions = np.array([(day - start).days for day in days])
    columns = {}
    for parameter, given in raw.items():
        ours = PARAMETERS[parameter]
        values = np.where(given <= _NONE, np.nan, given)
        columns[ours] = np.full(positions.max() + 1, np.nan)
        columns[ours][positions] = _converted(ours, values)
    latitude, longitude, elevation = place
    table = derive(columns, start, latitude, elevation, angstrom)
    check_plausible(table, start, name)
    provenance = {"reader": "nasa-power", "endpoint": ENDPOINT, "community": "AG"}
    provenance["angstrom"] = f"{angstrom[0]:g} {angstrom[1]:g}"
    return DailySeries(name, start, table, latitude, longitude, elevation, provenance)


def _converted(variable: str, values: Floats) -> Floats:
    """Return values in PCSE's units."""
    if variable == "IRRAD":
        return values * 1e6
    if variable == "RAIN":
        return values * 0.1
    if variable == "VAP":
        return vapour_pressure(values)
    return values
