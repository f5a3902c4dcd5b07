"""Aggregates of scores over runs, scenarios and tasks, with bootstrap intervals.

Definitions: Agarwal, Schwarzer, Castro, Courville and Bellemare 2021, Deep reinforcement learning at
the edge of the statistical precipice, NeurIPS 34 (the library rliable). A run is a training seed; runs
of a task are crossed with its scenarios, for all of them meet the same ones; tasks are strata. Everybody's
scenarios are drawn alike, so that two agents' resamples are paired and what they share cancels. CVaR:
Rockafellar and Uryasev 2002, Conditional value-at-risk for general loss distributions, Journal of
Banking and Finance 26.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.evaluation.statistics import Interval
from agbench.variables import Floats

Statistic = Callable[[Floats], Floats]
"""Maps values (..., n) to one value of each n, (...)."""
Chosen = NDArray[np.integer[Any]]

LOW_QUANTILE: Final = 0.025
"""Where the 95 % percentile interval begins."""

ROUNDING: Final = 1e-9
"""Differences below this, or below this share of the values, are those of sums in another order."""

_QUANTILES: Final = (LOW_QUANTILE, 1.0 - LOW_QUANTILE)
_BLOCK: Final = 50_000  # numbers held at once where resamples can be taken part by part
_IN_CACHE: Final = 15_000  # numbers whose places are counted in a third of the time: memory is used again
_FEW: Final = 6  # values that are sorted by comparing neighbours
_TRIM: Final = 0.25  # cut from each end by the interquartile mean
WORST_SHARE: Final = 0.1


def interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of values (..., n)."""
    cut = int(_TRIM * values.shape[-1])
    return _middle(values, cut, values.shape[-1] - cut)


