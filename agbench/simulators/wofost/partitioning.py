"""Partitioning of growth over roots, leaves, stems and storage organs, by development stage.

Drought moves growth to the roots (Boons-Prins et al. 1993), lack of nitrogen moves it from leaves
to stems (Shibu et al. 2010).

Reads: DVS from phenology; RFTRA from evapotranspiration; NNI from nutrients; SURPLUS_N from the day.
Sets: FR, FL, FS, FO [-].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import FLTB, FOTB, FRTB, FSTB, limit, table
from agbench.variables import Floats

_MOST_TO_ROOTS = 0.6  # -; bound of the share of roots under drought
_MOST_SURPLUS = 10.0  # -; surplus over threshold beyond which its effect no longer grows


@kernel
def partition(s: Any, tables: Floats) -> None:
    """Set FR, FL, FS, FO [-] by the tables alone."""
    s.FR = table(tables, FRTB, s.DVS)
    s.FL = table(tables, FLTB, s.DVS)
    s.FS = table(tables, FSTB, s.DVS)
    s.FO = table(tables, FOTB, s.DVS)


@kernel
def partition_by_drought(s: Any, tables: Floats) -> None:
    """Set FR, FL, FS, FO [-]; drought (RFTRA of the day before) raises FR."""
    partition(s, tables)
    s.FR = min(_MOST_TO_ROOTS, s.FR * max(1.0, 1.0 / (s.RFTRA + 0.5)))


@kernel
def partition_by_nutrients(s: Any, p: Any, tables: Floats) -> None:
    """Set FR, FL, FS, FO [-] under the harder of drought and lack of nitrogen, and under surplus.

    RFTRA, NNI and SURPLUS_N are those of the day before.
    """
    if s.RFTRA < s.NNI:
        partition_by_drought(s, tables)
    else:
        partition(s, tables)
        both = s.FS + s.FL
        s.FL = s.FL * exp(-p.NPART * (1.0 - s.NNI))
        s.FS = both - s.FL
    if s.SURPLUS_N >= 0.0:
        _shift_by_surplus(s, p, tables)


@kernel
def _any_surplus(p: Any, s: Any, tables: Floats) -> float:
    s.FR = table(tables, FRTB, s.DVS)
    return s.SURPLUS_N / p.NTHRESH


@kernel
def _bounded_surplus(p: Any, s: Any, tables: Floats) -> float:
    return limit(1.0, _MOST_SURPLUS, s.SURPLUS_N / p.NTHRESH)


_surplus_ratio = repaired("C9", published=_any_surplus, sound=_bounded_surplus)
"""Nitrogen on the surface over its threshold [-]; unrepaired it undoes the effect of drought on roots."""


@kernel
def _shift_by_surplus(s: Any, p: Any, tables: Floats) -> None:
    """Move growth from storage organs to leaves where nitrogen is in surplus on the surface."""
    ratio = _surplus_ratio(p, s, tables)
    storage = table(tables, FOTB, s.DVS)
    s.FO = storage * (1.0 / exp(-p.NPART * (1.0 - ratio)))
    s.FL = table(tables, FLTB, s.DVS) + storage - s.FO
    s.FS = table(tables, FSTB, s.DVS)


@kernel
def conversion_efficiency(s: Any, p: Any) -> float:
    """Return the dry weight formed per assimilate [kg kg-1] at the current partitioning."""
    shoot = s.FL / p.CVL + s.FS / p.CVS + s.FO / p.CVO
    return 1.0 / (shoot * (1.0 - s.FR) + s.FR / p.CVR)
