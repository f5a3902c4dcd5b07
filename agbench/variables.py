"""Named columns and parameters: name, unit, meaning and bounds, tables of them, and the array types."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, unknown

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

ABOVE_0: Final = math.nextafter(0.0, 1.0)
"""The lower bound of what must be greater than 0."""
OPTIONAL: Final = math.nan
"""The default of what may be left out: the model does without it, or computes it from the others."""


@dataclass(frozen=True)
class Variable:
    """One column of a simulator: its name in the field's own words, unit, meaning and range.

    `low` and `high` are physical bounds, generous enough that no simulation leaves them; they
    become the observation space.
    """

    name: str
    unit: str
    meaning: str
    low: float = -np.inf
    high: float = np.inf


def finite(number: Any) -> bool:
    """Return whether a number is finite as a float; a whole number may be too large to be one."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def number_of(value: Any) -> float:
    """Return a number, or text that is one, as a float; raises `TypeError` for true or false and the like."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value} is no number")
    return float(value)


def numbers_of(values: Any) -> Floats:
    """Return a column of numbers, or of text that is numbers, as float64.

    Raises `TypeError` for true and false, moments, lengths of time or complex numbers, `ValueError` for other
    text.
    """
    given = np.asarray(values)
    kinds = {"b": "true or false", "M": "moments", "m": "lengths of time", "c": "complex numbers"}
    truths = given.dtype == np.object_ and any(isinstance(value, (bool, np.bool_)) for value in given.flat)
    kind = "b" if truths else given.dtype.kind
    if kind in kinds:
        raise TypeError(f"it holds {kinds[kind]}")
    return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model: a number, a switch, or a table of a number against another.

    `low` and `high` are bounds, of all ordinates for a table. Without a `default` the parameter is
    required. `of` is what a table is a function of, empty for a scalar; a table that also depends on
    `by`, such as AGE, is a family: a curve for each of some values of it. `part` is what it describes,
    such as `crop` or `soil`. With `only_if` such as `("IDSL", 2.0)` it is read only where that other
    parameter is at least so much. A `switch` may also be true or false. Where a mapping holds the
    `alias`, it counts.
    """

    name: str
    unit: str
    meaning: str
    low: float = -math.inf
    high: float = math.inf
    default: float | None = None
    source: str = ""
    of: str = ""
    part: str = ""
    only_if: tuple[str, float] | None = None
    switch: bool = False
    alias: str = ""
    by: str = ""

    @property
    def bounds(self) -> str:
        """The bounds in words, such as `0 to 1`, `above 0` or `0 or more`; empty without bounds."""
        if self.low == ABOVE_0:
            return "above 0" if self.high == math.inf else f"above 0, at most {self.high:g}"
        if self.high == math.inf:
            return "" if self.low == -math.inf else f"{self.low:g} or more"
        return f"at most {self.high:g}" if self.low == -math.inf else f"{self.low:g} to {self.high:g}"

    def read(self, value: Any, where: str) -> float:
        """Return a value as a float; raises `ConfigError` for no finite number, or one out of bounds."""
        if type(value) is float and self.low <= value <= self.high and math.isfinite(value):
            return value
        kinds = (int, float, np.integer, np.floating, *((bool, np.bool_) if self.switch else ()))
        wrong = isinstance(value, bool) and not self.switch
        if wrong or not isinstance(value, kinds) or not finite(value):
            unit = "" if self.unit == "-" else f" in {self.unit}"
            raise ConfigError(f"{where}: {self.name} is {value!r}, not a finite number{unit}.")
        self.check(float(value), where)
        return float(value)

    def check(self, value: float, where: str) -> None:
        """Raise `ConfigError` for a number out of bounds."""
        if not self.low <= value <= self.high:
            raise ConfigError(
                f"{where}: {self.name} ({self.meaning}) is {self.quantity(value)}; it must be {self.bounds}."
            )

    def quantity(self, value: float) -> str:
        """Return a value with its unit."""
        return f"{value:.10g}" if self.unit == "-" else f"{value:.10g} {self.unit}"


Entry = TypeVar("Entry", bound=Variable | Parameter)


class EntryTable(Generic[Entry]):
    """Named entries in a fixed order, that of the columns of an array."""

    _kind = "variable"

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self.names = tuple(entry.name for entry in self.entries)
        self._column = {name: i for i, name in enumerate(self.names)}
        if len(self._column) != len(self.names):
            twice = sorted({n for n in self.names if self.names.count(n) > 1})
            raise ValueError(f"declared twice: {', '.join(twice)}.")

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._column

    def __getitem__(self, name: str) -> Entry:
        return self.entries[self.column(name)]

    def column(self, name: str) -> int:
        """Return the column of a name; raises `UnknownNameError` with the nearest names."""
        try:
            return self._column[name]
        except KeyError:
            raise unknown(self._kind, name, self.names) from None

    def columns(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return the columns of several names, for fancy indexing."""
        return np.array([self.column(name) for name in names], dtype=np.intp)

    def record_type(self) -> np.dtype[Any]:
        """Return the record type whose fields are these names, each a float64.

        An array (n, len(table)) of float64 viewed as this type gives the kernels `row.DVS` where
        everybody else reads a column.
        """
        return np.dtype([(name, np.float64) for name in self.names])


class VariableTable(EntryTable[Variable]):
    """The named columns of an array, in order."""

    def weighted(self, name: str) -> list[tuple[int, float]]:
        """Return the columns whose weighted sum is what a name stands for: here one, of weight 1."""
        return [(self.column(name), 1.0)]


def weighted_sum(values: Floats, columns: Sequence[tuple[int, float]]) -> Floats:
    """Return the weighted sum of columns, (n,), added in their order so that it does not depend on n."""
    column, weight = columns[0]
    total: Floats = values[:, column] * weight
    for column, weight in columns[1:]:
        total += values[:, column] * weight
    return total


class ParameterTable(EntryTable[Parameter]):
    """The parameters that a model reads, in order."""

    _kind = "parameter"
