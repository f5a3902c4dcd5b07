"""What every simulator is: a batch of n independent rows, and a table that names its columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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


class Simulator(Protocol):
    """A batch of n independent simulations of one model.

    Rows never influence each other: what row i does depends on its own world and inputs only,
    not on n nor on i. A *world* is all that fixes a simulation apart from management (weather,
    parameters, calendar), built once by the model and shared by any number of rows.

    `mask` (n booleans) chooses rows; None means all.
    """

    variables: VariableTable
    inputs: VariableTable
    weather_variables: VariableTable
    n: int
    state: Floats
    """(n, len(variables)): each row's states and the rates of its current day."""
    finished: Booleans
    """(n,): the world of this row has ended (maturity, crop death, last day)."""
    elapsed: NDArray[np.int64]
    """(n,): model steps since this row's reset."""

    def reset(self, worlds: Sequence[Any], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world; `worlds` has one entry a chosen row."""

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` model steps, fewer where the world ends earlier.

        `inputs` is (n, len(self.inputs)): events act on the first step, controls on all of them.
        """

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last step of each row's world, in steps since its start, (n,)."""

    def weather(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each row's last `days` steps, the current one last.

        The shape is (n, days, len(columns)); before the start the first day repeats.
        """

    def save(self, row: int) -> Any:
        """Return the exact state of a row, to be given to `load` of any simulator of this model."""

    def load(self, row: int, saved: Any) -> None:
        """Put a row into a state that `save` returned; what follows is equal to the last bit."""
