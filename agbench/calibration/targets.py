"""What is observed, and where a simulation has it: dates of stages, states on a day, states at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import unknown
from agbench.simulators.models import CropModel
from agbench.variables import Floats

DATE: Final = "date"
"""The unit of the variables that hold the day of a stage."""
_WORDS: Final = {"emergence": "DOE", "anthesis": "DOA", "flowering": "DOA", "maturity": "DOM"}
_STAGES: Final = {"DOE": 2.0, "DOA": 3.0, "DOM": 4.0}
"""STAGE from which a model without dates of stages has reached one."""
_AMOUNTS: Final = ("m2 m-2", "ha ha-1", "g m-2", "kg ha-1")
"""Units in which nothing that is measured is below 0, whatever equations let a state do."""
_EPOCH: Final = date(1970, 1, 1)


@dataclass(frozen=True)
class Target:
    """An observed variable: its name, its unit (`d` for the date of a stage), the column to read.

    With a `stage` it is the first day on which the column has at least that value. `low` and `high` are its
    physical bounds.
    """

    name: str
    unit: str
    column: int
    is_date: bool
    stage: float | None = None
    low: float = -np.inf
    high: float = np.inf


def find(model: CropModel, name: str, where: str) -> Target:
    """Return the target of a name that observations have; raises `UnknownNameError`."""
    variable = _WORDS.get(name.strip().lower(), name.strip())
    variables = model.variables
    if variable in variables and variable not in model.lacks:
        described = variables[variable]
        column = variables.column(variable)
        if described.unit == DATE:
            return Target(variable, "d", column, True)
        low = max(described.low, 0.0) if described.unit in _AMOUNTS else described.low
        return Target(variable, described.unit, column, False, low=low, high=described.high)
    if variable in _STAGES and "STAGE" in variables:
        return Target(variable, "d", variables.column("STAGE"), True, _STAGES[variable])
    choices = [v for v in variables.names if v not in model.lacks]
    raise unknown("variable", name, [*choices, *_STAGES, *_WORDS], where)


def days_since_epoch(day: date) -> int:
    """Return a date in days since 1970-01-01."""
    return (day - _EPOCH).days


@dataclass(frozen=True)
class Reading:
    """Where the observations of one season are read: a target each, and a day since its start.

    A day of -1 is the last one that is simulated.
    """

    targets: Sequence[Target]
    days: NDArray[np.int64]
    start: date

    def values(self, history: Floats, elapsed: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return what rows simulate for each observation, (n, m), and which stages they reach.

        `history` is (n, days, columns), a row's days up to its `elapsed`. After its end a crop keeps the
        values of its last day. The date of a stage is in days since 1970-01-01; one that is not reached
        counts as the day after the last of the season.
        """
        n, days = history.shape[:2]
        rows = np.arange(n)
        values = np.empty((n, len(self.targets)))
        reached = np.ones(values.shape, dtype=np.bool_)
        first, never = days_since_epoch(self.start), days_since_epoch(self.start) + days
        for j, (target, day) in enumerate(zip(self.targets, self.days, strict=True)):
            if target.stage is not None:
                passed = history[:, :, target.column] >= target.stage
                passed &= np.arange(days) <= elapsed[:, None]
                reached[:, j] = passed.any(axis=1)
                values[:, j] = first + passed.argmax(axis=1)
            elif target.is_date:
                values[:, j] = history[rows, elapsed, target.column]
                reached[:, j] = values[:, j] >= 0.0
            else:
                at = elapsed if day < 0 else np.minimum(day, elapsed)
                values[:, j] = history[rows, at, target.column]
        values[~reached] = never
        return values, reached
