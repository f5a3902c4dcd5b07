"""Angstrom coefficients of a place, from its own radiation."""

from typing import Final

import numpy as np

from agbench.weather.columns import DAILY
from agbench.weather.daily import ANGSTROM, DailySeries
from agbench.weather.generator.kernel import angot_year

_OVERCAST, _CLEAR = 5.0, 98.0  # percentiles of the transmitted share
_LIMITS: Final = ((0.1, 0.4), (0.3, 0.7), (0.6, 0.9))  # of A, B and A + B


def estimate_angstrom(series: DailySeries) -> tuple[float, float]:
    """Return A and B from the 5th and 98th percentile of the transmitted share of radiation.

    As PCSE estimates them for NASA POWER; its defaults where the estimate is out of range.
    """
    days = np.datetime64(series.start) + np.arange(len(series.values))
    number = (days - days.astype("datetime64[Y]")).astype(int) % 365
    above = angot_year(series.latitude)[number]
    shares = (series.values[:, DAILY.column("IRRAD")] / np.maximum(above, 1.0))[above > 1e5]
    low, high = np.nanpercentile(shares, [_OVERCAST, _CLEAR])
    a, b = round(float(low), 3), round(float(high - low), 3)
    within = all(x <= value <= y for value, (x, y) in zip((a, b, a + b), _LIMITS, strict=True))
    return (a, b) if within else ANGSTROM
