"""How bright and how dim days can be on earth, by their length: what catches wrong units of radiation.

Daily insolation at the top of the atmosphere and its greatest value at noon follow from latitude p and
declination d of the sun (Goudriaan and van Laar 1994, chapter 3). A table of weather names neither, but its
day length does the half: with w the hour angle of sunset, cos w = -tan p tan d, a day has
cos p cos d (sin w - w cos w) / pi of the solar constant, and cos p cos d is bounded, because d does not
exceed the tilt of the earth's axis.
"""

import math
from typing import Final

import numpy as np

from agbench.variables import Booleans, Floats
from agbench.weather.astronomy import SINE_OF_OBLIQUITY, SOLAR_CONSTANT

DAY: Final = 86_400  # s
_PERIHELION: Final = 1.033  # solar radiation in early January over its mean, as in agbench.weather.astronomy
_BRIGHTER: Final = 1.3  # what light from the edges of clouds may add for minutes; measured is some 1.2
_DIMMEST: Final = (  # days, and the share of what is above the atmosphere below which no such run of days is
    (1, 0.004),
    (5, 0.02),
    (30, 0.065),
)
_RUN: Final = 30  # d
_LENGTHS: Final = (9.0, 20.0)  # h; days of the polar night and of the midnight sun say little
_LEAST_BRIGHT: Final = ((9.0, 15.5), (60.0, 385.0))  # h; W m-2 that the 3rd brightest hour of a run exceeds
_PLACE_OF_HOUR: Final = 3


def brightest(length: Floats) -> tuple[Floats, Floats]:
    """Return the greatest mean and maximum of a day above the atmosphere [W m-2], by its length [h].

    The place and the date are those, of all with days of that length, that get most.
    """
    angle = np.pi * np.clip(length, 0.0, 24.0) / 24.0
    product = -np.cos(angle)  # tan p tan d
    tilt = SINE_OF_OBLIQUITY**2 / (1.0 - SINE_OF_OBLIQUITY**2)  # tan^2 of the greatest declination
    square = np.minimum(np.abs(product), tilt)  # tan^2 d at which cos p cos d is greatest
    both = (1.0 + square) * (1.0 + product**2 / np.maximum(square, 1e-12))
    greatest = SOLAR_CONSTANT * _PERIHELION / np.sqrt(both)
    mean: Floats = greatest * (np.sin(angle) - angle * np.cos(angle)) / math.pi
    polar = SOLAR_CONSTANT * _PERIHELION * SINE_OF_OBLIQUITY  # at the pole the sun stands as high all day
    mean = np.where(np.asarray(length) >= 24.0, polar, mean)
    return mean, greatest * (1.0 - np.cos(angle))


def too_bright(sun: Floats, interval: float) -> Booleans:
    """Return which rows of radiation [W m-2] are of days brighter than any above the atmosphere.

    `sun` (rows,) has a row every `interval` [s]. Days are 24 hours from the first row; what is left at the
    end, days with gaps, and intervals that do not divide a day are not judged.
    """
    result = np.zeros(len(sun), dtype=np.bool_)
    days = whole_days(sun, interval)
    if days is None:
        return result
    mean, peak = brightest(24.0 * (days > 0.0).mean(axis=1))
    wrong = (days.mean(axis=1) > mean) | (days.max(axis=1) > _BRIGHTER * peak)
    wrong &= days.max(axis=1) > 1.0  # noise of dark days at high latitudes
    result[: days.size] = np.repeat(wrong, days.shape[1])
    return result


def too_dim(sun: Floats, daylight: Booleans, interval: float) -> Booleans:
    """Return which rows of radiation [W m-2] are of days dimmer together than clouds can make them.

    `daylight` (rows,) says when the sun is up. Days are those of `too_bright`. The share of the radiation
    above the atmosphere that reaches the ground is 2 % on the dullest day of five years at Schiphol, 5 % over
    five days and 12 % over thirty; at Wageningen 2.4 % over five and 7.7 % over thirty. Days without an hour
    of daylight are not judged.
    """
    result = np.zeros(len(sun), dtype=np.bool_)
    days, lit = whole_days(sun, interval), whole_days(daylight.astype(np.float64), interval)
    if days is None or lit is None:
        return result
    length = 24.0 * lit.mean(axis=1)
    judged = (length >= 1.0) & ~np.isnan(days).any(axis=1)
    count = int(judged.sum())
    if not count:
        return result
    above, _ = brightest(length[judged])
    least = [share for many, share in _DIMMEST if count >= many][-1]
    if days[judged].mean() < least * above.mean():
        result[: days.size] = np.repeat(judged, days.shape[1]) & (sun[: days.size] > 0.0)
    return result


def never_bright(sun: Floats, daylight: Booleans, interval: float) -> "tuple[int, int, float, float] | None":
    """Return the first run of days without hours as bright as days of that length have somewhere, or None.

    `sun` (rows,) is radiation [W m-2], `daylight` (rows,) says when the sun is up. A run has 30 days without
    gaps. What is returned are its first row, the row behind it, its third brightest hour and the least that
    this may be [W m-2]. The least such hour falls with the length of the days: in daily weather of 38 series
    up to 59 degrees north, as it is brought to five minutes, it is 132 at 9 h, 330 at 12 h and 565 at 16 h,
    and at the polar circle some two thirds of that. Days beyond 20 h are not judged.
    """
    days, lit = whole_days(sun, interval), whole_days(daylight.astype(np.float64), interval)
    if days is None or lit is None or days.shape[1] % 24:
        return None
    a_day, (shortest, longest) = days.shape[1], _LENGTHS
    hours = days.reshape(len(days), 24, -1).mean(axis=2)
    for first in range(0, len(days) - _RUN + 1, _RUN):
        run = hours[first : first + _RUN]
        length = 24.0 * float(lit[first : first + _RUN].mean())
        if np.isnan(run).any() or not shortest <= length <= longest:
            continue
        bright = float(np.sort(run, axis=None)[-_PLACE_OF_HOUR])
        least = float(np.interp(length, *_LEAST_BRIGHT))
        if bright < least:
            return first * a_day, (first + _RUN) * a_day, bright, least
    return None


def whole_days(column: Floats, interval: float, first: int = 0) -> Floats | None:
    """Return a column from row `first` on as whole days (days, rows a day); None where there are none."""
    rows = round(DAY / interval)
    count = (len(column) - first) // rows if rows else 0
    if count <= 0 or abs(rows * interval - DAY) > 1e-6 or rows < 24:
        return None
    return column[first : first + count * rows].reshape(count, rows)
