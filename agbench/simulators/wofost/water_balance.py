"""The classic water balance: a root zone that drains freely to the subsoil below it.

C.A. van Diepen, C. Rappoldt, J. Wolf, H. van Keulen (1988), Crop growth simulation model WOFOST,
documentation version 4.1; soil evaporation after Stroosnijder (1987).

Reads: RIRR, GROWING, CROP from the day; TRA, EVSMX, EVWMX from evapotranspiration; RAIN, ES0, E0 from
    weather; RD from roots.
Sets: SS, SSI, WC, WI, WLOW, WLOWI, WWLOW, RDOLD, WTRAT, EVWT, EVST, RAINT, TOTINF, TOTIRR, TSR, PERCT,
    LOSST, WSUPPLIED, WBALRT, WBALTT, WART [cm]; SM [cm3 cm-3]; DSLR, DSOS [d]; LOSS, PERC, EVS, DW,
    WTRA, RIN, RINOLD, DWLOW, DSS, DTSR, DRAINT, EVW [cm d-1].
"""

import math
from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.tables import limit
from agbench.simulators.wofost.variables import STANDING

_BARE_DEPTH = 10.0  # cm; depth of the root zone without a crop
_PONDED = 0.1  # cm; water on the surface from which it limits infiltration
_OPEN_WATER = 1.0  # cm; water on the surface from which it evaporates in place of the soil


@kernel
def rooted_depth(s: Any) -> float:
    """Return the depth of the root zone [cm]."""
    return s.RD if s.CROP == STANDING else _BARE_DEPTH


@kernel
def start_water(s: Any, p: Any) -> None:
    """Fill the soil with WAV [cm] above wilting, as much as SMLIM allows in the root zone."""
    most = limit(p.SMW, p.SM0, p.SMLIM)
    below = max(_BARE_DEPTH, p.RDMSOL) - _BARE_DEPTH
    s.SS = s.SSI = p.SSI
    s.SM = limit(p.SMW, most, p.SMW + p.WAV / _BARE_DEPTH)
    s.WC = s.WI = s.SM * _BARE_DEPTH
    rest = p.WAV + (below + _BARE_DEPTH) * p.SMW - s.WC
    s.WLOW = s.WLOWI = limit(0.0, p.SM0 * below, rest)
    s.WWLOW = s.WC + s.WLOW
    s.DSLR = 1.0 if s.SM >= p.SMW + 0.5 * (p.SMFCF - p.SMW) else 5.0
    s.RDOLD = _BARE_DEPTH


@kernel
def evaporation_rates(s: Any, w: Any) -> None:
    """Set EVW and EVS [cm d-1]: of ponded water, or of soil, falling with the root of the dry days."""
    shaded = s.GROWING > 0.0
    if s.SS > _OPEN_WATER:
        s.EVW = s.EVWMX if shaded else w.E0
        return
    wet_soil = s.EVSMX if shaded else w.ES0
    if s.RINOLD >= 1.0:
        s.EVS = wet_soil
        s.DSLR = 1.0
    else:
        drying = wet_soil * (math.sqrt(s.DSLR + 1.0) - math.sqrt(s.DSLR))
        s.EVS = min(wet_soil, drying + s.RINOLD)
        s.DSLR += 1.0


@kernel
def infiltrating_share(rain: float, p: Any) -> float:
    """Return the share of rain [cm d-1] that does not run off at once [-]."""
    if p.IFUNRN == 0.0:
        return 1.0 - p.NOTINF
    return 1.0 - p.NOTINF * limit(0.0, 1.0, rain - 0.5)


@kernel
def _all_irrigation(p: Any, s: Any) -> float:
    return s.RIRR


@kernel
def _no_irrigation(p: Any, s: Any) -> float:
    return 0.0


irrigation_again = repaired("W1", published=_all_irrigation, sound=_no_irrigation)
"""Irrigation that enters a second time where water is ponded [cm d-1], as in PCSE before 6.0."""


@kernel
def _as_it_is(p: Any, amount: float) -> float:
    return amount


@kernel
def _at_least_zero(p: Any, amount: float) -> float:
    return max(amount, 0.0)


_not_negative = repaired("SOUND", published=_as_it_is, sound=_at_least_zero)
"""Infiltration, or water on the surface, which rounding may take below zero."""


@kernel
def _supply_at_surface(s: Any, p: Any, rain: float, again: float) -> float:
    """Return the water that could infiltrate [cm d-1]; with ponded water `again` enters too."""
    supply = infiltrating_share(rain, p) * rain + s.RIRR + s.SS
    if s.SS > _PONDED:
        return min(p.SOPE, supply + again - s.EVW)
    return supply


