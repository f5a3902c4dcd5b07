"""The reward of a rotation: the value of each crop's harvest, less its cost, less priced inputs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agbench.simulators.base import Simulator
from agbench.variables import Booleans, Floats, VariableTable


class RotationProfit:
    """Growth of `variable` at the price of the crop that it came from, less costs of crops and inputs.

    `prices` are per unit of variable by crop, `costs` per sowing by crop, `input_prices` per unit of input.
    Crops are numbered from 1 in the order of `prices`. `totals` are `yield CROP` and `sowings CROP`.
    """

    def __init__(
        self,
        model: VariableTable,
        inputs: VariableTable,
        variable: str,
        prices: Mapping[str, float],
        costs: Mapping[str, float],
        input_prices: Mapping[str, float],
        n: int,
    ) -> None:
        self._columns = model.columns([variable, "CROPS"])
        self._number = model.column("CROP_NUMBER")
        self._prices: Floats = np.array([0.0, *prices.values()])
        self._costs: Floats = np.array([0.0, *(costs[crop] for crop in prices)])
        self._inputs = [(inputs.column(name), price) for name, price in input_prices.items()]
        self._before: Floats = np.zeros((n, 2))
        self._accounts: Floats = np.zeros((n, 2, len(self._prices)))
        self._rows = np.arange(n)
        self.cost: Floats = np.zeros(n)
        self.totals: Mapping[str, Floats] = {
            f"{what} {crop}": self._accounts[:, i, number]
            for i, what in enumerate(("yield", "sowings"))
            for number, crop in enumerate(prices, start=1)
        }

    def reset(self, row: int, world: Any) -> None:
        """Begin an episode in a row."""
        self._accounts[row] = 0.0

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""
        self._before = simulator.state[:, self._columns]

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move.

        A harvest and the next sowing are never in one step, so that the crop after it is the harvested one.
        """
        gained = np.where(moved[:, None], simulator.state[:, self._columns] - self._before, 0.0)
        crop = simulator.state[:, self._number].astype(np.intp)
        self._accounts[self._rows, :, crop] += gained
        rewards = gained[:, 0] * self._prices[crop] - gained[:, 1] * self._costs[crop]
        for column, price in self._inputs:
            rewards -= inputs[:, column] * price
        paid: Floats = np.where(moved, rewards, 0.0)
        return paid

    def save(self, row: int) -> Floats:
        """Return a row's accounts."""
        accounts: Floats = self._accounts[row].copy()
        return accounts

    def load(self, row: int, saved: Floats, world: Any) -> None:
        """Put a row's accounts back."""
        self._accounts[row] = saved
