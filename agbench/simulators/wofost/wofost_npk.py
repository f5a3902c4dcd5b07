"""WOFOST with nitrogen, phosphorus and potassium: WOFOST 8.0 as WOFOSTGym extends it, annual crops.

W. Solow, S. Saisubramanian, A. Fern (2025), WOFOSTGym: a crop simulator for learning annual and
perennial crop management strategies; WOFOST 8.0 in PCSE 5.5. Two settings: `published` computes
as the original does, `sound` repairs what breaks balances (see `repairs.py` and `docs/wofost.md`).
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.wofost.assimilation import potential_assimilation
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
from agbench.simulators.wofost.nutrients import (
    harvest_nutrients,
    integrate_nutrients,
    nutrient_rates,
    nutrient_stress,
    start_nutrients,
)
from agbench.simulators.wofost.partitioning import conversion_efficiency, partition, partition_by_nutrients
from agbench.simulators.wofost.phenology import development_rates, integrate_development, start_phenology
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.respiration import maintenance_respiration
from agbench.simulators.wofost.roots import integrate_roots, root_rates_by_stress, start_roots
from agbench.simulators.wofost.soil_nutrients import (
    fertilise,
    integrate_soil_nutrients,
    soil_nutrient_rates,
    start_soil_nutrients,
)
from agbench.simulators.wofost.stems import integrate_stems, start_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    harvest,
    integrate_harvestable,
    integrate_storage_organs,
    start_storage_organs,
    storage_organ_death,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import SLATB, table
from agbench.simulators.wofost.variables import DEAD, EMERGING, STANDING, VARIABLES_NPK
from agbench.simulators.wofost.water_balance import (
    check_water,
    count_wet_days,
    hold_at_field_capacity,
    integrate_water,
    irrigation_again,
    start_water,
    water_rates,
)
from agbench.variables import Floats


@kernel
def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Sow or plant the crop."""
    start_phenology(s, p, today)
    s.DOP = today
    s.SURPLUS_N = -1.0
    partition(s, tables)
    start_roots(s, p, p.TDWI)
    start_stems(s, p.TDWI, tables)
    start_storage_organs(s, p.TDWI, tables)
    start_leaves(s, p.TDWI, tables, leaves)
    start_nutrients(s, p, tables)
    s.TAGP = s.TWLV + s.TWST + s.TWSO


@kernel
def _any_surplus(p: Any, s: Any) -> float:
    return s.SURFACE_N if s.SURFACE_N > p.NTHRESH else -1.0


@kernel
def _surplus_of_limiting(p: Any, s: Any) -> float:
    return _any_surplus(p, s) if p.NITROGEN_LIMITED != 0.0 else -1.0


surplus = repaired("N5", published=_any_surplus, sound=_surplus_of_limiting)
"""Nitrogen on the surface that counts as surplus [kg ha-1], -1 for none."""


@kernel
def _any_leaf_death(p: Any, s: Any) -> float:
    return max(s.DSLV, s.DALV)


@kernel
def _death_of_living_leaves(p: Any, s: Any) -> float:
    return min(_any_leaf_death(p, s), s.WLV)


_leaf_death = repaired("SOUND", published=_any_leaf_death, sound=_death_of_living_leaves)
"""Death of leaves [kg ha-1 d-1], by stress or by age, whichever kills more."""


@kernel
def leaf_rates(s: Any, p: Any, tables: Floats, leaves: Floats, temperature: float) -> None:
    """Set the rates of leaves, under stress of water and nutrients."""
    leaf_growth_and_stress(s, p, tables)
    s.DSLV4 = s.WLV * p.RDRLV_NPK * (1.0 - s.NPKI)
    s.DSLV = s.DSLV + s.DSLV4
    s.DALV = dying_of_age(s, p, leaves)
    s.DRLV = _leaf_death(p, s)
    sla = table(tables, SLATB, s.DVS) * exp(-p.NSLA_NPK * (1.0 - s.NPKI))
    juvenile = s.RFTRA * exp(-p.NLAI_NPK * (1.0 - s.NPKI))
    leaf_area_rates(s, p, sla, juvenile, temperature)


@kernel
def _never(p: Any, s: Any) -> bool:
    return False


@kernel
def _on_its_last_day(p: Any, s: Any) -> bool:
    return s.FIN > 0.0


rests = repaired("N11", published=_never, sound=_on_its_last_day)
"""Whether the crop has no rates today: uptake on its last day would reach no crop."""


