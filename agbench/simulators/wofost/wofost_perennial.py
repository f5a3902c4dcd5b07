"""WOFOST with nitrogen, phosphorus and potassium for perennial crops: fruit trees over several years.

W. Solow, S. Saisubramanian, A. Fern (2025), WOFOSTGym. The processes are those of `wofost_npk`; partitioning,
conversion, respiration and the initial weight also depend on age, and each year passes through dormancy.
As published, a crop then starts anew from the initial weight; in the setting `sound` it is a tree, whose
wood, roots and reserves last (`trees`).
"""

from collections.abc import Callable
from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.assimilation import assimilate
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.evapotranspiration import evapotranspiration
from agbench.simulators.wofost.growth import growth_rates, integrate_totals
from agbench.simulators.wofost.leaves import start_leaves
from agbench.simulators.wofost.nutrients import (
    forget_nutrients,
    integrate_nutrients,
    nutrient_rates,
    nutrient_stress,
    start_nutrients,
)
from agbench.simulators.wofost.orchards import manage_with, start_with
from agbench.simulators.wofost.perennial_organs import (
    integrate_organs,
    mean_minimum,
    organ_rates,
    partition,
    partition_by_nutrients,
)
from agbench.simulators.wofost.perennial_phenology import (
    begin_dormancy,
    integrate_tree_phenology,
    perennial_rates,
    published_phenology,
    start_perennial,
)
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.respiration import maintenance_respiration_by_age, wood_respiration
from agbench.simulators.wofost.roots import integrate_roots, root_rates, start_roots
from agbench.simulators.wofost.stems import integrate_stem_area, start_stems
from agbench.simulators.wofost.storage_organs import start_storage_organs
from agbench.simulators.wofost.tables import TDWI, limit, table
from agbench.simulators.wofost.tree_nutrients import integrate_tree_nutrients, tree_nutrient_rates
from agbench.simulators.wofost.trees import (
    bear,
    clear,
    conversion_at_age,
    cover,
    growing_carbon,
    integrate_tree,
    leaf_fall,
    leaf_out,
    plant_tree,
    prune,
    resting_carbon,
    spread,
    take_fruit,
    tree_growth,
    wood_rates,
)
from agbench.simulators.wofost.variables import (
    DORMANT,
    EMERGING,
    MATURE,
    SOWING,
    VARIABLES_PERENNIAL,
    VEGETATIVE,
)
from agbench.simulators.wofost.water_balance import settle
from agbench.simulators.wofost.wofost_npk import (
    end_assimilation,
    integrate_soil,
    rests,
    soil_rates,
    start_soil,
    surplus,
)
from agbench.variables import Floats

# as published


@kernel
def start_published(p: Any, s: Any, tables: Floats, leaves: Floats) -> None:
    """Plant the initial weight."""
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


_integrate_published_phenology = published_phenology(_start_anew)


@kernel
def grow_published(p: Any, s: Any, tables: Floats, leaves: Floats, w: Any) -> None:
    """Set the rates of growth."""
    s.GASS = s.PGASS * min(s.RFNPK, s.RFTRA)
    maintenance_respiration_by_age(s, p, tables, w.TEMP)
    s.SURPLUS_N = surplus(p, s)
    growth_rates(s, conversion_at_age(s, tables))
    organ_rates(s, p, tables, leaves, w)
    nutrient_rates(s, p, tables)


@kernel
def _published_rest(p: Any, s: Any) -> bool:
    return s.STAGE == EMERGING or s.STAGE == DORMANT


def integrate_published_with(
    at_rest: Callable[..., bool], develop: Callable[..., None]
) -> Callable[..., None]:
    """Return the kernel of a day as published, given when a crop rests and how it develops."""

    @kernel
    def integrate(p: Any, s: Any, tables: Floats, leaves: Floats, today: float) -> None:
        """Advance the crop by a day; until bud break and at rest only its development."""
        rested = at_rest(p, s)
        s.HWSO_BEFORE, s.HWSO_GAIN = s.HWSO, s.GRSO - s.DHSO
        develop(s, p, tables, leaves, today)
        if rested:
            return
        partition_by_nutrients(s, p, tables)
        integrate_organs(s, tables, leaves)
        integrate_nutrients(s, p)
        integrate_totals(s)

    return integrate


