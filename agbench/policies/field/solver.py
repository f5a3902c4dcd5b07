"""What oracles share that solve the whole episode before its first decision."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.policies.base import Information

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
