"""Growth of the whole crop: what respiration leaves of assimilation becomes dry weight.

Reads: GASS from the day; TRA from evapotranspiration; EVS from water balance; PMRES from respiration;
    TWSO from storage organs; FR from partitioning; TWLV from leaves; TWST from stems.
Sets: MRES, ASRC, DMI, ADMI [kg ha-1 d-1]; TAGP, GASST, MREST [kg ha-1]; CTRAT, CEVST [cm].
"""

from typing import Any

from agbench.compiled import kernel


@kernel
def growth_rates(s: Any, conversion: float) -> None:
    """Set MRES, ASRC [kg CH2O ha-1 d-1], DMI and ADMI [kg ha-1 d-1] from GASS and PMRES.

    `conversion` is the dry weight formed per assimilate [kg kg-1].
    """
    s.MRES = min(s.GASS, s.PMRES)
    s.ASRC = s.GASS - s.MRES
    s.DMI = conversion * s.ASRC
    s.ADMI = (1.0 - s.FR) * s.DMI


@kernel
def integrate_totals(s: Any) -> None:
    """Advance TAGP and the sums of assimilation, respiration and water use."""
    s.TAGP = s.TWLV + s.TWST + s.TWSO
    s.GASST += s.GASS
    s.MREST += s.MRES
    s.CTRAT += s.TRA
    s.CEVST += s.EVS
