"""The second half of a fit: the generator runs, and deviations of its seasons are corrected.

Straight lines between months, the slow process and physical limits shift monthly statistics a
little; each round compares many generated years with the observed ones and moves the parameters.
"""

from dataclasses import dataclass, replace

import numpy as np

from agbench.variables import Floats
from agbench.weather.daily import DailySeries
from agbench.weather.generator.dynamics import Moments, dynamics
from agbench.weather.generator.generate import Generator
from agbench.weather.generator.kernel import angot_year
from agbench.weather.generator.parameters import MONTH_OF_DAY, GeneratorParameters
from agbench.weather.generator.statistics import RAIN, Statistics, generated_years, statistics

_ROUGH = (12, 600)  # rounds, and the seasons generated in each
_FINE = (4, 6000)  # the same, with the slow process settled
_FIRST_SEASON = 10_000_000  # not among the seasons that a check looks at
_MOST_SLOW = 0.75  # standard deviation of the slow process in a score [-]


@dataclass
class _Slow:
    """What differs between years: variances of the slow process, as multiples of the scores'."""

    elements: Floats  # (5)
    odds: float
    amount: float


def calibrate(
    series: DailySeries, years: Floats, start: GeneratorParameters, moments: Moments
) -> GeneratorParameters:
    """Return parameters whose generated seasons have the statistics of the observed `years`."""
    target = statistics(years)
    parameters = start
    slow = _Slow(np.full(5, 0.05), 0.02, 0.01)
    angot = _monthly_angot(series.latitude)
    for _ in range(_ROUGH[0]):
        parameters = _with_slow(parameters, moments, slow)
        result = _run(series, parameters, _ROUGH[1])
        _correct_slow(slow, target, result)
        moments = _with_memory(moments, target, result)
        parameters = _corrected(parameters, target, result, angot)
    for _ in range(_FINE[0]):
        result = _run(series, parameters, _FINE[1])
        parameters = _corrected(parameters, target, result, angot)
    return parameters.rounded()


def _run(series: DailySeries, parameters: GeneratorParameters, count: int) -> Statistics:
    place = (series.latitude, series.longitude, series.elevation)
    generator = Generator(series.name, parameters, *place)
    return statistics(generated_years(generator, count, _FIRST_SEASON))


def _monthly_angot(latitude: float) -> Floats:
    angot = angot_year(latitude)
    return np.array([angot[m == MONTH_OF_DAY].mean() for m in range(12)])


def _with_slow(parameters: GeneratorParameters, moments: Moments, slow: _Slow) -> GeneratorParameters:
    """Return the parameters with the slow process and the fast one that goes with it."""
    shares = np.sqrt(slow.elements)
    transition, innovation, mixing = dynamics(moments, shares, parameters.slow_days)
    return replace(
        parameters,
        transition=transition,
        innovation=innovation,
        mixing=mixing,
        rain_odds=float(np.sqrt(slow.odds)),
        rain_amount=float(np.sqrt(slow.amount)),
    )


def _correct_slow(slow: _Slow, target: Statistics, result: Statistics) -> None:
    """Move the slow variances towards the observed variance between years."""
    goal, have = target.between_years, result.between_years
    names = ("IRRAD", "TEMP", "TEMP", "VAP", "WIND")
    for v, name in enumerate(names):
        slow.elements[v] = _scaled(slow.elements[v], goal[name], have[name])
    slow.elements = np.minimum(slow.elements, _MOST_SLOW**2)
    slow.odds = min(1.0, _scaled(slow.odds, goal["wet share"], have["wet share"]))
    slow.amount = min(0.3, _scaled(slow.amount, goal["RAIN"], have["RAIN"]))


def _with_memory(moments: Moments, target: Statistics, result: Statistics) -> Moments:
    """Return moments with more or less covariance of neighbouring days: rain's coming breaks some."""
    ratio = target.autocorrelation[:5] / np.maximum(result.autocorrelation[:5], 0.05)
    factor = np.sqrt(np.clip(ratio, 0.8, 1.25))
    return replace(moments, next_day=moments.next_day * np.outer(factor, factor))


def _scaled(variance: float, target: float, result: float) -> float:
    """Return a slow variance that brings the sum nearer to `target`; it never dies out wholly."""
    ratio = (target / result) ** 2 if result > 0.0 else 1.0
    return max(1e-4, variance * float(np.clip(ratio * ratio, 0.4, 2.5)))


def _corrected(
    p: GeneratorParameters, target: Statistics, result: Statistics, angot: Floats
) -> GeneratorParameters:
    """Return the parameters with monthly levels and spreads moved by what is missing."""
    missing = target.mean - result.mean
    spread = np.clip(target.sd / np.maximum(result.sd, 1e-9), 0.7, 1.4)
    mean = p.mean + np.vstack([missing[0] / angot, missing[1:5]])
    return replace(
        p,
        mean=mean,
        sd=p.sd * spread[:5],
        wet_after=_shift_odds(p.wet_after, target.wet_share, result.wet_share),
        scale=p.scale * np.clip(target.mean[RAIN] / np.maximum(result.mean[RAIN], 1e-6), 0.7, 1.4),
        shape=np.clip(p.shape * _damped(spread[RAIN] * result.mean[RAIN] / target.mean[RAIN]), 0.1, 3.0),
        persistence=_nearer(p.persistence, target.autocorrelation[RAIN], result.autocorrelation[RAIN]),
    )


def _damped(ratio: Floats) -> Floats:
    """Return half the correction, in logarithms: the tail of rain makes its variation noisy."""
    return np.clip(ratio, 0.5, 2.0) ** 0.5


def _nearer(persistence: float, target: float, result: float) -> float:
    return float(np.clip(persistence + (target - result), -0.2, 0.9))


def _shift_odds(probability: Floats, target: Floats, result: Floats) -> Floats:
    """Return probabilities whose log-odds moved by the difference in those of the wet share."""

    def odds(share: Floats) -> Floats:
        bounded = np.clip(share, 0.002, 0.998)
        return np.asarray(np.log(bounded / (1.0 - bounded)))

    moved = odds(probability) + 0.6 * (odds(target) - odds(result))
    return np.asarray(1.0 / (1.0 + np.exp(-moved)))
