"""Fitting the generator to observed days: first by moments, then by its own simulations."""

from statistics import NormalDist
from typing import Final

import numpy as np

from agbench.variables import Booleans, Floats
from agbench.weather.daily import DailySeries
from agbench.weather.generator.calibrate import calibrate
from agbench.weather.generator.dynamics import Moments, dynamics
from agbench.weather.generator.kernel import angot_year
from agbench.weather.generator.parameters import (
    KNOTS,
    MONTH_OF_DAY,
    SEASON_OF_DAY,
    WET_DAY,
    GeneratorParameters,
    daily,
)
from agbench.weather.generator.statistics import RAIN, whole_years

SLOW_DAYS: Final = 60.0  # memory of the slow process [d], between a month and a season
_NORMAL = NormalDist()
_LEAST_COUNT = 5  # observed days behind a probability


def fit(series: DailySeries) -> GeneratorParameters:
    """Return the parameters of a site's generator from its observed complete years."""
    years = whole_years(series)
    start, moments = _by_moments(years, series.latitude)
    return calibrate(series, years, start, moments)


def _by_moments(years: Floats, latitude: float) -> tuple[GeneratorParameters, Moments]:
    """Return first parameters and the moments that the dynamics must keep."""
    wet = years[:, :, RAIN] >= WET_DAY
    scale, shape, rain_quantiles = _amounts(years[:, :, RAIN])
    rain_score = _rain_scores(years[:, :, RAIN])
    elements = years[:, :, :5].copy()
    elements[:, :, 0] /= angot_year(latitude)
    mean, sd = _monthly(elements)
    standard = (elements - daily(mean).T) / daily(sd).T
    quantiles = _quantiles(standard)
    scores = _scores(standard, quantiles)
    conditional = _conditional(scores, wet, rain_score)
    residuals = _residuals(scores, wet, rain_score, conditional)
    moments = Moments.of(residuals, years[:, :, RAIN])
    transition, innovation, mixing = dynamics(moments, np.zeros(5), SLOW_DAYS)
    parameters = GeneratorParameters(
        wet_after=_occurrence(wet),
        scale=scale,
        shape=shape,
        persistence=_persistence(rain_score, wet),
        rain_quantiles=rain_quantiles,
        mean=mean,
        sd=sd,
        **conditional,
        quantiles=quantiles,
        transition=transition,
        innovation=innovation,
        slow_days=SLOW_DAYS,
        mixing=mixing,
        rain_odds=0.0,
        rain_amount=0.0,
    )
    return parameters, moments


def _occurrence(wet: Booleans) -> Floats:
    """Return P(wet) after dry-dry, dry-wet, wet-dry, wet-wet by month, (4, 12)."""
    flat, month = wet.ravel(), np.tile(MONTH_OF_DAY, len(wet))[2:]
    before = 2 * flat[:-2] + flat[1:-1]
    result = np.empty((4, 12))
    for state in range(4):
        overall = flat[2:][before == state].mean()
        for m in range(12):
            days = flat[2:][(before == state) & (month == m)]
            result[state, m] = (days.sum() + _LEAST_COUNT * overall) / (days.size + _LEAST_COUNT)
    return np.clip(result, 0.001, 0.999)


def _amounts(rain: Floats) -> tuple[Floats, Floats, Floats]:
    """Return level and spread of the log of wet days' rain by month, and its quantiles by season."""
    logs = np.log(np.maximum(rain, WET_DAY))
    wet = rain >= WET_DAY
    level, spread = np.empty(12), np.empty(12)
    for m in range(12):
        amounts = logs[wet & (m == MONTH_OF_DAY)]
        enough = amounts.size > _LEAST_COUNT
        level[m] = amounts.mean() if enough else logs[wet].mean()
        spread[m] = max(0.1, amounts.std()) if enough else logs[wet].std()
    standard = (logs - daily(level)) / daily(spread)
    shares = [_NORMAL.cdf(knot) for knot in KNOTS]
    seasons = [standard[wet & (s == SEASON_OF_DAY)] for s in range(4)]
    quantiles = np.stack([np.quantile(s if s.size else standard[wet], shares) for s in seasons])
    return np.exp(level), spread, quantiles


