"""Partitioning of growth over roots, leaves, stems and storage organs, by development stage.

Drought moves growth to the roots (Boons-Prins et al. 1993), lack of nitrogen moves it from leaves
to stems (Shibu et al. 2010).

Reads: DVS from phenology; RFTRA from evapotranspiration; NNI from nutrients; SURPLUS_N from the day.
Sets: FR, FL, FS, FO [-].
"""

from collections.abc import Callable
from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import FLTB, FOTB, FRTB, FSTB, limit, table
from agbench.variables import Floats

_MOST_TO_ROOTS = 0.6  # -; bound of the share of roots under drought
_MOST_SURPLUS = 10.0  # -; surplus over threshold beyond which its effect no longer grows


@kernel
def _by_stage(s: Any, tables: Floats, which: int) -> float:
    return table(tables, which, s.DVS)


def partitioning(share: Callable[..., float]) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the kernels that set FR, FL, FS, FO [-]: by their tables alone, and under drought.

    `share` reads a table for the crop as it is.
    """

    @kernel
    def partition(s: Any, tables: Floats) -> None:
        """Set FR, FL, FS, FO [-] by the tables alone."""
        s.FR = share(s, tables, FRTB)
        s.FL = share(s, tables, FLTB)
        s.FS = share(s, tables, FSTB)
        s.FO = share(s, tables, FOTB)

    @kernel
    def partition_by_drought(s: Any, tables: Floats) -> None:
        """Set FR, FL, FS, FO [-]; drought (RFTRA of the day before) raises FR."""
        partition(s, tables)
        s.FR = min(_MOST_TO_ROOTS, s.FR * max(1.0, 1.0 / (s.RFTRA + 0.5)))

    return partition, partition_by_drought


partition, partition_by_drought = partitioning(_by_stage)
"""Of annual crops, whose tables depend on the development stage."""


def partitioning_by_nutrients(
    share: Callable[..., float], surplus_ratio: Callable[..., float]
) -> Callable[..., None]:
    """Return the kernel that sets FR, FL, FS, FO [-] under drought, lack of nitrogen and surplus.

    `surplus_ratio` returns nitrogen on the surface over its threshold, as far as that counts [-].
    """
    by_tables, by_drought = partitioning(share)

    @kernel
    def partition_by_nutrients(s: Any, p: Any, tables: Floats) -> None:
        """Set FR, FL, FS, FO [-] under drought or lack of nitrogen, whichever is worse, and under surplus.

        RFTRA, NNI and SURPLUS_N are those of the day before.
        """
        if s.RFTRA < s.NNI:
            by_drought(s, tables)
        else:
            by_tables(s, tables)
            both = s.FS + s.FL
            s.FL = s.FL * exp(-p.NPART * (1.0 - s.NNI))
            s.FS = both - s.FL
        if s.SURPLUS_N >= 0.0:
            shift_by_surplus(s, p, tables)

    @kernel
    def shift_by_surplus(s: Any, p: Any, tables: Floats) -> None:
        """Move growth from storage organs to leaves where nitrogen is in surplus on the surface."""
        ratio = surplus_ratio(p, s, tables)
        storage = share(s, tables, FOTB)
        s.FO = storage * (1.0 / exp(-p.NPART * (1.0 - ratio)))
        s.FL = share(s, tables, FLTB) + storage - s.FO
        s.FS = share(s, tables, FSTB)

    return partition_by_nutrients


@kernel
def _any_surplus(p: Any, s: Any, tables: Floats) -> float:
    s.FR = _by_stage(s, tables, FRTB)
    return s.SURPLUS_N / p.NTHRESH


@kernel
def bounded_surplus(p: Any, s: Any, tables: Floats) -> float:
    """Return nitrogen on the surface over its threshold [-], as far as it counts."""
    return limit(1.0, _MOST_SURPLUS, s.SURPLUS_N / p.NTHRESH)


_surplus_ratio = repaired("C9", published=_any_surplus, sound=bounded_surplus)
"""Nitrogen on the surface over its threshold [-]; unrepaired it undoes the effect of drought on roots."""

partition_by_nutrients = partitioning_by_nutrients(_by_stage, _surplus_ratio)
"""Of annual crops."""


@kernel
def conversion_efficiency(s: Any, p: Any) -> float:
    """Return the dry weight formed per assimilate [kg kg-1] at the current partitioning."""
    return dry_weight_formed(s, p.CVL, p.CVS, p.CVO, p.CVR)


@kernel
def dry_weight_formed(s: Any, leaves: float, stems: float, storage: float, roots: float) -> float:
    """Return the dry weight formed per assimilate [kg kg-1], given that of each organ."""
    shoot = s.FL / leaves + s.FS / stems + s.FO / storage
    return 1.0 / (shoot * (1.0 - s.FR) + s.FR / roots)
