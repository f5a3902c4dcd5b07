"""Storage organs (grain, tubers, fruit): weight, area, death in the field, harvest.

Reads: FO, FR from partitioning; ADMI from growth; DVS from phenology.
Sets: WSO, TWSO, DWSO, HWSO, LHW [kg ha-1]; PAI [ha ha-1]; GRSO, GWSO, DRSO, DHSO [kg ha-1 d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.tables import RDRSOB, RDRSOF, SPA, limit, table
from agbench.variables import Floats


@kernel
def start_storage_organs(s: Any, weight: float, tables: Floats) -> None:
    """Give the storage organs their share of the initial `weight` [kg ha-1]."""
    s.WSO = weight * (1.0 - s.FR) * s.FO
    s.TWSO = s.WSO
    s.PAI = s.WSO * table(tables, SPA, s.DVS)


@kernel
def storage_organ_rates(s: Any, moved: float) -> None:
    """Set the growth of storage organs [kg ha-1 d-1]; `moved` comes from leaves and stems."""
    s.GRSO = s.ADMI * s.FO
    s.GWSO = s.GRSO - s.DRSO + moved


@kernel
def integrate_storage_organs(s: Any, tables: Floats) -> None:
    """Advance storage organs by a day."""
    s.WSO += s.GWSO
    s.DWSO += s.DRSO
    s.TWSO = s.WSO + s.DWSO
    s.PAI = s.WSO * table(tables, SPA, s.DVS)


@kernel
def storage_organ_death(s: Any, tables: Floats, temperature: float) -> None:
    """Set the death of storage organs by age and by cold [kg ha-1 d-1]; `temperature` in degC."""
    by_age = table(tables, RDRSOB, s.DVS)
    share = limit(0.0, 1.0, by_age + table(tables, RDRSOF, temperature))
    s.DRSO = s.WSO * share
    s.DHSO = s.HWSO * share


@kernel
def integrate_harvestable(s: Any) -> None:
    """Advance the harvestable weight by a day; WSO is already that of today."""
    s.HWSO += s.GRSO - s.DHSO
    s.HWSO = limit(0.0, s.WSO, s.HWSO)


@kernel
def harvest(s: Any, share: float) -> None:
    """Take a share [-] of the harvestable storage organs."""
    s.LHW = share * s.HWSO
    s.HWSO = (1.0 - share) * s.HWSO
