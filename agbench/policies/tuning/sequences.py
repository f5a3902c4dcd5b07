"""Evolution of action sequences: a few edits at a time to the best sequences found so far.

An elitist evolution strategy, (mu + lambda) of Beyer and Schwefel (2002), Natural Computing 1, 3-52, whose
mutations are those that a planner makes: another action, the same one sooner or later, a piece of another
plan, and, where the agent sows and harvests, a crop between two days. Plans of a menu are edited by compiled
code (`agbench.policies.tuning.menu_edits`).
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field

from agbench.data.reading import Strict
from agbench.data.task import Task
from agbench.envs.actions import ActionMap, Menu
from agbench.envs.core import Parts
from agbench.policies.tuning.menu_edits import MenuEdits
from agbench.variables import Floats

Actions = NDArray[Any]

_ELITE: Final = 8  # sequences that are edited
_PATIENCE: Final = 8  # rounds without a better sequence, after which a search ends
_SHARES: Final = (0.4, 0.35, 0.1, 0.15)  # of the kinds of edits
_MORE: Final = 0.5  # the chance of each further edit
_SHIFTS: Final = (1, 3, 8)  # decisions, the spreads of a move in time
_SPREAD: Final = 0.3  # of a continuous action, in a space from -1 to 1


class SequenceSearch(Strict):
    """The budget: `clones` play a round, for so many `rounds`; the `seed` of what is drawn."""

    clones: int = Field(default=256, ge=8)
    rounds: int = Field(default=10, ge=1)
    seed: int = Field(default=0, ge=0)


class Edits:
    """What may be changed in the action sequences of a task, or of one `actions` alone, (steps, ...)."""

    def __init__(self, parts: Parts, actions: ActionMap | None = None) -> None:
        actions = parts.actions if actions is None else actions
        self._space = actions.space
        self.nothing: Any = actions.actions_of(actions.lowest[None])[0]
        self._sowing, self._harvest = _work(parts.task, actions)
        self._of_menu = MenuEdits(actions, self._sowing, self._harvest) if isinstance(actions, Menu) else None

    def candidates(
        self, elite: Actions, count: int, first: int, last: int, generator: np.random.Generator
    ) -> Actions:
        """Return `count` edited sequences, (count, steps, ...), changed from `first` to before `last`."""
        if self._of_menu is not None:
            return self._of_menu.candidates(elite, count, first, last, _MORE, generator)
        chosen = len(elite) * generator.random(count) ** 2  # the better, the more often
        result = elite[chosen.astype(np.intp)]
        edits = [self._change, self._move, self._splice, self._season if self._sowing else self._change]
        for sequence in result:
            more = True
            while more:
                drawn = generator.choice(len(edits), p=_SHARES)
                edits[drawn](sequence, elite, first, last, generator)
                more = bool(generator.random() < _MORE)
        return result

    def _change(
        self, sequence: Actions, elite: Actions, first: int, last: int, generator: np.random.Generator
    ) -> None:
        """Give another action, or none, at a decision."""
        i = int(generator.integers(first, last))
        sequence[i] = self.nothing if generator.random() < 0.3 else self._near(sequence[i], generator)

    def _move(
        self, sequence: Actions, elite: Actions, first: int, last: int, generator: np.random.Generator
    ) -> None:
        """Do what one decision does sooner or later, in exchange for what stands there."""
        window = sequence[first:last].reshape(last - first, -1)
        acting = first + np.flatnonzero((window != np.ravel(self.nothing)).any(axis=1))
        if len(acting) == 0:
            return
        i = int(acting[generator.integers(len(acting))])
        spread = _SHIFTS[int(generator.integers(len(_SHIFTS)))]
        j = int(np.clip(i + np.rint(spread * generator.standard_normal()), first, last - 1))
        sequence[[i, j]] = sequence[[j, i]]

    def _splice(
        self, sequence: Actions, elite: Actions, first: int, last: int, generator: np.random.Generator
    ) -> None:
        """Take over a stretch of another of the best sequences."""
        i, j = np.sort(generator.integers(first, last + 1, size=2))
        sequence[i:j] = elite[int(generator.integers(len(elite)))][i:j]

    def _season(
        self, sequence: Actions, elite: Actions, first: int, last: int, generator: np.random.Generator
    ) -> None:
        """Sow at one decision and harvest at another, with no other sowing or harvest between them."""
        i, j = np.sort(generator.integers(first, last, size=2))
        between = np.isin(sequence[i : j + 1], [*self._sowing, self._harvest])
        sequence[i : j + 1][between] = self.nothing
        sequence[i] = self._sowing[int(generator.integers(len(self._sowing)))]
        if j > i:
            sequence[j] = self._harvest

    def _near(self, present: Any, generator: np.random.Generator) -> Any:
        """Return another action: any of a menu, one nearby of a continuous space."""
        if isinstance(self._space, spaces.Discrete):
            return generator.integers(self._space.n)
        if isinstance(self._space, spaces.MultiDiscrete):
            drawn = generator.integers(self._space.nvec)
            return np.where(generator.random(drawn.shape) < 0.5, drawn, present)
        noise = _SPREAD * generator.standard_normal(np.shape(present))
        return np.clip(present + noise, -1.0, 1.0).astype(np.float32)


def _work(task: Task, actions: ActionMap) -> tuple[list[int], int]:
    """Return the menu numbers of sowing, by crop, and that of harvest; none where the agent does not sow."""
    if not task.sows or not isinstance(actions, Menu):
        return [], -1
    sowing = [actions.encode("PLANT", number)[0] for number in actions.doses("PLANT")[1:]]
    return sowing, actions.encode("HARVEST", 1.0)[0]


def simplified(value: Callable[[Actions], Floats], sequence: Actions, nothing: Any) -> Actions:
    """Return a sequence (steps, ...) without actions that add nothing to its value, the last ones first."""
    result = sequence.copy()
    best = float(value(result[None])[0])
    for i in range(len(result) - 1, -1, -1):
        if (result[i] != nothing).any():
            shorter = result.copy()
            shorter[i] = nothing
            if float(value(shorter[None])[0]) >= best:
                result = shorter
    return result


def improve(
    value: Callable[[Actions], Floats],
    edits: Edits,
    start: Actions,
    window: tuple[int, int],
    clones: int,
    rounds: int,
    generator: np.random.Generator,
    patience: int = _PATIENCE,
) -> tuple[Actions, Floats]:
    """Return the best sequences found, (up to 8, steps, ...), the best first, and their values.

    `start` (m, steps, ...) are sequences to begin with, which take part in the first round: what is returned
    is never worse. `value` maps candidates (n, steps, ...), at most `clones` of them, to what is maximised.
    After `patience` rounds without a better one it ends.
    """
    best = start
    values = value(start)
    most, idle = -np.inf, 0
    for _ in range(rounds):
        most, idle = (float(values.max()), 0) if values.max() > most else (most, idle + 1)
        if idle > patience:
            break
        candidates = edits.candidates(best, clones, *window, generator)
        best = np.concatenate([best, candidates])
        values = np.concatenate([values, value(candidates)])
        _, different = np.unique(values, return_index=True)  # equal values are equal plans, nearly always
        kept = different[::-1][:_ELITE]
        best, values = best[kept], values[kept]
    return best, values
