"""Rewards: growth of a variable, minus the cost of inputs, minus the growth without inputs."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np

from agbench.simulators.base import Simulator
from agbench.variables import Booleans, Floats, VariableTable


class Reward(Protocol):
    """The reward of a step, and the totals that are recorded with it.

    `cost` (n,) is what the last step violated constraints by, in the units of the task (0: not at
    all), never part of the reward unless the task says so. `totals` are sums over the episode by
    name, (n,) each, for the task's metrics.
    """

    cost: Floats
    totals: Mapping[str, Floats]

    def reset(self, row: int, world: Any) -> None:
        """Begin an episode in a row."""

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move."""

    def save(self, row: int) -> Any:
        """Return a row's accounts."""

    def load(self, row: int, saved: Any, world: Any) -> None:
        """Put a row's accounts back."""


_REMEMBERED: Final = 4096  # worlds; random ones never come again


class ReferenceRuns:
    """What `variable` does in a scenario without any input: run once, shared by all that need it.

    `make` returns a simulator of given size, of a field.
    """

    def __init__(self, make: Callable[[int], Simulator], column: int) -> None:
        self._simulator: Any = make(1)
        self._column = column
        self._runs: dict[int, tuple[Any, Floats]] = {}

    def of(self, world: Any) -> Floats:
        """Return the variable on every day of a world's season, (days,)."""
        run = self._runs.get(id(world))
        if run is None:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            run = self._runs[id(world)] = world, self._simulator.untouched(world)[:, self._column].copy()
        return run[1]


class GrowthReward:
    """Growth of `variable`, times `product_price`, minus `beta` times the priced inputs of the step.

    With `references` the growth of the same scenario without any input is taken off too
    (Kallenberg et al. 2023, eq. 1): the return is then what the inputs earned, net of their price.
    """

    def __init__(
        self,
        model: VariableTable,
        inputs: VariableTable,
        variable: str,
        prices: Mapping[str, float],
        beta: float,
        references: ReferenceRuns | None,
        n: int,
        product_price: float = 1.0,
    ) -> None:
        self._product_price = product_price
        self._column = model.column(variable)
        self._prices = [(inputs.column(name), beta * price) for name, price in prices.items()]
        self._references = references
        self._reference: Floats = np.zeros((n, 1))
        self._rows = np.arange(n)
        self._before: Floats = np.zeros(n)
        self.cost: Floats = np.zeros(n)
        self.totals: Mapping[str, Floats] = {}

    def reset(self, row: int, world: Any) -> None:
        """Take up a new world in a row: its reference run, if it counts."""
        if self._references is None:
            return
        run = self._references.of(world)
        missing = len(run) - self._reference.shape[1]
        if missing > 0:
            self._reference = np.pad(self._reference, ((0, 0), (0, missing)), mode="edge")
        self._reference[row, : len(run)] = run
        self._reference[row, len(run) :] = run[-1]

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""
        self._before = self._standing(simulator)

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move."""
        rewards = (self._standing(simulator) - self._before) * self._product_price
        for column, price in self._prices:
            rewards -= inputs[:, column] * price
        return np.where(moved, rewards, 0.0)

    def _standing(self, simulator: Simulator) -> Floats:
        grown: Floats = simulator.state[:, self._column].copy()
        if self._references is not None:
            grown -= self._reference[self._rows, simulator.elapsed]
        return grown

    def save(self, row: int) -> None:
        """Return nothing: this reward depends on the present alone."""

    def load(self, row: int, saved: None, world: Any) -> None:
        """Take up the reference run of the world that was loaded."""
        self.reset(row, world)


class WeightReward:
    """What stands of `variable`, at every step: its return is an integral over time.

    The default of the original (Solow et al. 2025), kept for comparison.
    """

    def __init__(self, model: VariableTable, variable: str, n: int) -> None:
        self._column = model.column(variable)
        self.cost: Floats = np.zeros(n)
        self.totals: Mapping[str, Floats] = {}

    def reset(self, row: int, world: Any) -> None:
        """Do nothing: only the present counts."""

    def before(self, simulator: Simulator) -> None:
        """Do nothing: only what a step leads to counts."""

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return what stands after a step, (n,); 0 for rows that did not move."""
        return np.where(moved, simulator.state[:, self._column], 0.0)

    def save(self, row: int) -> None:
        """Return nothing: this reward depends on the present alone."""

    def load(self, row: int, saved: None, world: Any) -> None:
        """Do nothing: this reward depends on the present alone."""
