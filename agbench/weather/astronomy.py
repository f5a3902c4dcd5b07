"""Day length and extraterrestrial radiation from latitude and day of the year.

Goudriaan and van Laar 1994, Modelling Potential Crop Growth Processes, chapter 3;
van Kraalingen and Rappoldt 1989, subroutine ASTRO. PCSE has the same formulas.
"""

import math

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import asin, cos, sin
from agbench.variables import Floats

RADIAN = math.pi / 180.0  # rad per degree
SINE_OF_OBLIQUITY = 0.3979486313076104  # of the tilt of the earth's axis, 23.45 degrees
SOLAR_CONSTANT = 1370.0  # J m-2 s-1
CIVIL_ANGLE = -4.0  # height of the sun at the ends of the photoperiod [degrees]


@kernel
def declination_sine(day_of_year: float) -> float:
    """Sine of the declination of the sun [-]."""
    return -SINE_OF_OBLIQUITY * cos(2.0 * math.pi * (day_of_year + 10.0) / 365.0)


@kernel
def solar_constant(day_of_year: float) -> float:
    """Solar radiation above the atmosphere at the day's distance from the sun [J m-2 s-1]."""
    return SOLAR_CONSTANT * (1.0 + 0.033 * cos(2.0 * math.pi * day_of_year / 365.0))


@kernel
def sine_offset(latitude: float, day_of_year: float) -> float:
    """Daily mean of the sine of solar height [-]; `latitude` in degrees."""
    return sin(RADIAN * latitude) * declination_sine(day_of_year)


@kernel
def sine_amplitude(latitude: float, day_of_year: float) -> float:
    """Daily amplitude of the sine of solar height [-]; `latitude` in degrees."""
    sine = declination_sine(day_of_year)
    return cos(RADIAN * latitude) * math.sqrt(1.0 - sine * sine)


@kernel
def day_length(latitude: float, day_of_year: float, angle: float) -> float:
    """Time that the sun stands above `angle` [degrees] on this day [h]."""
    offset = sine_offset(latitude, day_of_year)
    sine = (-sin(angle * RADIAN) + offset) / sine_amplitude(latitude, day_of_year)
    if sine > 1.0:
        return 24.0
    if sine < -1.0:
        return 0.0
    return 12.0 * (1.0 + 2.0 * asin(sine) / math.pi)


@kernel
def equation_of_time(day_of_year: float) -> float:
    """How far the sun is ahead of mean solar time [h] (Allen et al. 1998, FAO 56, Equations 32, 33)."""
    angle = 2.0 * math.pi * (day_of_year - 81.0) / 364.0
    return 0.1645 * sin(2.0 * angle) - 0.1255 * cos(angle) - 0.025 * sin(angle)


@kernel
def solar_noon(longitude: float, day_of_year: float, zone: float) -> float:
    """Clock time of the sun's highest stand [h] (FAO 56, Equation 31).

    `longitude` in degrees east of Greenwich; `zone` is how far the clock is ahead of UTC [h].
    """
    return 12.0 - (longitude / 15.0 - zone) - equation_of_time(day_of_year)


@kernel
def integrated_sine(latitude: float, day_of_year: float) -> float:
    """Sine of solar height, integrated over the day [s d-1]."""
    offset = sine_offset(latitude, day_of_year)
    amplitude = sine_amplitude(latitude, day_of_year)
    hours = day_length(latitude, day_of_year, 0.0)
    ratio = offset / amplitude
    if abs(ratio) > 1.0:
        return 3600.0 * (hours * offset)
    swing = 24.0 * amplitude * math.sqrt(1.0 - ratio * ratio) / math.pi
    return 3600.0 * (hours * offset + swing)


@kernel
def angot_radiation(latitude: float, day_of_year: float) -> float:
    """Daily radiation above the atmosphere on a horizontal plane [J m-2 d-1]."""
    return solar_constant(day_of_year) * integrated_sine(latitude, day_of_year)


@kernel
def transmission(radiation: float, latitude: float, day_of_year: float) -> float:
    """Share of the extraterrestrial `radiation` [J m-2 d-1] that reaches the ground [-]."""
    if day_length(latitude, day_of_year, 0.0) > 0.0:
        return radiation / angot_radiation(latitude, day_of_year)
    return 0.0


@entry
def photoperiods(day_of_year: Floats, latitude: float) -> Floats:
    """Photoperiodic day length of each day [h]: the sun above 4 degrees below the horizon."""
    hours = np.empty(day_of_year.size)
    for i in range(day_of_year.size):
        hours[i] = day_length(latitude, day_of_year[i], CIVIL_ANGLE)
    return hours
