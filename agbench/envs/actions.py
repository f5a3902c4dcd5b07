"""Actions: from what an agent says to physical inputs of the simulator."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.errors import ActionError
from agbench.variables import Floats, VariableTable

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore


class ActionMap(Protocol):
    """A mapping of a batch of actions to simulator inputs."""

    space: spaces.Space[Any]
    names: list[str]
    """The inputs that actions give."""

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs (n, number of inputs) of n actions; refuses those outside the space.

        `core` is the batch that is about to step, for mappings that start from where it stands.
        """

    def encode(self, name: str, wanted: float) -> tuple[Any, float]:
        """Return the action nearest to, but not above, a `wanted` dose of an input, and its dose."""

    def describe(self) -> list[str]:
        """Return what each action, or each component of one, means."""


class Menu:
    """Discrete doses: action 0 is nothing, then every dose of every input, one at a time."""

    def __init__(self, table: VariableTable, doses: Mapping[str, Sequence[float]]) -> None:
        rows = [np.zeros(len(table))]
        self._labels = ["nothing"]
        for name, amounts in doses.items():
            column = table.column(name)
            for amount in amounts[1:]:
                row = np.zeros(len(table))
                row[column] = amount
                rows.append(row)
                whole = table[name].unit == "-" and amount == 1.0
                self._labels.append(name if whole else f"{amount:g} {table[name].unit} {name}")
        self._inputs = table
        self.names = list(doses)
        self._table: Floats = np.array(rows)
        self.space: spaces.Space[Any] = spaces.Discrete(len(rows))
        self._n = len(rows)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the doses of n menu numbers, (n, number of inputs)."""
        chosen: NDArray[Any] = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise ActionError(
                f"action {actions!r} is of type {chosen.dtype}; a menu wants whole numbers from 0 "
                f"to {self._n - 1}."
            )
        if chosen.ndim != 1:
            raise ActionError(
                f"action {actions!r} has the shape {chosen.shape[1:]}; a menu wants one whole "
                f"number from 0 to {self._n - 1} a field."
            )
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self._n):
            raise ActionError(
                f"action {actions!r} lies outside the menu; whole numbers from 0 to {self._n - 1} "
                f"are: {', '.join(self._labels)}."
            )
        found: Floats = self._table[chosen]
        return found

    def doses(self, name: str) -> list[float]:
        """Return the doses of an input that the menu offers by itself, ascending from 0."""
        column = self._inputs.column(name)
        alone = (np.delete(self._table, column, axis=1) == 0.0).all(axis=1)
        return sorted({float(dose) for dose in self._table[alone, column]})

    def encode(self, name: str, wanted: float) -> tuple[int, float]:
        """Return the number of the largest dose of an input that is not above `wanted`."""
        column = self._inputs.column(name)
        doses = self._table[:, column]
        only = (np.delete(self._table, column, axis=1) == 0.0).all(axis=1)
        fitting = np.flatnonzero(only & (doses <= wanted))
        best = int(fitting[np.argmax(doses[fitting])])
        return best, float(doses[best])

    def describe(self) -> list[str]:
        """Return the dose of each menu number."""
        return list(self._labels)


_ROUNDING: Final = 1e-6  # a float32 may miss the edge of the space by its last bits


class Amounts:
    """Continuous doses: each component in [-1, 1] is 0 .. limit of one input."""

    def __init__(self, table: VariableTable, limits: Mapping[str, float]) -> None:
        self.names = list(limits)
        self._columns = table.columns(self.names)
        self._limits: Floats = np.array(list(limits.values()), dtype=np.float64)
        self._width = len(table)
        self._labels = [f"0 to {v:g} {table[k].unit} {k}" for k, v in limits.items()]
        self.space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (len(limits),), np.float32)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the amounts of n actions (n, components), (n, number of inputs)."""
        try:
            said: Floats = np.asarray(actions, dtype=np.float32).astype(np.float64)
        except (TypeError, ValueError):
            raise ActionError(
                f"action {actions!r} is not {len(self._limits)} numbers from -1 to 1."
            ) from None
        if said.ndim != 2 or said.shape[1] != len(self._limits):
            raise ActionError(
                f"actions have the shape {said.shape[1:]}; the space wants ({len(self._limits)},)."
            )
        if not (np.abs(said) <= 1.0 + _ROUNDING).all():
            bad = said[~(np.abs(said) <= 1.0 + _ROUNDING)][0]
            raise ActionError(f"action component {bad:g} lies outside [-1, 1].")
        found = np.zeros((len(said), self._width))
        found[:, self._columns] = (np.clip(said, -1.0, 1.0) + 1.0) * 0.5 * self._limits
        return found

    def encode(self, name: str, wanted: float) -> tuple[NDArray[np.float32], float]:
        """Return the action that gives `wanted` of one input, its limit at most, and none else."""
        action = np.full(len(self._limits), -1.0, dtype=np.float32)
        i = self.names.index(name)
        given = min(wanted, float(self._limits[i]))
        action[i] = 2.0 * given / self._limits[i] - 1.0
        return action, given

    def describe(self) -> list[str]:
        """Return the range of each component."""
        return list(self._labels)