def median(values: Floats) -> Floats:
    """Return the median of values (..., n)."""
    return _middle(values, (values.shape[-1] - 1) // 2, values.shape[-1] // 2 + 1)


def _single(values: Floats) -> bool:
    """Return whether each of many has one value, which is its own middle."""
    return values.ndim > 1 and values.shape[-1] == 1


def _middle(values: Floats, first: int, end: int) -> Floats:
    """Return the mean of values (..., n) from the place `first` in ascending order to before `end`."""
    if _single(values):
        return values[..., 0]
    if values.ndim == 1 or values.shape[-1] > _FEW:
        result: Floats = np.sort(values, axis=-1)[..., first:end].mean(axis=-1)
        return result
    columns = _ascending([values[..., i] for i in range(values.shape[-1])])
    return np.asarray(sum(columns[first + 1 : end], columns[first]) / (end - first))


def _ascending(columns: list[Floats]) -> list[Floats]:
    """Return few columns, each place in ascending order: many at once, by comparing neighbours."""
    for last in range(len(columns) - 1, 0, -1):
        for i in range(last):
            low, high = columns[i : i + 2]
            columns[i], columns[i + 1] = np.minimum(low, high), np.maximum(low, high)
    return columns


def mean(values: Floats) -> Floats:
    """Return the mean of values (..., n)."""
    result: Floats = values[..., 0] if _single(values) else values.mean(axis=-1)
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
    ordered = np.sort(drawn, axis=None)
    low, high = (_quantile_of(ordered, share) for share in _QUANTILES)
    return Interval(float(value), low, high)


def _quantile_of(ordered: Floats, share: float) -> float:
    """Return a quantile of values in ascending order, as `numpy.quantile` interpolates it (type 7)."""
    place = share * (len(ordered) - 1)
    below, above = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
    part = place - int(place)
    return float(above - (above - below) * (1.0 - part) if part >= 0.5 else below + (above - below) * part)


class DrawnStatistic(NamedTuple):
    """A statistic: as it is, and in every resample, (resamples,)."""

    value: Floats
    drawn: Floats

    @property
    def interval(self) -> Interval:
        """The statistic with its interval."""
        return percentile_interval(self.value, self.drawn)


class Resampled(NamedTuple):
    """The runs of a task, each its mean over scenarios: as they are, and in every resample."""

    runs: Floats
    """(runs,)"""
    drawn: Floats
    """(resamples, runs), those of a run one after the other in memory"""

    def by(self, statistic: Statistic) -> DrawnStatistic:
        """Return a statistic of the runs."""
        return DrawnStatistic(statistic(self.runs), statistic(self.drawn))

    def interval(self, statistic: Statistic) -> Interval:
        """Return a statistic of the runs with its interval."""
        return self.by(statistic).interval


def resample(values: Floats, resamples: int, seed: int = 0, stream: int = 0) -> Resampled:
    """Return values (runs, scenarios) with both resampled independently of each other.

    The scenarios that are drawn follow from `seed` alone; the runs from `stream` too. Agents whose streams
    differ meet the same scenarios in each resample, while their training seeds have nothing in common.
    """
    runs, scenarios = values.shape
    means = values @ drawn_scenarios(scenarios, resamples, seed).T / scenarios
    if runs == 1:  # which is drawn every time
        return Resampled(values.mean(axis=1), means.T)
    chosen = drawn_runs(runs, resamples, seed, stream)
    drawn = np.take(means, chosen.T * resamples + np.arange(resamples))
    return Resampled(values.mean(axis=1), drawn.T)


@lru_cache(maxsize=32)  # the tasks of a suite: 3 MB for twenty scenarios, each
def drawn_scenarios(scenarios: int, resamples: int, seed: int) -> Floats:
    """Return how often each scenario is drawn in each resample, (resamples, scenarios).

    Those of a scenario lie one after the other in memory: products with few runs are twice as fast.
    """
    result = _drawn(scenarios, resamples, seed).astype(np.float64, order="F")
    result.setflags(write=False)
    return result


@lru_cache(maxsize=8)
def _drawn_singly(scenarios: int, resamples: int, seed: int) -> NDArray[np.float32]:
    """Return the same in 32 bits: products with halves are exact in them too, and take half the time."""
    result = _drawn(scenarios, resamples, seed).astype(np.float32, order="F")
    result.setflags(write=False)
    return result


@lru_cache(maxsize=128)
def _drawn(scenarios: int, resamples: int, seed: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return the same in the smallest whole numbers, so that those of all tasks of a suite can be kept."""
    generator = np.random.default_rng(seed)
    rows = max(1, _IN_CACHE // scenarios)
    result = np.empty((resamples, scenarios), np.min_scalar_type(scenarios))
    for first in range(0, resamples, rows):
        part = result[first : first + rows]
        part[:] = _counts(generator.integers(scenarios, size=part.shape), scenarios)
    return result


@lru_cache(maxsize=64)
def drawn_runs(runs: int, resamples: int, seed: int, stream: int) -> Chosen:
    """Return which runs are drawn in each resample, (resamples, runs), those of a run together in memory."""
    result = np.asfortranarray(
        np.random.default_rng([seed, 1, stream]).integers(runs, size=(resamples, runs))
    )
    result.setflags(write=False)
    return result


@lru_cache(maxsize=64)
def _shares_of_runs(runs: int, resamples: int, seed: int, stream: int) -> Floats:
    """Return each run's share of a resample, (resamples, runs)."""
    result = np.asfortranarray(_counts(drawn_runs(runs, resamples, seed, stream), runs) / runs)
    result.setflags(write=False)
    return result


def _counts(chosen: Chosen, of: int) -> Chosen:
    """Return how often each of `of` places is among those chosen (resamples, n), (resamples, of)."""
    rows = np.arange(len(chosen))[:, None] * of
    counts = np.bincount((rows + chosen).ravel(), minlength=len(chosen) * of)
    return counts.reshape(len(chosen), of)


def crossed(values: Floats, runs: Chosen, scenarios: Chosen) -> Floats:
    """Return the means over the chosen scenarios of the chosen runs, (resamples, runs).

    `runs` and `scenarios` are (resamples, n): all runs of a resample meet the same scenarios.
    """
    means = (values @ _counts(scenarios, values.shape[1]).T / scenarios.shape[1]).T
    return np.take_along_axis(means, runs, axis=1)


def over_tasks(tasks: Sequence[DrawnStatistic], across: Statistic = mean) -> DrawnStatistic:
    """Return the mean, or another statistic `across` tasks, of each task's own statistic.

    Every task is resampled by itself: tasks are strata.
    """
    value = across(np.array([task.value for task in tasks]))
    return DrawnStatistic(value, across(np.stack([task.drawn for task in tasks], axis=-1)))


def improvement_chances(ours: Floats, theirs: Floats) -> Floats:
    """Return for each run and scenario of ours (n, scenarios) the share of their runs that it beats.

    A tie counts half (Mann and Whitney 1947). `theirs` is (m, scenarios).
    """
    above = (ours[:, None, :] > theirs[None, :, :]).mean(axis=1)
    equal = (ours[:, None, :] == theirs[None, :, :]).mean(axis=1)
    result: Floats = above + 0.5 * equal
    return result


def improvement_interval(
    ours: Floats, theirs: Floats, resamples: int, seed: int = 0, streams: tuple[int, int] = (0, 1)
) -> Interval:
    """Return the probability of improvement: the mean over scenarios of the chance that ours is better.

    Both agents' runs, (n, scenarios) and (m, scenarios), are resampled, crossed with the scenarios. Values
    that differ by `ROUNDING` of them or less count as equal.
    """
    one, other = ours[:, None, :], theirs[None, :, :]
    with np.errstate(invalid="ignore"):  # of two that are infinite
        equal = np.abs(one - other) <= ROUNDING * np.maximum(1.0, np.minimum(np.abs(one), np.abs(other)))
    better = np.where(equal, 0.5, one > other)
    n, m, scenarios = better.shape
    pairs = better.reshape(n * m, scenarios).astype(np.float32)
    chosen = _drawn_singly(scenarios, resamples, seed)
    ours_drawn, theirs_drawn = (
        _shares_of_runs(runs, resamples, seed, stream) for runs, stream in zip((n, m), streams, strict=True)
    )
    drawn, rows = np.empty(resamples), max(1, _BLOCK // (n * m))
    for first in range(0, resamples, rows):
        part = slice(first, first + rows)
        chances = ((pairs @ chosen[part].T).astype(np.float64) / scenarios).reshape(n, m, -1)
        if n == m == 1:
            drawn[part] = chances[0, 0]
        elif m == 1:
            drawn[part] = (chances[:, 0] * ours_drawn[part].T).sum(axis=0)
        else:
            drawn[part] = np.einsum("ijr,ri,rj->r", chances, ours_drawn[part], theirs_drawn[part])
    return percentile_interval(better.mean(), drawn)
