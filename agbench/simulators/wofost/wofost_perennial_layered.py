"""WOFOST for perennial crops on a layered soil, from whose layers the crop draws its water."""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.layered_water import layered_transpiration
from agbench.simulators.wofost.variables import LAYERED_PERENNIAL, MOST_LAYERS
from agbench.simulators.wofost.wofost_npk_layered import integrate_soil, soil_rates, start_soil
from agbench.simulators.wofost.wofost_perennial import (
    crop_rates_with,
    integrate_crop,
    manage_layered,
    start_crop_layered,
)
from agbench.variables import Floats

VARIABLES: Final = LAYERED_PERENNIAL
"""The columns of a row of state."""
_FIRST_LAYER = VARIABLES.column("TRALY_1")


@kernel
def transpire_from_layers(x: Floats, s: Any, p: Any, tables: Floats, w: Any, share: float) -> None:
    """Transpire from the layers below the `share` of the ground that trees cover."""
    layered_transpiration(x, s, p, tables, w)
    for i in range(_FIRST_LAYER, _FIRST_LAYER + MOST_LAYERS):
        x[i] *= share


begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop_layered, crop_rates_with(transpire_from_layers), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage_layered,
)
