"""A sample of a result's decisions, by which rows are compared: small, and the same places for all rows."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.leaderboard.checks.task_limits import action_space

DECISIONS: Final = 400
"""How many places, an episode and a decision in it each, a sample has at most; `_count` holds 2,040."""
_LEVELS: Final = 200  # of an amount
_ENDED: Final = 255  # there is no decision any more
_GOLDEN: Final = (math.sqrt(5.0) - 1.0) / 2.0

Sample = NDArray[np.uint8]
"""(places, parts of an action)."""


@lru_cache(maxsize=64)
def places(episodes: int, most: int) -> tuple[NDArray[np.int64], ...]:
    """Return, for each episode, which of its decisions are in the sample, in order; `most` it can have.

    The sample has one decision of each of as many equal parts of all of them. Where in its part moves on by
    the golden ratio: equal steps would meet the same weeks of every season, and the same hours of every day.
    """
    every = episodes * most
    part = np.arange(DECISIONS)
    spread = ((part + part * _GOLDEN % 1.0) * every / DECISIONS).astype(int)
    chosen = np.arange(every) if every <= DECISIONS else np.unique(spread)
    begin = np.searchsorted(chosen, np.arange(episodes + 1) * most)
    return tuple(chosen[begin[i] : begin[i + 1]] - i * most for i in range(episodes))


def sampled(
    actions: NDArray[Any],
    shares: NDArray[np.float64],
    lengths: Sequence[int],
    which: Sequence[NDArray[np.int64]],
) -> Sample:
    """Return the chosen decisions of some episodes, one after the other, as small numbers.

    `actions` and `shares`, (steps, parts), are those of all of the episodes, which have such `lengths`.
    """
    chosen = np.concatenate(which)
    episode = np.repeat(np.arange(len(which)), [len(one) for one in which])
    there = chosen < np.array(lengths)[episode]
    place = chosen[there] + (np.cumsum(lengths) - lengths)[episode[there]]
    if np.issubdtype(actions.dtype, np.integer):
        values = actions.reshape(shares.shape)[place]
    else:
        values = np.rint(shares[place] * _LEVELS)
    result = np.full((len(chosen), shares.shape[1]), _ENDED, np.uint8)
    result[there] = np.clip(values, 0, _ENDED - 1).astype(np.uint8)
    return result


def same_decisions(stacked: NDArray[np.uint8], sample: Sample, task: Task) -> NDArray[np.float64]:
    """Return the share of equal decisions of samples (n, places, parts) with another, (n,).

    Amounts are equal within a hundredth of their range. Where one of both has ended a decision is not equal,
    where both have, it does not count.
    """
    if isinstance(action_space(task), spaces.Box):
        alike = np.maximum(stacked, sample) - np.minimum(stacked, sample) <= 1
    else:
        alike = stacked == sample
    equal = alike[:, :, 0] if alike.shape[2] == 1 else alike.all(axis=2)
    ended, own = stacked[:, :, 0] == _ENDED, sample[:, 0] == _ENDED
    decided = ~(ended & own)
    result: NDArray[np.float64] = _count(equal & ~(ended | own)) / np.maximum(_count(decided), 1)
    return result


def _count(true: NDArray[np.bool_]) -> NDArray[np.unsignedinteger[Any]]:
    """Return how many of (n, places) are true, (n,): eight at a time, each a byte of a sum."""
    rest = true.shape[1] % 8
    eighths = np.ascontiguousarray(true[:, rest:]).view(np.uint64).sum(axis=1)
    counts = eighths.view(np.uint8).reshape(-1, 8).sum(axis=1, dtype=np.uint32)
    return np.asarray(counts + true[:, :rest].sum(axis=1, dtype=np.uint32))
