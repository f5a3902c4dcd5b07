"""Organs of perennial crops: growth shared out by age and stage, and what a day does to each organ.

Solow, Saisubramanian, Fern (2025), their perennial crops; the equations of the organs are those of annual
crops (van Diepen et al. 1989).
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.leaves import integrate_leaves
from agbench.simulators.wofost.partitioning import bounded_surplus, partitioning, partitioning_by_nutrients
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.roots import integrate_roots, root_rates_by_stress
from agbench.simulators.wofost.stems import integrate_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    integrate_harvestable,
    integrate_storage_organs,
    storage_organ_death,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import FRTB, table_by
from agbench.simulators.wofost.wofost_npk import leaf_rates
from agbench.variables import Floats


@kernel
def _by_age_and_stage(s: Any, tables: Floats, which: int) -> float:
    return table_by(tables, which, s.AGE, s.DVS)


@kernel
def _surplus_without_drought(p: Any, s: Any, tables: Floats) -> float:
    s.FR = _by_age_and_stage(s, tables, FRTB)
    return bounded_surplus(p, s, tables)


_surplus_ratio = repaired("C9", published=_surplus_without_drought, sound=bounded_surplus)
partition, _ = partitioning(_by_age_and_stage)
partition_by_nutrients = partitioning_by_nutrients(_by_age_and_stage, _surplus_ratio)


@kernel
def organ_rates(s: Any, p: Any, tables: Floats, leaves: Floats, w: Any) -> None:
    """Set growth and death of the organs."""
    root_rates_by_stress(s, p, tables)
    stem_rates(s, tables, 0.0)
    storage_organ_death(s, tables, w.TEMP)
    storage_organ_rates(s, 0.0)
    leaf_rates(s, p, tables, leaves, w.TEMP)


@kernel
def integrate_organs(s: Any, tables: Floats, leaves: Floats) -> None:
    """Advance the organs by a day."""
    integrate_roots(s)
    integrate_storage_organs(s, tables)
    integrate_harvestable(s)
    integrate_stems(s, tables)
    integrate_leaves(s, leaves, 0.0)


@kernel
def mean_minimum(s: Any, today: float) -> float:
    """Return the mean least temperature of up to seven assimilation days, `today`'s included [degC]."""
    s.TMIN_7, s.TMIN_6, s.TMIN_5 = s.TMIN_6, s.TMIN_5, s.TMIN_4
    s.TMIN_4, s.TMIN_3, s.TMIN_2, s.TMIN_1 = s.TMIN_3, s.TMIN_2, s.TMIN_1, today
    s.ASSIMILATION_DAYS = min(s.ASSIMILATION_DAYS + 1.0, 7.0)
    days = s.ASSIMILATION_DAYS
    total = s.TMIN_1
    total += s.TMIN_2 if days > 1.0 else 0.0
    total += s.TMIN_3 if days > 2.0 else 0.0
    total += s.TMIN_4 if days > 3.0 else 0.0
    total += s.TMIN_5 if days > 4.0 else 0.0
    total += s.TMIN_6 if days > 5.0 else 0.0
    total += s.TMIN_7 if days > 6.0 else 0.0
    return total / days
