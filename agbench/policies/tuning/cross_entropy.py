"""Cross-entropy search: candidates about the best found so far, spread as far as the better ones.

Rubinstein 1999, Methodology and Computing in Applied Probability 1, 127-190.
"""

from collections.abc import Callable

import numpy as np
from pydantic import Field

from agbench.data.reading import Strict
from agbench.variables import Floats

_ELITE = 0.25  # of the candidates
_LEAST = 0.02  # of a range: the smallest spread
_STRIDE = 0.7  # of the way to the mean of the better ones


class Search(Strict):
    """How long to search: candidates a round, rounds, the seed of what is drawn."""

    candidates: int = Field(default=24, ge=4)
    rounds: int = Field(default=20, ge=1)
    seed: int = Field(default=0, ge=0)


def maximise(
    value: Callable[[Floats], Floats],
    start: Floats,
    low: Floats,
    high: Floats,
    search: Search,
    spread: float = 0.25,
) -> tuple[Floats, float]:
    """Return the best vector found within `low` to `high`, (k,), and its value.

    `value` maps candidates (n, k) to what is maximised, (n,). The first rows of `start`, (k,) or
    (m, k), are tried in the first round, and the best so far in every later one, so that a round
    never loses it. `spread` is that of the first round, in parts of the ranges.
    """
    generator = np.random.default_rng(search.seed)
    kept = np.clip(np.atleast_2d(start), low, high)
    best, reached = kept[0], -np.inf
    wide = spread * (high - low)
    for _ in range(search.rounds):
        noise = generator.standard_normal((max(search.candidates - len(kept), 0), len(low)))
        drawn = np.concatenate([kept, np.clip(best + wide * noise, low, high)])
        values = value(drawn)
        order = np.argsort(-values, kind="stable")
        elite = drawn[order[: max(2, int(_ELITE * len(drawn)))]]
        wide = 0.5 * wide + 0.5 * np.maximum(elite.std(axis=0), _LEAST * (high - low))
        best, reached = drawn[order[0]].copy(), float(values[order[0]])
        kept = best[None]
    return best, reached


def settle(
    value: Callable[[Floats, int], Floats],
    start: Floats,
    low: Floats,
    high: Floats,
    search: Search,
    spread: float = 0.06,
) -> Floats:
    """Return where the better candidates settle within `low` to `high`, (k,): for values that are noisy.

    `value` maps candidates (n, k) and the number of the round to what is maximised, (n,): a round may measure
    by other weather than the last. No single candidate counts, for the best of one round was also lucky: each
    round moves the centre, from `start`, (k,), to the mean of its better candidates, and spreads the next as
    they are spread. `spread` is that of the first round, in parts of the ranges.
    """
    generator = np.random.default_rng(search.seed)
    centre, wide = np.clip(start, low, high), spread * (high - low)
    for number in range(search.rounds):
        noise = generator.standard_normal((search.candidates - 1, len(low)))
        drawn = np.concatenate([centre[None], np.clip(centre + wide * noise, low, high)])
        order = np.argsort(-value(drawn, number), kind="stable")
        elite = drawn[order[: max(2, int(_ELITE * len(drawn)))]]
        # About the old centre; about their own mean the better ones lie close, and the search would stop.
        apart = np.sqrt(((elite - centre) ** 2).mean(axis=0))
        wide = 0.5 * wide + 0.5 * np.maximum(apart, _LEAST * (high - low))
        centre = (1.0 - _STRIDE) * centre + _STRIDE * elite.mean(axis=0)
    return np.clip(centre, low, high)
