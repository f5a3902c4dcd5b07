"""The entries of the WOFOST models in `agbench.simulators.models`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agbench.errors import ConfigError, unknown
from agbench.simulators.field.events import Event
from agbench.simulators.models import CropModel, FieldSetup, check_limitation
from agbench.simulators.wofost.parameters import check_rules, parameters
from agbench.simulators.wofost.simulate import daily_management, run
from agbench.simulators.wofost.simulator import RotationSimulator, WofostSimulator
from agbench.simulators.wofost.variables import INPUTS, INPUTS_OF, MEMORY_NAMES, RATE_NAMES
from agbench.simulators.wofost.variants import find
from agbench.simulators.wofost.weather import WEATHER_VARIABLES
from agbench.simulators.wofost.world import WofostWorld, build_rotation, build_world
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

_SOIL_WATER: Final = ("single", "layered")
_EVERYTHING: Final = "lnpkw"


def model(name: str, soil_water: str = "single", crop_type: str = "annual") -> CropModel:
    """Return the description of a WOFOST model for crops of a type, on a soil with one layer or several."""
    if soil_water not in _SOIL_WATER:
        raise unknown("soil_water", soil_water, _SOIL_WATER, where=name)
    variant = find(name)
    if variant.rotates and soil_water != "single":
        raise ConfigError(f"{name}: a rotation has a soil with a single layer; got {soil_water!r}.")
    simulator = RotationSimulator if variant.rotates else WofostSimulator
    make = partial(simulator, name, soil_water=soil_water, crop_type=crop_type)
    return CropModel(
        name=name,
        summary=variant.summary,
        variables=make(1).variables,
        inputs=INPUTS_OF[crop_type],
        weather=WEATHER_VARIABLES,
        parameters=parameters(name, soil_water == "layered", crop_type),
        check_rules=check_rules,
        events=variant.events_of(crop_type),
        simulator=make,
        world=partial(_world, name, soil_water, crop_type),
        table=partial(_table, name, soil_water, crop_type),
        management=partial(_management, name, crop_type),
        rates=RATE_NAMES,
        memory=MEMORY_NAMES,
        lacks=variant.lacks,
        ignores=variant.ignores,
        runs_on=True,
        forecasts=True,
        limitations=variant.limitations,
        crop_type=crop_type,
        rotates=variant.rotates,
        crops_of=variant.crops_of,
    )


def _world(name: str, soil_water: str, crop_type: str, setup: FieldSetup) -> WofostWorld:
    check_limitation(name, setup.limitation, find(name).limitations)
    world = _build(name, soil_water, crop_type, setup)
    return replace(world, noise_seed=setup.noise_seed) if setup.noise_seed else world


def _build(name: str, soil_water: str, crop_type: str, setup: FieldSetup) -> WofostWorld:
    if find(name).rotates:
        return build_rotation(
            name,
            setup.rotation,
            setup.series,
            setup.start,
            setup.end,
            setting=setup.setting,
            limitation=setup.limitation or _EVERYTHING,
            recovery=setup.recovery,
            efficiency=setup.efficiency,
        )
    return build_world(
        name,
        setup.parameters,
        setup.series,
        setup.calendar,
        setup.start,
        setup.end,
        setting=setup.setting,
        limitation=_EVERYTHING if setup.limitation is None else setup.limitation,
        soil_water=soil_water,
        crop_type=crop_type,
        recovery=setup.recovery,
        efficiency=setup.efficiency,
        stop_after=setup.stop_after,
        management=setup.management,
        sowing_window=setup.sowing_window,
    )


def _table(
    name: str,
    soil_water: str,
    crop_type: str,
    setup: FieldSetup,
    events: Sequence[Event],
    external: "pd.DataFrame | None",
) -> "pd.DataFrame":
    return run(
        _world(name, soil_water, crop_type, setup), _management(name, crop_type, setup, events), external
    )


def _management(name: str, crop_type: str, setup: FieldSetup, events: Sequence[Event]) -> Floats:
    days = (setup.end - setup.start).days + 1
    adds = setup.setting == "sound" and find(name).has_repairs
    management = daily_management(events, setup.start, days, adds, crop_type)
    for season in setup.seasons:
        management[(season.sown - setup.start).days, INPUTS.column("PLANT")] = season.crop
        if season.ended is not None:
            management[(season.ended - setup.start).days, INPUTS.column("HARVEST")] = 1.0
    return management
