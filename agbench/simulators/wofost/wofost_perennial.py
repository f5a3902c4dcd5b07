"""WOFOST with nitrogen, phosphorus and potassium for perennial crops: fruit trees over several years.

W. Solow, S. Saisubramanian, A. Fern (2025), WOFOSTGym. The processes are those of `wofost_npk`; partitioning,
conversion, respiration and the initial weight also depend on age, and each year passes through dormancy.
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.assimilation import assimilate
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.evapotranspiration import evapotranspiration
from agbench.simulators.wofost.growth import growth_rates, integrate_totals
from agbench.simulators.wofost.leaves import integrate_leaves, start_leaves
from agbench.simulators.wofost.nutrients import (
    forget_nutrients,
    integrate_nutrients,
    nutrient_rates,
    nutrient_stress,
    start_nutrients,
)
from agbench.simulators.wofost.partitioning import (
    bounded_surplus,
    dry_weight_formed,
    partitioning,
    partitioning_by_nutrients,
)
from agbench.simulators.wofost.perennial_phenology import (
    perennial_integration,
    perennial_rates,
    start_perennial,
)
from agbench.simulators.wofost.respiration import maintenance_respiration_by_age
from agbench.simulators.wofost.roots import integrate_roots, root_rates_by_stress, start_roots
from agbench.simulators.wofost.soil_nutrients import fertilise
from agbench.simulators.wofost.stems import integrate_stem_area, integrate_stems, start_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    integrate_harvestable,
    integrate_storage_organs,
    start_storage_organs,
    storage_organ_death,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import CVL, CVO, CVR, CVS, FRTB, TDWI, limit, table, table_by
from agbench.simulators.wofost.variables import DORMANT, EMERGING, STANDING, VARIABLES_PERENNIAL
from agbench.simulators.wofost.wofost_npk import (
    end_assimilation,
    integrate_soil,
    leaf_rates,
    rests,
    soil_rates,
    start_soil,
    surplus,
)
from agbench.variables import Floats


@kernel
def _by_age_and_stage(s: Any, tables: Floats, which: int) -> float:
    return table_by(tables, which, s.AGE, s.DVS)


@kernel
def _surplus_without_drought(p: Any, s: Any, tables: Floats) -> float:
    s.FR = _by_age_and_stage(s, tables, FRTB)
    return bounded_surplus(p, s, tables)


partition, _ = partitioning(_by_age_and_stage)
partition_by_nutrients = partitioning_by_nutrients(_by_age_and_stage, _surplus_without_drought)


@kernel
def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Plant the crop."""
    start_perennial(s, p, today)
    s.DOP = today
    s.SURPLUS_N = -1.0
    partition(s, tables)
    weight = table(tables, TDWI, s.AGE)
    start_roots(s, p, weight)
    start_stems(s, weight, tables)
    start_storage_organs(s, weight, tables)
    start_leaves(s, weight, tables, leaves)
    start_nutrients(s, p, tables)
    s.TAGP = s.TWLV + s.TWST + s.TWSO


@kernel
def _start_anew(s: Any, p: Any, tables: Floats, leaves: Floats) -> None:
    """Put leaves, fruit, nutrients and sums at their start; roots and stems stay as they are."""
    s.TSUM = s.TSUME = 0.0
    s.VERN = s.ISVERNALISED = s.VERN_FORCED = 0.0
    partition(s, tables)
    s.ASSIMILATION_DAYS = 0.0
    s.IDWST = s.IDOST = 0.0
    weight = table(tables, TDWI, s.AGE)
    integrate_stem_area(s, tables)
    s.DWSO = s.HWSO = s.LHW = 0.0
    start_storage_organs(s, weight, tables)
    s.DWLV = 0.0
    start_leaves(s, weight, tables, leaves)
    forget_nutrients(s)
    start_nutrients(s, p, tables)
    s.TAGP = s.TWLV + s.TWST + s.TWSO
    s.GASST = s.MREST = s.CTRAT = s.CEVST = s.HI = 0.0


_integrate_phenology = perennial_integration(_start_anew)


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


@kernel
def conversion(s: Any, tables: Floats) -> float:
    """Return the dry weight formed per assimilate [kg kg-1] at this age."""
    leaves, stems = table(tables, CVL, s.AGE), table(tables, CVS, s.AGE)
    return dry_weight_formed(s, leaves, stems, table(tables, CVO, s.AGE), table(tables, CVR, s.AGE))


def crop_rates_with(transpire: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of the crop's rates, given how the soil lets it transpire."""

    @kernel
    def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
        """Set the rates of the crop on day `t`; until bud break and in dormancy only those of development."""
        w = series[t]
        if rests(p, s):
            return
        perennial_rates(s, p, tables, w)
        if s.STAGE == EMERGING or s.STAGE == DORMANT:
            return
        s.GROWING = 1.0
        assimilate(s, p, tables, w, mean_minimum(s, w.TMIN))
        transpire(x, s, p, tables, w)
        end_assimilation(p, s)
        nutrient_stress(s, p, tables)
        s.GASS = s.PGASS * min(s.RFNPK, s.RFTRA)
        maintenance_respiration_by_age(s, p, tables, w.TEMP)
        s.SURPLUS_N = surplus(p, s)
        growth_rates(s, conversion(s, tables))
        root_rates_by_stress(s, p, tables)
        stem_rates(s, tables, 0.0)
        storage_organ_death(s, tables, w.TEMP)
        storage_organ_rates(s, 0.0)
        leaf_rates(s, p, tables, leaves, w.TEMP)
        nutrient_rates(s, p, tables)

    return crop_rates


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the crop by a day; until bud break and in dormancy only its development."""
    resting = s.STAGE == EMERGING or s.STAGE == DORMANT
    s.HWSO_BEFORE, s.HWSO_GAIN = s.HWSO, s.GRSO - s.DHSO
    _integrate_phenology(s, p, tables, leaves, today)
    if resting:
        return
    partition_by_nutrients(s, p, tables)
    integrate_roots(s)
    integrate_storage_organs(s, tables)
    integrate_harvestable(s)
    integrate_stems(s, tables)
    integrate_leaves(s, leaves, 0.0)
    integrate_nutrients(s, p)
    integrate_totals(s)


@kernel
def manage(s: Any, p: Any, inputs: Any) -> None:
    """Apply irrigation and fertiliser of the day, and harvest.

    As published, a harvest takes what was harvestable before the integration of the day.
    """
    s.TOTIRRIG += inputs.IRRIG
    s.RIRR = inputs.IRRIG_EFF
    fertilise(s, inputs)
    if inputs.HARVEST > 0.0 and s.CROP == STANDING:
        s.LHW = inputs.HARVEST * s.HWSO_BEFORE
        s.HWSO = limit(0.0, s.WSO, (1.0 - inputs.HARVEST) * s.HWSO_BEFORE + s.HWSO_GAIN)


VARIABLES: Final = VARIABLES_PERENNIAL
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(evapotranspiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
