"""WOFOST 8.1 on a layered soil: water-limited, and water- and nitrogen-limited production."""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.layered_water import (
    integrate_layers,
    layered_transpiration,
    layered_water_rates,
    start_layers,
)
from agbench.simulators.wofost.soil_nitrogen import (
    integrate_soil_nitrogen,
    soil_nitrogen_rates,
    start_soil_nitrogen,
)
from agbench.simulators.wofost.variables import LAYERED81
from agbench.simulators.wofost.wofost81 import crop_rates_with, integrate_crop, manage, start_crop
from agbench.variables import Floats


@kernel
def start_soil(x: Floats, s: Any, p: Any, tables: Floats) -> None:
    """Put the soil at its start."""
    start_layers(x, s, p)
    start_soil_nitrogen(s, p)


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil."""
    layered_water_rates(x, s, p, tables, w)
    soil_nitrogen_rates(s, p)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil by a day."""
    integrate_layers(x, s, p)
    integrate_soil_nitrogen(s)


VARIABLES: Final = LAYERED81
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(layered_transpiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
