"""Scenarios: the definition of one episode's world, and sets of scenarios that form a split."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from agbench.errors import UnknownNameError, did_you_mean
from agbench.weather.daily import DailySeries

Build = Callable[[str, "np.random.Generator | None"], Any]
"""Makes the world of a scenario's key; the episode's generator where the world is random."""

Redraw = Callable[[str, "np.random.Generator"], str]
"""Returns another key in place of one that was drawn."""

_PRINTED: Final = 50  # keys in a message


def episode_seed(seed: int, scenario: str, repeat: int) -> int:
    """Return the seed of an episode: it depends on nothing but the protocol's seed and its name."""
    digest = hashlib.sha256(f"{seed}/{scenario}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


class ScenarioSet:
    """A split: the keys of its scenarios in order, and their worlds.

    A key is stable text such as `wageningen/1984`. `all_keys` are keys beyond the split that may be
    asked for, and so are all that `beyond` says yes to; it raises for one that lacks weather. A world
    is built once, when first needed (`beyond` these every time: there is no end of them);
    with `random`, anew for every episode, from the episode's own generator. `series` is the weather
    that was given in place of the sites' own, if any. `drawn` says of some keys what an episode that
    draws them gets instead: another key, beyond the split. Of large worlds no more than `most` are kept.
    """

    def __init__(
        self,
        split: str,
        keys: Sequence[str],
        all_keys: Sequence[str],
        build: Build,
        series: DailySeries | None = None,
        random: bool = False,
        beyond: Callable[[str], bool] | None = None,
        drawn: Mapping[str, Redraw] | None = None,
        most: int | None = None,
    ) -> None:
        self.split = split
        self.series = series
        self.keys = tuple(keys)
        self.random = random
        self._all_keys = frozenset((*all_keys, *keys))
        self._beyond = beyond
        self._drawn = dict(drawn or {})
        self._build = build
        self._most = most
        self._worlds: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys)

    def draw(self, generator: np.random.Generator) -> str:
        """Return the key of an episode: one of the split, all being as likely, or one in its place."""
        # Of one scenario a number is drawn too: what is drawn next must not depend on how many there are.
        key = self.keys[int(generator.integers(max(len(self.keys), 2))) % len(self.keys)]
        redraw = self._drawn.get(key)
        return key if redraw is None else redraw(key, generator)

    def world(self, key: str, generator: "np.random.Generator | None" = None) -> Any:
        """Return the world of a scenario; raises `UnknownNameError` for an unknown key."""
        if key not in self._all_keys:
            if self._beyond is None or not self._beyond(key):
                raise self._unknown(key)
            return self._build(key, generator if self.random else None)
        if self.random and generator is not None:
            return self._build(key, generator)
        result = self._worlds.get(key)
        if result is None:
            if self._most is not None and len(self._worlds) >= self._most:
                del self._worlds[next(iter(self._worlds))]
            result = self._worlds[key] = self._build(key, None)
        return result

    def _unknown(self, key: Any) -> UnknownNameError:
        """Return the error for an unknown key; long lists of keys are not printed."""
        short = len(self._all_keys) <= _PRINTED
        hint = did_you_mean(key, self._all_keys) if short else f" Keys are such as {self.keys[0]}."
        return UnknownNameError(f"split {self.split!r}: unknown scenario {key!r}.{hint}")
