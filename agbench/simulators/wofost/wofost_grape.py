"""WOFOST with nitrogen, phosphorus and potassium for grape vines over several years.

W. Solow, S. Saisubramanian, A. Fern (2025), WOFOSTGym. Growth is that of `wofost_perennial`; development,
dormancy and cold hardiness are the vine's own.
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.assimilation import assimilate
from agbench.simulators.wofost.cold_hardiness import (
    change_buds,
    frost_rates,
    hardiness_rates,
    integrate_frost,
    integrate_hardiness,
    start_hardiness,
)
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.evapotranspiration import evapotranspiration
from agbench.simulators.wofost.grape_phenology import (
    grape_development_rates,
    integrate_grape_development,
    resting,
    start_grape_phenology,
)
from agbench.simulators.wofost.growth import growth_rates, integrate_totals
from agbench.simulators.wofost.leaves import integrate_leaves, start_leaves
from agbench.simulators.wofost.nutrients import (
    integrate_nutrients,
    nutrient_rates,
    nutrient_stress,
    start_nutrients,
)
from agbench.simulators.wofost.perennial_phenology import integrate_age
from agbench.simulators.wofost.respiration import maintenance_respiration_by_age
from agbench.simulators.wofost.roots import integrate_roots, root_rates_by_stress, start_roots
from agbench.simulators.wofost.stems import integrate_stems, start_stems, stem_rates
from agbench.simulators.wofost.storage_organs import (
    integrate_harvestable,
    integrate_storage_organs,
    start_storage_organs,
    storage_organ_death,
    storage_organ_rates,
)
from agbench.simulators.wofost.tables import TDWI, table
from agbench.simulators.wofost.variables import VARIABLES_GRAPE
from agbench.simulators.wofost.wofost_npk import (
    integrate_soil,
    leaf_rates,
    rests,
    soil_rates,
    start_soil,
    surplus,
)
from agbench.simulators.wofost.wofost_perennial import (
    conversion,
    manage,
    mean_minimum,
    partition,
    partition_by_nutrients,
)
from agbench.variables import Floats


@kernel
def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Plant the vine."""
    start_grape_phenology(s, p)
    start_hardiness(s, p)
    s.AGE = p.AGEI
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


def crop_rates_with(transpire: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of the vine's rates, given how the soil lets it transpire."""

    @kernel
    def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
        """Set the rates of the vine on day `t`; at rest only those of development, hardiness and frost."""
        w = series[t]
        if rests(p, s):
            return
        grape_development_rates(s, p, w, float(p.EPOCH + t))
        hardiness_rates(s, p, w.TEMP)
        frost_rates(p, s, w.TMIN)
        if resting(s):
            return
        s.GROWING = 1.0
        assimilate(s, p, tables, w, mean_minimum(s, w.TMIN))
        transpire(x, s, p, tables, w)
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
def _integrate_phenology(s: Any, p: Any, today: float) -> None:
    before = s.STAGE
    integrate_age(s, p, today)
    integrate_frost(s)
    integrate_hardiness(s, p)
    integrate_grape_development(s, p, today)
    change_buds(s, p, before, today)


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the vine by a day; in dormancy only its development, its hardiness and what frost kills."""
    rested = resting(s)
    s.HWSO_BEFORE, s.HWSO_GAIN = s.HWSO, s.GRSO - s.DHSO
    _integrate_phenology(s, p, today)
    if rested:
        return
    partition_by_nutrients(s, p, tables)
    integrate_roots(s)
    integrate_storage_organs(s, tables)
    integrate_harvestable(s)
    integrate_stems(s, tables)
    integrate_leaves(s, leaves, 0.0)
    integrate_nutrients(s, p)
    integrate_totals(s)


VARIABLES: Final = VARIABLES_GRAPE
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(evapotranspiration), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
