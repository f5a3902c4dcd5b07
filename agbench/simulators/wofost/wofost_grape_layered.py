"""WOFOST for grape vines on a layered soil, from whose layers they draw their water."""

from typing import Final

from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.variables import LAYERED_GRAPE
from agbench.simulators.wofost.wofost_grape import (
    integrate_crop,
    manage_layered,
    start_crop_layered,
    vine_rates_with,
)
from agbench.simulators.wofost.wofost_npk_layered import integrate_soil, soil_rates, start_soil
from agbench.simulators.wofost.wofost_perennial_layered import transpire_from_layers

VARIABLES: Final = LAYERED_GRAPE
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop_layered, vine_rates_with(transpire_from_layers), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage_layered,
)
