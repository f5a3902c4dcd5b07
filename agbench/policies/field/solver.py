"""What oracles share that solve the whole episode before its first decision."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.policies.base import Information
from agbench.policies.tuning.sequences import SequenceSearch

Actions = NDArray[Any]


class Solver(ABC):
    """Solves an episode before it is played, and then plays the solution."""

    information: Information = "model"

    def __init__(self, name: str) -> None:
        self.name = name
        self._solved: dict[tuple[int, str], tuple[Parts, Actions]] = {}
        self._actions: Actions = np.zeros(1, dtype=np.int64)
        self._step = 0

    def reset(self, seed: int) -> None:
        """Go back to the first decision."""
        self._step = 0

    def plan(self, core: BatchCore, row: int) -> None:
        """Find the best actions for the episode of a row; each fixed scenario is solved once."""
        key = id(core.parts), str(core.scenario[row])
        solved = None if core.parts.scenarios.random else self._solved.get(key)
        if solved is None:
            solved = core.parts, self.solve(core.parts, core.save(row))
            self._solved[key] = solved
        self._actions = solved[1]

    def __call__(self, observation: Any) -> Any:
        """Return the action of the next decision."""
        action = self._actions[min(self._step, len(self._actions) - 1)]
        self._step += 1
        return action if np.ndim(action) else int(action)

    @abstractmethod
    def solve(self, parts: Parts, start: SavedEpisode) -> Actions:
        """Return the best action sequence found from the start of an episode, (steps, ...)."""


class SolverSettings(SequenceSearch):
    """How far a solver searches.

    Of several `searches`, with `seed` and the seeds that follow it, the best counts.
    """

    searches: int = Field(default=1, ge=1)


class Found(NamedTuple):
    """What a search found: the actions of an episode, (steps, ...), and what they are worth to it."""

    actions: Actions
    value: float


class SearchingSolver(Solver):
    """Solves an episode by the best of several searches, each with random numbers of its own."""

    def __init__(self, name: str, settings: SolverSettings) -> None:
        super().__init__(name)
        self._seeds = range(settings.seed, settings.seed + settings.searches)

    def solve(self, parts: Parts, start: SavedEpisode) -> Actions:
        """Return the best action sequence found from the start of an episode, (steps, ...)."""
        found = [self.search(parts, start, np.random.default_rng(seed)) for seed in self._seeds]
        found += self.joined(parts, start, [one.actions for one in found])
        return max(found, key=lambda one: one.value).actions

    def joined(self, parts: Parts, start: SavedEpisode, plans: Sequence[Actions]) -> list[Found]:
        """Return what goes on from what all searches found; nothing, where a solver does not join them."""
        return []

    @abstractmethod
    def search(self, parts: Parts, start: SavedEpisode, generator: np.random.Generator) -> Found:
        """Return the best that one search finds from the start of an episode."""
