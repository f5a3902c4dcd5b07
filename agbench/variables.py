"""Named columns: variables with unit, meaning and range, tables of them, and the array types."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.errors import unknown

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


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


class VariableTable:
    """The named columns of an array, in order."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.variables = tuple(variables)
        self.names = tuple(v.name for v in self.variables)
        self._column = {name: i for i, name in enumerate(self.names)}
        if len(self._column) != len(self.names):
            twice = sorted({n for n in self.names if self.names.count(n) > 1})
            raise ValueError(f"variables declared twice: {', '.join(twice)}.")

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self._column

    def __getitem__(self, name: str) -> Variable:
        return self.variables[self.column(name)]

    def column(self, name: str) -> int:
        """Return the column of a variable; raises `UnknownNameError` with the nearest names."""
        try:
            return self._column[name]
        except KeyError:
            raise unknown("variable", name, self.names) from None

    def columns(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return the columns of several variables, for fancy indexing."""
        return np.array([self.column(name) for name in names], dtype=np.intp)

    def record_type(self) -> np.dtype[Any]:
        """Return the record type whose fields are these variables, each a float64.

        An array (n, len(table)) of float64 viewed as this type gives the kernels `row.DVS` where
        everybody else reads a column.
        """
        return np.dtype([(name, np.float64) for name in self.names])
