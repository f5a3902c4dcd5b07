"""Soil water of potential production in WOFOST 7.2 and 8.1: always at field capacity.

Reads: TRA, EVSMX from evapotranspiration; RAIN, ES0 from weather; GROWING from the day.
Sets: SM [cm3 cm-3]; DSLR [d]; WTRA, RINOLD, EVS [cm d-1]; EVST, WTRAT [cm].
"""

import math
from typing import Any

from agbench.compiled import kernel


@kernel
def start_potential_water(s: Any, p: Any) -> None:
    """Put the soil at field capacity."""
    s.SM = p.SMFCF
    s.DSLR = 1.0


@kernel
def potential_water_rates(s: Any, w: Any) -> None:
    """Set soil evaporation and transpiration [cm d-1]; RINOLD holds the rain of the day before."""
    wet_soil = s.EVSMX if s.GROWING > 0.0 else w.ES0
    s.WTRA = s.TRA
    if s.RINOLD >= 1.0:
        s.EVS = wet_soil
        s.DSLR = 1.0
    else:
        s.DSLR += 1.0
        drying = wet_soil * (math.sqrt(s.DSLR) - math.sqrt(s.DSLR - 1.0))
        s.EVS = min(wet_soil, drying + s.RINOLD)
    s.RINOLD = w.RAIN


@kernel
def integrate_potential_water(s: Any, p: Any) -> None:
    """Advance the sums by a day."""
    s.SM = p.SMFCF
    s.EVST += s.EVS
    s.WTRAT += s.WTRA
