"""Nitrogen, phosphorus and potassium of a tree: wood takes them back from leaves and hands them over.

L. Vergutz, S. Manzoni, A. Porporato, R.F. Novais, R.B. Jackson (2012), Global resorption efficiencies,
Ecological Monographs 82, 205-220; P. Millard, G. Grelet (2010), Nitrogen storage and remobilization by
trees, Tree Physiology 30, 1083-1095: what is stored in wood supplies the first growth of a year.

Reads: WWD, DRWD from trees; DVS from phenology; WLV from leaves; WST from stems; WRT from roots; xDEMAND
    from nutrients.
Sets: xAMOUNTWD, xPRUNED, xPLANTED, xAMOUNTLV, xAMOUNTST, xAMOUNTRT, xAMOUNTSO, xlossesTotal,
    xTRANSLOCATABLE [kg ha-1]; RxREMOB, RxDEATHWD, RxLOSS [kg ha-1 d-1] (x: N, P, K).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from agbench.compiled import kernel
from agbench.simulators.wofost.nutrients import MAXIMUM_TABLES, crop_nutrient
from agbench.simulators.wofost.tables import table
from agbench.variables import Floats

_IN_NEW_WOOD = 2.0  # -; nutrient of planted wood over the residual content of stems: assumption


class TreeNutrient(NamedTuple):
    """The kernels of one nutrient in a tree."""

    plant: Callable[..., None]
    leaf_out: Callable[..., None]
    rates: Callable[..., None]
    integrate: Callable[..., None]
    leaf_fall: Callable[..., None]
    prune: Callable[..., None]
    clear: Callable[..., None]


def tree_nutrient(x: str) -> TreeNutrient:
    """Return the kernels of nutrient `x`: N, P or K."""
    which = MAXIMUM_TABLES[x]
    wood, pruned, planted = f"{x}AMOUNTWD", f"{x}PRUNED", f"{x}PLANTED"
    amount_lv, amount_st = f"{x}AMOUNTLV", f"{x}AMOUNTST"
    amount_rt, amount_so = f"{x}AMOUNTRT", f"{x}AMOUNTSO"
    lost, loss, movable = f"{x}lossesTotal", f"R{x}LOSS", f"{x}TRANSLOCATABLE"
    movable_lv, movable_st, movable_rt = (f"{x}TRANSLOCATABLE{o}" for o in ("LV", "ST", "RT"))
    handed, dead_wood, demand_all = f"R{x}REMOB", f"R{x}DEATHWD", f"{x}DEMAND"
    stem_share, root_share = f"{x}MAXST_FR", f"{x}MAXRT_FR"
    residual, taken_back, delay = f"{x}RESIDST", f"{x}RESORB", f"TC{x}T"

    @kernel
    def remobilise(s: Any, p: Any) -> float:
        """Set and return what wood hands over to growing organs, as far as they want it [kg ha-1 d-1]."""
        above = max(0.0, s[wood] - s.WWD * p[residual])
        s[handed] = min(s[demand_all], above) / p[delay] if s.GROWING > 0.0 else 0.0
        return s[handed]

    crop = crop_nutrient(x, remobilise)
    demand, uptake, change, integrate_organs = crop.demand, crop.uptake, crop.change, crop.integrate

    @kernel
    def plant(s: Any, p: Any, tables: Floats) -> None:
        """Fill wood and roots of planted trees."""
        s[wood] = s.WWD * p[residual] * _IN_NEW_WOOD
        s[amount_rt] = s.WRT * table(tables, which, s.DVS) * p[root_share]
        s[planted] += s[wood] + s[amount_rt]

    @kernel
    def leaf_out(s: Any, p: Any, tables: Floats, weight_rt: float) -> None:
        """Fill the first leaves, shoots and roots of a year (`weight_rt`, kg ha-1) from wood."""
        maximum = table(tables, which, s.DVS)
        leaves, shoots = s.WLV * maximum, s.WST * maximum * p[stem_share]
        roots = weight_rt * maximum * p[root_share]
        wanted = leaves + shoots + roots
        share = min(1.0, s[wood] / wanted) if wanted > 0.0 else 0.0
        s[amount_lv] = share * leaves
        s[amount_st] = share * shoots
        s[amount_rt] += share * roots
        s[wood] = max(0.0, s[wood] - share * wanted)

    @kernel
    def rates(s: Any, p: Any, tables: Floats) -> None:
        """Set the rates of the nutrient in the tree [kg ha-1 d-1]."""
        demand(s, p, tables)
        uptake(s, p)
        change(s, p)
        held = s[wood] / s.WWD if s.WWD > 0.0 else 0.0
        s[dead_wood] = min(p[residual], held) * s.DRWD
        s[loss] += s[dead_wood]

    @kernel
    def integrate(s: Any, p: Any) -> None:
        """Advance the nutrient by a day; the weights are already those of today."""
        integrate_organs(s, p)
        s[wood] = max(0.0, s[wood] - s[handed] - s[dead_wood])

    @kernel
    def leaf_fall(s: Any, p: Any) -> None:
        """Take nutrients back from leaves and falling shoots into wood; the rest, and fruit, are lost."""
        turned = p.LIGNFR * s[amount_st]
        falling = s[amount_lv] + (s[amount_st] - turned)
        kept = p[taken_back] * falling
        s[wood] += turned + kept
        s[lost] += (falling - kept) + s[amount_so]
        s[amount_lv] = s[amount_st] = s[amount_so] = 0.0
        s[movable_lv] = s[movable_st] = s[movable_rt] = s[movable] = 0.0

    @kernel
    def prune(s: Any, share: float) -> None:
        """Take a share [-] of the nutrient in wood away."""
        s[pruned] += share * s[wood]
        s[wood] -= share * s[wood]

    @kernel
    def clear(s: Any) -> None:
        """Take the nutrient in all that stands away; roots leave theirs to the soil's litter."""
        s[pruned] += s[amount_lv] + s[amount_st] + s[amount_so] + s[wood]
        s[lost] += s[amount_rt]
        s[amount_lv] = s[amount_st] = s[amount_so] = s[amount_rt] = s[wood] = 0.0
        s[movable_lv] = s[movable_st] = s[movable_rt] = s[movable] = 0.0

    return TreeNutrient(plant, leaf_out, rates, integrate, leaf_fall, prune, clear)


