"""Medians, means and their bootstrap intervals.

Bootstrap: Efron and Tibshirani 1993, percentile intervals; as in Kallenberg et al. 2023, who
resample years 10,000 times and quote the 2.5 and 97.5 % quantiles.
"""

from typing import Final, Literal, NamedTuple

import numpy as np

from agbench.variables import Floats

Aggregate = Literal["median", "mean"]
_QUANTILES: Final = (0.025, 0.975)
_BLOCK = 1_000_000  # numbers drawn at once


class Interval(NamedTuple):
    """An aggregate and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


def interval(values: Floats, aggregate: Aggregate, resamples: int, seed: int = 0) -> Interval:
    """Return the aggregate of values (n,) with the interval of `resamples` bootstrap resamples."""
    drawn = bootstrap(values, aggregate, resamples, seed)
    low, high = np.quantile(drawn, _QUANTILES)
    return Interval(float(_apply(values[None], aggregate)[0]), float(low), float(high))


def bootstrap(values: Floats, aggregate: Aggregate, resamples: int, seed: int = 0) -> Floats:
    """Return the aggregate of each resample of values (n,), (resamples,)."""
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // max(1, len(values)))
    parts = []
    for first in range(0, resamples, rows):
        count = min(rows, resamples - first)
        chosen = generator.integers(len(values), size=(count, len(values)))
        parts.append(_apply(values[chosen], aggregate))
    return np.concatenate(parts)


def _apply(samples: Floats, aggregate: Aggregate) -> Floats:
    result: Floats = np.median(samples, axis=1) if aggregate == "median" else samples.mean(axis=1)
    return result
