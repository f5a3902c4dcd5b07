"""WOFOST with N, P and K on a layered soil, from whose layers the crop draws its water."""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.layered_water import (
    check_layers,
    hold_layers_at_field_capacity,
    integrate_layers,
    layered_transpiration,
    layered_water_rates,
    start_layers,
)
from agbench.simulators.wofost.soil_nutrients import (
    integrate_soil_nutrients,
    soil_nutrient_rates,
    start_soil_nutrients,
)
from agbench.simulators.wofost.variables import LAYERED_NPK
from agbench.simulators.wofost.wofost_npk import crop_rates_with, integrate_crop, manage, start_crop
from agbench.variables import Floats


@kernel
def start_soil(x: Floats, s: Any, p: Any, tables: Floats) -> None:
    """Put the soil at its start."""
    start_layers(x, s, p)
    start_soil_nutrients(s, p)
    if p.WATER_LIMITED == 0.0:
        hold_layers_at_field_capacity(x, s, p)


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil."""
    layered_water_rates(x, s, p, tables, w)
    soil_nutrient_rates(s, p, tables)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil by a day; without water limitation it stays at field capacity."""
    integrate_layers(x, s, p)
    if p.WATER_LIMITED == 0.0:
        hold_layers_at_field_capacity(x, s, p)
    check_layers(x, s, p)
    integrate_soil_nutrients(s, p)


VARIABLES: Final = LAYERED_NPK
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(layered_transpiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
