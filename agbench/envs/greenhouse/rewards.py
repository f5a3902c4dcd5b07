"""Rewards in a greenhouse: the grower's profit, and the accounts of an episode.

Prices and constraints: van Laatum 2025. Yield and energy: Qiu 2024 (GreenLightPlus).
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from agbench.data.greenhouse_reward import PRICED, GreenhouseReward
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.greenhouse.accounts import ENTRIES, JOULES, MG, book
from agbench.envs.greenhouse.ahead import prices_ahead
from agbench.envs.greenhouse.constraints import ClimateLimits
from agbench.simulators.base import Simulator
from agbench.simulators.greenlight.metered import METERS, MeteredGreenhouse
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.variables import STATES
from agbench.variables import Booleans, Floats

TOTALS: Final = (*ENTRIES, "return")
_COST: Final = ENTRIES.index("cost")
_FRUIT: Final = STATES.column("cFruit")
_HARVESTED: Final = METERS.column("harvest")
_NOW: Final = np.zeros(1, dtype=np.int64)
_PRICES: Final = np.arange(len(PRICED))
_PENALTY: Final = ENTRIES.index("penalty")


class GreenhouseAccounts:
    """The reward of a greenhouse task, and what its metrics are read from."""

    def __init__(self, task: GreenhouseTask, parameters: Floats, highest: Floats, n: int) -> None:
        """Open the accounts of n rows; `highest` (4,) are the highest prices of any hour."""
        self._spec = task.reward
        self._hours = task.step * INTERVAL / 3600.0
        self._episode = task.episode.intervals
        self._limits = ClimateLimits(task.constraints)
        self._bounds = _profit_bounds(task.reward, highest, parameters, task.step * INTERVAL)
        self._fruit: Floats = np.zeros(n)
        self._prices: Floats = np.zeros((n, len(PRICED)))
        self._sums: Floats = np.zeros((n, len(TOTALS)))
        self.cost: Floats = np.zeros(n)
        self.totals: Mapping[str, Floats] = {name: self._sums[:, i] for i, name in enumerate(TOTALS)}

    def reset(self, row: int, world: Any) -> None:
        """Open a row's accounts."""
        self._sums[row] = 0.0
        self.cost[row] = 0.0

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""
        greenhouse = _greenhouse(simulator)
        self._fruit = greenhouse.state[:, _FRUIT].copy()
        self._prices = prices_ahead(greenhouse, _NOW, _PRICES)[:, 0]

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move."""
        greenhouse = _greenhouse(simulator)
        grown = greenhouse.state[:, _FRUIT] - self._fruit
        entries = book(
            grown, greenhouse.used, greenhouse.climate(), self._limits, self._prices, self._spec, self._hours
        )
        count = len(ENTRIES)
        self._sums[moved, :count] += entries[moved]
        rewards = np.where(moved, self._reward(greenhouse, entries), 0.0)
        self.cost = np.where(moved, entries[:, _COST], 0.0)
        self._sums[moved, count] += rewards[moved]
        return rewards

    def _reward(self, greenhouse: MeteredGreenhouse, entries: Floats) -> Floats:
        profit = entries[:, 0]
        if self._spec.kind == "profit":
            return profit - entries[:, _PENALTY]
        if self._spec.kind == "scaled-profit":
            worst, best = self._bounds
            return (profit - worst) / (best - worst) - entries[:, _COST] / self._hours
        return self._yield_and_energy(greenhouse, entries)

    def _yield_and_energy(self, greenhouse: MeteredGreenhouse, entries: Floats) -> Floats:
        """Growth until harvest begins, then yield weighed by targets; a bonus at the episode's end."""
        spec, totals = self._spec, self.totals
        progress = greenhouse.elapsed / self._episode
        harvested = totals["harvest"]
        energy = totals["heat"] + totals["electricity"]
        enough = harvested > spec.target_yield * (0.1 + 0.9 * progress)
        thrifty = energy <= spec.target_energy * harvested
        factor = np.where(enough, 1.2, 0.8) * np.where(thrifty, 1.2, 0.8)
        grown = 1e-3 * entries[:, ENTRIES.index("fruit")] * MG * spec.dry_matter
        harvesting = greenhouse.used[:, _HARVESTED] > HARVESTING * 3600.0 * self._hours
        rewards: Floats = np.where(harvesting, 1e3 * entries[:, ENTRIES.index("harvest")] * factor, grown)
        saved = 1.0 - energy / (spec.target_energy * np.maximum(harvested, 1e-3))
        more = harvested / spec.target_yield - 1.0
        share = np.clip(saved, -1.0, 1.0) + np.clip(more, -1.0, 1.0)
        last = greenhouse.elapsed >= greenhouse.horizon
        return np.where(last, rewards + share * (totals["return"] + rewards), rewards)

    def save(self, row: int) -> Floats:
        """Return a row's accounts."""
        return np.append(self._sums[row], self.cost[row])

    def load(self, row: int, saved: Floats, world: Any) -> None:
        """Put a row's accounts back."""
        self._sums[row] = saved[:-1]
        self.cost[row] = saved[-1]


HARVESTING: Final = 0.01  # mg m-2 s-1, the mean rate of harvest from which a step counts as harvest


def _profit_bounds(
    spec: GreenhouseReward, highest: Floats, parameters: Floats, seconds: float
) -> tuple[float, float]:
    """Return the worst and best profit of a step [EUR m-2].

    Worst: everything at capacity and no growth. Best: potential fruit growth for nothing. Both at the
    highest prices of any hour.
    """
    p = {name: float(value) for name, value in zip(PARAMETER_TABLE.names, parameters, strict=True)}
    heat = (p["pBoil"] + p["pBoilGro"]) / p["aFlr"] * seconds / JOULES
    light = (p["thetaLampMax"] + p["thetaIntLampMax"]) * seconds / JOULES
    co2 = p["phiExtCo2"] / p["aFlr"] * seconds / MG
    growth = p["rgFruit"] * seconds / MG / spec.dry_matter
    fruit_price, co2_price, heat_price, tariff = highest.tolist()
    return -(heat * heat_price + light * tariff + co2 * co2_price), growth * fruit_price


def _greenhouse(simulator: Simulator) -> MeteredGreenhouse:
    assert isinstance(simulator, MeteredGreenhouse)
    return simulator
