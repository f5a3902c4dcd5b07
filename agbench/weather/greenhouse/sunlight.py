"""How bright a day can be anywhere on earth, by its length: what catches radiation in a wrong unit.

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
_FACTOR: Final = 1.5  # between the sum of a day and that of iGlob; light in mol m-2 is some 2.1 times MJ m-2
_MOST: Final = 20.0  # the same where a single day is there, which may have the sum of its neighbour
_DIM: Final = 0.1  # MJ m-2; ratios of sums below say nothing


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
    days = _days(sun, interval)
    if days is None:
        return result
    mean, peak = brightest(24.0 * (days > 0.0).mean(axis=1))
    wrong = (days.mean(axis=1) > mean) | (days.max(axis=1) > _BRIGHTER * peak)
    wrong &= days.max(axis=1) > 1.0  # noise of dark days at high latitudes
    result[: days.size] = np.repeat(wrong, days.shape[1])
    return result


def other_sum(sun: Floats, sums: Floats, interval: float) -> Booleans:
    """Return which rows are of days whose sum of radiation [MJ m-2] is not that of `sun` [W m-2].

    A day's greatest sum may be that of the day itself or of the day before, if it is so on most days. Else
    the days that differ are marked. A column of zeros is one that was left out.
    """
    result = np.zeros(len(sun), dtype=np.bool_)
    days, given = _days(sun, interval), _days(sums, interval)
    if days is None or given is None or not sums.any():
        return result
    expected, most = 1e-6 * interval * days.sum(axis=1), given.max(axis=1)
    factor = _FACTOR if len(expected) > 1 else _MOST
    wrong = _differs(most, expected, factor)
    before = np.append(np.nan, expected[:-1])
    for there in (expected, before):
        if 2 * _differs(most, there, factor).sum() <= np.isfinite(most + there).sum() > 0:
            return result
    result[: days.size] = np.repeat(wrong, days.shape[1])
    return result


def _differs(sums: Floats, expected: Floats, factor: float) -> Booleans:
    """Return which sums [MJ m-2] differ from what is expected by more than a factor; NaN does not."""
    with np.errstate(invalid="ignore"):
        low, high = np.fmin(sums, expected), np.fmax(sums, expected)
        result: Booleans = (high > factor * np.maximum(low, _DIM)) & ~np.isnan(sums + expected)
    return result


def _days(column: Floats, interval: float) -> Floats | None:
    """Return a column as whole days (days, rows a day); None where there are none."""
    rows = round(DAY / interval)
    count = len(column) // rows if rows else 0
    if count == 0 or abs(rows * interval - DAY) > 1e-6 or rows < 24:
        return None
    return column[: count * rows].reshape(count, rows)
