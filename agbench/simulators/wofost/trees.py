"""The tree that carries a perennial crop from year to year: wood, reserves, leaf-out, leaf fall, pruning.

Growth within a year is WOFOST's. What lasts is wood (WWD: trunk, branches, coarse roots), fine roots,
and reserves (WRES, CH2O) in both. Reserves pay for the first leaves of a year and for early growth, for the
respiration at rest, and for what assimilation cannot; they fill while fruit grows and after it is ripe.

C.M. Oliveira, C.A. Priestley (1988), Carbohydrate reserves in deciduous fruit trees, Horticultural Reviews
10, 403-430. W.H. Loescher, T. McCamant, J.D. Keller (1990), Carbohydrate reserves, translocation, and
storage in woody plant roots, HortScience 25, 274-281. M.G. Ryan (1991), Effects of climate change on plant
respiration, Ecological Applications 1, 157-167. D. Zanotelli et al. (2013), NPP, carbon allocation, and
carbon-use efficiency in an apple orchard, Biogeosciences 10, 3089-3108.

Reads: GASS, PGASS from the day; PMRES from respiration; DVS, STAGE, DTSUM from phenology; AGE from perennial
    phenology; FR, FL, FS, FO from partitioning.
Sets: WWD, DWWD, WRES, PRUNED, GROWNT, COSTT, RESPLANTED, RESLOST, HWSO, HARVESTED, WLV, DWLV, TWLV, WST,
    DWST, TWST, WSO, DWSO, TWSO, WRT, DWRT, TWRT [kg ha-1]; DRWD, RRESIN, RRESOUT, MRES, ASRC, DMI, ADMI,
    GASS [kg ha-1 d-1]; LAI, SAI, PAI, LASUM, LAIEXP [ha ha-1]; RD, RDM [cm]; PICKED [-]; TRAMX, TRA,
    EVWMX, EVSMX [cm d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.leaves import start_leaves
from agbench.simulators.wofost.nutrients import harvest_nutrients
from agbench.simulators.wofost.partitioning import dry_weight_formed
from agbench.simulators.wofost.stems import integrate_stem_area
from agbench.simulators.wofost.storage_organs import harvest
from agbench.simulators.wofost.tables import COVTB, CVL, CVO, CVR, CVS, FBEARTB, TDWI, WWDTB, table
from agbench.simulators.wofost.tree_nutrients import (
    clear_nutrients,
    drop_nutrients,
    leaf_out_nutrients,
    plant_nutrients,
    prune_nutrients,
)
from agbench.variables import Floats

_FINE_ROOTS = 0.1  # kg kg-1; living fine roots of planted trees over their wood: assumption
_BUDS = 2.0  # kg CH2O kg-1; reserves that rest leaves to the buds, over the weight of the first organs

_NOTHING = 1e-9  # -; share of growth that is none


@kernel
def conversion_at_age(s: Any, tables: Floats) -> float:
    """Return the dry weight formed per assimilate [kg kg-1] at this age."""
    leaves, stems = table(tables, CVL, s.AGE), table(tables, CVS, s.AGE)
    return dry_weight_formed(s, leaves, stems, table(tables, CVO, s.AGE), table(tables, CVR, s.AGE))


@kernel
def capacity(s: Any, p: Any) -> float:
    """Return the most reserves that wood and roots hold [kg CH2O ha-1]."""
    return p.RESMAX * (s.WWD + s.WRT)


@kernel
def first_organs(s: Any, p: Any, tables: Floats) -> float:
    """Return the weight of the first leaves, shoots and roots of a year [kg ha-1]: more on more wood."""
    return max(table(tables, TDWI, s.AGE), p.BUDFR * s.WWD)


@kernel
def _spare(s: Any, p: Any, tables: Floats) -> float:
    """Return the reserves that are not kept for the buds [kg CH2O ha-1]."""
    return max(0.0, s.WRES - _BUDS * first_organs(s, p, tables))


@kernel
def plant_tree(s: Any, p: Any, tables: Floats) -> None:
    """Put trees of this age on the field: wood, some fine roots, full reserves, no leaves."""
    s.WWD = table(tables, WWDTB, s.AGE)
    s.WRT = _FINE_ROOTS * s.WWD
    s.TWRT = s.WRT + s.DWRT
    s.RDM = max(p.RDI, min(p.RDMCR, p.RDMSOL))
    s.RD = s.RDM if s.AGE >= 1.0 else p.RDI
    reserves = capacity(s, p)
    s.WRES += reserves
    s.RESPLANTED += reserves
    s.GROWNT += s.WWD + s.WRT
    plant_nutrients(s, p, tables)


@kernel
def bear(s: Any, tables: Floats) -> None:
    """Give shoots what trees of this age do not bear as fruit."""
    unborne = s.FO * (1.0 - table(tables, FBEARTB, s.AGE))
    s.FO -= unborne
    s.FS += unborne


@kernel
def leaf_out(s: Any, p: Any, tables: Floats, leaves: Floats) -> None:
    """Let buds break: reserves become the first leaves, shoots and roots, TDWI where they suffice."""
    conversion = conversion_at_age(s, tables)
    weight = min(first_organs(s, p, tables), s.WRES * conversion)
    cost = min(s.WRES, weight / conversion)
    s.WRES -= cost
    s.COSTT += cost
    s.GROWNT += weight
    roots = weight * s.FR
    s.WRT += roots
    s.WST = weight * (1.0 - s.FR) * (s.FS + s.FO)
    integrate_stem_area(s, tables)
    start_leaves(s, weight, tables, leaves)
    leaf_out_nutrients(s, p, tables, roots)
    _sum_weights(s)


@kernel
def leaf_fall(s: Any, p: Any) -> None:
    """Let leaves and unharvested fruit fall, and the shoots of the year turn to wood, or fall."""
    drop_nutrients(s, p)
    turned = p.LIGNFR * s.WST
    s.DWLV += s.WLV
    s.DWST += s.WST - turned
    s.DWSO += s.WSO
    s.WWD += turned
    s.WLV = s.WST = s.WSO = s.HWSO = 0.0
    _stand_bare(s)


@kernel
def _stand_bare(s: Any) -> None:
    """Leave no canopy, and nothing of the year's fruit picked."""
    s.LASUM = s.LAI = s.SAI = s.PAI = s.LAIEXP = 0.0
    s.LEAF_FIRST = s.LEAF_COUNT = 0.0
    s.SURPLUS_N = -1.0
    s.PICKED = 0.0
    _sum_weights(s)


