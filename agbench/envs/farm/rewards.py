"""What a farm earns: what its fields earn, times their areas."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agbench.envs.rewards import Reward
from agbench.simulators.base import Simulator
from agbench.simulators.field.farm import FarmSimulator, FarmWorld
from agbench.variables import Booleans, Floats, weighted_sum


class FarmReward:
    """The sum over fields of what each earns a hectare times its area [ha].

    `inner` is the reward of the n k fields. A field that finished earns nothing more. `cost` is that of
    the fields, and what a step applied beyond the budgets; `penalty` is taken off for a unit of the
    latter, from each field by its share of what was applied of that input in the step. Totals: those of
    the fields, `return.NAME` of each field, and `over_budget`.
    """

    def __init__(
        self, inner: Reward, fields: Sequence[str], areas: Sequence[float], penalty: float, n: int
    ) -> None:
        self.of_fields: Floats = np.zeros((n, len(fields)))
        """What each field earned in the last step, (n, fields)."""
        self.cost: Floats = np.zeros(n)
        self._inner, self._fields, self._penalty, self._n = inner, len(fields), penalty, n
        self._areas: Floats = np.array(areas)
        self._sum = list(enumerate(areas))
        self._each = [(i, 1.0) for i in range(len(fields))]
        self._returns = [np.zeros(n) for _ in fields]
        self._over: Floats = np.zeros(n)
        self._summed = {name: np.zeros(n) for name in inner.totals}
        own = dict(zip((f"return.{field}" for field in fields), self._returns, strict=True))
        self.totals: Mapping[str, Floats] = {**self._summed, **own, "over_budget": self._over}
        self._growing: Booleans = np.zeros(n * len(fields), dtype=np.bool_)
        self._overspent: Floats = np.zeros((n, 0))

    def reset(self, row: int, world: FarmWorld) -> None:
        """Begin an episode on a farm."""
        for i, field in zip(self._rows(row), world.fields, strict=True):
            self._inner.reset(i, field)
        self.of_fields[row] = self.cost[row] = 0.0
        for total in self.totals.values():
            total[row] = 0.0

    def before(self, simulator: Simulator) -> None:
        """Note where farms stand before a step."""
        assert isinstance(simulator, FarmSimulator)
        self._inner.before(simulator.batch)
        self._growing = ~simulator.batch.finished
        self._overspent = _overspent(simulator)

    def after(self, simulator: Simulator, inputs: Floats, moved: Booleans) -> Floats:
        """Return the rewards of a step, (n,); 0 for farms that did not move."""
        assert isinstance(simulator, FarmSimulator)
        moving = np.repeat(moved, self._fields) & self._growing
        own = inputs.reshape(self._n * self._fields, -1)
        earned = self._inner.after(simulator.batch, own, moving).reshape(self._n, self._fields)
        self.of_fields[:] = earned * self._areas
        over = np.where(moved[:, None], _overspent(simulator) - self._overspent, 0.0)
        if self._penalty:
            self.of_fields -= self._penalty * simulator.shares(inputs, over)
        cost = weighted_sum(self._inner.cost.reshape(self._n, self._fields), self._sum)
        self.cost[:] = np.where(moved, cost, 0.0) + over.sum(axis=1)
        self._keep_accounts(over.sum(axis=1))
        return weighted_sum(self.of_fields, self._each)

    def _keep_accounts(self, over: Floats) -> None:
        self._over += over
        for i, total in enumerate(self._returns):
            total += self.of_fields[:, i]
        for name, summed in self._summed.items():
            of_fields = self._inner.totals[name].reshape(self._n, self._fields)
            summed[:] = weighted_sum(of_fields, self._sum)

    def save(self, row: int) -> Any:
        """Return a farm's accounts."""
        totals = {name: float(total[row]) for name, total in self.totals.items()}
        of_fields = [self._inner.save(i) for i in self._rows(row)]
        return of_fields, self.of_fields[row].copy(), float(self.cost[row]), totals

    def load(self, row: int, saved: Any, world: FarmWorld) -> None:
        """Put a farm's accounts back."""
        of_fields, earned, cost, totals = saved
        for i, field, own in zip(self._rows(row), world.fields, of_fields, strict=True):
            self._inner.load(i, own, field)
        self.of_fields[row], self.cost[row] = earned, cost
        for name, total in totals.items():
            self.totals[name][row] = total

    def _rows(self, row: int) -> range:
        return range(row * self._fields, (row + 1) * self._fields)


def _overspent(simulator: FarmSimulator) -> Floats:
    """Return what was applied beyond each budget, (n, budgets)."""
    over: Floats = np.maximum(-simulator.left, 0.0)
    return over
