"""Water: demand of air and crop, uptake by roots, and the balance of one rooted layer.

Reads: TRAN, ROOTD, LAI, RROOTD from the day.
Sets: PEVAP, PTRAN, rTRAIN, rTTRAN, rTEVAP, rTDRAIN, rTRUNOF, rTIRRIG, rTEXPLO, rWA [mm d-1]; WA,
    TRUNOF, TTRAN, TEVAP, TDRAIN, TRAIN, TEXPLO, TIRRIG [mm]; WC [m3 m-3]; DSLR [d].
"""

import math
from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.lintul3.phenology import limit

_RAINY = 0.5  # mm d-1; rain that resets the days since the last rain


@kernel
def potential_rates(s: Any, es0: float, et0: float) -> None:
    """Set PEVAP and PTRAN [mm d-1] from those of bare soil and closed crop [mm d-1]."""
    open_share = exp(-0.5 * s.LAI)
    s.PEVAP = max(0.0, open_share * es0)
    s.PTRAN = max(0.0, (1.0 - open_share) * et0)


@kernel
def transpiration(s: Any, p: Any) -> float:
    """Return actual transpiration [mm d-1], reduced on dry and on waterlogged soil.

    The critical water content falls with the crop's drought tolerance TRANCO. With WMFAC
    (flooded rice) waterlogging does no harm.
    """
    share = s.PTRAN / (s.PTRAN + p.TRANCO)
    critical = p.WCWP + max(0.01, share * (p.WCFC - p.WCWP))
    if critical > s.WC:
        return s.PTRAN * limit(0.0, 1.0, (s.WC - p.WCWP) / (critical - p.WCWP))
    if p.WMFAC == 1.0 or s.WC <= p.WCWET:
        return float(s.PTRAN)
    return s.PTRAN * limit(0.0, 1.0, (p.WCST - s.WC) / (p.WCST - p.WCWET))


@kernel
def soil_evaporation(s: Any, p: Any, rain: float, depth: float) -> float:
    """Return soil evaporation [mm d-1]: potential after rain, then by the root of dry days.

    `rain` [mm d-1], `depth` of the rooted layer [mm]; Stroosnijder 1987. Never below air dryness.
    """
    if rain >= _RAINY:
        s.DSLR = 1.0
        demand = s.PEVAP
    else:
        s.DSLR += 1.0
        drying = s.PEVAP * (math.sqrt(s.DSLR) - math.sqrt(s.DSLR - 1.0))
        demand = min(s.PEVAP, drying + rain)
    if demand <= 0.0:
        return 0.0
    return demand * min(1.0, (s.WA - p.WCAD * depth) / demand)


@kernel
def water_rates(s: Any, p: Any, rain: float, irrigation: float) -> None:
    """Set the rates of the soil water balance [mm d-1].

    `rain` and effective `irrigation` [mm d-1]. With IRRIGF the model irrigates by itself, to field
    capacity or, with WMFAC, to saturation.
    """
    depth = 1000.0 * s.ROOTD
    capacity = p.WCFC * depth
    saturation = p.WCST * depth
    s.rTRAIN = rain
    s.rTTRAN = s.TRAN
    s.rTEVAP = soil_evaporation(s, p, rain, depth)
    supply = rain - s.rTEVAP - s.TRAN
    s.rTDRAIN = limit(0.0, p.DRATE, (s.WA - capacity) + supply)
    s.rTRUNOF = max(0.0, (s.WA - saturation) + (supply - s.rTDRAIN))
    s.rTIRRIG = irrigation
    if p.IRRIGF == 1.0:
        target = saturation if p.WMFAC == 1.0 else capacity
        s.rTIRRIG += max(0.0, (target - s.WA) - (supply - s.rTDRAIN - s.rTRUNOF))
    s.rTEXPLO = 1000.0 * s.RROOTD * p.WCSUBS
    gains = rain + s.rTEXPLO + s.rTIRRIG
    s.rWA = gains - (s.rTRUNOF + s.TRAN + s.rTEVAP + s.rTDRAIN)


@kernel
def integrate_water(s: Any) -> None:
    """Advance the soil water by a day; the rooting depth is already the new one."""
    s.WA += s.rWA
    s.TRUNOF += s.rTRUNOF
    s.TTRAN += s.rTTRAN
    s.TEVAP += s.rTEVAP
    s.TDRAIN += s.rTDRAIN
    s.TRAIN += s.rTRAIN
    s.TEXPLO += s.rTEXPLO
    s.TIRRIG += s.rTIRRIG
    s.WC = s.WA / (1000.0 * s.ROOTD)
