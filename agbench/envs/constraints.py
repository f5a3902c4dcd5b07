"""Constraints: limits of inputs and losses of a season, reported separately or subtracted from the reward."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.rewards import Reward
from agbench.simulators.base import Simulator
from agbench.variables import Booleans, Floats

_NOTICED = 1e-9  # of a unit; what is less is rounding


class ConstrainedReward:
    """A reward with an account of violations: `cost`, of which each unit also takes off `penalty`.

    A step violates by what it applies of the inputs in `columns` beyond the season's `limits`, and by
    what the state in the column `lost` grows by. Totals: `violations`, and `violation_steps`, their
    number.
    """

    def __init__(
        self,
        inner: Reward,
        columns: NDArray[np.intp],
        limits: Sequence[float],
        lost: int | None,
        penalty: float,
        n: int,
    ) -> None:
        self._inner = inner
        self._columns = columns
        self._limits: Floats = np.array(limits, dtype=np.float64)
        self._lost = lost
        self._penalty = penalty
        self._used: Floats = np.zeros((n, len(columns)))
        self._before: Floats = np.zeros(n)
        self.cost: Floats = np.zeros(n)
        self._violations: Floats = np.zeros(n)
        self._steps: Floats = np.zeros(n)
        self.totals: Mapping[str, Floats] = {"violations": self._violations, "violation_steps": self._steps}

    def reset(self, row: int, world: Any) -> None:
        """Begin an episode in a row: nothing used, nothing violated."""
        self._inner.reset(row, world)
        self._used[row] = 0.0
        self.cost[row] = self._violations[row] = self._steps[row] = 0.0

    def before(self, simulator: Simulator) -> None:
        """Note where rows stand before a step."""
        self._inner.before(simulator)
        if self._lost is not None:
            self._before = simulator.state[:, self._lost].copy()

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for rows that did not move."""
        rewards = self._inner.after(simulator, inputs, moved)
        cost = self._exceeded(inputs, moved)
        if self._lost is not None:
            cost += np.maximum(simulator.state[:, self._lost] - self._before, 0.0)
        self.cost[:] = np.where(moved, cost, 0.0)
        self._violations += self.cost
        self._steps += self.cost > _NOTICED
        return rewards - self._penalty * self.cost

    def _exceeded(self, inputs: Floats, moved: Booleans) -> Floats:
        """Return what the step applies beyond the limits, summed over inputs, (n,)."""
        total: Floats = np.zeros(len(inputs))
        for i, column in enumerate(self._columns):
            used = self._used[:, i]
            before = np.maximum(used - self._limits[i], 0.0)
            used += np.where(moved, inputs[:, column], 0.0)
            total += np.maximum(used - self._limits[i], 0.0) - before
        return total

    def save(self, row: int) -> Any:
        """Return a row's accounts."""
        own = self._used[row].copy(), self.cost[row], self._violations[row], self._steps[row]
        return own, self._inner.save(row)

    def load(self, row: int, saved: Any, world: Any) -> None:
        """Put a row's accounts back."""
        (used, cost, violations, steps), inner = saved
        self._used[row] = used
        self.cost[row], self._violations[row], self._steps[row] = cost, violations, steps
        self._inner.load(row, inner, world)
