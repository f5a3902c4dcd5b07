"""The batch of WOFOST simulations: n rows of state, and the worlds that they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.wofost.variables import INPUT, INPUT_WIDTH, INPUTS
from agbench.simulators.wofost.weather import WEATHER_VARIABLES
from agbench.simulators.wofost.world import WofostWorld
from agbench.variables import Booleans, Floats, VariableTable

_KERNELS: Final = {
    "wofost72": "agbench.simulators.wofost.wofost72",
    "wofost81": "agbench.simulators.wofost.wofost81",
    "wofost": "agbench.simulators.wofost.wofost_npk",
    "wofost81-layered": "agbench.simulators.wofost.wofost81_layered",
    "wofost-layered": "agbench.simulators.wofost.wofost_npk_layered",
}
"""Where the kernels of models that share their columns are, with the table of these: `VARIABLES`."""


@dataclass(frozen=True)
class SavedRow:
    """The exact state of one row: its world, day, states and rates, leaf classes."""

    world: WofostWorld
    clock: int
    finished: bool
    state: Floats
    leaves: Floats


def _family(model: str, soil_water: str) -> str:
    """Return the name of the models that share their columns and kernels."""
    name = model.partition("-")[0]
    return f"{name}-layered" if soil_water == "layered" else name


def kernels(model: str, soil_water: str = "single") -> str:
    """Return the name of the module that has a model's kernels."""
    return _KERNELS[_family(model, soil_water)]


class WofostSimulator:
    """n independent simulations of one model; see `agbench.simulators.base.Simulator`."""

    inputs = INPUTS
    weather_variables = WEATHER_VARIABLES

    def __init__(self, model: str, n: int, soil_water: str = "single") -> None:
        self.model = model
        self.soil_water = soil_water
        self._kernels = import_module(kernels(model, soil_water))
        self.variables: VariableTable = self._kernels.VARIABLES
        self.n = n
        self.state: Floats = np.zeros((n, len(self.variables)))
        self.finished: Booleans = np.zeros(n, dtype=np.bool_)
        self.elapsed: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._records = self.state.view(self.variables.record_type())[:, 0]
        self._leaves = np.zeros((n, 3, 0))
        self._slot = np.full(n, -1, dtype=np.int64)
        self._pool = WorldPool()
        self._all = np.ones(n, dtype=np.bool_)
        self._free = np.zeros(0, dtype=np.intp), np.zeros((n, 0))

    def reset(self, worlds: Sequence[WofostWorld], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world; one world a chosen row."""
        nothing = np.zeros((self.n, INPUT_WIDTH))
        self.reset_managed(worlds, nothing, *self._free, mask)

    def reset_managed(
        self,
        worlds: Sequence[WofostWorld],
        management: Floats,
        columns: NDArray[np.intp],
        forced: Floats,
        mask: Booleans | None = None,
    ) -> None:
        """As `reset`, with `management` and forced states on the first day (`advance_managed`)."""
        rows = np.flatnonzero(self._all if mask is None else mask)
        if len(worlds) != len(rows):
            raise SimulationError(f"reset of {len(rows)} rows needs as many worlds, not {len(worlds)}.")
        for row, world in zip(rows, worlds, strict=True):
            if _family(world.model, world.soil_water) != _family(self.model, self.soil_water):
                raise SimulationError(
                    f"a world of {world.model} on {world.soil_water} soil does not fit into a "
                    f"batch of {self.model} on {self.soil_water} soil."
                )
            self._slot[row] = self._pool.slot(world, self._slot)
        self._make_room_for_leaves(self._pool["weather"].shape[1] + 1)
        self._kernels.begin(*self._arguments(management, columns, forced, mask))

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` days; `inputs` (n, 6) act on the first of them."""
        effective = inputs[:, :4] * self._pool["factors"][self._slot]
        self.advance_managed(np.concatenate([inputs, effective], axis=1), *self._free, steps, mask)

    def advance_managed(
        self,
        management: Floats,
        columns: NDArray[np.intp],
        forced: Floats,
        steps: int = 1,
        mask: Booleans | None = None,
    ) -> None:
        """Advance the chosen rows by `steps` days with gross and effective amounts (n, 10).

        `forced` (n, k) replaces the states in `columns` (k,) after each integration; NaN leaves
        them as they are.
        """
        self._kernels.advance(*self._arguments(management, columns, forced, mask), steps)

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last day of each row's world, in days since its start, (n,)."""
        last: NDArray[np.int64] = self._pool["parameters"]["LAST_DAY"][self._slot]
        return last

    def weather(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each row's last `days` days, (n, days, len(columns)).

        Days before the start repeat the first day.
        """
        weather = self._pool["weather"]
        numbers = weather.view(np.float64).reshape(*weather.shape, -1)
        today = np.maximum(self.elapsed[:, None] + np.arange(1 - days, 1), 0)
        found: Floats = numbers[self._slot[:, None, None], today[:, :, None], columns]
        return found

    def coming(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each row's next `days` days, (n, days, len(columns)).

        Beyond the end of a world its last day repeats.
        """
        weather = self._pool["weather"]
        numbers = weather.view(np.float64).reshape(*weather.shape, -1)
        ahead = np.minimum(self.elapsed[:, None] + np.arange(1, days + 1), weather.shape[1] - 1)
        found: Floats = numbers[self._slot[:, None, None], ahead[:, :, None], columns]
        return found

    @property
    def noise_seeds(self) -> NDArray[np.uint64]:
        """Where the errors of each row's weather forecasts start from, (n,)."""
        seeds: NDArray[np.uint64] = self._pool["noise_seed"][self._slot]
        return seeds

    def save(self, row: int) -> SavedRow:
        """Return the exact state of a row."""
        world = self._pool.worlds[self._slot[row]] if self._slot[row] >= 0 else None
        if not isinstance(world, WofostWorld):
            raise SimulationError(f"row {row} has not been reset: it has no state to save.")
        clock, finished = int(self.elapsed[row]), bool(self.finished[row])
        return SavedRow(world, clock, finished, self.state[row].copy(), self._leaves[row].copy())

    def load(self, row: int, saved: SavedRow) -> None:
        """Put a row into a saved state."""
        self._slot[row] = self._pool.slot(saved.world, self._slot)
        width = saved.leaves.shape[1]
        self._make_room_for_leaves(max(width, self._pool["weather"].shape[1] + 1))
        self.elapsed[row] = saved.clock
        self.finished[row] = saved.finished
        self.state[row] = saved.state
        self._leaves[row, :, :width] = saved.leaves

    def _arguments(
        self,
        management: Floats,
        columns: NDArray[np.intp],
        forced: Floats,
        mask: Booleans | None,
    ) -> tuple[Any, ...]:
        """Return what both entries of a model take."""
        given = np.ascontiguousarray(management, dtype=np.float64)
        return (
            *(self.state, self._records, self._leaves, self._slot, self.elapsed, self.finished),
            *(self._pool["parameters"], self._pool["tables"], self._pool["weather"]),
            *(given.view(INPUT)[:, 0], self._all if mask is None else mask, columns, forced),
        )

    def _make_room_for_leaves(self, wanted: int) -> None:
        """Widen the leaf classes to `wanted`: a class a day of the longest world suffices."""
        if self._leaves.shape[2] < wanted:
            wider = np.zeros((self.n, 3, wanted))
            wider[:, :, : self._leaves.shape[2]] = self._leaves
            self._leaves = wider
