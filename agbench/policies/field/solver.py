"""What oracles share that solve the whole episode before its first decision."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface
from agbench.policies.field.found import Plans
from agbench.policies.playing import padded
from agbench.policies.tuning.sequences import Edits, SequenceSearch, improve
from agbench.variables import Floats

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
            solved = core.parts, self.solve(core.parts, _drawn(core.save(row)))
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

    Of several `searches`, with `seed` and the seeds that follow it, the best counts. With `settled` all of
    them are made again with other seeds, until that fails to beat the best so far by more than this share of
    its value; at most `attempts` times in all.
    """

    searches: int = Field(default=1, ge=1)
    settled: float | None = Field(default=None, ge=0)
    attempts: int = Field(default=6, ge=2)


class JoiningSettings(SolverSettings):
    """How far a solver searches that joins what it found.

    Up to `joined` more rounds over the whole episode go on from the plans of all searches. With
    `neighbours` they do so twice: first from the best plan of each other scenario of the split, which own
    plans would crowd out, then from the own plans and what that led to. `known` names a policy of the kind
    `found`: once its searches are over, an oracle goes on once more from their best and the plan kept there.
    Under actions other than the task's own, whose plans have other numbers, nothing is known.
    """

    joined: int = Field(default=0, ge=0)
    neighbours: bool = False
    known: str | None = None

    @model_validator(mode="after")
    def _joins(self) -> Self:
        for key in ("neighbours", "known"):
            if getattr(self, key) and not self.joined:
                raise ValueError(f"{key}: joined says for how many rounds; give it, such as 40.")
        return self


class Found(NamedTuple):
    """What a search found: the actions of an episode, (steps, ...), and what they are worth to it."""

    actions: Actions
    value: float


class SearchingSolver(Solver):
    """Solves an episode by the best of several searches, each with random numbers of its own."""

    def __init__(self, name: str, settings: SolverSettings) -> None:
        super().__init__(name)
        self._searching = settings

    def solve(self, parts: Parts, start: SavedEpisode) -> Actions:
        """Return the best action sequence found from the start of an episode, (steps, ...)."""
        settled = self._searching.settled
        best = self.attempt(parts, start, 0)
        if settled is None:
            return best.actions
        for number in range(1, self._searching.attempts):
            other = self.attempt(parts, start, number)
            beaten = other.value > best.value + settled * abs(best.value)
            best = max(best, other, key=_worth)
            if not beaten:
                break
        return best.actions

    def attempt(self, parts: Parts, start: SavedEpisode, number: int) -> Found:
        """Return the best of all searches with the seeds of an attempt, the first of which is 0."""
        return max(self.searched(parts, start, number), key=_worth)

    def searched(self, parts: Parts, start: SavedEpisode, number: int) -> list[Found]:
        """Return what each search finds from the start of an episode with the seeds of an attempt."""
        return [self.search(parts, start, np.random.default_rng(seed)) for seed in self._seeds(number)]

    def _seeds(self, number: int) -> range:
        """Return the seeds of an attempt's searches; no two attempts share one."""
        count = self._searching.searches
        first = self._searching.seed + number * count
        return range(first, first + count)

    @abstractmethod
    def search(self, parts: Parts, start: SavedEpisode, generator: np.random.Generator) -> Found:
        """Return the best that one search finds from the start of an episode."""


class JoiningSolver(SearchingSolver):
    """A solver that goes on from what all of its searches found, in this scenario and in others.

    Plans are as long in all scenarios, `agbench.policies.tuning.search.number_of_decisions`.
    """

    def __init__(self, name: str, settings: JoiningSettings, interface: Interface[FieldTask]) -> None:
        super().__init__(name, settings)
        self._joining = settings
        self._known = None if settings.known is None else _known(settings.known, interface)
        self._found: dict[tuple[int, str, int], tuple[Parts, list[Found]]] = {}

    def solve(self, parts: Parts, start: SavedEpisode) -> Actions:
        """Return the best action sequence found from the start of an episode, (steps, ...).

        No worse than the plan that is known of its scenario.
        """
        best = super().solve(parts, start)
        known = None if self._known is None else self._known.plan_of(start.scenario)
        if known is None:
            return best
        kept = padded(known[: len(best)], len(best), 0)
        generator = np.random.default_rng(self._searching.seed)
        return self._joined(parts, start, [best, kept], generator).actions

    def attempt(self, parts: Parts, start: SavedEpisode, number: int) -> Found:
        """Return the best that the searches of an attempt find, and more rounds that join their plans."""
        found = self._once(parts, start, number)
        generator = np.random.default_rng(self._seeds(number)[0])
        others = self._of_neighbours(parts, start.scenario, number)
        if others:
            found = [*found, self._joined(parts, start, others, generator)]
        if self._joining.joined:
            found = [*found, self._joined(parts, start, [one.actions for one in found], generator)]
        return max(found, key=_worth)

    def _joined(
        self, parts: Parts, start: SavedEpisode, plans: list[Actions], generator: np.random.Generator
    ) -> Found:
        """Return the best that more rounds find which go on from several plans."""
        window, budget = (0, len(plans[0])), (self._joining.clones, self._joining.joined)
        own = self.worth(parts, start)
        joined, values = improve(own, Edits(parts), np.stack(plans), window, *budget, generator)
        return Found(joined[0], float(values[0]))

    def _of_neighbours(self, parts: Parts, scenario: str, number: int) -> list[Actions]:
        """Return the best plan of each other scenario of the split in an attempt."""
        if not self._joining.neighbours:
            return []
        keys = enumerate(parts.scenarios.keys)
        return [self._neighbour(parts, place, number) for place, key in keys if key != scenario]

    def _neighbour(self, parts: Parts, place: int, number: int) -> Actions:
        """Return the best plan of a scenario; one whose world is drawn is drawn once, by its place."""
        key = id(parts), parts.scenarios.keys[place], number
        if key not in self._found:
            core = BatchCore(parts, 1)
            core.seed(0, place)
            core.reset([0], [key[1]])
            self._found[key] = parts, self.searched(parts, _drawn(core.save(0)), number)
        return max(self._found[key][1], key=_worth).actions

    def _once(self, parts: Parts, start: SavedEpisode, number: int) -> list[Found]:
        """Return what each search of an attempt finds; a fixed scenario is searched once."""
        if parts.scenarios.random:
            return self.searched(parts, start, number)
        key = id(parts), start.scenario, number
        if key not in self._found:
            self._found[key] = parts, self.searched(parts, start, number)
        return self._found[key][1]

    @abstractmethod
    def worth(self, parts: Parts, start: SavedEpisode) -> Callable[[Actions], Floats]:
        """Return what tells the worth of plans (n, steps, ...) from the start of an episode, (n,)."""


def _drawn(start: SavedEpisode) -> SavedEpisode:
    """Return the start of an episode without its generator: a field draws nothing after it.

    Thousands of clones that each begin with a generator of their own would take a fifth of a search's time.
    """
    return replace(start, generator={})


def _known(name: str, interface: Interface[FieldTask]) -> Plans | None:
    task = catalog.task(interface.task.task)
    if not isinstance(task, FieldTask) or task.action != interface.task.action:
        return None
    policy = interface.load(name)
    if not isinstance(policy, Plans):
        raise ConfigError(
            f"known: {name} is not of the kind found; agbench challenge --again --keep makes one."
        )
    return policy


def _worth(found: Found) -> float:
    return found.value
