"""The batch simulator of the greenhouse."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.errors import SimulationError
from agbench.simulators.casadi_jit.rosenbrock.driver import Batch
from agbench.simulators.greenlight.moving import MovingTables
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.presets import Preset, preset
from agbench.simulators.greenlight.stepping import ACCURACIES, INTEGRATED, Accuracy, stepper
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.simulators.greenlight.window import read_window
from agbench.simulators.greenlight.world import BESIDE, GreenLightWorld
from agbench.variables import Booleans, Floats


@dataclass(frozen=True)
class SavedGreenhouse:
    """The exact state of one row: its world, clock, parameters and states."""

    world: GreenLightWorld
    elapsed: int
    parameters: Floats
    state: Floats


class GreenLightSimulator:
    """n independent greenhouses; see `agbench.simulators.base.Simulator`.

    A model step is one control interval: controls, weather and parameters are held over it. A
    greenhouse has no end of its own, so `finished` stays false; `horizon` is where a world ends.
    """

    variables = STATES
    inputs = CONTROLS
    weather_variables = WEATHER

    def __init__(
        self,
        n: int,
        name: str | Preset = "gym",
        interval: float = 300.0,
        accuracy: Accuracy = ACCURACIES["accurate"],
    ) -> None:
        """Allocate n rows of a preset (`name`, or itself), with steps of `interval` [s]."""
        if not 0.01 <= interval <= 86400.0:
            raise SimulationError(
                f"greenlight: interval is {interval} s; it must lie between 0.01 and 86400 s."
            )
        self.n = n
        self.interval = float(interval)
        self.state: Floats = np.zeros((n, len(STATES)))
        self.parameters: Floats = np.zeros((n, len(PARAMETER_TABLE)))
        """(n, 208): may be changed between steps, row by row, for uncertain parameters."""
        self.finished: Booleans = np.zeros(n, dtype=np.bool_)
        self.elapsed: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self.horizon: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self.attempts: NDArray[np.int64] = np.zeros((n, 2), dtype=np.int64)
        """(n, 2): inner steps accepted and refused so far."""
        self.integrals: Floats = np.zeros((n, len(INTEGRATED)))
        """(n, 1): the integral of each flux of `INTEGRATED` over a row's last `advance` [mg m-2]."""
        self._worlds: list[GreenLightWorld | None] = [None] * n
        self._weather: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._lengths: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self.beside: NDArray[np.int64] = np.zeros((n, BESIDE, 2), dtype=np.int64)
        """(n, 2, 2): address and number of rows of the tables beside each row's weather."""
        self._tables = MovingTables(n, self._weather)
        self._beside = [MovingTables(n, self.beside[:, k, 0]) for k in range(BESIDE)]
        self._failed: Booleans = np.zeros(n, dtype=np.bool_)
        self._rows = np.arange(n)
        self._structure = preset(name).structure
        self._stepper = stepper(self._structure, accuracy, interval, n)

    def reset(self, worlds: Sequence[GreenLightWorld], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world; one world a chosen row."""
        rows = self._rows if mask is None else np.flatnonzero(mask)
        if len(worlds) != len(rows):
            raise SimulationError(f"reset of {len(rows)} rows needs as many worlds, not {len(worlds)}.")
        for row, world in zip(rows, worlds, strict=True):
            self.load(int(row), SavedGreenhouse(world, 0, world.parameters, world.start))
        self.attempts[rows] = 0

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` intervals under the controls `inputs` (n, 8)."""
        rows = self._rows if mask is None else np.flatnonzero(mask)
        controls = self._checked(inputs, rows)
        self._tables.cover(self.elapsed, 0, max(steps - 1, 0))
        batch = Batch(
            rows=rows,
            state=self.state,
            controls=controls,
            parameters=self.parameters,
            weather=self._weather,
            width=len(WEATHER),
            elapsed=self.elapsed,
            horizon=self.horizon,
            steps=steps,
            attempts=self.attempts,
            integrals=self.integrals,
            failed=self._failed,
        )
        if not self._stepper.advance(batch):
            self._report_failure()

    def _checked(self, inputs: Floats, rows: NDArray[np.intp]) -> Floats:
        """Return the controls as the stepper needs them; refuse those outside 0 to 1."""
        controls = np.ascontiguousarray(inputs, dtype=np.float64)
        if controls.shape != (self.n, len(CONTROLS)):
            raise SimulationError(
                f"greenlight: controls have shape {controls.shape}, not ({self.n}, "
                f"{len(CONTROLS)}) in the order {', '.join(CONTROLS.names)}."
            )
        wrong = first_outside(controls, rows)
        if wrong >= 0:
            row, column = divmod(wrong, len(CONTROLS))
            raise SimulationError(
                f"greenlight: control {CONTROLS.names[column]} of row {row} is "
                f"{controls[row, column]}; it must lie between 0 and 1."
            )
        return controls

    def _report_failure(self) -> None:
        row = int(np.flatnonzero(self._failed)[0])
        self._failed[:] = False
        raise SimulationError(
            f"greenlight: row {row} could not be integrated at step {self.elapsed[row]}: the step "
            "size went to zero. A parameter or the starting state is not physically plausible."
        )

    def weather(self, days: int, columns: NDArray[np.intp]) -> Floats:
        """Return chosen weather columns of each row's last `days` steps, (n, days, len(columns)).

        The last is the weather in force; before the start the first repeats.
        """
        result = np.empty((self.n, days, len(columns)))
        self._tables.cover(self.elapsed, 1 - days, 0)
        read_window(self._weather, self._lengths, len(WEATHER), self.elapsed, columns, result)
        return result

    def cover_beside(self, k: int, ahead: int) -> None:
        """Have the rows of each row's table k, from its step to `ahead` steps after it, at its address."""
        self._beside[k].cover(self.elapsed, 0, ahead)

    def save(self, row: int) -> SavedGreenhouse:
        """Return the exact state of a row."""
        world = self._worlds[row]
        if world is None:
            raise SimulationError(f"row {row} has not been reset: it has no state to save.")
        return SavedGreenhouse(
            world, int(self.elapsed[row]), self.parameters[row].copy(), self.state[row].copy()
        )

    def load(self, row: int, saved: SavedGreenhouse) -> None:
        """Put a row into a saved state."""
        if saved.world.structure != self._structure:
            raise SimulationError(
                f"greenlight: the world of row {row} is of another greenhouse than this "
                "simulator: their equations differ. Build both from one preset."
            )
        self._worlds[row] = saved.world
        self._tables.put(row, saved.world.weather)
        self._lengths[row] = len(saved.world.weather)
        self.beside[row] = 0
        for k, table in enumerate(saved.world.beside):
            self._beside[k].put(row, table)
            self.beside[row, k, 1] = len(table)
        self.horizon[row] = saved.world.steps
        self.elapsed[row] = saved.elapsed
        self.parameters[row] = saved.parameters
        self.state[row] = saved.state


@entry
def first_outside(controls: Floats, rows: NDArray[np.intp]) -> int:
    """Return the place of the first control of the chosen rows that is not within 0 to 1, else -1."""
    for row in rows:
        for column in range(controls.shape[1]):
            if not 0.0 <= controls[row, column] <= 1.0:
                return int(row * controls.shape[1] + column)
    return -1
