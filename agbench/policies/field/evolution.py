"""The oracle of several inputs: the doses of a season optimised by CMA-ES with known weather."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from pydantic import Field

from agbench.compiled import entry
from agbench.data.farm_task import FarmTask
from agbench.data.field_task import FieldTask
from agbench.data.reading import Strict
from agbench.envs.actions import Menu, menu_sizes
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.errors import ConfigError
from agbench.policies.base import Interface, policy
from agbench.policies.field.solver import Actions, Solver
from agbench.policies.playing import actions_of, returns_of_actions
from agbench.variables import Floats

_ROUNDING: Final = 1e-9  # of an input; what is less is rounding


class EvolutionSettings(Strict):
    """The policy to start from, periods of a season, and the budget: candidates a generation, generations."""

    start: str
    periods: int = Field(default=12, ge=1)
    population: int = Field(default=256, ge=16)
    generations: int = Field(default=100, ge=1)
    seed: int = Field(default=0, ge=0)
    spread: float = Field(default=0.7, gt=0)
    """Of the first generation, in the largest dose of an input a period."""


@policy("evolution", settings=EvolutionSettings, families=["field", "farm"])
class Evolved(Solver):
    """Searches the best sequence of actions for this episode: the best that the search reached.

    What is optimised is how much of each input each period of the season gets, by the covariance
    matrix adaptation evolution strategy (Hansen and Ostermeier 2001, Evolutionary Computation 9,
    159-195; package `cma`), from what the policy to start from gives. Within a period an input is
    due evenly; each decision gives the one that is most behind, within the task's limits. Where the
    agent sows and harvests, the days of both are searched too; in a rotation, those of each sowing and
    harvest of the policy to start from. On a farm each field has amounts of its
    own, unless one action is for all; what exceeds a budget in a season is taken off all doses alike.
    Fields that share no budget are searched each by itself, side by side.
    """

    def __init__(self, name: str, settings: EvolutionSettings, interface: Interface[FieldTask]) -> None:
        super().__init__(name)
        self._settings = settings
        self._start = interface.load(settings.start)

    def solve(self, parts: Parts, start: SavedEpisode) -> Actions:
        """Return the best action sequence found from the start of an episode."""
        from cma import CMAEvolutionStrategy

        settings = self._settings
        seasons = _Seasons(parts, settings.periods, self.name)
        first: Actions = actions_of(parts, self._start, start).astype(np.int64)
        alone = BatchCore(parts, 1)
        most = seasons.values(alone, returns_of_actions(alone, start, first[None]))[0]
        seasons.take_up_work(first)
        steps = int(alone.simulator.horizon[0]) if seasons.work else len(first)
        best = np.zeros((max(steps, len(first)), *first.shape[1:]), first.dtype)
        best[: len(first)] = first  # a harvest may end a season early
        generator = np.random.default_rng(settings.seed)
        options = {
            "popsize": settings.population,
            "bounds": [0.0, None],
            "randn": lambda *shape: generator.standard_normal(shape),
            "seed": np.nan,  # the generator is ours: no global state is touched
            "verbose": -9,
        }
        starts = seasons.point(first, steps).reshape(seasons.searches, -1)
        searches = [CMAEvolutionStrategy(point, settings.spread, options) for point in starts]
        core = BatchCore(parts, settings.population)
        for _ in range(settings.generations):
            points = [search.ask() for search in searches]
            candidates = seasons.actions(np.concatenate(points, axis=1), steps)
            values = seasons.values(core, returns_of_actions(core, start, candidates))
            for k, search in enumerate(searches):
                search.tell(points[k], (-values[:, k]).tolist())
                i = int(np.argmax(values[:, k]))
                if values[i, k] > most[k]:
                    own = (..., k) if len(searches) > 1 else ...
                    best[own], most[k] = candidates[i][own], values[i, k]
        return best


class _Seasons:
    """Seasons as points: the amount of each input in each period, in units of its largest dose.

    Where several menus are chosen from at once, such as one a field, their amounts stand one after another.
    After them stand the days of sowing and of harvest, in periods, where the agent does either.
    """

    def __init__(self, parts: Parts, periods: int, name: str) -> None:
        menu, count = _menu(parts, name)
        task = parts.task
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
        self._menus = count
        self._budgets = _budgets(task, inputs, count)
        self._fields = task.field_names if isinstance(task, FarmTask) and count > 1 else []
        self.searches = 1 if self._budgets else count
        """How many parts of a point are searched each by itself: fields that share no budget."""
        self._rotates = bool(task.season.rotation)
        numbers = {input: menu.doses(input)[1:] if self._rotates else [1.0] for input in work}
        self._of_work = [menu.encode(input, n)[0] for input, most in numbers.items() for n in most]
        self.work = self._of_work
        """The menu numbers of sowing and harvest; in a rotation, of each that is to be done."""

    def take_up_work(self, actions: Actions) -> None:
        """Let the work of a rotation be that of a season's actions, in its order."""
        if self._rotates:
            self.work = [int(code) for code in actions if code in self._of_work]

    def values(self, core: BatchCore, returns: Floats) -> Floats:
        """Return what each search has reached in each row of a core just played, (n, searches)."""
        if self.searches == 1:
            return returns[:, None]
        return np.stack([core.reward.totals[f"return.{field}"] for field in self._fields], axis=1)

    def point(self, actions: Actions, steps: int) -> Floats:
        """Return the point of a season's actions, of at most `steps`; missing work gets the last day."""
        numbers = actions.reshape(len(actions), self._menus)
        doses = np.zeros((self._menus, len(self._doses), steps))
        for j, codes in enumerate(self._codes):
            for code, amount in zip(codes[1:], self._doses[j, 1:], strict=True):
                if np.isfinite(amount):
                    doses[:, j, : len(numbers)][(numbers == code).T] = amount
        parts = np.array_split(doses / self._largest[:, None], self._periods, axis=2)
        amounts = np.stack([part.sum(axis=2) for part in parts], axis=2).ravel()
        days = [int(np.flatnonzero(actions == code)[0]) if code in actions else steps for code in self.work]
        if self._rotates:
            days = np.flatnonzero(np.isin(actions, self._of_work)).tolist()
        return np.concatenate([amounts, np.array(days) * self._periods / steps])

    def actions(self, points: Floats, steps: int) -> Actions:
        """Return the actions of points (n, menus x inputs x periods + work), (n, steps[, menus])."""
        n, inputs = len(points), len(self._doses)
        given, days = np.split(points, [self._menus * inputs * self._periods], axis=1)
        amounts = given.reshape(n, self._menus, inputs, self._periods) * self._largest[:, None]
        for shares, most in self._budgets:
            asked = (amounts.sum(axis=3) * shares).sum(axis=(1, 2))
            share = np.minimum(most / np.maximum(asked, most), 1.0)
            amounts *= np.where(shares[..., None] > 0.0, share[:, None, None, None], 1.0)
        flat = amounts.reshape(n * self._menus, inputs, self._periods)
        decided = _decisions(flat, self._doses, self._codes, self._limits, steps)
        result: Actions = decided.reshape(n, self._menus, steps).transpose(0, 2, 1)
        result = result[..., 0].copy() if self._menus == 1 else result
        due = np.rint(days * steps / self._periods).astype(np.int64).clip(0, steps - 1)
        for j, code in enumerate(self.work):
            result[np.arange(n), due[:, j]] = code
        return result


