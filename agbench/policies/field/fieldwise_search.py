"""The oracle of farms: a plan for each field by search, and what a budget allows of them together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from pydantic import Field

from agbench.data.farm_task import FarmTask
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.envs.farm.actions import Each
from agbench.envs.farm.rewards import FarmReward
from agbench.policies.base import Interface, policy
from agbench.policies.field.solver import Actions, Found, SearchingSolver, SolverSettings
from agbench.policies.playing import actions_of, returns_of_actions
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.sequences import Edits
from agbench.simulators.field.farm import FarmSimulator
from agbench.variables import Floats

_KEPT: Final = 8  # plans of a field that cost alike
_CELLS: Final = 4096  # of the space of budgets, in which one sum of plans is kept
_SMALLEST: Final = 1e-6  # of a budget; what is less is rounding


class FieldwiseSearchSettings(SolverSettings):
    """The policies to start from, and the budget of an episode: `rounds` of so many `clones` of the farm.

    Each of the `restarts` takes as many rounds from random calendars; a last time they go on from the best of
    all.
    """

    start: list[str] = Field(min_length=1)
    restarts: int = Field(default=0, ge=0)
    clones: int = Field(default=128, ge=8)
    rounds: int = Field(default=100, ge=1)


@policy("fieldwise-search", settings=FieldwiseSearchSettings, families=["farm"])
class FieldwiseSearch(SearchingSolver):
    """Searches the best actions of every field for the very episode: an upper bound that was reached.

    Plans are edited as `agbench.policies.tuning.sequences` says, and those of all fields are played side by
    side, as fields affect each other through budgets alone. Of each field the best plans are kept for each
    amount that they take from the budgets; dynamic programming (Bellman 1957, Dynamic Programming, chapter 1)
    then chooses one for each field, the best together within the budgets. A farm with one action for all is
    searched as one field.
    """

    def __init__(self, name: str, settings: FieldwiseSearchSettings, interface: Interface[FarmTask]) -> None:
        super().__init__(name, settings)
        self._settings = settings
        self._starts = [interface.load(start) for start in settings.start]

    def search(self, parts: Parts, start: SavedEpisode, generator: np.random.Generator) -> Found:
        """Return the best actions that one search finds, at least as good as those that it starts from."""
        settings = self._settings
        farm = _Farm(parts, start, settings.clones)
        first = farm.plans_of([actions_of(parts, policy, start) for policy in self._starts])
        edits = Edits(parts, farm.of_a_field)
        values = farm.play(first)[0].sum(axis=1)  # within budgets as the policies kept them
        best = _Incumbent(first[values.argmax()], float(values.max()))
        pools = farm.pools(first, edits.nothing)
        self._improve(farm, edits, pools, best, generator)
        for _ in range(settings.restarts):
            drawn = farm.plans_of(list(calendars(parts, settings.clones, farm.steps, generator)))
            drawn[0] = edits.nothing  # it fits whatever the others take
            drawn = farm.affordable(drawn, edits.nothing, generator)
            earned, spent = farm.play(drawn)
            others = [_Pool(drawn[:, i], earned[:, i], spent[:, i]) for i in range(farm.fields)]
            own = _Incumbent(drawn[earned.sum(axis=1).argmax()], float(earned.sum(axis=1).max()))
            self._improve(farm, edits, others, own, generator)
            best.take(own.plans, own.value)
            for pool, other in zip(pools, others, strict=True):
                pool.add(other.plans, other.values, other.spent)
        if settings.restarts:
            self._improve(farm, edits, pools, best, generator)
        return Found(farm.actions_of(best.plans[None])[0], best.value)

    def _improve(
        self,
        farm: "_Farm",
        edits: Edits,
        pools: "list[_Pool]",
        best: "_Incumbent",
        generator: np.random.Generator,
    ) -> None:
        """Edit plans of the fields for the rounds of the budget; what is found joins `pools` and `best`."""
        clones = self._settings.clones
        for _ in range(self._settings.rounds):
            drawn = [
                edits.candidates(pool.parents(plan), clones, 0, farm.steps, generator)
                for pool, plan in zip(pools, best.plans, strict=True)
            ]
            candidates = farm.affordable(np.stack(drawn, axis=1), edits.nothing, generator)
            values, spent = farm.play(candidates)
            for i, pool in enumerate(pools):
                pool.add(candidates[:, i], values[:, i], spent[:, i])
            picks = best_within([p.values for p in pools], [p.spent for p in pools], farm.budgets)
            reached = sum(float(pool.values[i]) for pool, i in zip(pools, picks, strict=True))
            best.take(np.stack([pool.plans[i] for pool, i in zip(pools, picks, strict=True)]), reached)


@dataclass
class _Incumbent:
    """The best plans found so far, (fields, steps, ...), one a field, and what they earn together."""

    plans: Actions
    value: float

    def take(self, plans: Actions, value: float) -> None:
        """Take over plans that earn more."""
        if value > self.value:
            self.plans, self.value = plans, value


class _Farm:
    """A farm at the start of an episode, for plans (n, fields, steps, ...): what is chosen for each field.

    `budgets` are what plans of several fields share; one joint plan has its budget to itself.
    """

    def __init__(self, parts: Parts, start: SavedEpisode, n: int) -> None:
        self._core, self._start = BatchCore(parts, n), start
        self._alone = BatchCore(parts, 1)
        self._alone.load(0, start)
        actions, task = parts.actions, parts.task
        assert isinstance(task, FarmTask)
        self._each = actions if isinstance(actions, Each) else None
        self.of_a_field = actions.of_a_field if isinstance(actions, Each) else actions
        horizon = int(self._alone.simulator.horizon[0])
        self._names = task.field_names
        self.steps = -(-(horizon - task.warmup) // task.step)
        self.fields = len(task.fields) if self._each else 1
        own = [float(most) for most in task.farm.budgets.values()] if self._each else []
        self.budgets: Floats = np.array(own)
        inputs = parts.make_simulator(1).inputs
        self._drawn = [inputs.weighted(f"total({name})") for name in task.farm.budgets] if self._each else []

    def plans_of(self, seasons: Sequence[Actions]) -> Actions:
        """Return the seasons' actions as plans; a season that is short goes on with nothing."""
        nothing = self._alone.parts.actions.actions_of(self._alone.parts.actions.lowest[None])
        full = [
            np.concatenate([s, np.repeat(nothing, self.steps - len(s), axis=0).astype(s.dtype)])
            for s in seasons
        ]
        together = np.stack(full)
        if self._each is None:
            return together[:, None]
        own = together.reshape(len(together), self.steps, self.fields, *(self.of_a_field.space.shape or ()))
        return own.swapaxes(1, 2)

    def actions_of(self, plans: Actions) -> Actions:
        """Return the farm's actions, (n, steps, ...)."""
        if self._each is None:
            return plans[:, 0]
        shape = self._each.space.shape or ()
        return np.ascontiguousarray(plans.swapaxes(1, 2)).reshape(len(plans), self.steps, *shape)

    def pools(self, plans: Actions, nothing: Actions) -> "list[_Pool]":
        """Return the pool of each field with its plans and that of nothing, each played by itself."""
        own, result = np.concatenate([plans, np.full_like(plans[:1], nothing)]), []
        for i in range(self.fields):
            alone = np.full_like(own, nothing)
            alone[:, i] = own[:, i]
            values, spent = self.play(alone)
            result.append(_Pool(own[:, i], values[:, i], spent[:, i]))
        return result

    def affordable(self, plans: Actions, nothing: Actions, generator: np.random.Generator) -> Actions:
        """Return plans whose sums the budgets allow: without those of fields that come too late for it."""
        if not len(self.budgets):
            return plans
        asked, result = self._asked(plans), plans.copy()
        for row, own in enumerate(asked):
            left = self.budgets.copy()
            for field in generator.permutation(self.fields):
                if (own[field] > left + _SMALLEST).any():
                    result[row, field] = nothing
                else:
                    left -= own[field]
        return result

    def _asked(self, plans: Actions) -> Floats:
        """Return what each field's plan asks of each budget, (n, fields, budgets)."""
        asked = np.zeros((len(plans), self._core.applied.shape[1]))
        for actions in self.actions_of(plans).swapaxes(0, 1):
            asked += self._core.parts.actions.inputs(actions)
        return self._of_budgets(asked)

    def _of_budgets(self, inputs: Floats) -> Floats:
        """Return what inputs (n, fields x inputs) take from the budgets, (n, fields, budgets)."""
        taken = np.zeros((len(inputs), self.fields, len(self.budgets)))
        for b, drawn in enumerate(self._drawn):
            for field, (column, area) in enumerate(drawn):
                taken[:, field, b] = inputs[:, column] * area
        return taken

    def play(self, plans: Actions) -> tuple[Floats, Floats]:
        """Return what each field's plan earns, (n, fields), and spends, (n, fields, budgets)."""
        core = self._core if len(plans) == self._core.n else BatchCore(self._core.parts, len(plans))
        returns = returns_of_actions(core, self._start, self.actions_of(plans))
        assert isinstance(core.simulator, FarmSimulator)
        assert isinstance(core.reward, FarmReward)
        if self._each is None:
            over = (core.simulator.left < -_SMALLEST).any(axis=1)
            return np.where(over, -np.inf, returns)[:, None], np.zeros((len(plans), 1, 0))
        values = np.stack([core.reward.totals[f"return.{name}"] for name in self._names], axis=1)
        return values, self._of_budgets(core.applied)