@kernel
def _sum_weights(s: Any) -> None:
    """Set the sums of living and dead organs."""
    s.TWLV = s.WLV + s.DWLV
    s.TWST = s.WST + s.DWST
    s.TWSO = s.WSO + s.DWSO
    s.TWRT = s.WRT + s.DWRT
    s.TAGP = s.TWLV + s.TWST + s.TWSO


@kernel
def wood_rates(s: Any, p: Any) -> None:
    """Set the death of wood."""
    s.DRWD = p.RDRWD * s.WWD


@kernel
def resting_carbon(s: Any, p: Any, tables: Floats) -> None:
    """Respire reserves at rest, where there is no assimilation; PMRES is already set."""
    s.MRES = min(s.PMRES, _spare(s, p, tables))
    s.RRESOUT = s.MRES


@kernel
def growing_carbon(s: Any, p: Any, tables: Floats, ripe: bool) -> None:
    """Share assimilates and reserves out over respiration, growth and reserves; GASS and PMRES are set.

    Reserves are used up to stage RESDVS. From anthesis on a share of what is left fills them, and when
    fruit is ripe all of it. What ripe trees can neither respire nor store is not assimilated.
    """
    early = s.DVS < p.RESDVS
    s.MRES = min(s.GASS + s.WRES if early else s.GASS, s.PMRES)
    s.ASRC = max(0.0, s.GASS - s.MRES)
    s.RRESOUT = max(0.0, s.MRES - s.GASS)
    unfilled = max(0.0, capacity(s, p) - s.WRES)
    if ripe:
        s.RRESIN = min(s.ASRC, unfilled)
        s.GASS -= s.ASRC - s.RRESIN
        s.ASRC = 0.0
        return
    if early:
        used = min(1.0, p.RESMOB * s.DTSUM) * (s.WRES - s.RRESOUT) * min(s.RFNPK, s.RFTRA)
        s.RRESOUT += used
        s.ASRC += used
    elif s.DVS >= 1.0:
        s.RRESIN = min(p.RESFR * s.ASRC, unfilled)
        s.ASRC -= s.RRESIN
    if s.PICKED > 0.0:
        _store_for_picked(s, unfilled - s.RRESIN, tables)


