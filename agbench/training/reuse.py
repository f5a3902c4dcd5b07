"""Scenarios of a split without end, each played in several episodes.

Making a generated season, its weather and its soil, takes longer than to play it. Of a split without end
every episode draws one that was never there before. Here a drawn scenario is kept and drawn again, until
others have taken its place: an episode's scenario has the same distribution, and there is no end of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from agbench.data.task import Task
from agbench.envs.core import BatchCore, Parts
from agbench.envs.scenarios import ScenarioSet

KEPT: Final = 256
"""Scenarios that are kept at once: so many are made before any is played again."""


def reuse(core: BatchCore, split: str, episodes: int) -> None:
    """Let each scenario that a batch draws serve so many episodes on average, where its split has no end.

    Splits that end keep their worlds as it is, and random ones cannot be played twice.
    """
    if episodes > 1 and without_end(core.task, split) and not core.parts.scenarios.random:
        core.parts = _reusing(core.parts, episodes, ())


def without_end(task: Task, split: str) -> bool:
    """Return whether episodes of a split draw scenarios that it does not list."""
    return bool(getattr(task, "endless", lambda _: ())(split))


class ReusedScenarios(ScenarioSet):
    """A split without end whose scenarios are drawn again; `kept`: those that there are, oldest first."""

    def __init__(self, whole: ScenarioSet, episodes: int, kept: Sequence[str] = ()) -> None:
        self.__dict__.update(whole.__dict__)
        self.episodes = episodes
        self.kept = list(kept)
        self._made: dict[str, Any] = {}

    def draw(self, generator: np.random.Generator) -> str:
        """Return the key of an episode: a kept one, or in one of so many episodes another, which is kept."""
        if len(self.kept) >= KEPT and generator.random() * self.episodes >= 1.0:
            return self.kept[int(generator.integers(len(self.kept)))]
        key = super().draw(generator)
        self.kept.append(key)
        if len(self.kept) > KEPT:
            self._made.pop(self.kept.pop(0), None)
        return key

    def world(self, key: str, generator: np.random.Generator | None = None) -> Any:
        """Return the world of a scenario; those of kept ones are made once."""
        if key not in self._made:
            world = super().world(key, generator)
            if key not in self.kept:
                return world
            self._made[key] = world
        return self._made[key]


@dataclass(frozen=True)
class _Again:
    """Makes parts anew, in another process too, with the scenarios that are kept when it is pickled."""

    rebuild: Callable[[], Parts]
    scenarios: ReusedScenarios

    def __reduce__(self) -> Any:
        return _again, (self.rebuild, self.scenarios.episodes, tuple(self.scenarios.kept))

    def __call__(self) -> Parts:
        return _reusing(self.rebuild(), self.scenarios.episodes, self.scenarios.kept)


def _again(rebuild: Callable[[], Parts], episodes: int, kept: Sequence[str]) -> Callable[[], Parts]:
    parts = _reusing(rebuild(), episodes, kept)
    assert parts.rebuild is not None
    return parts.rebuild


def _reusing(parts: Parts, episodes: int, kept: Sequence[str]) -> Parts:
    """Return parts whose scenarios are used again."""
    scenarios = ReusedScenarios(parts.scenarios, episodes, kept)
    again = None if parts.rebuild is None else _Again(parts.rebuild, scenarios)
    return replace(parts, scenarios=scenarios, rebuild=again)
