"""WOFOST with nitrogen, phosphorus and potassium for grape vines over several years.

W. Solow, S. Saisubramanian, A. Fern (2025), WOFOSTGym. Development, dormancy and cold hardiness are the
vine's own. As published, all organs stay unchanged at rest, leaves and fruit too (defect P6); in the setting
`sound` a vine is a tree, whose wood, roots and reserves last (`trees`), and frost can kill its buds, shoots
and leaves.
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.cold_hardiness import (
    bear_on_living_shoots,
    change_buds,
    frost_on_fruit,
    frost_on_leaves,
    frost_rates,
    hardiness_rates,
    integrate_frost,
    integrate_hardiness,
    start_hardiness,
)
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.grape_columns import BUD_BREAK, RIPE
from agbench.simulators.wofost.grape_phenology import (
    begin_grape_rest,
    grape_development_rates,
    integrate_grape_development,
    resting,
    start_grape_phenology,
)
from agbench.simulators.wofost.growth import integrate_totals
from agbench.simulators.wofost.orchards import manage_with, start_with
from agbench.simulators.wofost.perennial_organs import integrate_organs, partition, partition_by_nutrients
from agbench.simulators.wofost.perennial_phenology import integrate_age
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.respiration import wood_respiration
from agbench.simulators.wofost.roots import integrate_roots, root_rates_by_stress
from agbench.simulators.wofost.stems import stem_rates
from agbench.simulators.wofost.storage_organs import storage_organ_death, storage_organ_rates
from agbench.simulators.wofost.tree_nutrients import integrate_tree_nutrients, tree_nutrient_rates
from agbench.simulators.wofost.trees import (
    bear,
    conversion_at_age,
    growing_carbon,
    integrate_tree,
    leaf_fall,
    leaf_out,
    plant_tree,
    tree_growth,
    wood_rates,
)
from agbench.simulators.wofost.variables import VARIABLES_GRAPE
from agbench.simulators.wofost.water_balance import settle
from agbench.simulators.wofost.wofost_npk import integrate_soil, leaf_rates, soil_rates, start_soil, surplus
from agbench.simulators.wofost.wofost_perennial import (
    crop_rates_with,
    grow_published,
    harvest_published,
    integrate_published_with,
    manage_trees_with,
    nothing_at_rest,
    rest_as_tree,
    start_published,
    transpire_from_soil,
)
from agbench.variables import Floats


@kernel
def _integrate_phenology(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance age, frost, hardiness and development by a day."""
    before, closed = s.STAGE, s.BUDS_CLOSED
    integrate_age(s, p, today)
    integrate_frost(s)
    integrate_hardiness(s, p)
    integrate_grape_development(s, p, today)
    change_buds(s, p, before, closed, today)


@kernel
def _at_rest(p: Any, s: Any) -> bool:
    return resting(s)


# as a tree


@kernel
def _start_as_tree(p: Any, s: Any, tables: Floats, leaves: Floats) -> None:
    """Plant vines, which break their buds at once where they start there."""
    plant_tree(s, p, tables)
    _share_out(s, tables)
    if s.STAGE == BUD_BREAK:
        leaf_out(s, p, tables, leaves)


@kernel
def _share_out(s: Any, tables: Floats) -> None:
    """Give shoots what fruit does not take: of vines too young to bear, or of buds killed by frost."""
    bear(s, tables)
    bear_on_living_shoots(s)


@kernel
def _grow_as_tree(p: Any, s: Any, tables: Floats, leaves: Floats, w: Any) -> None:
    """Set the rates of growth; ripe vines only fill their reserves."""
    s.GASS = s.PGASS * min(s.RFNPK, s.RFTRA)
    wood_respiration(s, p, tables, w.TEMP)
    s.SURPLUS_N = surplus(p, s)
    growing_carbon(s, p, tables, s.STAGE == RIPE)
    tree_growth(s, conversion_at_age(s, tables))
    root_rates_by_stress(s, p, tables)
    stem_rates(s, tables, 0.0)
    storage_organ_death(s, tables, w.TEMP)
    frost_on_fruit(s)
    storage_organ_rates(s, 0.0)
    leaf_rates(s, p, tables, leaves, w.TEMP)
    frost_on_leaves(s)
    wood_rates(s, p)
    tree_nutrient_rates(s, p, tables)


@kernel
def _integrate_as_tree(p: Any, s: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the vine by a day; leaves come and fall between two days."""
    rested = resting(s)
    _integrate_phenology(s, p, tables, leaves, today)
    if rested:
        integrate_roots(s)
    else:
        partition_by_nutrients(s, p, tables)
        _share_out(s, tables)
        integrate_organs(s, tables, leaves)
    integrate_tree(s)
    integrate_tree_nutrients(s, p)
    integrate_totals(s)
    if resting(s) and not rested:
        leaf_fall(s, p)
        s.ASSIMILATION_DAYS = 0.0
    elif rested and s.STAGE == BUD_BREAK:
        partition(s, tables)
        _share_out(s, tables)
        leaf_out(s, p, tables, leaves)


@kernel
def _rest_anew(s: Any, p: Any) -> None:
    """Put young vines at rest."""
    begin_grape_rest(s, p)
    start_hardiness(s, p)
    s.ASSIMILATION_DAYS = 0.0


_start = repaired("P6", published=start_published, sound=_start_as_tree)
"""The organs at the start; unrepaired, leaves and fruit of a year last into the next."""
_rest = repaired("P6", published=nothing_at_rest, sound=rest_as_tree)
_grow = repaired("P6", published=grow_published, sound=_grow_as_tree)
_integrate = repaired(
    "P6", published=integrate_published_with(_at_rest, _integrate_phenology), sound=_integrate_as_tree
)
_manage = repaired("P6", published=harvest_published, sound=manage_trees_with(_at_rest, _rest_anew))

# the day


@kernel
def _start_vine(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    start_grape_phenology(s, p)
    start_hardiness(s, p)
    s.AGE = p.AGEI
    s.DOP = today
    s.SURPLUS_N = -1.0
    partition(s, tables)
    _start(p, s, tables, leaves)


@kernel
def _develop(s: Any, p: Any, tables: Floats, w: Any, today: float) -> None:
    """Set the rates of development, of hardiness and of what frost kills."""
    grape_development_rates(s, p, w, today)
    hardiness_rates(s, p, w.TEMP)
    frost_rates(p, s, w.TMIN)


def vine_rates_with(transpire: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of the vine's rates, given how the soil lets it transpire under its canopy."""
    return crop_rates_with(transpire, _develop, _at_rest, _rest, _grow)


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the vine by a day."""
    _integrate(p, s, tables, leaves, today)


start_crop = start_with(_start_vine, settle)
start_crop_layered = start_with(_start_vine, unchanged)
manage = manage_with(_manage, settle)
manage_layered = manage_with(_manage, unchanged)
"""As `manage`, on a layered soil, whose water stays in its layers."""

VARIABLES: Final = VARIABLES_GRAPE
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, vine_rates_with(transpire_from_soil), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
