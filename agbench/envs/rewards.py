"""Rewards: growth of a variable, less what inputs cost, less what would have grown anyway."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from agbench.simulators.base import Booleans, Floats, Simulator, VariableTable


class GrowthReward:
    """Growth of `variable` minus `beta` times the priced inputs of the step.

    With `above_reference` the growth of the same scenario without any input is taken off too
    (Kallenberg et al. 2023, eq. 1): the return is then what the inputs earned, net of their price.
    `make` returns a simulator of given size, used once a scenario for its reference run.
    """

    def __init__(
        self,
        model: VariableTable,
        inputs: VariableTable,
        variable: str,
        prices: Mapping[str, float],
        beta: float,
        above_reference: bool,
        make: Callable[[int], Simulator],
        n: int,
    ) -> None:
        self._column = model.column(variable)
        self._prices = [(inputs.column(name), beta * price) for name, price in prices.items()]
        self._above_reference = above_reference
        self._make = make
        self._runs: dict[int, tuple[Any, Floats]] = {}
        self._reference: Floats = np.zeros((n, 1))
        self._rows = np.arange(n)
        self._before: Floats = np.zeros(n)

    def reset(self, row: int, world: Any) -> None:
        """Take up a new world in a row: its reference run, if it counts."""
        if self._above_reference:
            self.use_reference(row, self.reference(world))

    def use_reference(self, row: int, run: Floats) -> None:
        """Put a reference run into a row."""
        missing = len(run) - self._reference.shape[1]
        if missing > 0:
            self._reference = np.pad(self._reference, ((0, 0), (0, missing)), mode="edge")
        self._reference[row, : len(run)] = run
        self._reference[row, len(run) :] = run[-1]

    def reference(self, world: Any) -> Floats:
        """Return the variable on every day of a season without inputs; computed once a world."""
        known = self._runs.get(id(world))
        if known is not None:
            return known[1]
        simulator = self._make(1)
        nothing = np.zeros((1, len(simulator.inputs)))
        simulator.reset([world])
        run = [simulator.state[0, self._column]]
        for _ in range(int(simulator.horizon[0])):
            simulator.advance(nothing, 1)
            run.append(simulator.state[0, self._column])
        found = np.array(run)
        self._runs[id(world)] = (world, found)
        return found

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""
        self._before = self._standing(simulator)

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move."""
        rewards = self._standing(simulator) - self._before
        for column, price in self._prices:
            rewards -= inputs[:, column] * price
        return np.where(moved, rewards, 0.0)

    def _standing(self, simulator: Simulator) -> Floats:
        grown: Floats = simulator.state[:, self._column].copy()
        if self._above_reference:
            grown -= self._reference[self._rows, simulator.elapsed]
        return grown
