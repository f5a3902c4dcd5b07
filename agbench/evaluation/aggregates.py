"""Aggregates of scores over runs and strata, with stratified bootstrap intervals.

Definitions: Agarwal, Schwarzer, Castro, Courville and Bellemare 2021, Deep reinforcement learning at
the edge of the statistical precipice, NeurIPS 34 (the library rliable). A matrix of scores is
(..., runs, strata): a run is a training seed, a stratum a task or, within one task, a scenario. All
functions take leading axes, so that a batch of resamples is one call. CVaR: Rockafellar and Uryasev
2002, Conditional value-at-risk for general loss distributions, Journal of Banking and Finance 26.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.evaluation.statistics import Interval
from agbench.simulators.base import Floats

Statistic = Callable[[Floats], Floats]
"""Maps scores (..., runs, strata) to one value a matrix, (...)."""

_QUANTILES: Final = (0.025, 0.975)
_BLOCK: Final = 1_000_000  # numbers drawn at once
_TRIM: Final = 0.25  # cut from each end by the interquartile mean
WORST_SHARE: Final = 0.1


def interquartile_mean(scores: Floats) -> Floats:
    """Return the mean of the middle half of all scores, runs and strata together."""
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = int(_TRIM * flat.shape[-1])
    found: Floats = flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)
    return found


def median(scores: Floats) -> Floats:
    """Return the median over strata of the means over runs."""
    found: Floats = np.median(scores.mean(axis=-2), axis=-1)
    return found


def mean(scores: Floats) -> Floats:
    """Return the mean over strata of the means over runs."""
    found: Floats = scores.mean(axis=-2).mean(axis=-1)
    return found


def optimality_gap(scores: Floats, target: float = 100.0) -> Floats:
    """Return by how much scores fall short of a target on average; what is above counts as there."""
    found: Floats = target - np.minimum(scores, target).mean(axis=(-2, -1))
    return found


AGGREGATES: Final[dict[str, Statistic]] = {"iqm": interquartile_mean, "median": median, "mean": mean}


def probability_of_improvement(ours: Floats, theirs: Floats) -> Floats:
    """Return the mean over strata of the chance that a run of ours beats one of theirs.

    A tie counts half (Mann and Whitney 1947). `ours` is (..., n, strata), `theirs` (..., m, strata).
    """
    above = (ours[..., :, None, :] > theirs[..., None, :, :]).mean(axis=(-3, -2))
    equal = (ours[..., :, None, :] == theirs[..., None, :, :]).mean(axis=(-3, -2))
    found: Floats = (above + 0.5 * equal).mean(axis=-1)
    return found


def performance_profile(scores: Floats, thresholds: Floats) -> Floats:
    """Return the share of runs and strata above each threshold, (..., thresholds)."""
    above = scores[..., None, :, :] > thresholds[:, None, None]
    found: Floats = above.mean(axis=(-2, -1))
    return found


def worst_tenth(values: Floats) -> Floats:
    """Return the mean of the worst tenth of values (..., n): the lower CVaR at 10 %.

    Where a tenth is no whole number of values, the last one counts with the share that is left.
    """
    ordered = np.sort(values, axis=-1)
    mass = WORST_SHARE * ordered.shape[-1]
    weights = np.clip(mass - np.arange(ordered.shape[-1]), 0.0, 1.0)
    found: Floats = (ordered * weights).sum(axis=-1) / mass
    return found


def resampled(scores: Floats, runs: NDArray[np.integer[Any]]) -> Floats:
    """Return scores (runs, strata) with the runs of each stratum replaced by the chosen ones."""
    found: Floats = scores[runs, np.arange(scores.shape[1])]
    return found


def percentile_interval(value: float, drawn: Floats) -> Interval:
    """Return a value with the 95 % percentile interval of its bootstrap resamples."""
    low, high = np.quantile(drawn, _QUANTILES)
    return Interval(float(value), float(low), float(high))


def stratified_interval(
    scores: Floats, statistic: Statistic, resamples: int = 2000, seed: int = 0
) -> Interval:
    """Return a statistic of scores (runs, strata), runs resampled within each stratum."""
    generator = np.random.default_rng(seed)

    def draw(count: int) -> Floats:
        return statistic(resampled(scores, generator.integers(len(scores), size=(count, *scores.shape))))

    return percentile_interval(float(statistic(scores)), _in_blocks(draw, scores.size, resamples))


def improvement_interval(ours: Floats, theirs: Floats, resamples: int = 2000, seed: int = 0) -> Interval:
    """Return the probability of improvement; both sides' runs are resampled within each stratum."""
    generator = np.random.default_rng(seed)

    def draw(count: int) -> Floats:
        sides = [resampled(s, generator.integers(len(s), size=(count, *s.shape))) for s in (ours, theirs)]
        return probability_of_improvement(sides[0], sides[1])

    size = ours.size * len(theirs)
    value = float(probability_of_improvement(ours, theirs))
    return percentile_interval(value, _in_blocks(draw, size, resamples))


def crossed_interval(values: Floats, statistic: Statistic, resamples: int = 2000, seed: int = 0) -> Interval:
    """Return a statistic of the runs' means over scenarios, runs and scenarios both resampled.

    `values` (runs, scenarios) are crossed: all runs meet the same scenarios, so that a resample draws
    runs and scenarios once each. The statistic sees (..., runs, 1).
    """
    return suite_interval([values], [statistic], resamples, seed)


def suite_interval(
    tasks: Sequence[Floats], statistics: Sequence[Statistic], resamples: int = 2000, seed: int = 0
) -> Interval:
    """Return the mean over tasks of each task's own statistic, every task resampled by itself."""
    pairs = list(zip(tasks, statistics, strict=True))
    value = np.mean([float(statistic(v.mean(axis=1)[:, None])) for v, statistic in pairs])
    drawn = [crossed_resamples(v, s, resamples, seed + i) for i, (v, s) in enumerate(pairs)]
    return percentile_interval(float(value), np.mean(drawn, axis=0))


def crossed_resamples(values: Floats, statistic: Statistic, resamples: int, seed: int) -> Floats:
    """Return the statistic of each resample of runs and scenarios of values (runs, scenarios)."""
    generator = np.random.default_rng(seed)
    runs, scenarios = values.shape

    def draw(count: int) -> Floats:
        chosen = generator.integers(scenarios, size=(count, scenarios))
        means = values[:, chosen].mean(axis=2).T  # (count, runs)
        rows = generator.integers(runs, size=(count, runs))
        return statistic(np.take_along_axis(means, rows, axis=1)[:, :, None])

    return _in_blocks(draw, values.size, resamples)


def _in_blocks(draw: Callable[[int], Floats], size: int, resamples: int) -> Floats:
    """Return `resamples` values drawn in blocks that stay small in memory."""
    rows = max(1, _BLOCK // max(1, size))
    counts = [min(rows, resamples - first) for first in range(0, resamples, rows)]
    return np.concatenate([draw(count) for count in counts])
