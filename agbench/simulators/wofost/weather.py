"""The weather of a world, with the terms that depend on the day and the latitude alone.

The light climate at the three hours of the Gaussian integration of assimilation (Goudriaan 1986)
does not depend on the crop, so it is computed once a series.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import cos
from agbench.variables import Floats, Variable, VariableTable
from agbench.weather.astronomy import (
    CIVIL_ANGLE,
    day_length,
    sine_amplitude,
    sine_offset,
    solar_constant,
    transmission,
)

GAUSS_POINTS: Final = (0.1127017, 0.5, 0.8872983)
GAUSS_WEIGHTS: Final = (0.2777778, 0.4444444, 0.2777778)

WEATHER_VARIABLES: Final = VariableTable(
    [
        Variable("IRRAD", "J m-2 d-1", "global radiation", 0.0, 4e7),
        Variable("TMIN", "degC", "least temperature", -50.0, 60.0),
        Variable("TMAX", "degC", "greatest temperature", -50.0, 60.0),
        Variable("TEMP", "degC", "mean temperature", -50.0, 60.0),
        Variable("VAP", "hPa", "vapour pressure", 0.0, 200.0),
        Variable("WIND", "m s-1", "wind speed at 2 m", 0.0, 100.0),
        Variable("RAIN", "cm d-1", "rain", 0.0, 35.0),
        Variable("E0", "cm d-1", "evaporation of a water surface", 0.0, 2.5),
        Variable("ES0", "cm d-1", "evaporation of a wet bare soil", 0.0, 2.5),
        Variable("ET0", "cm d-1", "evapotranspiration of a reference crop", 0.0, 2.5),
    ]
)
_DERIVED = [
    "DTEMP",
    "DAYL",
    "DAYLP",
    "SINB1",
    "SINB2",
    "SINB3",
    "PARDIR1",
    "PARDIR2",
    "PARDIR3",
    "PARDIF1",
    "PARDIF2",
    "PARDIF3",
]
WEATHER: Final = np.dtype([(n, np.float64) for n in (*WEATHER_VARIABLES.names, *_DERIVED)])
"""A day: the observed columns; the mean temperature of daytime DTEMP [degC]; day length DAYL and
photoperiod DAYLP [h]; at three hours the sine of solar height SINB [-], and direct and diffuse
photosynthetically active radiation PARDIR, PARDIF [J m-2 s-1]."""


def driving(observed: Floats, days: NDArray[np.datetime64], latitude: float) -> NDArray[Any]:
    """Return the records (T,) of type WEATHER of observed columns (T, len(WEATHER_VARIABLES))."""
    records = np.zeros(len(observed), dtype=WEATHER)
    for i, name in enumerate(WEATHER_VARIABLES.names):
        records[name] = observed[:, i]
    dates = days.astype("datetime64[D]")
    day_of_year = (dates - dates.astype("datetime64[Y]")).astype(np.float64) + 1.0
    _derive(records, day_of_year, float(latitude))
    return records


@entry
def _derive(records: Any, day_of_year: Floats, latitude: float) -> None:
    """Fill the derived fields of all days."""
    for t in range(records.shape[0]):
        w = records[t]
        w.DTEMP = (w.TEMP + w.TMAX) / 2.0
        w.DAYL = day_length(latitude, day_of_year[t], 0.0)
        w.DAYLP = day_length(latitude, day_of_year[t], CIVIL_ANGLE)
        _light_climate(w, latitude, day_of_year[t])


@kernel
def _light_climate(w: Any, latitude: float, day_of_year: float) -> None:
    """Set SINB, PARDIR and PARDIF at the three hours (Spitters, Toussaint, Goudriaan 1986)."""
    offset = sine_offset(latitude, day_of_year)
    amplitude = sine_amplitude(latitude, day_of_year)
    dimmed = _dimmed_sine(offset, amplitude, w.DAYL)
    through = transmission(w.IRRAD, latitude, day_of_year)
    diffuse = _diffuse_share(through) * through * 0.5 * solar_constant(day_of_year)
    w.SINB1 = _sine_of_height(offset, amplitude, w.DAYL, GAUSS_POINTS[0])
    w.SINB2 = _sine_of_height(offset, amplitude, w.DAYL, GAUSS_POINTS[1])
    w.SINB3 = _sine_of_height(offset, amplitude, w.DAYL, GAUSS_POINTS[2])
    w.PARDIR1, w.PARDIF1 = _radiation(w.IRRAD, w.SINB1, dimmed, diffuse)
    w.PARDIR2, w.PARDIF2 = _radiation(w.IRRAD, w.SINB2, dimmed, diffuse)
    w.PARDIR3, w.PARDIF3 = _radiation(w.IRRAD, w.SINB3, dimmed, diffuse)


@kernel
def _dimmed_sine(offset: float, amplitude: float, hours: float) -> float:
    """Return the daily integral of sine x (1 + 0.4 sine) of solar height [s d-1].

    The factor stands for the lower transmission of the atmosphere when the sun is low.
    """
    ratio = offset / amplitude
    mean = hours * (offset + 0.4 * (offset * offset + amplitude * amplitude * 0.5))
    if abs(ratio) > 1.0:
        return 3600.0 * mean
    swing = 12.0 * amplitude * (2.0 + 3.0 * 0.4 * offset) * math.sqrt(1.0 - ratio * ratio) / math.pi
    return 3600.0 * (mean + swing)


@kernel
def _diffuse_share(through: float) -> float:
    """Return the diffuse share of radiation [-] at atmospheric transmission `through` [-]."""
    if through > 0.75:
        return 0.23
    if through > 0.35:
        return 1.33 - 1.46 * through
    if through > 0.07:
        return 1.0 - 2.3 * ((through - 0.07) * (through - 0.07))
    return 1.0


@kernel
def _sine_of_height(offset: float, amplitude: float, hours: float, point: float) -> float:
    """Return the sine of solar height [-] at a Gaussian point between noon and sunset."""
    hour = 12.0 + 0.5 * hours * point
    return max(0.0, offset + amplitude * cos(2.0 * math.pi * (hour + 12.0) / 24.0))


@kernel
def _radiation(total: float, sine: float, dimmed: float, diffuse: float) -> tuple[float, float]:
    """Return direct and diffuse photosynthetically active radiation [J m-2 s-1]."""
    if dimmed <= 0.0:
        return 0.0, 0.0
    par = 0.5 * total * sine * (1.0 + 0.4 * sine) / dimmed
    scattered = min(par, sine * diffuse)
    return par - scattered, scattered