_N, _P, _K = (tree_nutrient(x) for x in "NPK")
_plant_n, _leaf_out_n, _rates_n, _integrate_n, _leaf_fall_n, _prune_n, _clear_n = _N
_plant_p, _leaf_out_p, _rates_p, _integrate_p, _leaf_fall_p, _prune_p, _clear_p = _P
_plant_k, _leaf_out_k, _rates_k, _integrate_k, _leaf_fall_k, _prune_k, _clear_k = _K


@kernel
def plant_nutrients(s: Any, p: Any, tables: Floats) -> None:
    """Fill wood and roots of planted trees."""
    _plant_n(s, p, tables)
    _plant_p(s, p, tables)
    _plant_k(s, p, tables)


@kernel
def leaf_out_nutrients(s: Any, p: Any, tables: Floats, weight_rt: float) -> None:
    """Fill the first leaves, shoots and roots of a year (`weight_rt`, kg ha-1) from wood."""
    _leaf_out_n(s, p, tables, weight_rt)
    _leaf_out_p(s, p, tables, weight_rt)
    _leaf_out_k(s, p, tables, weight_rt)


@kernel
def tree_nutrient_rates(s: Any, p: Any, tables: Floats) -> None:
    """Set the rates of the three nutrients in the tree [kg ha-1 d-1]."""
    _rates_n(s, p, tables)
    _rates_p(s, p, tables)
    _rates_k(s, p, tables)


@kernel
def integrate_tree_nutrients(s: Any, p: Any) -> None:
    """Advance the three nutrients by a day."""
    _integrate_n(s, p)
    _integrate_p(s, p)
    _integrate_k(s, p)
    s.NFIXTOTAL += s.RNFIXATION


@kernel
def drop_nutrients(s: Any, p: Any) -> None:
    """Take nutrients back from falling leaves and shoots; the rest is lost."""
    _leaf_fall_n(s, p)
    _leaf_fall_p(s, p)
    _leaf_fall_k(s, p)


@kernel
def prune_nutrients(s: Any, share: float) -> None:
    """Take a share [-] of the nutrients in wood away."""
    _prune_n(s, share)
    _prune_p(s, share)
    _prune_k(s, share)


@kernel
def clear_nutrients(s: Any) -> None:
    """Take the nutrients in all that stands away."""
    _clear_n(s)
    _clear_p(s)
    _clear_k(s)