def _ranks(values: Floats) -> Floats:
    """Return the normal scores of values by their rank."""
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    shares = (order + 0.5) / values.size
    return np.array([_NORMAL.inv_cdf(share) for share in shares])


def _rain_scores(rain: Floats) -> Floats:
    """Return the normal score of each wet day's rain within its month; 0 on dry days."""
    scores = np.zeros_like(rain)
    for m in range(12):
        place = (rain >= WET_DAY) & (m == MONTH_OF_DAY)
        if place.any():
            scores[place] = _ranks(rain[place])
    return scores


def _persistence(score: Floats, wet: Booleans) -> float:
    """Return the correlation of rain scores of neighbouring wet days [-]."""
    both = wet[:, 1:] & wet[:, :-1]
    return float(np.corrcoef(score[:, 1:][both], score[:, :-1][both])[0, 1])


def _monthly(elements: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation by month, each (5, 12)."""
    months = [elements[:, m == MONTH_OF_DAY].reshape(-1, 5) for m in range(12)]
    return np.stack([m.mean(axis=0) for m in months], 1), np.stack([m.std(axis=0) for m in months], 1)


def _quantiles(standard: Floats) -> Floats:
    """Return the quantiles of standardised elements at the knots by season, (5, 4, 9)."""
    shares = [_NORMAL.cdf(knot) for knot in KNOTS]
    seasons = [standard[:, s == SEASON_OF_DAY].reshape(-1, 5) for s in range(4)]
    result = np.stack([np.quantile(s, shares, axis=0).T for s in seasons], axis=1)
    steps = np.maximum(np.diff(result, axis=2), 1e-3)  # strictly rising, so that scores exist
    return np.concatenate([result[:, :, :1], result[:, :, :1] + np.cumsum(steps, axis=2)], axis=2)


def _scores(standard: Floats, quantiles: Floats) -> Floats:
    """Return the normal scores of standardised elements."""
    scores = np.empty_like(standard)
    for s in range(4):
        days = s == SEASON_OF_DAY
        for v in range(5):
            scores[:, days, v] = np.interp(standard[:, days, v], quantiles[v, s], KNOTS)
    return scores


def _conditional(scores: Floats, wet: Booleans, rain: Floats) -> dict[str, Floats]:
    """Return levels of dry and wet days (5, 12), their spreads and the effect of rain (5, 4)."""
    dry_level, wet_level = np.zeros((5, 12)), np.zeros((5, 12))
    for m in range(12):
        days = np.broadcast_to(m == MONTH_OF_DAY, wet.shape)
        for level, place in ((dry_level, days & ~wet), (wet_level, days & wet)):
            if place.sum() >= _LEAST_COUNT:
                level[:, m] = scores[place].mean(axis=0)
    dry_spread, wet_spread, effect = np.ones((5, 4)), np.ones((5, 4)), np.zeros((5, 4))
    courses = daily(dry_level).T, daily(wet_level).T
    for s in range(4):
        days = np.broadcast_to(s == SEASON_OF_DAY, wet.shape)
        if (days & ~wet).sum() > _LEAST_COUNT:
            dry_spread[:, s] = (scores - courses[0])[days & ~wet].std(axis=0)
        if (days & wet).sum() > _LEAST_COUNT:
            left = (scores - courses[1])[days & wet]
            amount = rain[days & wet]
            effect[:, s] = (left * amount[:, None]).mean(axis=0) / (amount * amount).mean()
            wet_spread[:, s] = (left - amount[:, None] * effect[:, s]).std(axis=0)
    return {
        "dry": dry_level,
        "wet": wet_level,
        "dry_spread": dry_spread,
        "wet_spread": wet_spread,
        "rain_effect": effect,
    }


def _residuals(scores: Floats, wet: Booleans, rain: Floats, levels: dict[str, Floats]) -> Floats:
    """Return what of the scores rain does not explain, unit variance, (n, 365, 5)."""
    spread = {name: levels[name][:, SEASON_OF_DAY].T for name in ("dry_spread", "wet_spread", "rain_effect")}
    dry = (scores - daily(levels["dry"]).T) / spread["dry_spread"]
    explained = daily(levels["wet"]).T + rain[:, :, None] * spread["rain_effect"]
    rainy = (scores - explained) / spread["wet_spread"]
    return np.where(wet[:, :, None], rainy, dry)
