"""Typical years for greenhouses: EPW, TMY3 and TMY2 files, read by pvlib, brought to five minutes."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.compiled.elementary import exp, pow
from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.daylight import day_switches
from agbench.weather.greenhouse.disaggregation import CO2_PPM, ZERO
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.position import Position, check_position
from agbench.weather.greenhouse.series import COLUMNS, GreenhouseSeries
from agbench.weather.readers.typical_years import numbers, parsed

if TYPE_CHECKING:
    import pandas as pd

STEFAN_BOLTZMANN: Final = 5.670374e-8  # W m-2 K-4, CODATA 2018
YEAR: Final = 2005
"""The year that a typical year, made of many, is dated in; it has no 29 February."""


KINDS: Final[Mapping[str, str]] = {".epw": "epw", ".csv": "tmy3", ".tm2": "tmy2"}
"""What a file of a typical year is, by how its name ends."""
_INFRARED: Final = (50.0, 700.0)  # W m-2 that a sky sends down; files write 0 or 9999 where they know none


def read_typical_year(path: str | Path, interval: int = 300) -> GreenhouseSeries:
    """Return a typical year from an EPW (`.epw`), TMY3 (`.csv`) or TMY2 (`.tm2`) file.

    It has a row every `interval` [s], a divisor of the hour, in the local standard time of the file.
    Hourly values are interpolated, radiation so that each hour keeps its sum. The sky's temperature
    comes from its measured infrared radiation, or from humidity (Brutsaert 1975) where there is none;
    the soil's is the year's mean air temperature. The day switches follow true solar time.

    Raises:
        WeatherError: for a file that is not there, of another kind, or that cannot be read.
    """
    path = Path(path)
    if not path.is_file():
        raise WeatherError(f"there is no weather file {path}.")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise WeatherError(
            f"weather {path}: a typical year is an EPW (.epw), TMY3 (.csv) or TMY2 (.tm2) file, not "
            f"{path.suffix or 'one without suffix'}."
        )
    if interval <= 0 or 3600 % interval:
        raise WeatherError(f"weather {path}: interval is {interval} s; give a divisor of 3600 s.")
    table, place = parsed(kind, path)
    at = Position(float(place["latitude"]), float(place["longitude"]), float(place["TZ"]))
    fine = _hourly(path, table)
    steps = 3600 // interval
    values = np.empty((len(fine) * steps, len(COLUMNS)))
    for i in range(6):
        values[:, i] = fine[:, i].repeat(steps) if i == 0 else _linear(fine[:, i], steps)
    values[:, 6] = fine[:, 1].mean()
    per_day = 24 * steps
    values[:, 7] = values[:, 0].reshape(-1, per_day).sum(axis=1).repeat(per_day) * interval * 1e-6
    days = len(fine) // 24
    values[:, 8], values[:, 9] = day_switches(
        np.arange(1.0, days + 1.0).repeat(per_day),
        np.tile(np.arange(per_day) * 24.0 / per_day, days),
        at.latitude,
        at.longitude,
        at.zone,
    )
    check_plausible(values, str(path), interval)
    begin = datetime(YEAR, 1, 1)
    check_position(values, begin, interval, at, str(path))
    origin = {"file": path.name, "source": f"{kind.upper()} file read by pvlib"}
    return GreenhouseSeries(path.stem, begin, interval, values, origin)


def _in_units(path: Path, table: "pd.DataFrame") -> dict[str, Floats]:
    """Return the hours of a file: W m-2, degC, %, m s-1; TMY2 has tenths and names of its own."""
    names = ("ghi", "temp_air", "relative_humidity", "wind_speed", "ghi_infrared")
    tenths = {"DryBulb": "temp_air", "Wspd": "wind_speed"}
    table = table.rename(columns={"GHI": "ghi", "RHum": "relative_humidity"})
    if "DryBulb" in table.columns:
        table = table.assign(**{name: table[old] / 10.0 for old, name in tenths.items()})
    result = {
        name: numbers(path, table, name) for name in names if name in table.columns or name != names[-1]
    }
    if len(table) != 8760:
        raise WeatherError(f"weather {path}: {len(table)} hours; a typical year has 8760.")
    humidity = result["relative_humidity"]
    if not ((humidity >= 0.0) & (humidity <= 110.0)).all():
        hour = int(np.argmax(~((humidity >= 0.0) & (humidity <= 110.0))))
        raise WeatherError(
            f"weather {path}: relative humidity is {humidity[hour]:g} % in hour {hour + 1} of the year; "
            "expected 0 to 110 (999 means missing). Fill the gap first."
        )
    return result


def _hourly(path: Path, table: "pd.DataFrame") -> Floats:
    """Return the first six greenhouse columns, hour by hour."""
    hours = _in_units(path, table)
    air, wind = hours["temp_air"], hours["wind_speed"]
    vapour = 0.01 * hours["relative_humidity"] * 610.78 * exp(17.2694 * air / (air + 238.3))
    co2 = CO2_PPM * 101325.0 * 44.01e-3 / (8.3144598 * (air + ZERO))
    emissivity = np.minimum(1.24 * pow(0.01 * vapour / (air + ZERO), 1.0 / 7.0), 1.0)
    sky = (air + ZERO) * np.sqrt(np.sqrt(emissivity)) - ZERO
    if "ghi_infrared" in hours:
        infrared = hours["ghi_infrared"]
        measured = (infrared >= _INFRARED[0]) & (infrared <= _INFRARED[1])
        sky = np.where(measured, np.sqrt(np.sqrt(infrared / STEFAN_BOLTZMANN)) - ZERO, sky)
    sun = np.maximum(hours["ghi"], 0.0)
    return np.column_stack([sun, air, vapour, co2, wind, sky])


def _linear(hourly: Floats, steps: int) -> Floats:
    """Return values between the ends of hours, which the file gives; the year is a circle."""
    ends = np.append(hourly[-1], hourly)
    share = np.arange(steps) / steps
    result: Floats = ends[:-1, None] + (ends[1:] - ends[:-1])[:, None] * share
    return result.ravel()
