"""The batch of a daily model: n rows of state, and the worlds that they share."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.field.forced import read_forced
from agbench.simulators.field.pool import WorldPool
from agbench.variables import Booleans, Floats, VariableTable

if TYPE_CHECKING:
    import pandas as pd

_ALL: Final = slice(None)


_EPOCH: Final = date(1970, 1, 1)


class DailyWorld(Protocol):
    """All that fixes a daily simulation apart from management.

    `arrays` are `parameters` (a record, or one a crop), `tables` (likewise), `weather` (T,) records from
    `start`, `last`, the last day, `factors`, the shares of fertilisers and irrigation that arrive, and more
    arrays of some models.
    """

    @property
    def start(self) -> date:
        """The first day."""

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that the kernels read; every world of a model has the same names and types."""


@dataclass(frozen=True)
class SavedRow:
    """The exact state of one row: its world, day, states and rates, and what else the model keeps."""

    world: Any
    clock: int
    finished: bool
    state: Floats
    memory: Floats


class DailySimulator(ABC):
    """n independent simulations of a daily model; see `agbench.simulators.base.Simulator`.

    A subclass defines `inputs`, its weather, and `_MANAGEMENT`, the record of a day's management, which
    `_manage` computes from the inputs.
    """

    inputs: VariableTable
    weather_variables: VariableTable
    _MANAGEMENT: np.dtype[Any]

    def __init__(self, n: int, variables: VariableTable, kernels: Any) -> None:
        """Make n rows of `variables`; `kernels` is the module with the entries of the model's `day_loop`."""
        self.n = n
        self.variables = variables
        self.state: Floats = np.zeros((n, len(variables)))
        self.finished: Booleans = np.zeros(n, dtype=np.bool_)
        self.elapsed: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._kernels = kernels
        self._records = self.state.view(self.variables.record_type())[:, 0]
        self._memory = np.zeros((n, 0, 0))
        self._slot = np.full(n, -1, dtype=np.int64)
        self._first_day = np.zeros(n, dtype=np.int64)  # of each row's world, since 1970-01-01
        self._pool = WorldPool()
        self._all = np.ones(n, dtype=np.bool_)
        self._management = np.zeros((1, n), dtype=self._MANAGEMENT)
        self._amounts = self._management.view(np.float64).reshape(n, len(self._MANAGEMENT.names or ()))
        self._free = np.zeros(0, dtype=np.intp), np.zeros((1, n, 0))
        self._unseen = np.zeros((n, 0, len(self.variables)))

    def reset(self, worlds: Sequence[Any], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world; one world a chosen row."""
        self._amounts[:] = 0.0
        self._begin(worlds, self._all if mask is None else mask, self._management, *self._free)

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` days; `inputs` (n, len(self.inputs)) act on the first one."""
        self._manage(inputs, self._pool["factors"][self._slot], self._amounts)
        chosen = self._all if mask is None else mask
        self._kernels.advance(
            *self._arguments(chosen, self._management, *self._free), self._pool["last"], steps, self._unseen
        )

    def season(
        self,
        world: DailyWorld,
        management: Floats,
        external: "pd.DataFrame | None" = None,
        states: Collection[str] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> Floats:
        """Return all days of a world, (days, columns), of a batch of one row.

        `management` (T, len(_MANAGEMENT)) acts day by day. `external` holds `states` forced day by day, a
        column a state, indexed by date, under their names or `aliases`.
        """
        days = len(management)
        columns, forced = read_forced(external, world.start, days, self.variables, states, aliases)
        records, values = np.ascontiguousarray(management).view(self._MANAGEMENT), forced[:, np.newaxis]
        history = np.empty((1, days, len(self.variables)))
        self._begin([world], self._all, records[:1], columns, values[:1])
        history[:, 0] = self.state
        arguments = self._arguments(self._all, records[1:], columns, values[1:])
        self._kernels.advance(*arguments, self._pool["last"], days - 1, history[:, 1:])
        return history[0, : int(self.elapsed[0]) + 1]

    def untouched(self, world: DailyWorld) -> Floats:
        """Return all days of a world without any input, (days, columns), of a batch of one row.

        What has finished stays as it is until the last day.
        """
        days = int(world.arrays["last"]) + 1
        run = self.season(world, np.zeros((days, len(self._MANAGEMENT.names or ()))))
        result = np.empty((days, run.shape[1]))
        result[: len(run)] = run
        result[len(run) :] = run[-1]
        return result

    def repeat(self, world: DailyWorld) -> None:
        """Give each row a copy of a world of its own, whose parameters `set_parameters` changes."""
        worlds = [copy(world) for _ in range(self.n)]
        self._slot[:] = [self._pool.slot(one, self._slot) for one in worlds]
        self._reserve_memory(0)

    def set_parameters(self, parameters: NDArray[Any], tables: Floats) -> None:
        """Set `parameters` (k,) and `tables` (k, ...) of the first k rows' worlds, as in their `arrays`."""
        slots = self._slot[: len(parameters)]
        self._pool["parameters"][slots] = parameters
        self._pool["tables"][slots] = tables

    def for_all(self, management: Floats) -> NDArray[Any]:
        """Return `management` (T, len(_MANAGEMENT)) of each day as records (T, n), the same for all rows."""
        given = np.repeat(management, self.n, axis=0).view(self._MANAGEMENT)
        return given.reshape(len(management), self.n)

    def seasons(self, management: NDArray[Any], history: Floats, count: int) -> None:
        """Run the first `count` rows through their worlds, and write all their days.

        `management` (T, n) is that of `for_all`; `history` (n, T, columns) becomes the days of each row, up
        to its `elapsed`; later days are not changed.
        """
        mask, days = np.arange(self.n) < count, len(management)
        columns, values = np.zeros(0, dtype=np.intp), np.zeros((days, self.n, 0))
        self._kernels.begin(*self._arguments(mask, management[:1], columns, values[:1]))
        history[:count, 0] = self.state[:count]
        arguments = self._arguments(mask, management[1:], columns, values[1:])
        self._kernels.advance(*arguments, self._pool["last"], days - 1, history[:, 1:])

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last day of each row's world, in days since its start, (n,)."""
        last: NDArray[np.int64] = self._pool["last"][self._slot]
        return last

    @property
    def day_of_year(self) -> NDArray[np.int64]:
        """The day of the year of each row, 1 on 1 January, (n,)."""
        today = (self._first_day + self.elapsed).astype("datetime64[D]")
        number: NDArray[np.int64] = (today - today.astype("datetime64[Y]")).astype(np.int64) + 1
        return number

    def weather(self, days: int, columns: NDArray[np.intp], rows: NDArray[np.intp] | slice = _ALL) -> Floats:
        """Return chosen weather columns of the rows' last `days` days, (rows, days, len(columns)).

        Days before the start repeat the first day.
        """
        return self._weather_of(np.arange(1 - days, 1), columns, rows)

    def coming(self, days: int, columns: NDArray[np.intp], rows: NDArray[np.intp] | slice = _ALL) -> Floats:
        """Return chosen weather columns of the rows' next `days` days, (rows, days, len(columns)).

        Beyond the end of a world its last day repeats.
        """
        return self._weather_of(np.arange(1, days + 1), columns, rows)

    def save(self, row: int) -> SavedRow:
        """Return the exact state of a row."""
        if self._slot[row] < 0:
            raise SimulationError(f"row {row} has not been reset: it has no state to save.")
        clock, finished = int(self.elapsed[row]), bool(self.finished[row])
        world = self._pool.worlds[self._slot[row]]
        return SavedRow(world, clock, finished, self.state[row].copy(), self._memory[row].copy())

    def load(self, row: int, saved: SavedRow) -> None:
        """Put a row into a saved state."""
        self._put(row, saved.world)
        width = saved.memory.shape[1]
        self._reserve_memory(width)
        self.elapsed[row] = saved.clock
        self.finished[row] = saved.finished
        self.state[row] = saved.state
        self._memory[row, :, :width] = saved.memory

    @abstractmethod
    def _manage(self, inputs: Floats, arrives: Floats, amounts: Floats) -> None:
        """Set the `amounts` (n, len(_MANAGEMENT)) of inputs, of which the shares `arrives` arrive."""

    def _check(self, world: Any) -> None:  # noqa: B027  # most models have nothing to do here
        """Refuse a world that this model cannot run."""

    def _reserve_memory(self, width: int) -> None:  # noqa: B027  # most models have nothing to do here
        """Widen `_memory` to what the worlds of the pool need, and to `width` at least."""

    def _begin(
        self,
        worlds: Sequence[Any],
        mask: Booleans,
        management: NDArray[Any],
        columns: NDArray[np.intp],
        values: Floats,
    ) -> None:
        rows = np.flatnonzero(mask)
        if len(worlds) != len(rows):
            raise SimulationError(f"reset of {len(rows)} rows needs as many worlds, not {len(worlds)}.")
        for row, world in zip(rows, worlds, strict=True):
            self._check(world)
            self._put(row, world)
        self._reserve_memory(0)
        self._kernels.begin(*self._arguments(mask, management, columns, values))

    def _put(self, row: int | np.intp, world: DailyWorld) -> None:
        """Point a row at its world."""
        self._slot[row] = self._pool.slot(world, self._slot)
        self._first_day[row] = (world.start - _EPOCH).days

    def _arguments(
        self, mask: Booleans, management: NDArray[Any], columns: NDArray[np.intp], values: Floats
    ) -> tuple[Any, ...]:
        """Return what both entries of a model take; `management` are records (days, n)."""
        parameters, tables = self._pool["parameters"], self._pool["tables"]
        if parameters.ndim == 1:  # a single crop has no axis of crops
            parameters, tables = parameters[:, np.newaxis], tables[:, np.newaxis]
        return (
            *(self.state, self._records, self._memory, self._slot, self.elapsed, self.finished),
            *(parameters, tables, self._pool["weather"]),
            *(mask, management, columns, values),
        )

    def _weather_of(
        self, days: NDArray[np.int64], columns: NDArray[np.intp], rows: NDArray[np.intp] | slice
    ) -> Floats:
        """Return chosen weather columns of days counted from the rows' present days."""
        weather = self._pool["weather"]
        length = weather.shape[1]
        numbers = weather.view(np.float64).reshape(-1, weather.dtype.itemsize // 8)
        when = np.minimum(np.maximum(self.elapsed[rows, None] + days, 0), length - 1)
        result: Floats = numbers[(self._slot[rows, None] * length + when)[:, :, None], columns]
        return result
