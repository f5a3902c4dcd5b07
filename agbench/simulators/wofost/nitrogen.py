"""Nitrogen in the crop of WOFOST 8.1: stress, demand, translocation, uptake, loss.

H. Berghuijs et al. (2024), Expanding the WOFOST crop model to explore options for sustainable
nitrogen management: a study for winter wheat in the Netherlands, European Journal of Agronomy 154.

Reads: DVS from phenology; WLV, GRLV from leaves; WST, DRST, GRST from stems; WRT, DRRT, GRRT from
    roots; WSO, GRSO from storage organs; RFTRA from evapotranspiration; NAVAIL from soil nitrogen; DRLV
    from the day.
Sets: NamountLV, NamountST, NamountRT, NdemandLV, NdemandST, NdemandRT, NdemandSO, Ndemand,
    NTranslocatable, NamountSO, NuptakeTotal, NfixTotal, NlossesTotal, NTranslocatableLV,
    NTranslocatableRT, NTranslocatableST [kg ha-1]; NSLLV, RFRGRL [-]; RNtranslocation, RNfixation,
    RNuptake, RNuptakeLV, RNuptakeRT, RNuptakeST, RNuptakeSO, RNdeathLV, RNdeathST, RNdeathRT,
    RNamountLV, RNamountST, RNamountRT, RNamountSO, RNloss, RNtranslocationLV, RNtranslocationRT,
    RNtranslocationST [kg ha-1 d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.tables import NMAXLV_TB, NSLLV_TB, limit, table
from agbench.variables import Floats

_DRY = 0.01  # -; RFTRA at or below which roots take nothing up
_CRITICAL = 0.9  # -; leaf nitrogen over its maximum below which juvenile growth slows down


@kernel
def start_nitrogen(s: Any, p: Any, tables: Floats) -> None:
    """Fill leaves, stems and roots to their maximum concentration."""
    maximum = table(tables, NMAXLV_TB, s.DVS)
    s.NamountLV = s.WLV * maximum
    s.NamountST = s.WST * maximum * p.NMAXST_FR
    s.NamountRT = s.WRT * maximum * p.NMAXRT_FR


@kernel
def nitrogen_stress(s: Any, p: Any, tables: Floats) -> None:
    """Set NSLLV, the factor on leaf death, and RFRGRL, that on juvenile leaf growth [-]."""
    maximum = table(tables, NMAXLV_TB, s.DVS)
    holds = s.NamountLV + s.NamountST + s.NamountSO
    could_hold = s.WLV * maximum + s.WST * (p.NMAXST_FR * maximum) + s.WSO * p.NMAXSO
    index = 1.0 if could_hold <= holds else 2.0
    if could_hold > holds > 0.0:
        index = min(could_hold / holds, 2.0)
    s.NSLLV = table(tables, NSLLV_TB, index)
    concentration = s.NamountLV / s.WLV if s.WLV > 0.0 else 0.0
    critical = _CRITICAL * maximum
    fill = limit(0.0, 1.0, (concentration - critical) / (maximum - critical))
    s.RFRGRL = 1.0 - (1.0 - fill) * (p.RGRLAI - p.RGRLAI_MIN) / p.RGRLAI


@kernel
def nitrogen_demand(s: Any, p: Any, tables: Floats) -> None:
    """Set the demand of the organs [kg ha-1]: what they lack and what their growth needs."""
    maximum = table(tables, NMAXLV_TB, s.DVS)
    stem, root = p.NMAXST_FR * maximum, p.NMAXRT_FR * maximum
    s.NdemandLV = max(maximum * s.WLV - s.NamountLV, 0.0) + max(s.GRLV * maximum, 0.0)
    s.NdemandST = max(stem * s.WST - s.NamountST, 0.0) + max(s.GRST * stem, 0.0)
    s.NdemandRT = max(root * s.WRT - s.NamountRT, 0.0) + max(s.GRRT * root, 0.0)
    s.NdemandSO = max(p.NMAXSO * s.WSO - s.NamountSO, 0.0) + max(s.GRSO * p.NMAXSO, 0.0)
    s.Ndemand = s.NdemandLV + s.NdemandST + s.NdemandRT + s.NdemandSO


@kernel
def nitrogen_translocation(s: Any, p: Any) -> None:
    """Set what the organs hand to the storage organs from DVS_N_TRANSL on [kg ha-1 d-1]."""
    if s.DVS >= p.DVS_N_TRANSL:
        s.NTranslocatableLV = max(0.0, s.NamountLV - s.WLV * p.NRESIDLV)
        s.NTranslocatableRT = max(0.0, s.NamountRT - s.WRT * p.NRESIDRT)
        s.NTranslocatableST = max(0.0, s.NamountST - s.WST * p.NRESIDST)
    s.NTranslocatable = s.NTranslocatableLV + s.NTranslocatableRT + s.NTranslocatableST
    s.RNtranslocation = min(s.NdemandSO, s.NTranslocatable / p.TCNT)
    if s.NTranslocatable > 0.0:
        moved = s.RNtranslocation
        s.RNtranslocationLV = moved * (s.NTranslocatableLV / s.NTranslocatable)
        s.RNtranslocationRT = moved * (s.NTranslocatableRT / s.NTranslocatable)
        s.RNtranslocationST = moved * (s.NTranslocatableST / s.NTranslocatable)


@kernel
def _allotted(demand: float, crop_demand: float, taken: float) -> float:
    """Return the share of uptake and fixation `taken` that an organ gets [kg ha-1 d-1]."""
    return max(0.0, min(demand, taken * demand / crop_demand))


@kernel
def nitrogen_uptake(s: Any, p: Any) -> None:
    """Set fixation, uptake and what each organ gets of them [kg ha-1 d-1]."""
    active = 1.0 if s.RFTRA > _DRY else 0.0
    s.RNfixation = max(0.0, p.NFIX_FR * s.Ndemand) * active
    uptake = min(min(s.Ndemand - s.RNfixation, s.NAVAIL), p.RNUPTAKEMAX)
    s.RNuptake = max(0.0, uptake) * active
    if s.Ndemand == 0.0:
        return
    taken = s.RNuptake + s.RNfixation
    s.RNuptakeLV = _allotted(s.NdemandLV + s.RNtranslocationLV, s.Ndemand, taken)
    s.RNuptakeRT = _allotted(s.NdemandRT + s.RNtranslocationRT, s.Ndemand, taken)
    s.RNuptakeST = _allotted(s.NdemandST + s.RNtranslocationST, s.Ndemand, taken)
    s.RNuptakeSO = _allotted(s.NdemandSO - s.RNtranslocation, s.Ndemand, taken)


@kernel
def nitrogen_rates(s: Any, p: Any, tables: Floats) -> None:
    """Set the change of nitrogen in the organs [kg ha-1 d-1]; dead tissue keeps its nitrogen."""
    nitrogen_demand(s, p, tables)
    nitrogen_translocation(s, p)
    nitrogen_uptake(s, p)
    s.RNdeathLV = s.NamountLV / s.WLV * s.DRLV if s.WLV > 0.0 else 0.0
    s.RNdeathST = s.NamountST / s.WST * s.DRST if s.WST > 0.0 else 0.0
    s.RNdeathRT = s.NamountRT / s.WRT * s.DRRT if s.WRT > 0.0 else 0.0
    s.RNamountLV = s.RNuptakeLV - s.RNtranslocationLV - s.RNdeathLV
    s.RNamountST = s.RNuptakeST - s.RNtranslocationST - s.RNdeathST
    s.RNamountRT = s.RNuptakeRT - s.RNtranslocationRT - s.RNdeathRT
    s.RNamountSO = s.RNuptakeSO + s.RNtranslocation
    s.RNloss = s.RNdeathLV + s.RNdeathST + s.RNdeathRT


@kernel
def integrate_nitrogen(s: Any) -> None:
    """Advance the nitrogen of the crop by a day."""
    s.NamountLV += s.RNamountLV
    s.NamountST += s.RNamountST
    s.NamountRT += s.RNamountRT
    s.NamountSO += s.RNamountSO
    s.NuptakeTotal += s.RNuptake
    s.NfixTotal += s.RNfixation
    s.NlossesTotal += s.RNloss
