"""KNMI station files, daily and hourly, as the institute publishes them.

https://www.knmi.nl/kennis-en-datacentrum/achtergrond/data-ophalen-vanuit-een-script. Comment
lines begin with `#` and hold the station's place; then a title line and a record a day or hour.
Units: 0.1 degC, 0.1 m s-1 at 10 m, J cm-2, 0.1 mm (-1 for less than 0.05 mm), relative humidity in %.
"""

import re
from datetime import date
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.daily import ANGSTROM, DailySeries, derive
from agbench.weather.plausibility import check_plausible
from agbench.weather.readers.units import vapour_pressure, wind_at_2_m

ENDPOINT: Final = "https://www.daggegevens.knmi.nl/klimatologie/daggegevens"
DAILY_FIELDS: Final = ("FG", "TG", "TN", "TX", "Q", "RH", "UG")
HOURLY_FIELDS: Final = ("FH", "T", "TD", "Q", "RH")
_STATION = re.compile(r"^#\s*(\d{3})\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(.+?)\s*$")


def request(station: int, first: int, last: int) -> str:
    """Return the address of the daily data of a station from one year to another."""
    query = {
        "start": f"{first}0101",
        "end": f"{last}1231",
        "stns": station,
        "vars": ":".join(DAILY_FIELDS),
        "fmt": "csv",
    }
    return f"{ENDPOINT}?{urlencode(query, safe=':')}"


def read_knmi(path: Path, angstrom: tuple[float, float] = ANGSTROM) -> DailySeries:
    """Return the series of the one station in a file; hours become days."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    latitude, longitude, elevation, name = _place(lines, path)
    titles, rows = _records(lines, path)
    hourly = any(title in titles for title in ("HH", "H"))
    _require(titles, HOURLY_FIELDS if hourly else DAILY_FIELDS, path)
    start, columns = _hourly(titles, rows, path) if hourly else _daily(titles, rows)
    table = derive(columns, start, latitude, elevation, angstrom)
    check_plausible(table, start, path.stem)
    provenance = {"reader": "knmi", "station": name, "step": "hour" if hourly else "day"}
    provenance["angstrom"] = f"{angstrom[0]:g} {angstrom[1]:g}"
    return DailySeries(path.stem, start, table, latitude, longitude, elevation, provenance)


def _place(lines: list[str], path: Path) -> tuple[float, float, float, str]:
    """Return latitude, longitude, elevation and name of the station."""
    result = [match for line in lines if (match := _STATION.match(line))]
    if len(result) != 1:
        raise WeatherError(
            f"{path}: a KNMI file of one station is expected, with its line '# STN LON LAT ALT NAME';"
            f" found {len(result)} such lines."
        )
    number, longitude, latitude, elevation, name = result[0].groups()
    return float(latitude), float(longitude), float(elevation), f"{number} {name}"


def _records(lines: list[str], path: Path) -> tuple[list[str], Floats]:
    """Return the titles and the records as numbers; an empty field is NaN."""
    titled = [i for i, line in enumerate(lines) if re.match(r"^#?\s*STN\s*,\s*YYYYMMDD", line)]
    if not titled:
        raise WeatherError(f"{path}: no title line 'STN,YYYYMMDD,...' as KNMI's files have it.")
    titles = [title.strip().lstrip("# ") for title in lines[titled[-1]].split(",")]
    rows = []
    for number, line in enumerate(lines[titled[-1] + 1 :], titled[-1] + 2):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(",")]
        try:
            rows.append([float(field) if field else np.nan for field in fields])
        except ValueError:
            rows.append([])
        if len(rows[-1]) != len(titles):
            raise WeatherError(f"{path}:{number}: expected {len(titles)} numbers, found {line!r}.")
    if not rows:
        raise WeatherError(f"{path}: no records after the title line.")
    return titles, np.array(rows)


def _require(titles: list[str], fields: tuple[str, ...], path: Path) -> None:
    missing = [field for field in fields if field not in titles]
    if missing:
        raise WeatherError(
            f"{path}: KNMI's fields {', '.join(missing)} are missing; ask for {':'.join(fields)}."
        )


def _days(titles: list[str], rows: Floats) -> tuple[date, Floats]:
    """Return the first day and how many days after it each record is."""
    stamps = rows[:, titles.index("YYYYMMDD")].astype(int)
    ordinals = np.array([date(s // 10000, s // 100 % 100, s % 100).toordinal() for s in stamps])
    return date.fromordinal(int(ordinals.min())), ordinals - ordinals.min()


def _daily(titles: list[str], rows: Floats) -> tuple[date, dict[str, Floats]]:
    """Return the first day and the columns of daily records in our units."""
    start, position = _days(titles, rows)

    def field(name: str) -> Floats:
        values = np.full(int(position.max()) + 1, np.nan)
        values[position.astype(int)] = rows[:, titles.index(name)]
        return values

    mean = field("TG") / 10.0
    return start, {
        "IRRAD": field("Q") * 1e4,
        "TMIN": field("TN") / 10.0,
        "TMAX": field("TX") / 10.0,
        "TEMP": mean,
        "VAP": vapour_pressure(mean) * field("UG") / 100.0,
        "WIND": wind_at_2_m(field("FG") / 10.0),
        "RAIN": np.maximum(field("RH"), 0.0) * 0.01,
    }


def _hourly(titles: list[str], rows: Floats, path: Path) -> tuple[date, dict[str, Floats]]:
    """Return the first day and the columns of hourly records, put together by day."""
    start, position = _days(titles, rows)
    hour = rows[:, titles.index("HH" if "HH" in titles else "H")].astype(int)
    if hour.min() < 1 or hour.max() > 24:
        raise WeatherError(f"{path}: hours run from 1 to 24 in KNMI's files.")

    def field(name: str) -> Floats:
        values = np.full((int(position.max()) + 1, 24), np.nan)
        values[position.astype(int), hour - 1] = rows[:, titles.index(name)]
        return values

    temperature, dew = field("T") / 10.0, field("TD") / 10.0
    return start, {
        "IRRAD": field("Q").sum(axis=1) * 1e4,
        "TMIN": temperature.min(axis=1),
        "TMAX": temperature.max(axis=1),
        "TEMP": temperature.mean(axis=1),
        "VAP": vapour_pressure(dew).mean(axis=1),
        "WIND": wind_at_2_m(field("FH").mean(axis=1) / 10.0),
        "RAIN": np.maximum(field("RH"), 0.0).sum(axis=1) * 0.01,
    }
