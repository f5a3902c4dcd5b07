"""Ceres: the oracle that knows the season and applies the best amounts for it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.field_task import FieldTask
from agbench.data.reading import Strict
from agbench.envs.actions import place
from agbench.envs.core import BatchCore, Parts
from agbench.policies.base import Information, Interface, policy
from agbench.policies.tuning import search
from agbench.variables import Floats

_GOLDEN = (5.0**0.5 - 1.0) / 2.0


class CeresSettings(Strict):
    """The input that is optimised, the largest total tried, and how finely (continuous amounts)."""

    input: str
    largest_total: Number = Field(default=1000.0, gt=0, le=1e6)
    grid: Number = Field(default=25.0, gt=0)
    tolerance: Number = Field(default=0.01, gt=0)

    @model_validator(mode="after")
    def _finer(self) -> "CeresSettings":
        if not self.largest_total / 1e4 <= self.grid <= self.largest_total:
            raise ValueError(
                f"grid: {self.grid:g} is no step of largest_total, {self.largest_total:g}: 1 to 10000 steps."
            )
        return self


@policy("ceres", settings=CeresSettings, families=["field"])
class Ceres:
    """Searches the best schedule for the scenario of the episode (Kallenberg et al. 2023: an upper bound).

    With a menu: the best total from the best date on, given as early as possible, then any single
    change of doses or dates that helps, until none does. With continuous amounts: the best total
    given at once, by a grid and then golden-section search, because a bounded search alone can
    miss the optimum.
    """

    information: Information = "model"

    def __init__(self, name: str, settings: CeresSettings, interface: Interface[FieldTask]) -> None:
        place(interface.actions, settings.input)
        self.name = name
        self._settings = settings
        self._actions = interface.actions
        self._schedule: Floats = np.zeros(0)
        self._step = 0
        self._solved: dict[tuple[int, str], tuple[Parts, Floats]] = {}

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision."""
        self._step = 0

    def plan(self, core: BatchCore, row: int) -> None:
        """Find the best schedule for the scenario of a row; each scenario is solved once."""
        key = str(core.scenario[row])
        solved = self._solved.get((id(core.parts), key))
        if solved is None:
            solved = core.parts, self.solve(core.parts, key)
            self._solved[id(core.parts), key] = solved
        self._schedule = solved[1]

    def __call__(self, observation: Any) -> Any:
        """Return the action of the next decision."""
        amount = self._schedule[self._step] if self._step < len(self._schedule) else 0.0
        self._step += 1
        return self._actions.encode(self._settings.input, float(amount))[0]

    def solve(self, parts: Parts, key: str) -> Floats:
        """Return the best amounts of a scenario's decisions."""
        if search.doses(parts, self._settings.input):
            largest = float(self._settings.largest_total)
            return search.best_schedule(parts, self._settings.input, [key], largest)[0]
        return self._at_once(parts, key)

    def _at_once(self, parts: Parts, key: str) -> Floats:
        steps = search.number_of_decisions(parts)

        def schedule(total: float) -> Floats:
            return search.early(total, np.inf, steps)

        def value(*totals: float) -> Floats:
            candidates = np.array([schedule(t) for t in totals])
            return search.returns(parts, self._settings.input, candidates, [key])[:, 0]

        largest, width = float(self._settings.largest_total), float(self._settings.grid)
        grid = np.arange(0.0, largest + 0.5 * width, width)
        i = int(np.argmax(value(*grid)))
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        tolerance = float(self._settings.tolerance)
        best = _golden_section(lambda total: float(value(total)[0]), low, high, tolerance)
        ends = (best, float(grid[i]))
        return schedule(ends[int(np.argmax(value(*ends)))])


def _golden_section(value: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return the maximum of a unimodal function between `low` and `high` (Kiefer 1953)."""
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    value_a, value_b = value(a), value(b)
    while high - low > tolerance:
        if value_a >= value_b:
            high, b, value_b = b, a, value_a
            a = high - _GOLDEN * (high - low)
            value_a = value(a)
        else:
            low, a, value_a = a, b, value_b
            b = low + _GOLDEN * (high - low)
            value_b = value(b)
    return 0.5 * (low + high)
