"""The water balance of a layered soil: flow by gravity and suction between layers, roots in each.

The multi-layer balance of WOFOST in PCSE 6 (C. Rappoldt et al.): flow through a boundary is at most
what the wetter or the drier side conducts and what the layer below can take; upward flow is at most
half of what would level the potentials. Layers count from the top; FLOW_i enters layer i.

Reads: RAIN from weather; EVW from water balance; RIRR, GROWING, CROP, DURATION from the day; RD from
    roots; TRAMX from evapotranspiration; IN_CROP from phenology.
Sets: DSLR, IDWST, IDOST, DSOS [d]; SS, SSI, RDOLD, RDMOLD, WC, WLOW, WBOT, WAVUPP, WAVLOW, WAVBOT,
    WWLOW, WTRAT, EVWT, EVST, RAINT, TOTINF, TOTIRR, TSR, BOTTOMFLOWT, WBALTT, WI, WSUPPLIED [cm]; SM
    [cm3 cm-3]; RFWS, RFOS, RFTRA, IDWS, IDOS [-]; EVS, WTRA, RIN, RINOLD, BOTTOMFLOW, DSS, DTSR,
    DRAINT, TRA [cm d-1].
"""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.compiled.elementary import exp10
from agbench.simulators.wofost.evapotranspiration import canopy_evaporation, depletion_fraction
from agbench.simulators.wofost.layers import CURVES, FIRST_CURVE
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import limit, table
from agbench.simulators.wofost.variables import LAYERED81, REMOVED
from agbench.simulators.wofost.water_balance import (
    evaporation_rates,
    infiltrating_share,
    irrigation_again,
    rooted_depth,
)
from agbench.variables import Floats

SM1: Final = LAYERED81.column("SM_1")
WC1: Final = LAYERED81.column("WC_1")
TRALY1: Final = LAYERED81.column("TRALY_1")
DWC1: Final = LAYERED81.column("DWC_1")
FLOW1: Final = LAYERED81.column("FLOW_1")
FLOWMX1: Final = LAYERED81.column("FLOWMX_1")

_MOISTURE, _CONDUCTIVITY, _SUCTION, _POTENTIAL = range(CURVES)
_BARE_DEPTH = 10.0  # cm
_MOST_ITERATIONS = 50
_TINY_FLOW = 0.001  # cm d-1
_UPWARD_SHARE = 0.5  # -; of the amount that would level the potentials
_PONDED = 0.1  # cm
_WET_DAYS = 4.0  # d


@kernel
def _curve(tables: Floats, layer: int, which: int, x: float) -> float:
    """Return a curve of a layer at `x`."""
    return table(tables, FIRST_CURVE + CURVES * layer + which, x)


@kernel
def _root_weight(p: Any, i: int, top: float, depth: float) -> float:
    """Return the share of a layer that begins at `top` [cm] within the rooted `depth` [cm]."""
    bottom = top + p.THICKNESS[i]
    if bottom <= depth:
        return 1.0
    if top < depth:
        return 1.0 - (bottom - depth) / p.THICKNESS[i]
    return 0.0


@kernel
def start_layers(x: Floats, s: Any, p: Any) -> None:
    """Fill the layers with WAV [cm] above wilting: first where roots are, then below."""
    top_most = low_most = top = 0.0
    for i in range(p.LAYERS):
        wet = limit(p.LAYER_SMW[i], p.LAYER_SM0[i], p.SMLIM) if top < _BARE_DEPTH else p.LAYER_SM0[i]
        capacity = (wet - p.LAYER_SMW[i]) * p.THICKNESS[i]
        if top < _BARE_DEPTH:
            top_most += capacity
        else:
            low_most += capacity
        top += p.THICKNESS[i]
        x[WC1 + i] = capacity
    top_share = limit(0.0, 1.0, p.WAV / top_most) if top_most > 0.0 else 0.0
    low_share = limit(0.0, 1.0, (p.WAV - top_most) / low_most) if low_most > 0.0 else 0.0
    top = 0.0
    for i in range(p.LAYERS):
        share = top_share if top < _BARE_DEPTH else low_share
        x[SM1 + i] = p.LAYER_SMW[i] + x[WC1 + i] * share / p.THICKNESS[i]
        x[WC1 + i] = x[SM1 + i] * p.THICKNESS[i]
        s.WI += x[WC1 + i]
        top += p.THICKNESS[i]
    half_wet = p.LAYER_SMW[0] + 0.5 * (p.LAYER_SMFCF[0] - p.LAYER_SMW[0])
    s.DSLR = 5.0 if x[SM1] <= half_wet else 1.0
    s.SS = s.SSI = p.SSI
    s.RDOLD = _BARE_DEPTH
    s.RDMOLD = top
    _sum_layers(x, s, p, _BARE_DEPTH)


