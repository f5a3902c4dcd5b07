"""Scenarios: what fixes one episode's world, and the sets of them that make a split."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from agbench.errors import unknown
from agbench.weather.daily import DailySeries

Build = Callable[[str, "np.random.Generator | None"], Any]
"""Makes the world of a scenario's key; the episode's generator where the world is random."""


class ScenarioSet:
    """A split: the keys of its scenarios in order, and their worlds.

    A key is stable text such as `wageningen/1984`. `known` are keys beyond the split that may be
    asked for. A world is built once, when first needed; with `random`, anew for every episode,
    from the episode's own generator. `series` is the weather that was given in place of the sites'
    own, if any.
    """

    def __init__(
        self,
        split: str,
        keys: Sequence[str],
        known: Sequence[str],
        build: Build,
        series: DailySeries | None = None,
        random: bool = False,
    ) -> None:
        self.split = split
        self.series = series
        self.keys = tuple(keys)
        self.random = random
        self._known = frozenset((*known, *keys))
        self._build = build
        self._worlds: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys)

    def world(self, key: str, generator: "np.random.Generator | None" = None) -> Any:
        """Return the world of a scenario; raises `UnknownNameError` for a key of no split."""
        if key not in self._known:
            raise unknown("scenario", key, self._known, where=f"split {self.split!r}")
        if self.random and generator is not None:
            return self._build(key, generator)
        found = self._worlds.get(key)
        if found is None:
            found = self._worlds[key] = self._build(key, None)
        return found
