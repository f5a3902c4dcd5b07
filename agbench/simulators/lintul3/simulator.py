"""The batch simulator of LINTUL-3."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.lintul3 import batch
from agbench.simulators.lintul3.variables import INPUTS, VARIABLES
from agbench.simulators.lintul3.world import Lintul3World
from agbench.variables import Booleans, Floats
from agbench.weather.daily import DAILY

_RECORD = VARIABLES.record_type()


@dataclass(frozen=True)
class SavedRow:
    """The exact state of one row: its world, day, states and rates."""

    world: Lintul3World
    clock: int
    finished: bool
    state: Floats


class Lintul3Simulator:
    """n independent LINTUL-3 seasons; see `agbench.simulators.base.Simulator`."""

    variables = VARIABLES
    inputs = INPUTS
    weather_variables = DAILY

    def __init__(self, n: int) -> None:
        self.n = n
        self.state: Floats = np.zeros((n, len(VARIABLES)))
        self.finished: Booleans = np.zeros(n, dtype=np.bool_)
        self.elapsed: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._records = self.state.view(_RECORD)[:, 0]
        self._slot = np.full(n, -1, dtype=np.int64)
        self._pool = WorldPool()
        self._all = np.ones(n, dtype=np.bool_)

    def reset(self, worlds: Sequence[Lintul3World], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world; one world a chosen row."""
        rows = np.flatnonzero(self._all if mask is None else mask)
        if len(worlds) != len(rows):
            raise SimulationError(f"reset of {len(rows)} rows needs as many worlds, not {len(worlds)}.")
        for row, world in zip(rows, worlds, strict=True):
            self._slot[row] = self._pool.slot(world, self._slot)
        self.state[rows] = 0.0
        batch.start(
            self._records,
            self.elapsed,
            self.finished,
            self._slot,
            rows,
            self._pool["weather"],
            self._pool["parameters"],
            self._pool["tables"],
            self._pool["calendars"],
        )

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` days; `inputs` (n, 2) act on the first of them."""
        batch.advance(
            self._records,
            self.elapsed,
            self.finished,
            self._slot,
            self._all if mask is None else mask,
            inputs * self._pool["factors"][self._slot],
            steps,
            self._pool["weather"],
            self._pool["parameters"],
            self._pool["tables"],
            self._pool["calendars"],
        )

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last day of each row's world, in days since its start, (n,)."""
        last: NDArray[np.int64] = self._pool["calendars"]["last"][self._slot]
        return last

    def weather(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each row's last `days` days, (n, days, len(columns))."""
        numbers = self._pool["weather"].view(np.float64).reshape(-1, len(DAILY))
        length = self._pool["weather"].shape[1]
        today = self.elapsed[:, None] + np.arange(1 - days, 1)
        row = self._slot[:, None] * length + np.maximum(today, 0)
        found: Floats = numbers[row[:, :, None], columns]
        return found

    def save(self, row: int) -> SavedRow:
        """Return the exact state of a row."""
        world = self._pool.worlds[self._slot[row]]
        if not isinstance(world, Lintul3World):
            raise SimulationError(f"row {row} has not been reset: it has no state to save.")
        return SavedRow(world, int(self.elapsed[row]), bool(self.finished[row]), self.state[row].copy())

    def load(self, row: int, saved: SavedRow) -> None:
        """Put a row into a saved state."""
        self._slot[row] = self._pool.slot(saved.world, self._slot)
        self.elapsed[row] = saved.clock
        self.finished[row] = saved.finished
        self.state[row] = saved.state
