"""The oracle of several inputs: the doses of a season optimised by CMA-ES with known weather."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from pydantic import Field

from agbench.compiled import entry
from agbench.data.field_task import FieldTask
from agbench.data.task import MARGIN
from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.errors import ConfigError
from agbench.policies.base import Interface, Policy, policy
from agbench.policies.field.solver import Actions, Found, JoiningSettings, JoiningSolver
from agbench.policies.field.worth import DEAR
from agbench.policies.playing import actions_of, padded, totals
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve
from agbench.variables import Floats

_ROUNDING: Final = 1e-9  # of an input; what is less is rounding


class EvolutionSettings(JoiningSettings):
    """The policy to start from, or several, the periods of a season, and the budget.

    First so many `generations` of a `population` on amounts, then `rounds` of `clones` on single decisions.
    Each of the `restarts` does the latter from random calendars; a last one goes on from the best of all.
    With a `cost_price` a unit of constraint cost takes that off the return, in place of the limit of each
    season: for tasks that tolerate a mean cost, whose best seasons do not cost alike.
    """

    start: str | list[str] = Field(min_length=1)
    periods: int = Field(default=12, ge=1)
    population: int = Field(default=256, ge=16)
    generations: int = Field(default=100, ge=1)
    restarts: int = Field(default=0, ge=0)
    spread: float = Field(default=0.7, gt=0)
    """Of the first generation, in the largest dose of an input a period."""
    cost_price: float | None = Field(default=None, ge=0)


@policy("evolution", settings=EvolutionSettings, families=["field"])
class Evolved(JoiningSolver):
    """Searches the best sequence of actions for this episode: the best that the search reached.

    What is optimised is how much of each input each period of the season gets, by the covariance
    matrix adaptation evolution strategy (Hansen and Ostermeier 2001, Evolutionary Computation 9,
    159-195; package `cma`), from what the policy to start from gives. Within a period an input is
    due evenly; each decision gives the one that is most behind, within the task's limits. Where the
    agent sows and harvests, the days of both are searched too; in a rotation, those of each sowing and
    harvest of the policy to start from. Edits of single decisions then go on from the best of that and of
    the policies to start from (`agbench.policies.tuning.sequences`). A season may cost what is feasible
    where the first policy to start from is the expert; at a `cost_price` it costs what that is worth, and
    the price is to be such that the mean of a split is feasible (Lagrange's multiplier of its limit).
    """

    def __init__(self, name: str, settings: EvolutionSettings, interface: Interface[FieldTask]) -> None:
        super().__init__(name, settings, interface)
        self._settings = settings
        names = [settings.start] if isinstance(settings.start, str) else settings.start
        self._starts = [interface.load(own) for own in names]

    def search(self, parts: Parts, start: SavedEpisode, generator: np.random.Generator) -> Found:
        """Return the best action sequence that one search finds from the start of an episode."""
        settings, last = self._settings, number_of_decisions(parts)
        plans = np.stack([self._plan(parts, own, start) for own in self._starts])
        value = self._value(parts, start)
        alone = BatchCore(parts, 1)
        first = plans[int(np.argmax([value(alone, plan[None])[0] for plan in plans]))]
        amounts = BatchCore(parts, settings.population)
        found = self._by_amounts(parts, first, partial(value, amounts), generator)
        edited = partial(value, BatchCore(parts, settings.clones))
        edits, budget = Edits(parts), (settings.clones, settings.rounds, generator)
        plans = np.concatenate([found[None], plans])
        elite, values = improve(edited, edits, plans, (0, last), *budget)
        elites = [elite]
        for _ in range(settings.restarts):
            drawn = calendars(parts, settings.clones, last, generator)
            elites.append(improve(edited, edits, drawn, (0, last), *budget)[0])
        if settings.restarts:
            elite, values = improve(edited, edits, np.concatenate(elites), (0, last), *budget)
        return Found(elite[0], float(values[0]))

    def worth(self, parts: Parts, start: SavedEpisode) -> Callable[[Actions], Floats]:
        """Return what tells the worth of plans: their return, less what costs too much."""
        return partial(self._value(parts, start), BatchCore(parts, self._settings.clones))

    def _value(self, parts: Parts, start: SavedEpisode) -> Callable[[BatchCore, Actions], Floats]:
        """Return what a batch gives as the worth of plans from the start of an episode."""
        price = self._settings.cost_price
        expert = self._plan(parts, self._starts[0], start)
        _, own = played(BatchCore(parts, 1), start, expert[None])
        largest = (1.0 + MARGIN) * float(own[0]) + _ROUNDING  # the sum is then feasible too

        def value(core: BatchCore, sequences: Actions) -> Floats:
            total, cost = played(core, start, sequences)
            if price is not None:
                return total - price * cost
            feasible: Floats = total - DEAR * np.maximum(cost - largest, 0.0)
            return feasible

        return value

    def _plan(self, parts: Parts, policy: Policy, start: SavedEpisode) -> Actions:
        """Return what a policy does from the start of an episode, (steps, ...), filled up with nothing."""
        idle = parts.actions.actions_of(parts.actions.lowest[None])[0]
        return padded(actions_of(parts, policy, start), number_of_decisions(parts), idle)

    def _by_amounts(
        self, parts: Parts, first: Actions, value: Callable[[Actions], Floats], generator: np.random.Generator
    ) -> Actions:
        """Return the best sequence found from `first` by the amounts of each period, (steps,)."""
        from cma import CMAEvolutionStrategy

        settings, decisions = self._settings, len(first)
        seasons = _Seasons(parts, settings.periods, self.name)
        seasons.take_up_work(first)
        options = {
            "popsize": settings.population,
            "bounds": [0.0, None],
            "randn": lambda *shape: generator.standard_normal(shape),
            "seed": np.nan,  # the generator is ours: no global state is touched
            "verbose": -9,
        }
        search = CMAEvolutionStrategy(seasons.point(first, decisions), settings.spread, options)
        best, most = first, -np.inf
        for _ in range(settings.generations):
            points = search.ask()
            candidates = seasons.actions(np.array(points), decisions)
            values = value(candidates)
            search.tell(points, (-values).tolist())
            i = int(np.argmax(values))
            if values[i] > most:
                best, most = candidates[i], float(values[i])
        return best


def played(core: BatchCore, start: SavedEpisode, sequences: Actions) -> tuple[Floats, Floats]:
    """Return the return and the constraint cost of each sequence (n, steps), (n,) each."""
    total, cost = np.empty(len(sequences)), np.empty(len(sequences))
    for first in range(0, len(sequences), core.n):
        some = slice(first, min(first + core.n, len(sequences)))
        core.load(range(core.n), start)
        results = totals(core, np.resize(sequences[some], (core.n, *sequences.shape[1:])))
        total[some], cost[some] = (values[: some.stop - first] for values in results)
    return total, cost


class _Seasons:
    """Seasons as points: the amount of each input in each period, in units of its largest dose.

    After the amounts stand the days of sowing and of harvest, in periods, where the agent does either.
    """

    def __init__(self, parts: Parts, periods: int, name: str) -> None:
        menu, task = parts.actions, parts.task
        if not isinstance(menu, Menu):
            raise ConfigError(f"{name}: evolution works on a menu, not on amounts.")
        assert isinstance(task, FieldTask)
        work = [name for name in task.season.work if name in menu.names]
        limits = task.reward.limits
        inputs = [input for input in menu.names if input not in work]
        doses = [menu.doses(input) for input in inputs]
        width = max(len(amounts) for amounts in doses)
        self._doses = np.full((len(doses), width), np.inf)
        self._codes = np.zeros((len(doses), width), dtype=np.int64)
        for j, (input, amounts) in enumerate(zip(inputs, doses, strict=True)):
            self._doses[j, : len(amounts)] = amounts
            self._codes[j, : len(amounts)] = [menu.encode(input, amount)[0] for amount in amounts]
        self._largest = np.array([amounts[-1] for amounts in doses])
        self._limits = np.array([limits.get(input, np.inf) for input in inputs])
        self._periods = periods
        self._rotates = bool(task.season.rotation)
        numbers = {input: menu.doses(input)[1:] if self._rotates else [1.0] for input in work}
        self._of_work = [menu.encode(input, n)[0] for input, most in numbers.items() for n in most]
        self.work = self._of_work
        """The menu numbers of sowing and harvest; in a rotation, of each that is to be done."""

    def take_up_work(self, actions: Actions) -> None:
        """Let the work of a rotation be that of a season's actions, in its order."""
        if self._rotates:
            self.work = [int(code) for code in actions if code in self._of_work]

    def point(self, actions: Actions, steps: int) -> Floats:
        """Return the point of a season's actions, of at most `steps`; missing work gets the last day."""
        doses = np.zeros((len(self._doses), steps))
        for j, codes in enumerate(self._codes):
            for code, amount in zip(codes[1:], self._doses[j, 1:], strict=True):
                if np.isfinite(amount):
                    doses[j, : len(actions)][actions == code] = amount
        parts = np.array_split(doses / self._largest[:, None], self._periods, axis=1)
        amounts = np.stack([part.sum(axis=1) for part in parts], axis=1).ravel()
        days = [int(np.flatnonzero(actions == code)[0]) if code in actions else steps for code in self.work]
        if self._rotates:
            days = np.flatnonzero(np.isin(actions, self._of_work)).tolist()
        return np.concatenate([amounts, np.array(days) * self._periods / steps])

    def actions(self, points: Floats, steps: int) -> Actions:
        """Return the actions of points (n, inputs x periods + work), (n, steps)."""
        n, inputs = len(points), len(self._doses)
        given, days = np.split(points, [inputs * self._periods], axis=1)
        amounts = given.reshape(n, inputs, self._periods) * self._largest[:, None]
        result: Actions = _decisions(amounts, self._doses, self._codes, self._limits, steps)
        due = np.rint(days * steps / self._periods).astype(np.int64).clip(0, steps - 1)
        for j, code in enumerate(self.work):
            result[np.arange(n), due[:, j]] = code
        return result


@entry
def _decisions(amounts: Floats, doses: Floats, codes: Actions, limits: Floats, steps: int) -> Actions:
    """Return menu numbers (n, steps) that follow `amounts` (n, inputs, periods) as doses allow."""
    n, inputs, periods = amounts.shape
    result = np.zeros((n, steps), dtype=np.int64)
    due, applied, rate = np.empty(inputs), np.empty(inputs), np.empty(inputs)
    for i in range(n):
        for j in range(inputs):
            total = amounts[i, j].sum()
            rate[j] = min(1.0, limits[j] / total) * periods / steps if total > 0.0 else 0.0
            due[j] = applied[j] = 0.0
        for t in range(steps):
            period = t * periods // steps
            most, chosen, level = 0.0, 0, 0
            for j in range(inputs):
                due[j] += rate[j] * amounts[i, j, period]
                due_now = min(due[j], limits[j]) - applied[j] + _ROUNDING
                at = 0
                while at + 1 < doses.shape[1] and doses[j, at + 1] <= due_now:
                    at += 1
                if at > 0 and due_now / doses[j, 1] > most:
                    most, chosen, level = due_now / doses[j, 1], j, at
            result[i, t] = codes[chosen, level]
            applied[chosen] += doses[chosen, level]
    return result