@kernel
def harvest_published(p: Any, s: Any, tables: Floats, inputs: Any, today: float) -> None:
    """Take what was harvestable before the integration of the day; it stays where it was."""
    if inputs.HARVEST > 0.0:
        s.LHW = inputs.HARVEST * s.HWSO_BEFORE
        s.HWSO = limit(0.0, s.WSO, (1.0 - inputs.HARVEST) * s.HWSO_BEFORE + s.HWSO_GAIN)


@kernel
def nothing_at_rest(p: Any, s: Any, tables: Floats, w: Any) -> None:
    """Have no rates at rest."""


# as a tree


@kernel
def _start_tree(p: Any, s: Any, tables: Floats, leaves: Floats) -> None:
    """Plant trees, which break their buds at once where they start at emergence."""
    plant_tree(s, p, tables)
    bear(s, tables)
    if s.STAGE == VEGETATIVE:
        leaf_out(s, p, tables, leaves)


@kernel
def _tree_rest(p: Any, s: Any) -> bool:
    return s.STAGE == EMERGING or s.STAGE == DORMANT or s.STAGE == SOWING


@kernel
def rest_as_tree(p: Any, s: Any, tables: Floats, w: Any) -> None:
    """Set the rates at rest: respiration from reserves, death of roots and wood."""
    wood_respiration(s, p, tables, w.TEMP)
    resting_carbon(s, p, tables)
    root_rates(s, p, tables)
    wood_rates(s, p)
    tree_nutrient_rates(s, p, tables)


@kernel
def _grow_as_tree(p: Any, s: Any, tables: Floats, leaves: Floats, w: Any) -> None:
    """Set the rates of growth."""
    s.GASS = s.PGASS * min(s.RFNPK, s.RFTRA)
    wood_respiration(s, p, tables, w.TEMP)
    s.SURPLUS_N = surplus(p, s)
    growing_carbon(s, p, tables, s.STAGE == MATURE)
    tree_growth(s, conversion_at_age(s, tables))
    organ_rates(s, p, tables, leaves, w)
    wood_rates(s, p)
    tree_nutrient_rates(s, p, tables)


