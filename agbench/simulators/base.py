"""The protocol of simulators: a batch of n independent rows whose columns are named by a table."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agbench.variables import Booleans, Floats, VariableTable


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
