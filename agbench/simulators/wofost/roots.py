"""Roots: weight and depth.

Reads: FR from partitioning; SURFACE_x (x: N, P, K) from soil nutrients; DVS from phenology; RFOS from
    evapotranspiration; DMI from growth.
Sets: RDM, RD [cm]; WRT, TWRT, DWRT [kg ha-1]; DRRT, GRRT, GWRT [kg ha-1 d-1]; DRRT1, DRRT2, DRRT3
    [d-1]; RR [cm d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import RDRRNPK, RDRROS, RDRRTB, limit, table
from agbench.variables import Floats


@kernel
def start_roots(s: Any, p: Any, weight: float) -> None:
    """Give the roots their share of the initial `weight` [kg ha-1] and their initial depth."""
    s.RDM = max(p.RDI, min(p.RDMCR, p.RDMSOL))
    s.RD = p.RDI
    s.WRT = weight * s.FR
    s.TWRT = s.WRT


@kernel
def root_rates(s: Any, p: Any, tables: Floats) -> None:
    """Set growth and death of roots [kg ha-1 d-1] and the growth of their depth [cm d-1]."""
    s.DRRT = s.WRT * table(tables, RDRRTB, s.DVS)
    _set_growth(s, p)


@kernel
def _death_by_any_surplus(p: Any, s: Any, tables: Floats) -> float:
    surplus = s.SURFACE_N / p.NTHRESH
    surplus = max(max(surplus, s.SURFACE_P / p.PTHRESH), s.SURFACE_K / p.KTHRESH)
    return table(tables, RDRRNPK, surplus)


@kernel
def _death_by_surplus_of_limiting(p: Any, s: Any, tables: Floats) -> float:
    if p.PK_LIMITED > 0.0:
        return _death_by_any_surplus(p, s, tables)
    return table(tables, RDRRNPK, s.SURFACE_N / p.NTHRESH) if p.NITROGEN_LIMITED > 0.0 else 0.0


_death_by_surplus = repaired("N5", published=_death_by_any_surplus, sound=_death_by_surplus_of_limiting)
"""Relative death of roots [d-1] by nutrients on the surface; repaired, of limiting nutrients alone."""


@kernel
def root_rates_by_stress(s: Any, p: Any, tables: Floats) -> None:
    """As `root_rates`, with death by lack of oxygen and by surplus of nutrients."""
    s.DRRT1 = table(tables, RDRRTB, s.DVS)
    s.DRRT2 = table(tables, RDRROS, s.RFOS)
    s.DRRT3 = _death_by_surplus(p, s, tables)
    s.DRRT = s.WRT * limit(0.0, 1.0, max(s.DRRT1, s.DRRT2 + s.DRRT3))
    _set_growth(s, p)


@kernel
def _set_growth(s: Any, p: Any) -> None:
    """Set GRRT, GWRT and RR; depth grows only while roots receive a share of growth."""
    s.GRRT = s.FR * s.DMI
    s.GWRT = s.GRRT - s.DRRT
    s.RR = min(s.RDM - s.RD, p.RRI) if s.FR != 0.0 else 0.0


@kernel
def integrate_roots(s: Any) -> None:
    """Advance roots by a day."""
    s.WRT += s.GWRT
    s.DWRT += s.DRRT
    s.TWRT = s.WRT + s.DWRT
    s.RD += s.RR