@kernel
def _stop_the_dead(p: Any, s: Any) -> None:
    if s.STAGE == DEAD:
        s.PGASS = s.TRAMX = s.TRA = 0.0


end_assimilation = repaired("C6", published=unchanged, sound=_stop_the_dead)
"""Unrepaired, a dead crop goes on with its stems and pods."""


def crop_rates_with(transpire: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of the crop's rates, given how the soil lets it transpire."""

    @kernel
    def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
        """Set the rates of the crop on day `t`; before emergence only those of development."""
        w = series[t]
        if rests(p, s):
            return
        development_rates(s, p, tables, w)
        if s.STAGE == EMERGING:
            return
        s.GROWING = 1.0
        potential_assimilation(s, p, tables, series, t)
        transpire(x, s, p, tables, w)
        end_assimilation(p, s)
        nutrient_stress(s, p, tables)
        s.GASS = s.PGASS * min(s.RFNPK, s.RFTRA)
        maintenance_respiration(s, p, tables, w.TEMP)
        s.SURPLUS_N = surplus(p, s)
        growth_rates(s, conversion_efficiency(s, p))
        root_rates_by_stress(s, p, tables)
        stem_rates(s, tables, 0.0)
        storage_organ_death(s, tables, w.TEMP)
        storage_organ_rates(s, 0.0)
        leaf_rates(s, p, tables, leaves, w.TEMP)
        nutrient_rates(s, p, tables)

    return crop_rates


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the crop by a day; up to the day of emergence only its development."""
    emerging = s.STAGE == EMERGING
    integrate_development(s, p, today)
    if emerging:
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
def _moist_but_airless(p: Any, s: Any) -> None:
    s.SM = p.SMFCF
    count_wet_days(s, p, True)


@kernel
def _field_capacity(p: Any, s: Any) -> None:
    hold_at_field_capacity(s, p)


_start_potential_water = repaired("W2", published=unchanged, sound=_field_capacity)
_hold_potential_water = repaired("W2", published=_moist_but_airless, sound=_field_capacity)
"""Without water limitation; unrepaired, the water balance runs dry and wet soils suffocate the crop."""


@kernel
def start_soil(x: Floats, s: Any, p: Any, tables: Floats) -> None:
    """Put the soil at its start."""
    start_water(s, p)
    start_soil_nutrients(s, p)
    if p.WATER_LIMITED == 0.0:
        _start_potential_water(p, s)


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil."""
    water_rates(s, p, w, irrigation_again(p, s))
    soil_nutrient_rates(s, p, tables)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil by a day; without water limitation it stays at field capacity."""
    integrate_water(s, p)
    if p.WATER_LIMITED > 0.0:
        count_wet_days(s, p, s.IN_CROP > 0.0)
    else:
        _hold_potential_water(p, s)
    check_water(s)
    integrate_soil_nutrients(s, p)


@kernel
def _leave_field(p: Any, s: Any) -> None:
    if s.WSO > 0.0:
        harvest_nutrients(s, s.LHW / s.WSO)
        s.HARVESTED += s.LHW
        s.WSO -= s.LHW
        s.TWSO = s.WSO + s.DWSO


take_harvest = repaired("SOUND", published=unchanged, sound=_leave_field)
"""What is harvested leaves the field, with its nutrients; unrepaired, it stays in the crop."""


@kernel
def supply(s: Any, inputs: Any) -> None:
    """Apply irrigation and fertiliser of the day."""
    s.TOTIRRIG += inputs.IRRIG
    s.RIRR = inputs.IRRIG_EFF
    fertilise(s, inputs)


@kernel
def end_crop(s: Any) -> None:
    """Make this the crop's last day, its harvest."""
    s.DOH = s.DOP + s.DURATION
    s.FIN = 1.0
    s.IN_CROP = 0.0


@kernel
def manage(s: Any, p: Any, tables: Floats, inputs: Any, today: float) -> None:
    """Apply irrigation and fertiliser of the day, and harvest.

    Where a harvest ends the crop, from a share of 0.5 on, it takes all that is harvestable.
    """
    supply(s, inputs)
    ends = p.HARVEST_ENDS > 0.0
    due = inputs.HARVEST >= 0.5 and s.DURATION > 0.0 if ends else inputs.HARVEST > 0.0
    if due and s.CROP == STANDING:
        harvest(s, 1.0 if ends else inputs.HARVEST)
        take_harvest(p, s)
        if ends:
            end_crop(s)


VARIABLES: Final = VARIABLES_NPK
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(evapotranspiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
