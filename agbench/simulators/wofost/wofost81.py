"""WOFOST 8.1: WOFOST with nitrogen in the crop, and reallocation; potential, water-limited, and
water- and nitrogen-limited production.

A. de Wit et al. (2019), 25 years of the WOFOST cropping systems model, Agricultural Systems 168,
154-167; H. Berghuijs et al. (2024), European Journal of Agronomy 154. The order of processes and
their equations are those of WOFOST 8.1 in PCSE 6, with the classic soil water and nitrogen.
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.assimilation import potential_assimilation_by_nitrogen
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.evapotranspiration import evapotranspiration
from agbench.simulators.wofost.growth import growth_rates, integrate_totals
from agbench.simulators.wofost.leaves import (
    dying_of_age,
    integrate_leaves,
    leaf_area_rates,
    leaf_growth_and_stress,
    start_leaves,
)
from agbench.simulators.wofost.nitrogen import (
    integrate_nitrogen,
    nitrogen_rates,
    nitrogen_stress,
    start_nitrogen,
)
from agbench.simulators.wofost.partitioning import conversion_efficiency, partition, partition_by_drought
from agbench.simulators.wofost.phenology import development_rates, integrate_development, start_phenology
from agbench.simulators.wofost.reallocation import integrate_reallocation, reallocation_rates
from agbench.simulators.wofost.respiration import maintenance_respiration
from agbench.simulators.wofost.roots import integrate_roots, root_rates, start_roots
from agbench.simulators.wofost.soil_nitrogen import (
    integrate_soil_nitrogen,
    soil_nitrogen_rates,
    start_soil_nitrogen,
)
from agbench.simulators.wofost.stems import integrate_stems, start_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    integrate_storage_organs,
    start_storage_organs,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import SLATB, table
from agbench.simulators.wofost.variables import EMERGING, VARIABLES81
from agbench.simulators.wofost.wofost72 import integrate_soil as integrate_water
from agbench.simulators.wofost.wofost72 import soil_rates as water_rates
from agbench.simulators.wofost.wofost72 import start_soil as start_water
from agbench.variables import Floats


@kernel
def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Sow or plant the crop."""
    start_phenology(s, p, today)
    partition(s, tables)
    start_roots(s, p, p.TDWI)
    start_stems(s, p.TDWI, tables)
    start_storage_organs(s, p.TDWI, tables)
    start_leaves(s, p.TDWI, tables, leaves)
    start_nitrogen(s, p, tables)
    s.WLV_REALLOC = s.WST_REALLOC = -1.0
    s.TAGP = s.TWLV + s.TWST + s.TWSO


def crop_rates_with(transpire: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of the crop's rates, given how the soil lets it transpire."""

    @kernel
    def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
        """Set the rates of the crop on day `t`; before emergence only those of development."""
        w = series[t]
        development_rates(s, p, tables, w)
        if s.STAGE == EMERGING:
            return
        s.GROWING = 1.0
        potential_assimilation_by_nitrogen(s, p, tables, series, t)
        transpire(x, s, p, tables, w)
        s.GASS = s.PGASS * s.RFTRA
        maintenance_respiration(s, p, tables, w.TEMP)
        growth_rates(s, conversion_efficiency(s, p))
        reallocation_rates(s, p)
        nitrogen_stress(s, p, tables)
        root_rates(s, p, tables)
        stem_rates(s, tables, s.REALLOC_ST)
        storage_organ_rates(s, s.REALLOC_SO)
        leaf_growth_and_stress(s, p, tables)
        s.DALV = min(dying_of_age(s, p, leaves) * s.NSLLV, s.WLV)
        s.DRLV = max(s.DSLV, s.DALV)
        leaf_area_rates(s, p, table(tables, SLATB, s.DVS), s.RFTRA * s.RFRGRL, w.TEMP)
        nitrogen_rates(s, p, tables)

    return crop_rates


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the crop by a day; up to the day of emergence only its development."""
    emerging = s.STAGE == EMERGING
    integrate_development(s, p, today)
    if emerging:
        return
    partition_by_drought(s, tables)
    integrate_roots(s)
    integrate_storage_organs(s, tables)
    integrate_stems(s, tables)
    integrate_leaves(s, leaves, s.REALLOC_LV)
    integrate_nitrogen(s)
    integrate_reallocation(s)
    integrate_totals(s)


@kernel
def start_soil(x: Floats, s: Any, p: Any, tables: Floats) -> None:
    """Put the soil at its start."""
    start_water(x, s, p, tables)
    start_soil_nitrogen(s, p)


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil."""
    water_rates(x, s, p, tables, w)
    soil_nitrogen_rates(s, p)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil by a day."""
    integrate_water(x, s, p)
    integrate_soil_nitrogen(s)


@kernel
def manage(s: Any, p: Any, tables: Floats, inputs: Any, today: float) -> None:
    """Set effective irrigation and fertiliser of the day, where water and nitrogen limit growth."""
    if p.WATER_LIMITED > 0.0:
        s.RIRR = inputs.IRRIG_EFF
    if p.NITROGEN_LIMITED > 0.0:
        s.FERT_N_SUPPLY = inputs.N_EFF


VARIABLES: Final = VARIABLES81
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(evapotranspiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
