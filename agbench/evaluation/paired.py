"""Two agents in the same scenarios: the difference of their scores and the probability of improvement.

Scenarios are resampled for both together, training seeds for each by itself: weather that makes both better
or worse does not widen the interval of the difference. Where that interval holds 0, they tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from agbench.evaluation import aggregates
from agbench.evaluation.aggregates import ROUNDING, Resampled, Statistic
from agbench.evaluation.statistics import Interval
from agbench.variables import Floats


class Paired(NamedTuple):
    """What one agent does beside another: `difference` of ours less theirs, `improvement` over theirs.

    `improvement` is the mean over scenarios of the chance that one of our training seeds does better than one
    of theirs; a tie of two values counts half.
    """

    difference: Interval
    improvement: Interval

    @property
    def tie(self) -> bool:
        """Whether the interval of the difference holds 0."""
        return self.difference.low <= ROUNDING and self.difference.high >= -ROUNDING


@dataclass(frozen=True)
class Runs:
    """An agent's values (training seeds, scenarios), resampled, and the statistic over seeds that counts."""

    values: Floats
    resampled: Resampled
    statistic: Statistic
    stream: int

    @property
    def interval(self) -> Interval:
        """The statistic with its interval."""
        return aggregates.percentile_interval(self.statistic(self.resampled.runs), self.drawn)

    @cached_property
    def drawn(self) -> Floats:
        """The statistic in every resample, (resamples,)."""
        return self.statistic(self.resampled.drawn)


def runs(
    values: Floats,
    resamples: int,
    statistic: Statistic = aggregates.interquartile_mean,
    seed: int = 0,
    stream: int = 0,
) -> Runs:
    """Return an agent's values (training seeds, scenarios), resampled; agents differ in their `stream`."""
    return Runs(values, aggregates.resample(values, resamples, seed, stream), statistic, stream)


def compare(ours: Runs, theirs: Runs, resamples: int, seed: int = 0) -> Paired:
    """Return what one agent does beside another in the same scenarios, in their order."""
    value = float(ours.statistic(ours.resampled.runs) - theirs.statistic(theirs.resampled.runs))
    streams = ours.stream, theirs.stream
    return Paired(
        aggregates.percentile_interval(value, ours.drawn - theirs.drawn),
        aggregates.improvement_interval(ours.values, theirs.values, resamples, seed, streams),
    )


def ranks(drawn: Sequence[Floats]) -> list[int]:
    """Return the rank of each agent: 1 and how many are better by more than chance.

    `drawn` is the score of each in every resample, (resamples,), all with the same scenarios. An agent is
    better than another where the interval of the difference lies above 0, so that agents that tie with the
    best are all first.
    """
    if not drawn:
        return []
    every = np.stack(drawn)
    cut = aggregates.LOW_QUANTILE
    return [
        1 + int(np.sum(np.quantile(np.delete(every, i, axis=0) - own, cut, axis=1) > ROUNDING))
        for i, own in enumerate(every)
    ]
