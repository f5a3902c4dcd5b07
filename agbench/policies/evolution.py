"""The oracle of several inputs: an evolution of whole seasons of actions, the weather known."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field

from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.errors import ConfigError
from agbench.policies.base import Information, Policy
from agbench.policies.playing import actions_of, returns_of_actions
from agbench.spec.reading import Strict

_ELITE = 8
_MOST_CHANGES = 12


class EvolutionSettings(Strict):
    """The policy to start from, and the budget: candidates a generation, generations."""

    start: str
    population: int = Field(default=256, ge=16)
    generations: int = Field(default=100, ge=1)
    seed: int = 0


class Evolved:
    """Searches the best sequence of actions for the very episode: an upper bound of what was found.

    An evolution strategy with elites on the sequences of menu numbers: each candidate takes an
    elite's season, perhaps the rest of it from another one, and changes a few days: to any action, or
    to that of a day nearby.
    """

    information: Information = "model"

    def __init__(self, name: str, settings: EvolutionSettings, start: Policy) -> None:
        self.name = name
        self._settings = settings
        self._start = start
        self._solved: dict[tuple[int, str], tuple[Parts, NDArray[np.int64]]] = {}
        self._actions: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._step = 0

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision."""
        self._step = 0

    def plan(self, core: BatchCore, row: int) -> None:
        """Find the best actions for the episode of a row; each fixed scenario is solved once."""
        key = id(core.parts), str(core.scenario[row])
        known = None if core.parts.scenarios.random else self._solved.get(key)
        if known is None:
            known = core.parts, self.solve(core.parts, core.save(row))
            self._solved[key] = known
        self._actions = known[1]

    def __call__(self, observation: Any) -> Any:
        """Return the action of the next decision."""
        action = self._actions[min(self._step, len(self._actions) - 1)]
        self._step += 1
        return int(action)

    def solve(self, parts: Parts, start: SavedEpisode) -> NDArray[np.int64]:
        """Return the best action sequence found from the start of an episode."""
        space = parts.actions.space
        if not isinstance(space, spaces.Discrete):
            raise ConfigError(f"{self.name}: evolution works on a menu, not on amounts.")
        generator = np.random.default_rng(self._settings.seed)
        core = BatchCore(parts, self._settings.population)
        elite: NDArray[np.int64] = actions_of(parts, self._start, start).astype(np.int64)[None]
        for _ in range(self._settings.generations):
            offspring = _offspring(elite, core.n - len(elite), int(space.n), generator)
            candidates = np.concatenate([elite, offspring])
            values = returns_of_actions(core, start, candidates)
            elite = candidates[np.argsort(-values, kind="stable")[:_ELITE]]
        best: NDArray[np.int64] = elite[0]
        return best


def _offspring(
    elite: NDArray[np.int64], count: int, menu: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return changed and crossed sequences of the elite, (count, steps)."""
    steps = elite.shape[1]
    found = elite[generator.integers(len(elite), size=count)].copy()
    for sequence in found:
        if generator.random() < 0.3:
            other, cut = elite[generator.integers(len(elite))], generator.integers(steps)
            sequence[cut:] = other[cut:]
        changes = int(generator.integers(1, _MOST_CHANGES + 1))
        for day in generator.integers(steps, size=changes):
            if generator.random() < 0.5:
                sequence[day] = generator.integers(menu)
            else:
                near = int(np.clip(day + generator.integers(-7, 8), 0, steps - 1))
                sequence[day], sequence[near] = sequence[near], sequence[day]
    return found
