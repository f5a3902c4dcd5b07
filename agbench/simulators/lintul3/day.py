"""A day of LINTUL-3, in PCSE's order: integrate yesterday's rates, manage, compute today's rates."""

from typing import Any

from agbench.compiled import inlined, kernel
from agbench.simulators.field.afgen import afgen
from agbench.simulators.field.day_loop import day_loop
from agbench.simulators.lintul3 import growth, leaf_area, nitrogen, water
from agbench.simulators.lintul3.parameters import FLVTB, FRTTB, FSOTB, FSTTB, NMXLV, RDRT, SLACF
from agbench.simulators.lintul3.phenology import development_rates, integrate_phenology
from agbench.simulators.lintul3.variables import EMERGING, NO_CROP, VEGETATIVE
from agbench.variables import Floats

_MM_PER_CM = 10.0
_J_PER_MJ = 1e6
_G_M2_PER_KG_HA = 0.1


@kernel
def start_soil(s: Any, p: Any) -> None:
    """Set the soil at the start of the simulation.

    WC stays 0 until the first integration, as in PCSE: a crop that starts with the simulation
    does not grow on its first day.
    """
    s.ROOTD = p.ROOTDI
    s.WA = 1000.0 * p.ROOTDI * p.WCI


@kernel
def start_crop(s: Any, p: Any) -> None:
    """Set the crop's states at sowing or emergence."""
    s.STAGE = EMERGING if p.sown == 1 else VEGETATIVE
    s.DVS = -0.1 if p.sown == 1 else p.DVSI
    s.LAI = p.LAII
    s.WLVG = p.WLVGI
    s.WST = p.WSTI
    s.WSO = p.WSOI
    s.WRT = p.WRTLI
    s.ANLV = p.NFRLVI * p.WLVGI
    s.ANST = p.NFRSTI * p.WSTI
    s.ANRT = p.NFRRTI * p.WRTLI
    s.TNSOIL = p.TNSOILI
    s.NUPAG = 0.0 if p.sown == 1 else s.ANLV + s.ANST


