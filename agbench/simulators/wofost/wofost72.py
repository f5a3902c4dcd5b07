"""WOFOST 7.2: potential and water-limited production.

C.A. van Diepen, J. Wolf, H. van Keulen, C. Rappoldt (1989), Soil Use and Management 5, 16-24;
A. de Wit et al. (2019), 25 years of the WOFOST cropping systems model, Agricultural Systems 168,
154-167. The order of processes and their equations are those of WOFOST 7.2 in PCSE 6.
"""

from typing import Any, Final

from agbench.compiled import kernel
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
from agbench.simulators.wofost.partitioning import conversion_efficiency, partition
from agbench.simulators.wofost.phenology import development_rates, integrate_development, start_phenology
from agbench.simulators.wofost.potential_water import (
    integrate_potential_water,
    potential_water_rates,
    start_potential_water,
)
from agbench.simulators.wofost.respiration import maintenance_respiration
from agbench.simulators.wofost.roots import integrate_roots, root_rates, start_roots
from agbench.simulators.wofost.stems import integrate_stems, start_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    integrate_storage_organs,
    start_storage_organs,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import SLATB, table
from agbench.simulators.wofost.variables import EMERGING, VARIABLES72
from agbench.simulators.wofost.water_balance import count_wet_days, integrate_water, start_water, water_rates
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
    s.TAGP = s.TWLV + s.TWST + s.TWSO


@kernel
def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
    """Set the rates of the crop on day `t`; before emergence only those of development."""
    w = series[t]
    development_rates(s, p, tables, w)
    if s.STAGE == EMERGING:
        return
    s.GROWING = 1.0
    potential_assimilation(s, p, tables, series, t)
    evapotranspiration(x, s, p, tables, w)
    s.GASS = s.PGASS * s.RFTRA
    maintenance_respiration(s, p, tables, w.TEMP)
    growth_rates(s, conversion_efficiency(s, p))
    root_rates(s, p, tables)
    stem_rates(s, tables, 0.0)
    storage_organ_rates(s, 0.0)
    leaf_growth_and_stress(s, p, tables)
    s.DALV = dying_of_age(s, p, leaves)
    s.DRLV = max(s.DSLV, s.DALV)
    leaf_area_rates(s, p, table(tables, SLATB, s.DVS), 1.0, w.TEMP)


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the crop by a day; up to the day of emergence only its development."""
    emerging = s.STAGE == EMERGING
    integrate_development(s, p, today)
    if emerging:
        return
    partition(s, tables)
    integrate_roots(s)
    integrate_storage_organs(s, tables)
    integrate_stems(s, tables)
    integrate_leaves(s, leaves, 0.0)
    integrate_totals(s)


@kernel
def start_soil(x: Floats, s: Any, p: Any, tables: Floats) -> None:
    """Put the soil at its start."""
    if p.WATER_LIMITED > 0.0:
        start_water(s, p)
    else:
        start_potential_water(s, p)


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil."""
    if p.WATER_LIMITED > 0.0:
        water_rates(s, p, w, 0.0)
    else:
        potential_water_rates(s, w)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil by a day."""
    if p.WATER_LIMITED > 0.0:
        integrate_water(s, p)
        count_wet_days(s, p, True)
    else:
        integrate_potential_water(s, p)


@kernel
def irrigate(s: Any, p: Any, tables: Floats, inputs: Any, today: float) -> None:
    """Set the effective irrigation of the day; potential production takes none."""
    if p.WATER_LIMITED > 0.0:
        s.RIRR = inputs.IRRIG_EFF


VARIABLES: Final = VARIABLES72
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates, integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    irrigate,
)
