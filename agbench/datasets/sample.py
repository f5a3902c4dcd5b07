"""What a card shows of a dataset: the return of each episode, and some transitions, evenly spread."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.datasets import tables
from agbench.datasets.part import PlayedPart
from agbench.variables import Floats

_MOST: Final = 20_000  # transitions


class Sample:
    """Gathers returns and every k-th transition, k doubling as the dataset grows: bounded, and no draw."""

    def __init__(self) -> None:
        self._step, self._seen = 1, 0
        self._kept: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._returns: list[Floats] = []
        self._who: list[NDArray[np.int8]] = []
        self._lengths: list[NDArray[np.int64]] = []

    def add(self, part: PlayedPart) -> None:
        """Take in the next episodes."""
        self._returns.append(part.sums(part.rewards))
        self._who.append(tables.mostly(part))
        self._lengths.append(part.episode_lengths)
        first = -self._seen % self._step
        self._kept.append((part.observations[first :: self._step], part.actions[first :: self._step]))
        self._seen += len(part.rewards)
        while sum(len(kept[0]) for kept in self._kept) > _MOST:
            self._kept = [(self.observations[::2], self.actions[::2])]
            self._step *= 2

    @property
    def observations(self) -> NDArray[np.float32]:
        """Observations that actions answered, (k, d)."""
        return np.concatenate([kept[0] for kept in self._kept])

    @property
    def actions(self) -> NDArray[Any]:
        """The actions that answered them."""
        return np.concatenate([kept[1] for kept in self._kept])

    @property
    def totals(self) -> Floats:
        """The return of each episode, (E,)."""
        return np.concatenate(self._returns)

    @property
    def behaviours(self) -> NDArray[np.int8]:
        """The behaviour that acted most in each episode, (E,)."""
        return np.concatenate(self._who)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The decisions of each episode, (E,)."""
        return np.concatenate(self._lengths)

    def returns(self) -> dict[str, float]:
        """Return mean, spread and quantiles of the episodes' returns."""
        totals = self.totals
        low, middle, high = np.quantile(totals, [0.1, 0.5, 0.9])
        names = ("mean", "std", "least", "tenth", "median", "ninetieth", "most")
        values = (totals.mean(), totals.std(), totals.min(), low, middle, high, totals.max())
        return {name: float(value) for name, value in zip(names, values, strict=True)}
