"""The generator's day loop, compiled: wet or dry, how much, then the other variables."""

import math
from typing import Any

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import exp, log
from agbench.variables import Floats
from agbench.weather.astronomy import angot_radiation
from agbench.weather.evapotranspiration import saturated_pressure

MOST_RAIN = 20.0  # cm d-1
LEAST_RANGE = 0.4  # between TMIN and TMAX [K]
BRIGHTEST = 0.82  # share of the radiation above the atmosphere on the clearest day [-]
DARKEST = 0.02  # the same on the darkest day [-]
DRIEST = 0.05  # least vapour pressure [hPa]
CALMEST = 0.02  # least wind [m s-1]


@kernel
def _rain(quantile: float, scale: float, shape: float, factor: float, wet_day: float) -> float:
    """Rain of a wet day [cm d-1]; `quantile` is that of the standardised log of amounts."""
    return min(MOST_RAIN, max(wet_day, scale * exp(shape * quantile) * factor))


@kernel
def _interpolate(score: float, knots: Floats, values: Floats) -> float:
    """Value at `score` on the line through the knots, the outer pieces prolonged."""
    i = 0
    while i < knots.size - 2 and score > knots[i + 1]:
        i += 1
    share = (score - knots[i]) / (knots[i + 1] - knots[i])
    return float(values[i] + (values[i + 1] - values[i]) * max(-1.0, min(2.0, share)))


@kernel
def _odds(probability: float) -> float:
    """Log of the odds of a probability [-]."""
    bounded = min(0.999, max(0.001, probability))
    return log(bounded / (1.0 - bounded))


@kernel
def _combine(matrix: Floats, vector: Floats, row: int) -> float:
    """Product of one row of a matrix and a vector."""
    total = 0.0
    for j in range(vector.size):
        total += matrix[row, j] * vector[j]
    return total


@kernel
def _store(out: Floats, t: int, values: Floats, rain: float, angot: float) -> None:
    """Write a day's row (IRRAD, TMIN, TMAX, VAP, WIND, RAIN) within what nature allows."""
    tmin, tmax = values[1], values[2]
    if tmax - tmin < LEAST_RANGE:
        middle = (tmin + tmax) / 2.0
        tmin, tmax = middle - LEAST_RANGE / 2.0, middle + LEAST_RANGE / 2.0
    saturated = saturated_pressure((tmin + tmax) / 2.0)
    out[t, 0] = angot * min(BRIGHTEST, max(DARKEST, values[0]))
    out[t, 1] = tmin
    out[t, 2] = tmax
    out[t, 3] = min(saturated, max(DRIEST, values[3]))
    out[t, 4] = max(CALMEST, values[4])
    out[t, 5] = rain


@entry
def angot_year(latitude: float) -> Floats:
    """Radiation above the atmosphere on each day of a year of 365 days [J m-2 d-1]."""
    values = np.empty(365)
    for i in range(365):
        values[i] = angot_radiation(latitude, i + 1.0)
    return values


@entry
def generate(tables: Any, uniform: Floats, normal: Floats, days_of_year: Any, warmup: int) -> Floats:
    """Return rows (T, 6) of IRRAD, TMIN, TMAX, VAP, WIND, RAIN; the first `warmup` days are cut.

    `uniform` (warmup + T) decides wet or dry; `normal` (warmup + T, 12) drives rain, the fast and
    the slow process; `days_of_year` (warmup + T) count from 0.
    """
    (
        wet_after,
        scale,
        shape,
        mean,
        sd,
        dry,
        wet,
        dry_spread,
        wet_spread,
        rain_effect,
        quantiles,
        rain_quantiles,
        transition,
        innovation,
        mixing,
        season_of_day,
        angot,
        knots,
        scalars,
    ) = tables
    persistence, memory, rain_odds, rain_amount, wet_day = scalars
    total = uniform.size
    out = np.empty((total - warmup, 6))
    fast, previous = np.zeros(5), np.zeros(5)
    driver, values = np.zeros(6), np.empty(5)
    score, before, yesterday = 0.0, 0, 0
    fresh = math.sqrt(1.0 - memory * memory)
    kept = math.sqrt(1.0 - persistence * persistence)
    for t in range(total):
        d = days_of_year[t]
        s = season_of_day[d]
        for k in range(6):
            shock = normal[t, 6 + k]
            driver[k] = shock if t == 0 else memory * driver[k] + fresh * shock
        slow_rain = _combine(mixing, driver, 5)
        odds = _odds(wet_after[2 * before + yesterday, d]) + rain_odds * slow_rain
        today = 1 if uniform[t] < 1.0 / (1.0 + exp(-odds)) else 0
        rain = 0.0
        if today:
            score = persistence * score + kept * normal[t, 0] if yesterday else normal[t, 0]
            factor = exp(rain_amount * slow_rain - 0.5 * rain_amount * rain_amount)
            quantile = _interpolate(score, knots, rain_quantiles[s])
            rain = _rain(quantile, scale[d], shape[d], factor, wet_day)
        for v in range(5):
            previous[v] = fast[v]
        for v in range(5):
            fast[v] = _combine(transition[s], previous, v) + _combine(innovation[s], normal[t, 1:6], v)
        for v in range(5):
            r = fast[v] + _combine(mixing, driver, v)
            z = dry[v, d] + dry_spread[v, s] * r
            if today:
                z = wet[v, d] + wet_spread[v, s] * r + rain_effect[v, s] * score
            values[v] = mean[v, d] + sd[v, d] * _interpolate(z, knots, quantiles[v, s])
        if t >= warmup:
            _store(out, t - warmup, values, rain, angot[d])
        before, yesterday = yesterday, today
    return out
