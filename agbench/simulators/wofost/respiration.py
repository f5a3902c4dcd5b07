"""Maintenance respiration (van Diepen et al. 1989; Penning de Vries and van Laar 1982).

Reads: WSO from storage organs; WST from stems; DVS from phenology; WRT from roots; WLV from leaves.
Sets: PMRES [kg ha-1 d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import pow
from agbench.simulators.wofost.tables import RFSETB, RML, RMO, RMR, RMS, table
from agbench.variables import Floats


@kernel
def maintenance_respiration(s: Any, p: Any, tables: Floats, temperature: float) -> None:
    """Set PMRES [kg CH2O ha-1 d-1]: a sum over organs at 25 degC, by age and temperature (Q10)."""
    at_25 = p.RMR * s.WRT + p.RML * s.WLV + p.RMS * s.WST + p.RMO * s.WSO
    _set_respiration(s, p, tables, at_25, temperature)


@kernel
def maintenance_respiration_by_age(s: Any, p: Any, tables: Floats, temperature: float) -> None:
    """As `maintenance_respiration`, with the coefficients of the crop's age."""
    at_25 = table(tables, RMR, s.AGE) * s.WRT + table(tables, RML, s.AGE) * s.WLV
    at_25 = at_25 + table(tables, RMS, s.AGE) * s.WST + table(tables, RMO, s.AGE) * s.WSO
    _set_respiration(s, p, tables, at_25, temperature)


@kernel
def wood_respiration(s: Any, p: Any, tables: Floats, temperature: float) -> None:
    """As `maintenance_respiration_by_age`, with the respiration of wood."""
    maintenance_respiration_by_age(s, p, tables, temperature)
    wood = p.RMWD * s.WWD * pow(p.Q10, (temperature - 25.0) / 10.0)
    s.PMRES += wood


@kernel
def _set_respiration(s: Any, p: Any, tables: Floats, at_25: float, temperature: float) -> None:
    """Set PMRES [kg CH2O ha-1 d-1] from what it is at 25 degC, before the effect of senescence."""
    s.PMRES = at_25 * table(tables, RFSETB, s.DVS) * pow(p.Q10, (temperature - 25.0) / 10.0)
