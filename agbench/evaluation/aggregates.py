"""Aggregates of scores over runs, scenarios and tasks, with bootstrap intervals.

Definitions: Agarwal, Schwarzer, Castro, Courville and Bellemare 2021, Deep reinforcement learning at
the edge of the statistical precipice, NeurIPS 34 (the library rliable). A run is a training seed; runs
of a task are crossed with its scenarios, for all of them meet the same ones; tasks are strata. CVaR:
Rockafellar and Uryasev 2002, Conditional value-at-risk for general loss distributions, Journal of
Banking and Finance 26.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.evaluation.statistics import Interval
from agbench.variables import Floats

Statistic = Callable[[Floats], Floats]
"""Maps values (..., n) to one value of each n, (...)."""
Chosen = NDArray[np.integer[Any]]

_QUANTILES: Final = (0.025, 0.975)
_BLOCK: Final = 1_000_000  # numbers drawn at once
_TRIM: Final = 0.25  # cut from each end by the interquartile mean
WORST_SHARE: Final = 0.1


def interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of values (..., n)."""
    ordered = np.sort(values, axis=-1)
    cut = int(_TRIM * ordered.shape[-1])
    result: Floats = ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1)
    return result


def median(values: Floats) -> Floats:
    """Return the median of values (..., n)."""
    result: Floats = np.median(values, axis=-1)
    return result


def mean(values: Floats) -> Floats:
    """Return the mean of values (..., n)."""
    result: Floats = values.mean(axis=-1)
    return result


AGGREGATES: Final[dict[str, Statistic]] = {"iqm": interquartile_mean, "median": median, "mean": mean}
"""Of the runs of a task, by name."""


def performance_profile(scores: Floats, thresholds: Floats) -> Floats:
    """Return the share of runs and scenarios (runs, scenarios) above each threshold, (thresholds,)."""
    above = scores[None, :, :] > thresholds[:, None, None]
    result: Floats = above.mean(axis=(-2, -1))
    return result


def worst_tenth(values: Floats) -> Floats:
    """Return the mean of the worst tenth of values (..., n): the lower CVaR at 10 %.

    Where a tenth is no whole number of values, the last one counts with the share that is left.
    """
    ordered = np.sort(values, axis=-1)
    mass = WORST_SHARE * ordered.shape[-1]
    weights = np.clip(mass - np.arange(ordered.shape[-1]), 0.0, 1.0)
    result: Floats = (ordered * weights).sum(axis=-1) / mass
    return result


def percentile_interval(value: Floats | float, drawn: Floats) -> Interval:
    """Return a value with the 95 % percentile interval of its bootstrap resamples."""
    low, high = np.quantile(drawn, _QUANTILES)
    return Interval(float(value), float(low), float(high))


class Resampled(NamedTuple):
    """The runs of a task, each its mean over scenarios: as they are, and in every resample."""

    runs: Floats
    """(runs,)"""
    drawn: Floats
    """(resamples, runs)"""

    def interval(self, statistic: Statistic) -> Interval:
        """Return a statistic of the runs with its interval."""
        return percentile_interval(statistic(self.runs), statistic(self.drawn))


def resample(values: Floats, resamples: int, seed: int = 0) -> Resampled:
    """Return values (runs, scenarios) with both resampled independently of each other."""
    generator = np.random.default_rng(seed)
    runs, scenarios = values.shape

    def draw(count: int) -> Floats:
        chosen = generator.integers(scenarios, size=(count, scenarios))
        return crossed(values, generator.integers(runs, size=(count, runs)), chosen)

    rows = max(1, _BLOCK // max(1, values.size))
    counts = [min(rows, resamples - first) for first in range(0, resamples, rows)]
    return Resampled(values.mean(axis=1), np.concatenate([draw(count) for count in counts]))


def crossed(values: Floats, runs: Chosen, scenarios: Chosen) -> Floats:
    """Return the means over the chosen scenarios of the chosen runs, (resamples, runs).

    `runs` and `scenarios` are (resamples, n): all runs of a resample meet the same scenarios.
    """
    means = values[:, scenarios].mean(axis=2).T
    return np.take_along_axis(means, runs, axis=1)


def suite_interval(
    tasks: Sequence[Resampled],
    statistics: Sequence[Statistic],
    across: Statistic = mean,
    groups: Sequence[Sequence[int]] | None = None,
) -> Interval:
    """Return the mean, or another statistic `across` tasks, of each task's own statistic.

    Every task is resampled by itself: tasks are strata. `groups` are the places of tasks that count as one
    together, by their mean; by default each task counts by itself.
    """
    pairs = list(zip(tasks, statistics, strict=True))
    places = [[i] for i in range(len(pairs))] if groups is None else groups

    def over(values: Floats) -> Floats:
        return across(np.stack([values[..., group].mean(axis=-1) for group in places], axis=-1))

    value = over(np.array([statistic(task.runs) for task, statistic in pairs]))
    drawn = np.stack([statistic(task.drawn) for task, statistic in pairs], axis=-1)
    return percentile_interval(value, over(drawn))


def improvement_chances(ours: Floats, theirs: Floats) -> Floats:
    """Return for each run and scenario of ours (n, scenarios) the share of their runs that it beats.

    A tie counts half (Mann and Whitney 1947). `theirs` is (m, scenarios).
    """
    above = (ours[:, None, :] > theirs[None, :, :]).mean(axis=1)
    equal = (ours[:, None, :] == theirs[None, :, :]).mean(axis=1)
    result: Floats = above + 0.5 * equal
    return result


def improvement_interval(ours: Floats, theirs: Floats, resamples: int, seed: int = 0) -> Interval:
    """Return the probability of improvement: the mean over scenarios of the chance that ours is better.

    Our runs and the scenarios are resampled; their runs are taken as they are.
    """
    return resample(improvement_chances(ours, theirs), resamples, seed).interval(mean)
