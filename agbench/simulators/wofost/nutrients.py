"""Nitrogen, phosphorus and potassium in the crop: stress, demand, uptake, translocation, loss.

J. Wolf, H. Hengsdijk, A. de Wit et al.: WOFOST 8.0 with N, P and K, after LINTUL-3 (Shibu et al.
2010). The three nutrients follow the same equations: `crop_nutrient` builds their kernels.

Reads: DVS from phenology; WLV, GRLV from leaves; WST, DRST, GRST from stems; DRLV from the day; WRT,
    DRRT, GRRT from roots; WSO, DRSO from storage organs; RFTRA from evapotranspiration; xAVAIL from
    soil nutrients.
Sets: NPKI, RFNPK, xNI [-]; NFIXTOTAL, xAMOUNTLV, xAMOUNTST, xAMOUNTRT, xDEMANDLV, xDEMANDST, xDEMANDRT,
    xDEMANDSO, xDEMAND, xAMOUNTSO, xTRANSLOCATABLELV, xTRANSLOCATABLEST, xTRANSLOCATABLERT,
    xTRANSLOCATABLE, xUPTAKETOTAL, xlossesTotal, xHARVESTED [kg ha-1]; RxUPTAKESO, RxDEATHLV, RxDEATHST,
    RxDEATHRT, RxDEATHSO, RxAMOUNTLV, RxAMOUNTST, RxAMOUNTRT, RxAMOUNTSO, RxLOSS, RNFIXATION, RxUPTAKE,
    RxUPTAKELV, RxUPTAKEST, RxUPTAKERT, RxTRANSLOCATIONLV, RxTRANSLOCATIONST, RxTRANSLOCATIONRT [kg ha-1
    d-1] (x: N, P, K).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from agbench.compiled import kernel
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import KMAXLV_TB, NMAXLV_TB, PMAXLV_TB, limit, table
from agbench.variables import Floats

_DRY = 0.01  # -; RFTRA at or below which roots take nothing up
_LEAST_INDEX = 0.001  # -
MAXIMUM_TABLES = {"N": NMAXLV_TB, "P": PMAXLV_TB, "K": KMAXLV_TB}


class CropNutrient(NamedTuple):
    """The kernels of one nutrient in the crop."""

    start: Callable[..., None]
    stress: Callable[..., None]
    demand: Callable[..., None]
    uptake: Callable[..., None]
    change: Callable[..., None]
    integrate: Callable[..., None]
    harvest: Callable[..., None]
    forget: Callable[..., None]


@kernel
def _residual_content(p: Any, amount: float, weight: float, residual: float, dying: float) -> float:
    return residual * dying


@kernel
def _at_most_held(p: Any, amount: float, weight: float, residual: float, dying: float) -> float:
    return min(residual, amount / weight) * dying if weight > 0.0 else 0.0


_lost = repaired("N7", published=_residual_content, sound=_at_most_held)
"""The nutrient lost with `dying` tissue [kg ha-1 d-1]; repaired, at most what the tissue holds."""


@kernel
def _nothing(p: Any, amount: float, weight: float, dying: float) -> float:
    return 0.0


@kernel
def _all_held(p: Any, amount: float, weight: float, dying: float) -> float:
    return _at_most_held(p, amount, weight, math.inf, dying)


_lost_in_storage = repaired("N8", published=_nothing, sound=_all_held)
"""The nutrient lost with dying storage organs [kg ha-1 d-1]."""


@kernel
def _always(p: Any, s: Any) -> bool:
    return True


@kernel
def _open_to_soil(p: Any, s: Any) -> bool:
    return s.DVS < p.DVS_NPK_STOP


_fixing = repaired("N10", published=_always, sound=_open_to_soil)
"""Whether the crop fixes nitrogen; repaired, fixation ends with uptake."""


def _parameter(name: str) -> Callable[..., float]:
    """Return the kernel that reads a parameter."""

    @kernel
    def read(p: Any) -> float:
        return p[name]

    return read


@kernel
def _no_store(s: Any, p: Any) -> float:
    return 0.0


def crop_nutrient(x: str, from_store: Callable[..., float] = _no_store) -> CropNutrient:
    """Return the kernels of nutrient `x`: N, P or K.

    `from_store` returns what organs of earlier years give to growing organs [kg ha-1 d-1].
    """
    which = MAXIMUM_TABLES[x]
    fixes = x == "N"
    amount_lv, amount_st = f"{x}AMOUNTLV", f"{x}AMOUNTST"
    amount_rt, amount_so = f"{x}AMOUNTRT", f"{x}AMOUNTSO"
    movable_lv, movable_st = f"{x}TRANSLOCATABLELV", f"{x}TRANSLOCATABLEST"
    movable_rt, movable = f"{x}TRANSLOCATABLERT", f"{x}TRANSLOCATABLE"
    demand_lv, demand_st = f"{x}DEMANDLV", f"{x}DEMANDST"
    demand_rt, demand_so, demand_all = f"{x}DEMANDRT", f"{x}DEMANDSO", f"{x}DEMAND"
    uptake_lv, uptake_st = f"R{x}UPTAKELV", f"R{x}UPTAKEST"
    uptake_rt, uptake_so, uptake_all = f"R{x}UPTAKERT", f"R{x}UPTAKESO", f"R{x}UPTAKE"
    moved_lv, moved_st = f"R{x}TRANSLOCATIONLV", f"R{x}TRANSLOCATIONST"
    moved_rt = f"R{x}TRANSLOCATIONRT"
    death_lv, death_st = f"R{x}DEATHLV", f"R{x}DEATHST"
    death_rt, death_so, loss = f"R{x}DEATHRT", f"R{x}DEATHSO", f"R{x}LOSS"
    change_lv, change_st = f"R{x}AMOUNTLV", f"R{x}AMOUNTST"
    change_rt, change_so = f"R{x}AMOUNTRT", f"R{x}AMOUNTSO"
    total_uptake, total_loss = f"{x}UPTAKETOTAL", f"{x}lossesTotal"
    available, index, harvested = f"{x}AVAIL", f"{x}NI", f"{x}HARVESTED"
    stem_share, root_share = f"{x}MAXST_FR", f"{x}MAXRT_FR"
    critical_stem_share = repaired(
        "N9", published=_parameter("PMAXRT_FR" if x == "P" else stem_share), sound=_parameter(stem_share)
    )
    critical_share, storage_maximum = f"{x}CRIT_FR", f"{x}MAXSO"
    residual_lv, residual_st, residual_rt = f"{x}RESIDLV", f"{x}RESIDST", f"{x}RESIDRT"
    most, delay = f"R{x}UPTAKEMAX", f"TC{x}T"

    @kernel
    def start(s: Any, p: Any, tables: Floats) -> None:
        """Fill leaves, stems and roots to their maximum content."""
        maximum = table(tables, which, s.DVS)
        s[amount_lv] = s.WLV * maximum
        s[amount_st] = s.WST * maximum * p[stem_share]
        s[amount_rt] = s.WRT * maximum * p[root_share]

    @kernel
    def stress(s: Any, p: Any, tables: Floats) -> None:
        """Set the nutrition index: actual over critical content of leaves and stems [-]."""
        leaf = table(tables, which, s.DVS)
        stem = critical_stem_share(p) * leaf
        weight = s.WLV + s.WST
        s[index] = _LEAST_INDEX
        if weight <= 0.0:
            return
        share = p[critical_share]
        critical = (share * leaf * s.WLV + share * stem * s.WST) / weight
        actual = (s[amount_lv] + s[amount_st]) / weight
        residual = (s.WLV * p[residual_lv] + s.WST * p[residual_st]) / weight
        if critical - residual > 0.0:
            value = (actual - residual) / (critical - residual)
            s[index] = limit(_LEAST_INDEX, 1.0, value)

    @kernel
    def demand(s: Any, p: Any, tables: Floats) -> None:
        """Set the demand of the organs [kg ha-1] and what storage organs draw [kg ha-1 d-1]."""
        leaf = table(tables, which, s.DVS)
        stem, root = p[stem_share] * leaf, p[root_share] * leaf
        s[demand_lv] = max(leaf * s.WLV - s[amount_lv], 0.0) + max(s.GRLV * leaf, 0.0)
        s[demand_st] = max(stem * s.WST - s[amount_st], 0.0) + max(s.GRST * stem, 0.0)
        s[demand_rt] = max(root * s.WRT - s[amount_rt], 0.0) + max(s.GRRT * root, 0.0)
        s[demand_so] = max(p[storage_maximum] * s.WSO - s[amount_so], 0.0)
        s[demand_all] = s[demand_lv] + s[demand_st] + s[demand_rt]
        s[uptake_so] = min(s[demand_so], s[movable]) / p[delay]

    @kernel
    def uptake(s: Any, p: Any) -> None:
        """Set fixation, uptake and each organ's part of them [kg ha-1 d-1]."""
        active = 1.0 if s.RFTRA > _DRY else 0.0
        fixed = 0.0
        if fixes and _fixing(p, s):
            fixed = max(0.0, p.NFIX_FR * s[demand_all]) * active
            s.RNFIXATION = fixed
        stored = from_store(s, p)
        if _open_to_soil(p, s):
            from_soil = min(min(s[demand_all] - fixed - stored, s[available]), p[most])
            s[uptake_all] = max(0.0, from_soil) * active
        if s[demand_all] > 0.0:
            taken = s[uptake_all] + fixed + stored
            s[uptake_lv] = s[demand_lv] / s[demand_all] * taken
            s[uptake_st] = s[demand_st] / s[demand_all] * taken
            s[uptake_rt] = s[demand_rt] / s[demand_all] * taken

    @kernel
    def change(s: Any, p: Any) -> None:
        """Set translocation, loss and the net change of the organs [kg ha-1 d-1]."""
        if s[movable] > 0.0:
            s[moved_lv] = s[uptake_so] * s[movable_lv] / s[movable]
            s[moved_st] = s[uptake_so] * s[movable_st] / s[movable]
            s[moved_rt] = s[uptake_so] * s[movable_rt] / s[movable]
        s[death_lv] = _lost(p, s[amount_lv], s.WLV, p[residual_lv], s.DRLV)
        s[death_st] = _lost(p, s[amount_st], s.WST, p[residual_st], s.DRST)
        s[death_rt] = _lost(p, s[amount_rt], s.WRT, p[residual_rt], s.DRRT)
        s[death_so] = _lost_in_storage(p, s[amount_so], s.WSO, s.DRSO)
        s[change_lv] = s[uptake_lv] - s[moved_lv] - s[death_lv]
        s[change_st] = s[uptake_st] - s[moved_st] - s[death_st]
        s[change_rt] = s[uptake_rt] - s[moved_rt] - s[death_rt]
        s[change_so] = s[uptake_so] - s[death_so]
        s[loss] = s[death_lv] + s[death_st] + s[death_rt] + s[death_so]

    @kernel
    def integrate(s: Any, p: Any) -> None:
        """Advance the nutrient by a day; the weights are already those of today."""
        s[amount_lv] += s[change_lv]
        s[amount_st] += s[change_st]
        s[amount_rt] += s[change_rt]
        s[amount_so] += s[change_so]
        s[movable_lv] = max(0.0, s[amount_lv] - s.WLV * p[residual_lv])
        s[movable_st] = max(0.0, s[amount_st] - s.WST * p[residual_st])
        s[movable_rt] = max(0.0, s[amount_rt] - s.WRT * p[residual_rt])
        s[movable] = s[movable_lv] + s[movable_st] + s[movable_rt]
        if s.DVS <= p.DVS_NPK_TRANSL:
            s[movable] = 0.0
        s[total_uptake] += s[uptake_all]
        s[total_loss] += s[loss]

    @kernel
    def harvest(s: Any, share: float) -> None:
        """Remove a share [-] of the nutrient in the storage organs with the harvest."""
        s[harvested] += share * s[amount_so]
        s[amount_so] -= share * s[amount_so]

    @kernel
    def forget(s: Any) -> None:
        """Empty what `start` does not fill."""
        s[amount_so] = s[movable_lv] = s[movable_st] = s[movable_rt] = s[movable] = 0.0
        s[total_uptake] = s[total_loss] = 0.0

    return CropNutrient(start, stress, demand, uptake, change, integrate, harvest, forget)