@dataclass
class _Pool:
    """The best plans of a field, (m, steps, ...), what they earn, (m,), and spend, (m, budgets)."""

    plans: Actions
    values: Floats
    spent: Floats

    def add(self, plans: Actions, values: Floats, spent: Floats) -> None:
        """Take in plans; of those that spend the same the best are kept, each value once."""
        self.plans = np.concatenate([self.plans, plans])
        self.values = np.concatenate([self.values, values])
        self.spent = np.concatenate([self.spent, spent])
        keys = np.column_stack([np.rint(self.spent / _SMALLEST), -self.values])
        _, first = np.unique(keys, axis=0, return_index=True)
        rank = np.arange(len(first))
        new = (np.diff(keys[first, :-1], axis=0) != 0.0).any(axis=1)
        begin = np.maximum.accumulate(np.where(np.concatenate([[True], new]), rank, 0))
        kept = first[rank - begin < _KEPT]
        self.plans, self.values, self.spent = self.plans[kept], self.values[kept], self.spent[kept]

    def parents(self, plan: Actions) -> Actions:
        """Return the plans to edit, first those that spend as much as the chosen one."""
        same = (self.plans == plan).reshape(len(self.plans), -1).all(axis=1)
        away = np.abs(self.spent - self.spent[same.argmax()]).sum(axis=1)
        return self.plans[np.lexsort([-self.values, away])]


