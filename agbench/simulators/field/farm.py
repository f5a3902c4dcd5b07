"""A farm: fields side by side under one weather, as neighbouring rows of one daily batch."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.simulators.base import Simulator
from agbench.variables import Booleans, Floats, Variable, VariableTable, weighted_sum

_OVER_FIELDS: Final = re.compile(r"^(total|mean)\((.+)\)$")


class FarmTable(VariableTable):
    """The columns of all fields, field by field: `WSO` of the field `north` is `WSO.north`.

    `total(WSO)` stands for the sum over the fields times their `areas` [ha], `mean(WSO)` for that sum
    divided by the farm's area.
    """

    def __init__(self, of_a_field: VariableTable, fields: Sequence[str], areas: Sequence[float]) -> None:
        self._of_a_field = of_a_field
        self._areas = areas
        super().__init__(
            Variable(f"{v.name}.{field}", v.unit, f"{v.meaning}, field {field}", v.low, v.high)
            for field in fields
            for v in of_a_field
        )

    def weighted(self, name: str) -> list[tuple[int, float]]:
        """Return the columns whose weighted sum is what a name stands for, a total or mean included."""
        over = _OVER_FIELDS.match(name)
        if over is None:
            return super().weighted(name)
        width, first = len(self._of_a_field), self._of_a_field.column(over[2])
        whole = 1.0 if over[1] == "total" else sum(self._areas)
        return [(first + width * i, area / whole) for i, area in enumerate(self._areas)]


@dataclass(frozen=True)
class FarmWorld:
    """The worlds of a farm's fields, of one weather and the same days."""

    fields: tuple[Any, ...]

    @property
    def start(self) -> date:
        """The first day."""
        first: date = self.fields[0].start
        return first


@dataclass(frozen=True)
class SavedFarm:
    """The exact state of one farm: its fields, and what is left of its budgets."""

    fields: tuple[Any, ...]
    left: Floats


class FarmSimulator:
    """n farms of k fields: a batch of n k fields, whose states lie side by side without a copy.

    `elapsed` are the days of the fields that have not finished; a farm is finished when all its fields are.
    `batch` is the simulator of the fields, `left` (n, budgets) what is left of the `budgets`, by input:
    amounts a hectare times hectares; below 0 where more was applied.
    """

    def __init__(
        self,
        n: int,
        make: Callable[[int], Simulator],
        fields: Sequence[str],
        areas: Sequence[float],
        budgets: Mapping[str, float],
    ) -> None:
        self.n = n
        self.fields = len(fields)
        self.batch = make(n * self.fields)
        self.variables: VariableTable = FarmTable(self.batch.variables, fields, areas)
        self.inputs: VariableTable = FarmTable(self.batch.inputs, fields, areas)
        self.weather_variables = self.batch.weather_variables
        self.state: Floats = self.batch.state.reshape(n, -1)
        self.finished: Booleans = np.zeros(n, dtype=np.bool_)
        self.elapsed: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self.left: Floats = np.zeros((n, len(budgets)))
        self._budgets: Floats = np.array(list(budgets.values()), dtype=np.float64)
        self._spends = [self.inputs.weighted(f"total({name})") for name in budgets]
        self._rows = np.arange(n)
        self._leading = self._rows * self.fields

    def reset(self, worlds: Sequence[FarmWorld], mask: Booleans | None = None) -> None:
        """Put each chosen farm at the start of its world; one world a chosen farm."""
        chosen = np.ones(self.n, dtype=np.bool_) if mask is None else mask
        self.batch.reset([field for world in worlds for field in world.fields], self._of_fields(chosen))
        self.left[chosen] = self._budgets
        self._look()

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen farms by `steps` days; `inputs` (n, len(self.inputs)) act on the first one.

        All of them are applied and taken off the budgets; `possible` says what the budgets allow.
        """
        chosen = np.ones(self.n, dtype=np.bool_) if mask is None else mask
        own = np.ascontiguousarray(inputs).reshape(self.n * self.fields, -1)
        self.batch.advance(own, steps, self._of_fields(chosen))
        for i, spends in enumerate(self._spends):
            self.left[:, i] -= np.where(chosen, weighted_sum(inputs, spends), 0.0)
        self._look()

    def possible(self, inputs: Floats, clipped: bool) -> Floats:
        """Return the inputs without those to fields that have finished, and within what is left.

        Where a step asks for more of an input than is left, and `clipped`, each field gets the same share of
        what was asked for it.
        """
        growing = ~self.batch.finished.reshape(self.n, self.fields, 1)
        result: Floats = np.where(growing, inputs.reshape(self.n, self.fields, -1), 0.0)
        result = result.reshape(self.n, -1)
        for i, spends in enumerate(self._spends if clipped else ()):
            asked, left = weighted_sum(result, spends), np.maximum(self.left[:, i], 0.0)
            share = np.divide(left, asked, out=np.ones(self.n), where=asked > left)
            columns = [column for column, _ in spends]
            result[:, columns] *= share[:, None]
        return result

    def shares(self, inputs: Floats, amounts: Floats) -> Floats:
        """Return what each field has of `amounts`, (n, budgets), by its part of `inputs`, (n, fields)."""
        result: Floats = np.zeros((self.n, self.fields))
        for i, spends in enumerate(self._spends):
            spent = inputs[:, [column for column, _ in spends]] * [area for _, area in spends]
            whole = spent.sum(axis=1, keepdims=True)
            share = np.divide(spent, whole, out=np.zeros_like(spent), where=whole > 0.0)
            result += share * amounts[:, i, None]
        return result

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last day of each farm's world, in days since its start, (n,)."""
        last: NDArray[np.int64] = self.batch.horizon.reshape(self.n, self.fields).max(axis=1)
        return last

    @property
    def noise_seeds(self) -> NDArray[np.uint64]:
        """The seeds of the errors of forecasts: those of the first field, (n,)."""
        seeds: NDArray[np.uint64] = self.batch.noise_seeds[:: self.fields]  # type: ignore[attr-defined]
        return seeds

    def weather(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each farm's last `days` days, (n, days, len(columns))."""
        return self.batch.weather(days, columns, self._leading)  # type: ignore[call-arg]

    def coming(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each farm's next `days` days, (n, days, len(columns))."""
        ahead: Floats = self.batch.coming(days, columns, self._leading)  # type: ignore[attr-defined]
        return ahead

    def save(self, row: int) -> SavedFarm:
        """Return the exact state of a farm."""
        return SavedFarm(tuple(self.batch.save(i) for i in self._fields_of(row)), self.left[row].copy())

    def load(self, row: int, saved: SavedFarm) -> None:
        """Put a farm into a saved state."""
        for i, field in zip(self._fields_of(row), saved.fields, strict=True):
            self.batch.load(i, field)
        self.left[row] = saved.left
        self._look()

    def _fields_of(self, row: int) -> range:
        return range(row * self.fields, (row + 1) * self.fields)

    def _of_fields(self, farms: Booleans) -> Booleans:
        return np.repeat(farms, self.fields)

    def _look(self) -> None:
        """Set the day of each farm: that of the fields that have not finished."""
        days = self.batch.elapsed.reshape(self.n, self.fields)
        leading = days.argmax(axis=1)
        self.elapsed[:] = days[self._rows, leading]
        self._leading = self._rows * self.fields + leading
        self.finished[:] = self.batch.finished.reshape(self.n, self.fields).all(axis=1)
