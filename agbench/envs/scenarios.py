"""Scenarios: what fixes one episode's world, and the sets of them that make a split."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agbench.errors import unknown
from agbench.weather.daily import DailySeries


@dataclass(frozen=True)
class Scenario:
    """One episode's world by name; `key` is stable text such as `wageningen/1984`."""

    site: str
    year: int

    @property
    def key(self) -> str:
        """The scenario's stable text key."""
        return f"{self.site}/{self.year}"


class ScenarioSet:
    """A split: its scenarios in order, and their worlds, each built once when first needed.

    `known` are the scenarios beyond the split that may be asked for by key; `series` is the
    weather that was given in place of the sites' own, if any.
    """

    def __init__(
        self,
        split: str,
        scenarios: Sequence[Scenario],
        known: Mapping[str, Scenario],
        build: Callable[[Scenario], Any],
        series: DailySeries | None = None,
    ) -> None:
        self.split = split
        self.series = series
        self.keys = tuple(s.key for s in scenarios)
        self._known = {**known, **{s.key: s for s in scenarios}}
        self._build = build
        self._worlds: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys)

    def world(self, key: str) -> Any:
        """Return the world of a scenario; raises `UnknownNameError` for a key of no split."""
        found = self._worlds.get(key)
        if found is None:
            if key not in self._known:
                raise unknown("scenario", key, self._known, where=f"split {self.split!r}")
            found = self._worlds[key] = self._build(self._known[key])
        return found
