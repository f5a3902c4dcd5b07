"""The sun by the clock: its height, its noon, radiation above the atmosphere, and sums spread below it.

Declination, equation of time and distance: Spencer (1971, Search 2, 172), as in Iqbal (1983, An
Introduction to Solar Radiation, Equations 1.2.1, 1.3.1 and 1.4.1). Crop models' shorter formulas
(`agbench.weather.astronomy`) are off by up to six minutes at sunrise, too much for steps of five minutes.
"""

import math

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import asin, cos, exp, sin
from agbench.variables import Floats

SOLAR_CONSTANT = 1360.8  # W m-2 (Kopp and Lean 2011, Geophysical Research Letters 38, L01706)
RADIAN = math.pi / 180.0  # rad per degree
RISE = -0.833  # degrees; height of the sun's centre at sunrise, for its radius and refraction
_STEEP = 10.0  # h-1; of the smooth switch at dawn and dusk (GreenLight)


@kernel
def _angle(day: float) -> float:
    """Angle of the year [rad]; `day` is 1 on 1 January."""
    return 2.0 * math.pi * (day - 1.0) / 365.0


@kernel
def declination(day: float) -> float:
    """Declination of the sun [rad] (Iqbal 1.3.1)."""
    a = _angle(day)
    first = 0.006918 - 0.399912 * cos(a) + 0.070257 * sin(a)
    second = -0.006758 * cos(2.0 * a) + 0.000907 * sin(2.0 * a)
    return first + second - 0.002697 * cos(3.0 * a) + 0.00148 * sin(3.0 * a)


@kernel
def equation_of_time(day: float) -> float:
    """How far the sun is ahead of mean solar time [h] (Iqbal 1.4.1)."""
    a = _angle(day)
    first = 0.000075 + 0.001868 * cos(a) - 0.032077 * sin(a)
    return 12.0 / math.pi * (first - 0.014615 * cos(2.0 * a) - 0.040849 * sin(2.0 * a))


@kernel
def noon(longitude: float, day: float, zone: float) -> float:
    """Clock time of the sun's highest stand [h]: `longitude` in degrees east, `zone` h ahead of UTC."""
    return 12.0 - longitude / 15.0 + zone - equation_of_time(day)


@kernel
def normal_radiation(day: float) -> float:
    """Radiation above the atmosphere on a plane that faces the sun [W m-2] (Iqbal 1.2.1)."""
    a = _angle(day)
    first = 1.00011 + 0.034221 * cos(a) + 0.00128 * sin(a)
    return SOLAR_CONSTANT * (first + 0.000719 * cos(2.0 * a) + 0.000077 * sin(2.0 * a))


@kernel
def height_sine(latitude: float, day: float, from_noon: float) -> float:
    """Sine of the sun's height [-], `from_noon` [h] after its highest stand; `latitude` in degrees."""
    tilt = declination(day)
    swing = cos(RADIAN * latitude) * cos(tilt) * cos(math.pi / 12.0 * from_noon)
    return sin(RADIAN * latitude) * sin(tilt) + swing


@kernel
def time_above(latitude: float, day: float, height: float) -> float:
    """Time that the sun stands above a `height` [degrees] on this day [h]."""
    tilt = declination(day)
    offset = sin(RADIAN * latitude) * sin(tilt) - sin(RADIAN * height)
    swing = cos(RADIAN * latitude) * cos(tilt)
    if offset >= swing:
        return 24.0
    if offset <= -swing:
        return 0.0
    return 12.0 + 24.0 / math.pi * asin(offset / swing)


@kernel
def write_top(latitude: float, day: float, from_noon: float, hours: float, out: Floats) -> None:
    """Write the radiation on a horizontal plane above the atmosphere [W m-2] for parts of some `hours`.

    The parts are of equal length, the first begins `from_noon` [h] after noon; each has its middle's value.
    """
    above = normal_radiation(day)
    part = hours / len(out)
    for k in range(len(out)):
        sine = height_sine(latitude, day, from_noon + (k + 0.5) * part)
        out[k] = above * max(sine, 0.0)


@kernel
def spread(total: float, shape: Floats, most: Floats, out: Floats) -> None:
    """Write numbers of the sum `total` in proportion to `shape`, none above its place in `most`.

    Where even the sum of `most` is less, the numbers are in proportion to `most`, and exceed it.
    """
    ceiling = 0.0
    for k in range(len(out)):
        ceiling += most[k]
        out[k] = -1.0  # not at its limit
    if total >= ceiling:
        for k in range(len(out)):
            out[k] = total * (most[k] / ceiling) if ceiling > 0.0 else total / len(out)
        return
    scale = 0.0
    more = True
    while more:
        rest, free = total, 0.0
        for k in range(len(out)):
            if out[k] < 0.0:
                free += shape[k]
            else:
                rest -= most[k]
        scale = rest / free if free > 0.0 else 0.0
        more = False
        for k in range(len(out)):
            if out[k] < 0.0 and scale * shape[k] > most[k]:
                out[k] = most[k]
                more = True
    for k in range(len(out)):
        if out[k] < 0.0:
            out[k] = scale * shape[k]


@kernel
def day_switch(hour: float, sunrise: float, sunset: float) -> float:
    """Return 1 by day and 0 at night, with a ramp of an hour about `sunrise` and `sunset` [h]."""
    return min(max(min(hour - sunrise, sunset - hour) + 0.5, 0.0), 1.0)


@kernel
def smooth_switch(switch: float) -> float:
    """Return the smooth form of a day switch [-]."""
    if switch <= 0.0 or switch >= 1.0:
        return switch
    return 1.0 / (1.0 + exp(-_STEEP * (switch - 0.5)))


@entry
def _write_days(latitude: float, longitude: float, zone: float, days: Floats, out: Floats) -> None:
    for i in range(len(days)):
        write_top(latitude, days[i], -noon(longitude, days[i], zone), 24.0, out[i])


def top_of_atmosphere(latitude: float, longitude: float, zone: float, days: Floats, steps: int) -> Floats:
    """Return the radiation above the atmosphere [W m-2] on days of the year, (days, steps), by the clock."""
    result = np.empty((len(days), steps))
    _write_days(latitude, longitude, zone, np.ascontiguousarray(days, dtype=np.float64), result)
    return result
