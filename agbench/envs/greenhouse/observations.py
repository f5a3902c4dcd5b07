"""Observations of a greenhouse: modules of declared variables, concatenated in float32."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_reward import PRICED
from agbench.data.greenhouse_task import GreenhouseObservation
from agbench.data.prices import LARGEST
from agbench.envs.greenhouse.ahead import WeatherForecast, prices_ahead
from agbench.envs.observations import Entries
from agbench.errors import unknown
from agbench.simulators.base import Simulator
from agbench.simulators.greenlight.climate_computer import BOUNDS
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.sensors import CLIMATE, CLOCK
from agbench.simulators.greenlight.setpoints import SETPOINTS
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.variables import Floats, Variable, VariableTable

FLUXES: Final = VariableTable(
    (
        Variable("mcAirBuf", "mg m-2 s-1", "net photosynthesis (CH2O)", -1e6, 1e6),
        Variable("mcOrgAir", "mg m-2 s-1", "maintenance respiration of leaves, stem, fruit", -1e6, 1e6),
        Variable("mcFruitHar", "mg m-2 s-1", "harvest of fruit (CH2O)", 0.0, 1e8),
        Variable("mvCanAir", "kg m-2 s-1", "transpiration", -1.0, 1.0),
    )
)
ENERGY: Final = VariableTable(
    (
        Variable("lampIn", "MJ m-2", "electricity of the lamps in the last step", 0.0, 1e5),
        Variable("boilIn", "MJ m-2", "heat of the boiler in the last step", 0.0, 1e5),
    )
)
PRICES: Final = VariableTable(
    Variable(f"{what}Price", f"EUR {unit}", f"price of {what} in force", -LARGEST, LARGEST)
    for what, unit in zip(PRICED, ("kg-1", "kg-1", "kWh-1", "kWh-1"), strict=True)
)
_ORGANS: Final = ("mcFruitAir", "mcLeafAir", "mcStemAir")

Read = Callable[[MeteredGreenhouse], Floats]


class GreenhouseObserver(Entries):
    """What a greenhouse task lets an agent see; the weather of step k is what is in force at k."""

    def __init__(self, spec: GreenhouseObservation) -> None:
        entries, self._blocks = _modules(spec)
        super().__init__(entries)

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all rows into `out`, (n, size)."""
        assert isinstance(simulator, MeteredGreenhouse)
        at = 0
        for width, read in self._blocks:
            out[:, at : at + width] = read(simulator)
            at += width


def _modules(spec: GreenhouseObservation) -> tuple[list[Variable], list[tuple[int, Read]]]:
    """Return the variables of all modules in order, and width and reader of each."""
    entries: list[Variable] = []
    blocks: list[tuple[int, Read]] = []

    def add(table: VariableTable, names: Sequence[str], reader: Callable[[Any], Read]) -> None:
        if names:
            blocks.append((len(names), reader(table.columns(names))))
            entries.extend(table[name] for name in names)

    add(CLIMATE, spec.climate, lambda c: lambda g: g.climate()[:, c])
    add(STATES, spec.state, lambda c: lambda g: g.state[:, c])
    add(CONTROLS, spec.controls, lambda c: lambda g: g.controls[:, c])
    add(_seen_setpoints(), spec.setpoints, lambda c: lambda g: g.commands[:, c])
    add(FLUXES, spec.fluxes, lambda c: lambda g: _fluxes(g)[:, c])
    add(ENERGY, spec.energy, lambda c: lambda g: 1e-6 * g.used[:, [1, 0]][:, c])
    add(WEATHER, spec.weather, lambda c: lambda g: g.forecast(_NOW, c)[:, 0])
    add(PRICES, [f"{what}Price" for what in spec.prices], lambda c: lambda g: prices_ahead(g, _NOW, c)[:, 0])
    add(CLOCK, spec.time, lambda c: lambda g: g.clock()[:, c])
    steps = np.array(spec.forecast_steps, dtype=np.int64)
    valid = [name for name in spec.forecast if name in PRICES.names]
    weather = [name for name in spec.forecast if name not in valid]
    if weather:
        blocks.append((len(steps) * len(weather), WeatherForecast(weather, steps, spec.forecast_error).read))
    if valid:
        columns = PRICES.columns(valid)
        blocks.append((len(steps) * len(valid), lambda g: _flat(prices_ahead(g, steps, columns))))
    for table, names in ((WEATHER, weather), (PRICES, valid)):
        entries.extend(_ahead(table[name], step) for step in steps for name in names)
    if not entries:
        raise unknown("observation", "nothing", GreenhouseObservation.model_fields, "observation")
    return entries, blocks


_NOW: Final = np.zeros(1, dtype=np.int64)


def _seen_setpoints() -> VariableTable:
    """Return the set points within all that a menu, a range or a rule may set, and the 0 before the first."""
    return VariableTable(replace(v, low=BOUNDS[v.unit][0], high=BOUNDS[v.unit][1]) for v in SETPOINTS)


def _fluxes(greenhouse: MeteredGreenhouse) -> Floats:
    fruit, leaves, stem = (greenhouse.flux(name) for name in _ORGANS)
    others = (greenhouse.flux(name) for name in ("mcFruitHar", "mvCanAir"))
    return np.column_stack([greenhouse.flux("mcAirBuf"), fruit + leaves + stem, *others])


def _flat(seen: Floats) -> Floats:
    return seen.reshape(len(seen), -1)


def _ahead(variable: Variable, step: int) -> Variable:
    """Return a weather variable under the name of its forecast, such as `tOut[+60 min]`."""
    name = f"{variable.name}[+{5 * step} min]"
    return Variable(name, variable.unit, f"{variable.meaning}, forecast", variable.low, variable.high)