NITROGEN, PHOSPHORUS, POTASSIUM = (crop_nutrient(x) for x in "NPK")
_start_n, _stress_n, _demand_n, _uptake_n, _change_n, _integrate_n, _harvest_n, _forget_n = NITROGEN
_start_p, _stress_p, _demand_p, _uptake_p, _change_p, _integrate_p, _harvest_p, _forget_p = PHOSPHORUS
_start_k, _stress_k, _demand_k, _uptake_k, _change_k, _integrate_k, _harvest_k, _forget_k = POTASSIUM


@kernel
def start_nutrients(s: Any, p: Any, tables: Floats) -> None:
    """Fill leaves, stems and roots to their maximum contents."""
    _start_n(s, p, tables)
    _start_p(s, p, tables)
    _start_k(s, p, tables)


@kernel
def nutrient_stress(s: Any, p: Any, tables: Floats) -> None:
    """Set the nutrition indices and RFNPK, the reduction of assimilation [-]."""
    _stress_n(s, p, tables)
    _stress_p(s, p, tables)
    _stress_k(s, p, tables)
    s.NPKI = min(min(s.NNI, s.PNI), s.KNI)
    short = 1.0001 - s.NPKI
    s.RFNPK = limit(0.0, 1.0, 1.0 - p.NLUE_NPK * (short * short))


@kernel
def nutrient_rates(s: Any, p: Any, tables: Floats) -> None:
    """Set the rates of the three nutrients in the crop [kg ha-1 d-1]."""
    _demand_n(s, p, tables)
    _demand_p(s, p, tables)
    _demand_k(s, p, tables)
    _uptake_n(s, p)
    _uptake_p(s, p)
    _uptake_k(s, p)
    _change_n(s, p)
    _change_p(s, p)
    _change_k(s, p)


@kernel
def integrate_nutrients(s: Any, p: Any) -> None:
    """Advance the three nutrients by a day."""
    _integrate_n(s, p)
    _integrate_p(s, p)
    _integrate_k(s, p)
    s.NFIXTOTAL += s.RNFIXATION


@kernel
def harvest_nutrients(s: Any, share: float) -> None:
    """Remove a share [-] of the nutrients in the storage organs with the harvest."""
    _harvest_n(s, share)
    _harvest_p(s, share)
    _harvest_k(s, share)


@kernel
def forget_nutrients(s: Any) -> None:
    """Empty storage organs, what can be translocated, and the sums."""
    _forget_n(s)
    _forget_p(s)
    _forget_k(s)
    s.NFIXTOTAL = 0.0