@kernel
def _percolation(s: Any, p: Any, depth: float) -> None:
    """Set PERC and LOSS [cm d-1] at the rooted `depth` [cm]."""
    below = max(_BARE_DEPTH, p.RDMSOL) - depth
    excess = limit(0.0, p.SOPE, s.WC - p.SMFCF * depth - s.WTRA - s.EVS)
    s.LOSS = limit(0.0, p.KSUB, s.WLOW - p.SMFCF * below + excess)
    s.PERC = min(excess, below * p.SM0 - s.WLOW + s.LOSS)


@kernel
def _leave_transpiration(p: Any, s: Any) -> None:
    if s.EVS < 0.0:
        s.WTRA += s.EVS
        s.EVS = 0.0


_keep_evaporation_positive = repaired("W2", published=unchanged, sound=_leave_transpiration)
"""What exceeds evaporation is taken from transpiration; unrepaired, evaporation turns negative."""


@kernel
def _run_dry(s: Any, p: Any) -> None:
    """Limit evaporation to the water that there is."""
    s.EVS += s.WC + s.DW
    s.DW = -s.WC
    _keep_evaporation_positive(p, s)


@kernel
def water_rates(s: Any, p: Any, w: Any, again: float) -> None:
    """Set the rates of the soil water balance [cm d-1]; RIRR is already set.

    `again` is irrigation that enters a second time where water is ponded [cm d-1].
    """
    s.WTRA = s.TRA
    evaporation_rates(s, w)
    supply = _supply_at_surface(s, p, w.RAIN, again)
    depth = rooted_depth(s)
    _percolation(s, p, depth)
    s.RIN = _not_negative(p, min(supply, (p.SM0 - s.SM) * depth + s.WTRA + s.EVS + s.PERC))
    s.RINOLD = s.RIN
    s.DW = s.RIN - s.WTRA - s.EVS - s.PERC
    s.DWLOW = s.PERC - s.LOSS
    if s.WC + s.DW < 0.0:
        _run_dry(s, p)
    left = w.RAIN + s.RIRR - s.EVW - s.RIN
    s.DSS = min(left, p.SSMAX - s.SS)
    s.DTSR = left - s.DSS
    s.DRAINT = w.RAIN


@kernel
def integrate_water(s: Any, p: Any) -> None:
    """Advance the soil water by a day; the rooting depth is already that of today."""
    s.WTRAT += s.WTRA
    s.EVWT += s.EVW
    s.EVST += s.EVS
    s.RAINT += s.DRAINT
    s.TOTINF += s.RIN
    s.TOTIRR += s.RIRR
    s.SS = _not_negative(p, s.SS + s.DSS)
    s.TSR += s.DTSR
    s.WC += s.DW
    s.PERCT += s.PERC
    s.LOSST += s.LOSS
    s.WLOW += s.DWLOW
    s.WWLOW = s.WC + s.WLOW
    follow_roots(p, s)


@kernel
def count_wet_days(s: Any, p: Any, counts: bool) -> None:
    """Advance DSOS, the days in a row on which the root zone holds too little air."""
    s.DSOS = s.DSOS + 1.0 if counts and s.SM >= p.SM0 - p.CRAIRC else 0.0


@kernel
def hold_at_field_capacity(s: Any, p: Any) -> None:
    """Keep the root zone at field capacity, booking the water that this takes as WSUPPLIED."""
    field_capacity = p.SMFCF * s.RDOLD
    s.WSUPPLIED += field_capacity - s.WC
    s.WC = field_capacity
    s.WWLOW = s.WC + s.WLOW
    s.SM = p.SMFCF


@kernel
def check_water(s: Any) -> None:
    """Set WBALRT and WBALTT, what the balances leave unexplained since the start [cm]."""
    s.WBALRT = s.TOTINF + s.WI + s.WART + s.WSUPPLIED
    s.WBALRT -= s.EVST + s.WTRAT + s.PERCT + s.WC
    s.WBALTT = s.SSI + s.RAINT + s.TOTIRR + s.WI + s.WLOWI + s.WSUPPLIED
    s.WBALTT -= s.WC + s.WLOW + s.SS + s.WTRAT + s.EVWT + s.EVST + s.TSR + s.LOSST


@kernel
def follow_roots(p: Any, s: Any) -> None:
    """Move water between root zone and subsoil to today's depth of the root zone, and set SM."""
    depth = rooted_depth(s)
    change = depth - s.RDOLD
    if change > 0.001:
        below = p.RDMSOL - s.RDOLD
        moved = min(s.WLOW, s.WLOW * change / below) if below > 0.0 else 0.0
    else:
        moved = s.WC * change / s.RDOLD
    s.WLOW -= moved
    s.WC += moved
    s.WART += moved
    s.RDOLD = depth
    s.SM = s.WC / s.RDOLD


settle = repaired("C2", published=unchanged, sound=follow_roots)
"""What the water does when young trees replace old ones; unrepaired, no trees are replanted."""
