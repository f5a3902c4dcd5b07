"""WOFOST for grape vines on a layered soil, from whose layers they draw their water."""

from typing import Final

from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.layered_water import layered_transpiration
from agbench.simulators.wofost.variables import LAYERED_GRAPE
from agbench.simulators.wofost.wofost_grape import crop_rates_with, integrate_crop, manage, start_crop
from agbench.simulators.wofost.wofost_npk_layered import integrate_soil, soil_rates, start_soil

VARIABLES: Final = LAYERED_GRAPE
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(layered_transpiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
