"""Actions: from the agent's choice to physical inputs of the simulator, and back."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.errors import ActionError, ConfigError, unknown
from agbench.variables import Floats, VariableTable

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore

_SAME: Final = 1e-9  # of an input; what is less is rounding
_ROUNDING: Final = 1e-6  # a float32 may miss the edge of the space by its last bits


class ActionMap(Protocol):
    """A mapping of a batch of actions to simulator inputs, and its inverse."""

    space: spaces.Space[Any]
    names: list[str]
    """The inputs that actions give."""
    lowest: Floats
    """(names,): the least that an action can give of each input."""
    reads: list[str]
    """The variables, as observations name them, that the inverse starts from."""

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs (n, number of inputs) of n actions; refuses those outside the space.

        `core` is the batch that is about to step, for mappings that start from where it stands.
        """

    def actions_of(self, target: Floats, present: Floats | None = None) -> NDArray[Any]:
        """Return the n actions that bring the inputs nearest to `target`, (n, names): the inverse.

        `present`, (n, reads), are the values of `reads` before the step. With those of `present(core)` the
        inverse is exact; an agent takes what it observes of them.
        """

    def present(self, core: "BatchCore") -> Floats:
        """Return the values of `reads` in a batch about to step, (n, reads), as `inputs` takes them."""

    def encode(self, name: str, target: float) -> tuple[Any, float]:
        """Return the action for `target` of one input and the least of the others, and what it gives."""

    def nearest(self, name: str, target: float) -> list[float]:
        """Return `target` of one input if an action gives it, else the amounts next to it that one gives."""

    def describe(self) -> list[str]:
        """Return what each action, or each component of one, means."""


class Menu:
    """Discrete doses: action 0 is nothing, then every dose of every input, one at a time.

    `words` are what to call a dose of an input, where it is not an amount.
    """

    def __init__(
        self,
        table: VariableTable,
        doses: Mapping[str, Sequence[float]],
        words: Mapping[tuple[str, float], str] | None = None,
    ) -> None:
        rows = [np.zeros(len(table))]
        self._labels = ["nothing"]
        for name, amounts in doses.items():
            column = table.column(name)
            for amount in amounts[1:]:
                row = np.zeros(len(table))
                row[column] = amount
                rows.append(row)
                whole = table[name].unit == "-" and amount == 1.0
                label = name if whole else f"{amount:g} {table[name].unit} {name}"
                self._labels.append((words or {}).get((name, amount), label))
        self.names = list(doses)
        self.reads: list[str] = []
        self.lowest: Floats = np.zeros(len(doses))
        self._table: Floats = np.array(rows)
        self._doses: Floats = self._table[:, table.columns(self.names)]
        self._size = np.argsort(np.argsort(self._doses.sum(axis=1), kind="stable"), kind="stable")
        self.space: spaces.Space[Any] = spaces.Discrete(len(rows))
        self._n = len(rows)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the doses of n menu numbers, (n, number of inputs)."""
        chosen = as_array(actions)
        if chosen.dtype.kind not in "iu":
            raise ActionError(
                f"action {written(actions)} is of type {chosen.dtype}; a menu takes whole numbers from 0 "
                f"to {self._n - 1}."
            )
        if chosen.ndim != 1:
            raise ActionError(
                f"action {written(actions)} has the shape {chosen.shape[1:]}; a menu takes one whole "
                f"number from 0 to {self._n - 1}."
            )
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self._n):
            wrong = written(chosen[(chosen < 0) | (chosen >= self._n)])
            raise ActionError(
                f"action {wrong} lies outside the menu; whole numbers from 0 to {self._n - 1} "
                f"are: {', '.join(self._labels)}."
            )
        result: Floats = self._table[chosen]
        return result

    def actions_of(self, target: Floats, present: Floats | None = None) -> NDArray[Any]:
        """Return the numbers of the largest doses that exceed `target`, (n, names), in no input."""
        fitting = (self._doses <= target[:, None]).all(axis=2)
        numbers: NDArray[Any] = np.argmax(np.where(fitting, self._size, -1), axis=1)
        return numbers

    def present(self, core: "BatchCore") -> Floats:
        """Return nothing, (n, 0): a dose is the same wherever the field stands."""
        return np.zeros((core.n, 0))

    def doses(self, name: str) -> list[float]:
        """Return the doses of an input that the menu offers, ascending from 0."""
        return sorted(set(self._doses[:, place(self, name)].tolist()))

    def amounts(self, number: int) -> dict[str, float]:
        """Return what a menu number gives, by input; nothing of inputs that it does not."""
        return {name: float(dose) for name, dose in zip(self.names, self._doses[number], strict=True) if dose}

    def encode(self, name: str, target: float) -> tuple[int, float]:
        """Return the number of the largest dose of an input that is not above `target`, and the dose."""
        best = int(self.actions_of(alone(self, name, target))[0])
        return best, float(self._doses[best, place(self, name)])

    def nearest(self, name: str, target: float) -> list[float]:
        """Return the doses of an input next to `target`."""
        return neighbours(self.doses(name), target)

    def describe(self) -> list[str]:
        """Return the dose of each menu number."""
        return list(self._labels)


class Ranges:
    """Continuous inputs: each component in [-1, 1] is one input from its low to its high end.

    Inputs without a component stay at their `usual` values, 0 where none are given.
    """

    def __init__(
        self, table: VariableTable, ranges: Mapping[str, Sequence[float]], usual: Floats | None = None
    ) -> None:
        self.names = list(ranges)
        self.reads: list[str] = []
        self.lowest: Floats = np.array([float(low) for low, _ in ranges.values()])
        self._width: Floats = np.array([float(high) - float(low) for low, high in ranges.values()])
        self._columns = table.columns(self.names)
        self._usual: Floats = np.zeros(len(table)) if usual is None else usual
        ends = [(low, high, table[name].unit, name) for name, (low, high) in ranges.items()]
        self._labels = [f"{low:g} to {high:g} {unit} {name}" for low, high, unit, name in ends]
        self.space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (len(ranges),), np.float32)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs of n actions (n, components), (n, number of inputs)."""
        chosen = self._inside(actions)
        inputs = np.tile(self._usual, (len(chosen), 1))
        inputs[:, self._columns] = self.lowest + (chosen + 1.0) * 0.5 * self._width
        return inputs

    def actions_of(self, target: Floats, present: Floats | None = None) -> NDArray[np.float32]:
        """Return the actions (n, names) that give `target`, (n, names), or the nearest end of a range."""
        share = np.clip((target - self.lowest) / self._width, 0.0, 1.0)
        actions: NDArray[np.float32] = (2.0 * share - 1.0).astype(np.float32)
        return actions

    def present(self, core: "BatchCore") -> Floats:
        """Return nothing, (n, 0): an action gives the same wherever the simulation stands."""
        return np.zeros((core.n, 0))

    def nearest(self, name: str, target: float) -> list[float]:
        """Return `target`, or the nearest end of the input's range."""
        i = place(self, name)
        return [float(np.clip(target, self.lowest[i], self.lowest[i] + self._width[i]))]

    def encode(self, name: str, target: float) -> tuple[NDArray[np.float32], float]:
        """Return the action for `target` of one input, the others at their lowest, and what it gives."""
        encoded = self.nearest(name, target)[0]
        return self.actions_of(alone(self, name, encoded))[0], encoded

    def describe(self) -> list[str]:
        """Return the range of each component."""
        return list(self._labels)

    def _inside(self, actions: Any) -> Floats:
        """Return actions as float64 (n, components); refuse what lies outside [-1, 1]."""
        width = len(self.names)
        try:
            numbers: Floats = np.asarray(actions, dtype=np.float32).astype(np.float64)
        except (TypeError, ValueError):
            raise ActionError(f"action {written(actions)} is not {width} numbers from -1 to 1.") from None
        if numbers.ndim != 2 or numbers.shape[1] != width:
            raise ActionError(f"actions have the shape {numbers.shape[1:]}; the space expects ({width},).")
        inside = np.abs(numbers) <= 1.0 + _ROUNDING
        if not inside.all():
            raise ActionError(f"action component {numbers[~inside][0]:g} lies outside [-1, 1].")
        clipped: Floats = np.clip(numbers, -1.0, 1.0)
        return clipped