def best_within(values: Sequence[Floats], spent: Sequence[Floats], budgets: Floats) -> list[int]:
    """Return the number of the plan of each field, one a field, whose sum is best within `budgets`, (b,).

    `values` (m,) and `spent` (m, b) are those of a field's m plans. The space of the
    budgets is cut into cells, and of each the best sum is kept: exact while a cell's sums spend the same.
    """
    total, taken = np.zeros(1), np.zeros((1, len(budgets)))
    picks = np.zeros((1, 0), dtype=np.int64)
    across = int(_CELLS ** (1.0 / max(len(budgets), 1)))
    for value, own in zip(values, spent, strict=True):
        total = (total[:, None] + value).ravel()
        taken = (taken[:, None] + own).reshape(len(total), len(budgets))
        number = np.tile(np.arange(len(value)), len(picks))[:, None]
        picks = np.hstack([np.repeat(picks, len(value), axis=0), number])
        fits = (taken <= budgets + _SMALLEST).all(axis=1)
        total, taken, picks = total[fits], taken[fits], picks[fits]
        cells = np.floor(taken / budgets * across) @ (float(across + 1) ** np.arange(len(budgets)))
        order = np.lexsort([-total, cells])
        first = order[np.concatenate([[True], np.diff(cells[order]) != 0.0])]
        total, taken, picks = total[first], taken[first], picks[first]
    best: list[int] = picks[int(total.argmax())].tolist()
    return best