@kernel
def _store_for_picked(s: Any, unfilled: float, tables: Floats) -> None:
    """Put what picked fruit would have taken into reserves, up to the `unfilled` capacity [kg CH2O ha-1]."""
    missing = s.PICKED * s.FO
    conversion = conversion_at_age(s, tables)
    freed = s.ASRC * min(1.0, missing * (1.0 - s.FR) / table(tables, CVO, s.AGE) * conversion)
    stored = min(freed, unfilled)
    s.RRESIN += stored
    s.GASS -= freed - stored
    s.ASRC -= freed
    shoots = s.FL + s.FS + s.FO - missing
    if shoots <= _NOTHING:
        s.GASS -= s.ASRC
        s.ASRC = 0.0
        return
    s.FO -= missing
    s.FL, s.FS, s.FO = s.FL / shoots, s.FS / shoots, s.FO / shoots
    s.FR = s.FR / (s.FR + (1.0 - s.FR) * shoots)


@kernel
def tree_growth(s: Any, conversion: float) -> None:
    """Set DMI and ADMI [kg ha-1 d-1] from ASRC; `conversion` is the dry weight formed per assimilate."""
    s.DMI = conversion * s.ASRC
    s.ADMI = (1.0 - s.FR) * s.DMI


@kernel
def integrate_tree(s: Any) -> None:
    """Advance wood, reserves and the sums of growth by a day."""
    s.WWD -= s.DRWD
    s.DWWD += s.DRWD
    s.WRES = max(0.0, s.WRES + s.RRESIN - s.RRESOUT)
    s.GROWNT += s.DMI
    s.COSTT += s.ASRC


@kernel
def take_fruit(s: Any, share: float) -> None:
    """Harvest a share [-] of the fruit: it leaves the field with its nutrients, and the tree stays."""
    harvest(s, share)
    if s.WSO > 0.0:
        s.PICKED += share * (1.0 - s.PICKED)
        harvest_nutrients(s, s.LHW / s.WSO)
        s.HARVESTED += s.LHW
        s.WSO -= s.LHW
        s.TWSO = s.WSO + s.DWSO


@kernel
def prune(s: Any, share: float) -> None:
    """Cut a share [-] of the wood, with its nutrients and its part of the reserves."""
    reserves = share * s.WRES * s.WWD / (s.WWD + s.WRT) if s.WWD > 0.0 else 0.0
    prune_nutrients(s, share)
    s.PRUNED += share * s.WWD
    s.WWD -= share * s.WWD
    s.RESLOST += reserves
    s.WRES -= reserves


@kernel
def clear(s: Any) -> None:
    """Clear the trees: what stands is taken away, fine roots stay in the soil as litter."""
    clear_nutrients(s)
    s.PRUNED += s.WLV + s.WST + s.WSO + s.WWD
    s.DWRT += s.WRT
    s.RESLOST += s.WRES
    s.WLV = s.WST = s.WSO = s.WRT = s.WWD = s.HWSO = s.WRES = 0.0
    _stand_bare(s)


@kernel
def cover(s: Any, tables: Floats) -> float:
    """Return the share of the ground that trees of this age cover [-]."""
    return table(tables, COVTB, s.AGE)


@kernel
def spread(s: Any, w: Any, share: float) -> None:
    """Let assimilation and evaporation under a canopy hold for a `share` [-] of the ground alone."""
    s.PGASS *= share
    s.EVWMX = share * s.EVWMX + (1.0 - share) * w.E0
    s.EVSMX = share * s.EVSMX + (1.0 - share) * w.ES0
    s.TRAMX *= share
    s.TRA *= share