class Amounts(Ranges):
    """Continuous doses: each component in [-1, 1] is 0 .. limit of one input."""

    def __init__(self, table: VariableTable, limits: Mapping[str, float]) -> None:
        super().__init__(table, {name: (0.0, limit) for name, limit in limits.items()})


def as_array(actions: Any) -> NDArray[Any]:
    """Return an action, or several, as an array; raises `ActionError` for rows of different lengths."""
    try:
        return np.asarray(actions)
    except ValueError:
        raise ActionError(f"action {actions!r} is no array: its parts differ in length.") from None


def written(actions: Any) -> str:
    """Return an action as a user writes it: `nan`, not `array([nan])`; several as a list."""
    try:
        values = np.asarray(actions)
    except ValueError:  # rows of different lengths
        return repr(actions)
    values = values[0] if values.ndim and len(values) == 1 else values
    return np.array2string(
        np.asarray(values), separator=", ", max_line_width=1000, formatter={"float_kind": "{:g}".format}
    )


def neighbours(amounts: Sequence[float], target: float) -> list[float]:
    """Return `target` alone if it is one of the amounts, else the next below and above it."""
    for amount in amounts:
        if abs(amount - target) <= _SAME:
            return [amount]
    below, above = [a for a in amounts if a < target], [a for a in amounts if a > target]
    return [*([max(below)] if below else []), *([min(above)] if above else [])]


def check_amount(actions: ActionMap, name: str, target: float) -> None:
    """Raise `ConfigError` for an amount of an input that no action gives, `UnknownNameError` for its name."""
    place(actions, name)
    near = actions.nearest(name, target)
    if not any(abs(amount - target) <= _SAME for amount in near):
        raise ConfigError(no_such_amount(name, target, near))


def no_such_amount(name: str, target: float, near: Sequence[float]) -> str:
    """Return the sentence for an amount that cannot be given, and what can."""
    nearest = " and ".join(f"{amount:g}" for amount in near)
    return f"{target:g} of {name} cannot be given; nearest {'are' if len(near) > 1 else 'is'} {nearest}."


def menu_sizes(space: spaces.Space[Any]) -> list[int]:
    """Return the number of choices of each menu of an action space, counted from 0; none for amounts."""
    if isinstance(space, spaces.Discrete):
        return [int(space.n)]
    return space.nvec.tolist() if isinstance(space, spaces.MultiDiscrete) else []


def place(actions: ActionMap, name: str) -> int:
    """Return which of the inputs of an action map has a name."""
    if name not in actions.names:
        raise unknown("input", name, actions.names)
    return actions.names.index(name)


def alone(actions: ActionMap, name: str, target: float) -> Floats:
    """Return `target` of one input and the least of the others, (1, names)."""
    values = actions.lowest[None].copy()
    values[0, place(actions, name)] = target
    return values
