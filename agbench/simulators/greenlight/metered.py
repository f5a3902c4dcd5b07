"""A greenhouse with meters, sensors and a memory of its last controls: what environments run on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.simulators.greenlight import sensors
from agbench.simulators.greenlight.climate_computer import MEASURED
from agbench.simulators.greenlight.diagnosis import FluxReader
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.simulator import GreenLightSimulator, SavedGreenhouse
from agbench.simulators.greenlight.stepping import ACCURACIES, INTEGRATED, Accuracy
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.simulators.greenlight.window import read_ahead
from agbench.simulators.greenlight.world import GreenLightWorld
from agbench.variables import Booleans, Floats, Variable, VariableTable

METERS: Final = VariableTable(
    (
        Variable("heat", "J m-2", "heat of the boiler"),
        Variable("electricity", "J m-2", "electricity of the lamps"),
        Variable("co2", "mg m-2", "CO2 supplied"),
        Variable("harvest", "mg m-2", "carbohydrates (CH2O) in harvested fruit"),
        Variable("water", "kg m-2", "transpiration of the crop"),
        Variable("light", "J m-2", "PAR absorbed by the crop"),
    )
)
FLUXES: Final = (
    *("hBoilPipe", "hBoilGroPipe", "qLampIn", "qIntLampIn", "mcExtAir", "mcFruitHar", "mvCanAir"),
    *("rParSunCan", "rParLampCan", "rParIntLampCan"),
    *("mcAirBuf", "mcFruitAir", "mcLeafAir", "mcStemAir"),
)
METER_OF: Final = np.array([0, 0, 1, 1, 2, -1, -1, 5, 5, 5])
"""The meter that counts each of the first fluxes, -1 for one that the stepper integrates."""
_INTEGRATED: Final = tuple(
    METERS.column({"mcFruitHar": "harvest", "mvCanAir": "water"}[f]) for f in INTEGRATED
)
_TIME: Final = STATES.column("time")
_ALL_WEATHER: Final = np.arange(len(WEATHER))


@dataclass(frozen=True)
class MeteredRow:
    """The exact state of one row, and what it remembers beside."""

    row: SavedGreenhouse
    memory: Floats


class MeteredGreenhouse(GreenLightSimulator):
    """n greenhouses whose use of energy, CO2 and water is counted, interval by interval.

    Harvest and transpiration are integrated by the stepper: with the change of fruit, harvest adds up to
    growth less respiration. The other meters take each flux at the interval's end. That is exact for heat,
    electricity and CO2, which are held over an interval; light is held too, but for the growth of leaves in
    an interval, less than 1e-6 of it.

    Per row: `controls` (8) are those of the last interval, `commands` the last inputs, all 0 before the
    first; `meters` (6) what was used since the start, in the order of `METERS`; `opened` (8) the
    seconds for which each control would have been fully on.
    """

    def __init__(
        self,
        n: int,
        name: str | Preset = "gym",
        interval: float = 300.0,
        accuracy: Accuracy = ACCURACIES["accurate"],
    ) -> None:
        super().__init__(n, name, interval, accuracy)
        widths = (len(CONTROLS), len(METERS), len(METERS), len(FLUXES), len(self.inputs), len(CONTROLS))
        self._memory: Floats = np.zeros((n, sum(widths)))
        parts = np.split(self._memory, np.cumsum(widths)[:-1], axis=1)
        self.controls, self.meters, self._before, self._flows, self.commands, self.opened = parts
        self._fluxes = FluxReader(self._structure, FLUXES)
        self._begin: NDArray[np.int64] = np.zeros(n, dtype=np.int64)

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` intervals, fewer where a world ends."""
        moving = np.ones(self.n, dtype=np.bool_) if mask is None else mask
        self._before[moving] = self.meters[moving]
        self.commands[moving] = inputs[moving]
        for _ in range(steps):
            going = moving & (self.elapsed < self.horizon)
            if not going.any():
                return
            controls = self._controls_for(inputs)
            super().advance(controls, 1, going)
            self._count(controls, going)

    def _controls_for(self, inputs: Floats) -> Floats:
        """Return the controls of the coming interval, (n, 8)."""
        return inputs

    def _count(self, controls: Floats, moved: Booleans) -> None:
        now = np.empty((self.n, 1, len(WEATHER)))
        self._read_ahead(np.array([-1]), _ALL_WEATHER, now)
        fluxes = self._fluxes.read(self.state, controls, now[:, 0], self.parameters)
        kept = (self.controls, self._flows, self.meters, self.opened)
        count(moved, controls, fluxes, METER_OF, self.integrals, self.interval, *kept)

    @property
    def used(self) -> Floats:
        """What the last call of `advance` used, (n, 6) in the order of `METERS`."""
        return self.meters - self._before

    def flux(self, name: str) -> Floats:
        """Return a flux of `FLUXES` at the end of the last interval, (n,); 0 before the first."""
        return self._flows[:, FLUXES.index(name)]

    @property
    def worlds(self) -> Sequence[GreenLightWorld | None]:
        """The world of each row; None before its first reset."""
        return self._worlds

    @property
    def seconds(self) -> NDArray[np.int64]:
        """Seconds since the start of the year of each row's clock, (n,)."""
        return self._begin + self.elapsed * int(self.interval)

    def measured(self) -> Floats:
        """Return what the climate computer measures now, (n, 10) in the order of its table."""
        result = np.empty((self.n, len(MEASURED)))
        self._tables.cover(self.elapsed, 0, 0)
        sensors.read_measured(self.state, self._weather, self._lengths, self.elapsed, self.seconds, result)
        return result

    def climate(self) -> Floats:
        """Return the indoor climate, (n, 4) in the order of `sensors.CLIMATE`."""
        result = np.empty((self.n, len(sensors.CLIMATE)))
        sensors.read_climate(self.state, result)
        return result

    def clock(self) -> Floats:
        """Return the time of day and year, (n, 6) in the order of `sensors.CLOCK`."""
        result = np.empty((self.n, len(sensors.CLOCK)))
        sensors.read_clock(self.seconds, result)
        return result

    def forecast(self, steps: NDArray[np.int64], columns: NDArray[np.intp]) -> Floats:
        """Return weather columns some `steps` ahead, (n, len(steps), len(columns))."""
        result = np.empty((self.n, len(steps), len(columns)))
        self._read_ahead(steps, columns, result)
        return result

    def _read_ahead(self, steps: NDArray[np.int64], columns: NDArray[np.intp], result: Floats) -> None:
        self._tables.cover(self.elapsed, min(int(steps.min()), 0), max(int(steps.max()), 0))
        read_ahead(self._weather, self._lengths, len(WEATHER), self.elapsed, steps, columns, result)

    def reset(self, worlds: Sequence[GreenLightWorld], mask: Booleans | None = None) -> None:
        """Put each chosen row at the start of its world, its memory empty."""
        rows = self._rows if mask is None else np.flatnonzero(mask)
        super().reset(worlds, mask)
        self._memory[rows] = 0.0

    def save(self, row: int) -> MeteredRow:  # type: ignore[override]
        """Return the exact state of a row."""
        return MeteredRow(super().save(row), self._memory[row].copy())

    def load(self, row: int, saved: SavedGreenhouse | MeteredRow) -> None:
        """Put a row into a saved state."""
        bare = saved.row if isinstance(saved, MeteredRow) else saved
        super().load(row, bare)
        self._begin[row] = round(float(bare.world.start[_TIME]) * sensors.DAY)
        if isinstance(saved, MeteredRow):
            self._memory[row] = saved.memory


@entry
def count(
    moved: Booleans,
    controls: Floats,
    fluxes: Floats,
    meter_of: NDArray[np.int64],
    integrals: Floats,
    interval: float,
    last_controls: Floats,
    last_fluxes: Floats,
    meters: Floats,
    opened: Floats,
) -> None:
    """Remember controls and fluxes of the rows that moved, and add an interval to what is counted."""
    for i in range(len(moved)):
        if not moved[i]:
            continue
        for k in range(controls.shape[1]):  # a copy of rows would bring Numba's text of its errors along
            last_controls[i, k] = controls[i, k]
        for k in range(fluxes.shape[1]):
            last_fluxes[i, k] = fluxes[i, k]
        for k in range(opened.shape[1]):
            opened[i, k] += interval * controls[i, k]
        for k in range(len(meter_of)):
            if meter_of[k] >= 0:
                meters[i, meter_of[k]] += interval * fluxes[i, k]
        for k in range(len(_INTEGRATED)):
            meters[i, _INTEGRATED[k]] += integrals[i, k]
