"""Typical years for greenhouses: EPW and TMY3 files, read by pvlib and brought to five minutes."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.errors import MissingExtraError, WeatherError
from agbench.simulators.base import Floats
from agbench.weather.astronomy import day_length
from agbench.weather.greenhouse import COLUMNS, GreenhouseSeries
from agbench.weather.greenhouse_disaggregation import CO2_PPM, ZERO

if TYPE_CHECKING:
    import pandas as pd

STEFAN_BOLTZMANN: Final = 5.670374e-8  # W m-2 K-4, CODATA 2018
YEAR: Final = 2005
"""The year that a typical year, made of many, is dated in; it has no 29 February."""


def read_typical_year(path: Path, interval: int = 300) -> GreenhouseSeries:
    """Return a typical year from an EPW (`.epw`) or TMY3 (`.csv`) file, a row every `interval` [s].

    Hourly values are interpolated, radiation so that each hour keeps its sum. The sky's temperature
    comes from its measured infrared radiation, or from humidity (Brutsaert 1975) where there is none;
    the soil's is the year's mean air temperature.
    """
    if not path.is_file():
        raise WeatherError(f"there is no weather file {path}.")
    table, place = _read(path)
    fine = _hourly(table)
    steps = 3600 // interval
    values = np.empty((len(fine) * steps, len(COLUMNS)))
    for i in range(6):
        values[:, i] = fine[:, i].repeat(steps) if i == 0 else _linear(fine[:, i], steps)
    values[:, 6] = fine[:, 1].mean()
    per_day = 24 * steps
    values[:, 7] = values[:, 0].reshape(-1, per_day).sum(axis=1).repeat(per_day) * interval * 1e-6
    values[:, 8], values[:, 9] = _daylight(float(place["latitude"]), len(fine) // 24, per_day)
    origin = {"file": path.name, "source": "EPW or TMY3 file read by pvlib"}
    return GreenhouseSeries(path.stem, datetime(YEAR, 1, 1), interval, values, origin)


def _read(path: Path) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Return the hourly table and the place of a file."""
    try:
        from pvlib import iotools
    except ImportError:
        raise MissingExtraError(
            'reading EPW and TMY files needs pvlib: pip install "agbench[weather]".'
        ) from None
    if path.suffix.lower() == ".epw":
        table, place = iotools.read_epw(path)
    else:
        table, place = iotools.read_tmy3(path, map_variables=True)
    if len(table) != 8760:
        raise WeatherError(f"weather {path}: {len(table)} hours; a typical year has 8760.")
    return table, dict(place)


def _hourly(table: "pd.DataFrame") -> Floats:
    """Return the first six greenhouse columns, hour by hour."""
    air = np.asarray(table["temp_air"], dtype=np.float64)
    humidity = np.asarray(table["relative_humidity"], dtype=np.float64)
    vapour = 0.01 * humidity * 610.78 * np.exp(17.2694 * air / (air + 238.3))
    co2 = CO2_PPM * 101325.0 * 44.01e-3 / (8.3144598 * (air + ZERO))
    if "ghi_infrared" in table.columns:
        sky = (np.asarray(table["ghi_infrared"], dtype=np.float64) / STEFAN_BOLTZMANN) ** 0.25 - ZERO
    else:
        emissivity = np.minimum(1.24 * (0.01 * vapour / (air + ZERO)) ** (1.0 / 7.0), 1.0)
        sky = (air + ZERO) * emissivity**0.25 - ZERO
    wind = np.asarray(table["wind_speed"], dtype=np.float64)
    sun = np.maximum(np.asarray(table["ghi"], dtype=np.float64), 0.0)
    return np.column_stack([sun, air, vapour, co2, wind, sky])


def _linear(hourly: Floats, steps: int) -> Floats:
    """Return values between the ends of hours, which the file gives; the year is a circle."""
    ends = np.append(hourly[-1], hourly)
    at = np.arange(len(hourly) * steps) / steps
    found: Floats = np.interp(at, np.arange(len(ends)), ends)
    return found


def _daylight(latitude: float, days: int, per_day: int) -> tuple[Floats, Floats]:
    """Return the day switches of a year: ramps of an hour at sunrise and sunset, and smooth."""
    length = np.array([day_length(latitude, day + 1.0, 0.0) for day in range(days)])
    hour = np.arange(per_day) * 24.0 / per_day
    inside = 0.5 * length[:, None] - np.abs(hour - 12.0)[None, :] + 0.5
    day = np.clip(inside, 0.0, 1.0).ravel()
    smooth = np.where((day > 0.0) & (day < 1.0), 1.0 / (1.0 + np.exp(-10.0 * (day - 0.5))), day)
    return day, smooth