@kernel
def _integrate_as_tree(p: Any, s: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the tree by a day; leaves come and fall between two days."""
    resting, breaking = _tree_rest(p, s), s.STAGE == EMERGING
    integrate_tree_phenology(s, p, today)
    if resting:
        integrate_roots(s)
    else:
        partition_by_nutrients(s, p, tables)
        bear(s, tables)
        integrate_organs(s, tables, leaves)
    integrate_tree(s)
    integrate_tree_nutrients(s, p)
    integrate_totals(s)
    if s.STAGE == DORMANT and not resting:
        leaf_fall(s, p)
    elif breaking and s.STAGE == VEGETATIVE:
        partition(s, tables)
        bear(s, tables)
        leaf_out(s, p, tables, leaves)


@kernel
def _rest_anew(s: Any, p: Any) -> None:
    """Put young trees at rest."""
    begin_dormancy(s)
    s.STAGE = SOWING


def manage_trees_with(at_rest: Callable[..., bool], rest_anew: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of an orchard's work, given when its trees rest and how young ones begin to."""

    @kernel
    def act(p: Any, s: Any, tables: Floats, inputs: Any, today: float) -> None:
        """Harvest, prune at rest, and replant: clear the trees and plant young ones, which rest."""
        if inputs.HARVEST > 0.0:
            take_fruit(s, inputs.HARVEST)
        if inputs.PRUNE > 0.0 and at_rest(p, s):
            prune(s, inputs.PRUNE)
        if inputs.PLANT >= 0.5:
            clear(s)
            rest_anew(s, p)
            s.AGE = 0.0
            s.DOP = today
            plant_tree(s, p, tables)

    return act


_start = repaired("C2", published=start_published, sound=_start_tree)
"""What stands at the start; unrepaired, the crop vanishes in dormancy and starts anew from nowhere."""
_at_rest = repaired("C1", published=_published_rest, sound=_tree_rest)
"""Whether there is no growth; unrepaired, leaves grow in winter before bud break."""
_rest = repaired("C2", published=nothing_at_rest, sound=rest_as_tree)
_grow = repaired("C2", published=grow_published, sound=_grow_as_tree)
_integrate = repaired(
    "C2",
    published=integrate_published_with(_published_rest, _integrate_published_phenology),
    sound=_integrate_as_tree,
)
_manage = repaired("C2", published=harvest_published, sound=manage_trees_with(_tree_rest, _rest_anew))


@kernel
def _all_ground(p: Any, s: Any, tables: Floats) -> float:
    return 1.0


@kernel
def _ground_under_trees(p: Any, s: Any, tables: Floats) -> float:
    return cover(s, tables)


@kernel
def _as_it_is(p: Any, s: Any, w: Any, share: float) -> None:
    """Leave what is computed for all of the ground."""


@kernel
def _spread_over_trees(p: Any, s: Any, w: Any, share: float) -> None:
    spread(s, w, share)


_cover = repaired("C2", published=_all_ground, sound=_ground_under_trees)
"""The share of the ground that the canopy covers; under trees, leaf area is LAI over this share."""
_spread = repaired("C2", published=_as_it_is, sound=_spread_over_trees)

# the day


@kernel
def _plant_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    start_perennial(s, p, today)
    s.DOP = today
    s.SURPLUS_N = -1.0
    partition(s, tables)
    _start(p, s, tables, leaves)


start_crop = start_with(_plant_crop, settle)
start_crop_layered = start_with(_plant_crop, unchanged)


@kernel
def _develop(s: Any, p: Any, tables: Floats, w: Any, today: float) -> None:
    perennial_rates(s, p, tables, w)


def crop_rates_with(
    transpire: Callable[..., None],
    develop: Callable[..., None] = _develop,
    at_rest: Callable[..., bool] = _at_rest,
    rest: Callable[..., None] = _rest,
    grow: Callable[..., None] = _grow,
) -> Callable[..., None]:
    """Return the kernel of the crop's rates, given how the soil lets it transpire under its canopy.

    A crop of another kind than trees has its own way to develop, to rest and to grow.
    """

    @kernel
    def crop_rates(x: Floats, s: Any, p: Any, tables: Floats, leaves: Floats, series: Any, t: int) -> None:
        """Set the rates of the crop on day `t`; at rest, until bud break, it does not assimilate."""
        w = series[t]
        if rests(p, s):
            return
        develop(s, p, tables, w, float(p.EPOCH + t))
        if at_rest(p, s):
            rest(p, s, tables, w)
            return
        s.GROWING = 1.0
        share, lai = _cover(p, s, tables), s.LAI
        s.LAI = lai / share
        assimilate(s, p, tables, w, mean_minimum(s, w.TMIN))
        transpire(x, s, p, tables, w, share)
        _spread(p, s, w, share)
        end_assimilation(p, s)
        nutrient_stress(s, p, tables)
        grow(p, s, tables, leaves, w)
        s.LAI = lai

    return crop_rates


@kernel
def integrate_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Advance the crop by a day."""
    _integrate(p, s, tables, leaves, today)


manage = manage_with(_manage, settle)
manage_layered = manage_with(_manage, unchanged)
"""As `manage`, on a layered soil, whose water stays in its layers."""


@kernel
def transpire_from_soil(x: Floats, s: Any, p: Any, tables: Floats, w: Any, share: float) -> None:
    """Transpire from a soil with a single layer."""
    evapotranspiration(x, s, p, tables, w)


VARIABLES: Final = VARIABLES_PERENNIAL
"""The columns of a row of state."""

begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, crop_rates_with(transpire_from_soil), integrate_crop),
    (start_soil, soil_rates, integrate_soil),
    manage,
)