def _menu(parts: Parts, name: str) -> tuple[Menu, int]:
    """Return the menu that a decision chooses from, and how many of it it chooses from at once."""
    actions = parts.actions
    of_a_field = getattr(actions, "of_a_field", None)
    if isinstance(actions, Menu):
        return actions, 1
    if not isinstance(of_a_field, Menu):
        raise ConfigError(f"{name}: evolution works on a menu, not on amounts.")
    if parts.task.content()["season"]["management"] != "inputs":
        raise ConfigError(f"{name}: evolution finds no days of sowing or harvest for each field of a farm.")
    return of_a_field, len(menu_sizes(actions.space))


def _budgets(task: FieldTask, inputs: Sequence[str], menus: int) -> list[tuple[Floats, float]]:
    """Return each budget of a task: hectares of each menu's inputs that draw on it, and its amount."""
    if not isinstance(task, FarmTask):
        return []
    result = []
    for name, most in task.farm.budgets.items():
        areas = np.zeros((menus, len(inputs)))
        for j, input in enumerate(inputs):
            own, _, field = input.partition(".")
            if own == name and field:
                areas[0, j] = task.areas[task.field_names.index(field)]
            elif own == name:
                areas[:, j] = task.areas if menus > 1 else sum(task.areas)
        result.append((areas, float(most)))
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
