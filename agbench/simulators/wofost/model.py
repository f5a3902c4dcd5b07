"""WOFOST as `agbench.simulators.models` knows it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agbench.errors import unknown
from agbench.simulators.field.events import Event
from agbench.simulators.models import FieldSetup, Model, check_limitation
from agbench.simulators.wofost.parameters import check_rules, parameters
from agbench.simulators.wofost.simulate import EVENTS, daily_management, run
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.variables import INPUTS, MEMORY_NAMES, RATE_NAMES
from agbench.simulators.wofost.weather import WEATHER_VARIABLES
from agbench.simulators.wofost.world import WofostWorld, build_world

if TYPE_CHECKING:
    import pandas as pd

_SUMMARIES: Final = {
    "wofost72-pp": "WOFOST 7.2, potential production, as PCSE 6 has it (de Wit et al. 2019)",
    "wofost72-wlp": "WOFOST 7.2, water-limited, classic water balance",
    "wofost81-pp": "WOFOST 8.1, potential production, with nitrogen in the crop",
    "wofost81-wlp": "WOFOST 8.1, water-limited",
    "wofost81-nwlp": "WOFOST 8.1, limited by water and nitrogen",
    "wofost-npk": "WOFOST 8.0 with N, P, K, as WOFOSTGym extends it (Solow et al. 2025)",
}
_PCSE_EVENTS: Final = ("apply_n", "irrigate")
"""PCSE sends them to all its models; those that have no use for one ignore it."""
_SOIL_WATER: Final = ("single", "layered")
_EVERYTHING: Final = "lnpkw"


def model(name: str, soil_water: str = "single") -> Model:
    """Return the description of a WOFOST model on a soil with a single layer or several."""
    if soil_water not in _SOIL_WATER:
        raise unknown("soil_water", soil_water, _SOIL_WATER, where=name)
    make = partial(WofostSimulator, name, soil_water=soil_water)
    return Model(
        name=name,
        summary=_SUMMARIES[name],
        variables=make(1).variables,
        inputs=INPUTS,
        weather=WEATHER_VARIABLES,
        parameters=parameters(name, soil_water == "layered"),
        check_rules=check_rules,
        events=EVENTS if name == "wofost-npk" else _PCSE_EVENTS,
        simulator=make,
        world=partial(_world, name, soil_water),
        table=partial(_table, name, soil_water),
        rates=RATE_NAMES,
        memory=MEMORY_NAMES,
        runs_on=True,
        forecasts=True,
    )


def _world(name: str, soil_water: str, setup: FieldSetup) -> WofostWorld:
    check_limitation(name, setup.limitation)
    world = build_world(
        name,
        setup.parameters,
        setup.series,
        setup.calendar,
        setup.start,
        setup.end,
        setting=setup.setting,
        limitation=setup.limitation or _EVERYTHING,
        soil_water=soil_water,
        recovery=setup.recovery,
        efficiency=setup.efficiency,
        stop_after=setup.stop_after,
        management=setup.management,
        sowing_window=setup.sowing_window,
    )
    return replace(world, noise_seed=setup.noise_seed) if setup.noise_seed else world


def _table(
    name: str, soil_water: str, setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None"
) -> "pd.DataFrame":
    days = (setup.end - setup.start).days + 1
    adds = setup.setting == "sound" and name == "wofost-npk"
    management = daily_management(events, setup.start, days, adds)
    return run(_world(name, soil_water, setup), management, external)