@kernel
def growth_rates(s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the crop above and below ground [g m-2 d-1] and of its nitrogen."""
    mean_temperature = 0.5 * (w.TMIN + w.TMAX)
    radiation = w.IRRAD / _J_PER_MJ
    leaf_maximum = afgen(tables[NMXLV], s.DVS)
    s.TRANRF = s.TRAN / s.PTRAN if s.PTRAN != 0.0 else 1.0
    s.NNI = nitrogen.nutrition_index(s, p, leaf_maximum)
    s.NRF = growth.nitrogen_reduction(s.NNI, p)
    s.GRF = min(s.TRANRF, s.NRF)

    roots, leaves, stems, storage = growth.partition(
        afgen(tables[FRTTB], s.DVS),
        afgen(tables[FLVTB], s.DVS),
        afgen(tables[FSTTB], s.DVS),
        afgen(tables[FSOTB], s.DVS),
        s.TRANRF,
        s.NNI,
        p,
    )
    total = growth.potential_growth(radiation, s.LAI, p) * s.GRF
    moved = growth.stem_reserves(s, p)

    sla = leaf_area.specific_leaf_area(afgen(tables[SLACF], s.DVS), s.NNI, p)
    warmth = max(0.0, mean_temperature - p.TBASE)
    dying = leaf_area.relative_leaf_death(s, p, afgen(tables[RDRT], mean_temperature))
    starved = leaf_area.leaf_death_by_nitrogen(s, p)
    dead_leaves = s.WLVG * dying + starved
    dead_roots = s.WRT * p.RDRRT if s.DVS >= p.DVSDR else 0.0

    lost = leaf_area.area_lost(s, p, dying, starved, sla)
    s.rLAI = leaf_area.leaf_area_growth(s, p, sla, leaves * total, warmth) - lost
    s.rWLVG = total * leaves - dead_leaves
    s.rWLVD = dead_leaves
    s.rWST = total * stems - moved
    s.rWSO = total * storage + moved
    s.rWRT = total * roots - dead_roots
    s.rWDRT = dead_roots
    s.rTGROWTH = total
    s.rCUMPAR = radiation * growth.PAR_FRACTION
    s.RROOTD = min(p.RRDMAX, p.ROOTDM - s.ROOTD) if s.WC > p.WCWP else 0.0
    nitrogen.nitrogen_rates(s, p, leaf_maximum, dead_leaves, dead_roots)


@kernel
def rates(s: Any, p: Any, tables: Floats, w: Any, irrigation: float) -> None:
    """Compute all rates of the day from its states, weather and effective `irrigation` [cm]."""
    if s.STAGE == NO_CROP:
        s.PEVAP = _MM_PER_CM * w.ES0
    else:
        water.potential_rates(s, _MM_PER_CM * w.ES0, _MM_PER_CM * w.ET0)
        s.TRAN = water.transpiration(s, p)
        development_rates(s, p, tables, w)
        if s.STAGE != EMERGING:
            growth_rates(s, p, tables, w)
    water.water_rates(s, p, _MM_PER_CM * w.RAIN, _MM_PER_CM * irrigation)


@kernel
def integrate(s: Any, p: Any) -> bool:
    """Advance all states by a day; return whether the crop matured on it."""
    matured = False
    if s.STAGE != NO_CROP:
        matured = integrate_phenology(s, p)
        if s.STAGE != EMERGING:
            integrate_crop(s)
    water.integrate_water(s)
    return matured


@kernel
def integrate_crop(s: Any) -> None:
    """Advance the states of the growing crop by a day."""
    s.LAI += s.rLAI
    s.ANLV += s.rANLV
    s.ANST += s.rANST
    s.ANRT += s.rANRT
    s.ANSO += s.rANSO
    s.NUPTT += s.rNUPTT
    s.NLOSSL += s.rNLOSSL
    s.NLOSSR += s.rNLOSSR
    s.WLVG += s.rWLVG
    s.WLVD += s.rWLVD
    s.WST += s.rWST
    s.WSO += s.rWSO
    s.WRT += s.rWRT
    s.ROOTD += s.RROOTD
    s.TGROWTH += s.rTGROWTH
    s.WDRT += s.rWDRT
    s.CUMPAR += s.rCUMPAR
    s.TNSOIL += s.rTNSOIL
    s.TAGBM = s.WLVG + s.WLVD + s.WST + s.WSO
    s.NUPAG = s.ANLV + s.ANST + s.ANSO


@kernel
def _keep_fertiliser(s: Any, nitrogen_g_m2: float) -> None:
    s.FERTNS += nitrogen_g_m2


@kernel
def _forget_fertiliser(s: Any, nitrogen_g_m2: float) -> None:
    if nitrogen_g_m2 > 0.0 and s.STAGE != NO_CROP:
        s.FERTNS = nitrogen_g_m2


@kernel
def fertilise(s: Any, p: Any, nitrogen_g_m2: float) -> None:
    """Put effective fertiliser [g m-2] where today's rates, or the emerging crop's, find it.

    PCSE forgets fertiliser given before a crop is there, and what still waits when more comes;
    the sound setting keeps both.
    """
    if p.SOUND == 1.0:
        _keep_fertiliser(s, nitrogen_g_m2)
    else:
        _forget_fertiliser(s, nitrogen_g_m2)


@kernel
def manage_crop(s: Any, p: Any, today: int) -> bool:
    """Start the crop on its day; return whether the calendar ends it today."""
    if s.STAGE != NO_CROP:
        s.DURATION += 1.0
    if today == p.crop_start:
        start_crop(s, p)
    if s.STAGE == NO_CROP:
        return False
    return today == p.crop_end or p.max_duration == s.DURATION


@kernel
def _clear_rates(s: Any) -> None:
    """Zero the rates that a day may leave unset: those of a crop that is not growing."""
    s.RROOTD = 0.0
    s.TRAN = 0.0
    s.TRANRF = 0.0


@inlined
def _start(state: Floats, records: Any, memory: Floats, i: int, p: Any, *rest: Any) -> bool:
    """Set the states of the first day."""
    start_soil(records[i], p)
    return False


@inlined
def _integrate(state: Floats, records: Any, memory: Floats, i: int, p: Any, *rest: Any) -> bool:
    """Advance the states to day `t`; return whether the crop matured."""
    matured = integrate(records[i], p)
    _clear_rates(records[i])
    return matured


@inlined
def _rates(
    state: Floats,
    records: Any,
    memory: Floats,
    i: int,
    p: Any,
    tables: Floats,
    series: Any,
    k: int,
    t: int,
    inputs: Any,
    acts: bool,
    matured: bool,
) -> bool:
    """Manage day `t` and compute its rates; return whether the crop ends on it."""
    s = records[i]
    ended = manage_crop(s, p, t)
    fertilise(s, p, _G_M2_PER_KG_HA * (inputs.N_EFF if acts else 0.0))
    rates(s, p, tables, series[k, t], inputs.IRRIG_EFF if acts else 0.0)
    return ended or (matured and p.ends_at_maturity == 1)


begin, advance = day_loop(__name__, _start, _integrate, _rates)