@kernel
def _sum_layers(x: Floats, s: Any, p: Any, depth: float) -> None:
    """Set the water within, below and out of reach of the roots, and the mean moisture."""
    s.WC = s.WLOW = s.WBOT = s.WAVUPP = s.WAVLOW = s.WAVBOT = 0.0
    top = 0.0
    for i in range(p.LAYERS):
        bottom = top + p.THICKNESS[i]
        rooted = _root_weight(p, i, top, s.RDOLD)
        beyond = 1.0 if rooted == 0.0 and not s.RDOLD < bottom <= s.RDMOLD else 0.0
        below = 1.0 - rooted - beyond
        available = x[WC1 + i] - p.LAYER_SMW[i] * p.THICKNESS[i]
        s.WC += x[WC1 + i] * rooted
        s.WLOW += x[WC1 + i] * below
        s.WBOT += x[WC1 + i] * beyond
        s.WAVUPP += available * rooted
        s.WAVLOW += available * below
        s.WAVBOT += available * beyond
        top = bottom
    s.WWLOW = s.WC + s.WLOW
    s.SM = s.WC / depth


@kernel
def layered_transpiration(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set evaporation under the canopy and transpiration by layer [cm d-1]; roots are uniform."""
    demand = canopy_evaporation(s, p, tables, w)
    easy = depletion_fraction(demand, p.DEPNR)
    top = 0.0
    s.RFWS = s.RFOS = 1.0
    for i in range(p.LAYERS):
        dry, wet = p.LAYER_SMW[i], p.LAYER_SM0[i]
        critical = (1.0 - easy) * (p.LAYER_SMFCF[i] - dry) + dry
        drought = limit(0.0, 1.0, (x[SM1 + i] - dry) / (critical - dry))
        oxygen = 1.0
        if p.IAIRDU == 0.0 and p.IOX == 1.0:
            airless = x[SM1 + i] >= wet - p.LAYER_CRAIRC[i]
            s.DSOS = min(s.DSOS + 1.0, _WET_DAYS) if airless else 0.0
            least = limit(0.0, 1.0, (wet - x[SM1 + i]) / p.LAYER_CRAIRC[i])
            oxygen = least + (1.0 - s.DSOS / _WET_DAYS) * (1.0 - least)
        rooted = max(0.0, min(s.RD, top + p.THICKNESS[i]) - top) / s.RD
        x[TRALY1 + i] = s.TRAMX * (oxygen * drought) * rooted
        s.TRA += x[TRALY1 + i]
        s.RFWS = min(s.RFWS, drought)
        s.RFOS = min(s.RFOS, oxygen)
        top += p.THICKNESS[i]
    s.RFTRA = s.TRA / s.TRAMX if s.TRAMX > 0.0 else 1.0
    s.IDWS = 1.0 if s.RFWS < 1.0 else 0.0
    s.IDOS = 1.0 if s.RFOS < 1.0 else 0.0
    s.IDWST += s.IDWS
    s.IDOST += s.IDOS


@kernel
def _dry_flow(x: Floats, p: Any, tables: Floats, i: int) -> float:
    """Return the flow by suction from layer i-1 into i of another kind [cm d-1], by bisection."""
    pf_above = _curve(tables, i - 1, _SUCTION, x[SM1 + i - 1])
    pf_below = _curve(tables, i, _SUCTION, x[SM1 + i])
    above = _curve(tables, i - 1, _POTENTIAL, pf_above)
    below = _curve(tables, i, _POTENTIAL, pf_below)
    down = into = 0.0
    for _ in range(_MOST_ITERATIONS):
        middle = (pf_above + pf_below) / 2.0
        down = 2.0 * (above - _curve(tables, i - 1, _POTENTIAL, middle)) / p.THICKNESS[i - 1]
        into = 2.0 * (_curve(tables, i, _POTENTIAL, middle) - below) / p.THICKNESS[i]
        if abs(down - into) < _TINY_FLOW:
            break
        if abs(down) > abs(into):
            pf_below = middle
        elif abs(down) < abs(into):
            pf_above = middle
    return (down + into) / 2.0


@kernel
def _moisture_levels(p: Any) -> int:
    return _MOISTURE


@kernel
def _suction_levels(p: Any) -> int:
    return _SUCTION


_levelled = repaired("SOUND", published=_moisture_levels, sound=_suction_levels)
"""The curve that flow levels; PCSE reads that of moisture, from pF, at the moisture."""


@kernel
def _levelling_amount(x: Floats, p: Any, tables: Floats, i: int) -> float:
    """Return the (negative) downward amount that levels layers i-1 and i of different kinds [cm]."""
    most, least = -x[WC1 + i], 0.0
    which = _levelled(p)
    amount = 0.0
    for _ in range(_MOST_ITERATIONS):
        amount = (most + least) / 2.0
        above = _curve(tables, i - 1, which, (x[WC1 + i - 1] - amount) / p.THICKNESS[i - 1])
        below = _curve(tables, i, which, (x[WC1 + i] + amount) / p.THICKNESS[i])
        if abs(most - least) < _TINY_FLOW:
            break
        if above > below:
            least = amount
        else:
            most = amount
    return amount


@kernel
def _boundary_flow(x: Floats, p: Any, tables: Floats, i: int) -> float:
    """Return the most that flows into layer `i` [cm d-1], negative upward; FLOWMX below is set."""
    below = x[FLOWMX1 + i + 1]
    takes = below + (p.LAYER_SM0[i] * p.THICKNESS[i] - x[WC1 + i]) + x[TRALY1 + i]
    if i == 0:
        return min(p.SURFACE_CONDUCTIVITY, takes)
    upper, lower = p.THICKNESS[i - 1], p.THICKNESS[i]
    conducts_above, conducts_below = _conductivity(x, tables, i - 1), _conductivity(x, tables, i)
    wet = (upper + lower) / (upper / conducts_above + lower / conducts_below)
    if p.LAYER_KIND[i - 1] == p.LAYER_KIND[i]:
        above = _curve(tables, i - 1, _POTENTIAL, _curve(tables, i - 1, _SUCTION, x[SM1 + i - 1]))
        under = _curve(tables, i, _POTENTIAL, _curve(tables, i, _SUCTION, x[SM1 + i]))
        dry = 2.0 * (above - under) / (upper + lower)
    else:
        dry = _dry_flow(x, p, tables, i)
    if dry < 0.0:
        if p.LAYER_KIND[i - 1] == p.LAYER_KIND[i]:
            mean = (x[WC1 + i - 1] + x[WC1 + i]) / (upper + lower)
            levels = x[WC1 + i - 1] - upper * mean
        else:
            levels = _levelling_amount(x, p, tables, i)
        deficit = x[TRALY1 + i - 1] + p.LAYER_SMFCF[i - 1] * upper - x[WC1 + i - 1]
        if deficit > 0.0:
            most = max(max(dry, levels * _UPWARD_SHARE), -deficit)
            return max(most, below + x[TRALY1 + i] - x[WC1 + i])
    return min(max(dry, wet), takes)


@kernel
def _conductivity(x: Floats, tables: Floats, i: int) -> float:
    """Return the conductivity of a layer at its moisture [cm d-1]."""
    suction = _curve(tables, i, _SUCTION, x[SM1 + i])
    return exp10(_curve(tables, i, _CONDUCTIVITY, suction))


@kernel
def _take_evaporation(x: Floats, s: Any, p: Any) -> None:
    """Let layers from the top meet soil evaporation; FLOW_i becomes what rises above i."""
    rest = s.EVS
    for i in range(p.LAYERS):
        free = x[WC1 + i] - p.LAYER_SMW[i] * p.THICKNESS[i] - x[TRALY1 + i]
        if i == 0:
            x[FLOW1] = min(s.EVS, free + s.RIN)
            rest = s.EVS - x[FLOW1]
        else:
            x[FLOW1 + i] = min(max(0.0, free), rest)
            rest -= x[FLOW1 + i]
    s.EVS -= rest
    upward = s.EVS
    for i in range(p.LAYERS):
        taken = x[FLOW1 + i]
        x[FLOW1 + i] = upward
        upward -= taken
    x[FLOW1 + p.LAYERS] = 0.0


@kernel
def layered_water_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil water [cm d-1]; RIRR and the transpiration are already set."""
    if s.GROWING == 0.0:
        for i in range(p.LAYERS):
            x[TRALY1 + i] = 0.0
    s.WTRA = s.TRA
    evaporation_rates(s, w)
    supply = infiltrating_share(w.RAIN, p) * w.RAIN + s.RIRR + s.SS
    if s.SS > _PONDED:
        supply = min(p.SURFACE_CONDUCTIVITY, supply + irrigation_again(p, s) - s.EVW)
    bottom = p.LAYERS - 1
    x[FLOWMX1 + p.LAYERS] = max(p.LAYER_COND_FC[bottom], _conductivity(x, tables, bottom))
    for i in range(bottom, -1, -1):
        x[FLOWMX1 + i] = _boundary_flow(x, p, tables, i)
    s.RIN = min(supply, x[FLOWMX1])
    s.RINOLD = s.RIN
    _take_evaporation(x, s, p)
    x[FLOW1] = s.RIN - x[FLOW1]
    for i in range(p.LAYERS):
        surplus = x[WC1 + i] - p.LAYER_SMFCF[i] * p.THICKNESS[i]
        excess = max(0.0, surplus + x[FLOW1 + i] - x[TRALY1 + i])
        x[FLOW1 + i + 1] = min(x[FLOWMX1 + i + 1], excess - x[FLOW1 + i + 1])
        x[DWC1 + i] = x[FLOW1 + i] - x[FLOW1 + i + 1] - x[TRALY1 + i]
    s.BOTTOMFLOW = x[FLOW1 + p.LAYERS]
    left = w.RAIN + s.RIRR - s.EVW - s.RIN
    s.DSS = min(left, p.SSMAX - s.SS)
    s.DTSR = left - s.DSS
    s.DRAINT = w.RAIN


@kernel
def _depth_of_last_roots(p: Any, s: Any) -> float:
    return s.RD if s.CROP == REMOVED else rooted_depth(s)


@kernel
def _rooted_depth(p: Any, s: Any) -> float:
    return rooted_depth(s)


_reach = repaired("SOUND", published=_depth_of_last_roots, sound=_rooted_depth)
"""Depth of the root zone [cm]; PCSE keeps that of the last roots once a crop is gone."""


@kernel
def integrate_layers(x: Floats, s: Any, p: Any) -> None:
    """Advance the layers by a day; the rooting depth is already that of today."""
    for i in range(p.LAYERS):
        x[WC1 + i] += x[DWC1 + i]
        x[SM1 + i] = x[WC1 + i] / p.THICKNESS[i]
    s.WTRAT += s.WTRA
    s.EVWT += s.EVW
    s.EVST += s.EVS
    s.RAINT += s.DRAINT
    s.TOTINF += s.RIN
    s.TOTIRR += s.RIRR
    s.SS += s.DSS
    s.TSR += s.DTSR
    s.BOTTOMFLOWT += s.BOTTOMFLOW
    if s.DURATION == 0.0 and s.IN_CROP > 0.0:
        s.RDMOLD = p.RDMCR
    depth = _reach(p, s)
    if abs(depth - s.RDOLD) > 0.001:
        s.RDOLD = depth
    _sum_layers(x, s, p, depth)


@kernel
def hold_layers_at_field_capacity(x: Floats, s: Any, p: Any) -> None:
    """Keep all layers at field capacity, booking the water that this takes as WSUPPLIED."""
    for i in range(p.LAYERS):
        field_capacity = p.LAYER_SMFCF[i] * p.THICKNESS[i]
        s.WSUPPLIED += field_capacity - x[WC1 + i]
        x[WC1 + i] = field_capacity
        x[SM1 + i] = p.LAYER_SMFCF[i]
    _sum_layers(x, s, p, s.RDOLD)


@kernel
def check_layers(x: Floats, s: Any, p: Any) -> None:
    """Set WBALTT, what the balance of all layers leaves unexplained since the start [cm]."""
    s.WBALTT = s.SSI + s.RAINT + s.TOTIRR + s.WI + s.WSUPPLIED
    s.WBALTT -= s.SS + s.WTRAT + s.EVWT + s.EVST + s.TSR + s.BOTTOMFLOWT
    for i in range(p.LAYERS):
        s.WBALTT -= x[WC1 + i]
