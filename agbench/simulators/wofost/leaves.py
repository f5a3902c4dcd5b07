"""Leaves: classes by day of birth, each with weight, specific area and physiological age.

A class is a column of the array `leaves` (3, capacity): weight [kg ha-1], specific leaf area
[ha kg-1], age [d]. The living classes are neighbours from LEAF_FIRST on, the oldest first. Days without
leaf growth leave no class.

van Diepen et al. (1989); sink-limited juvenile growth: C.J.T. Spitters (1990).

Reads: DRLV from the day; FL, FR from partitioning; DVS from phenology; PAI from storage organs; ADMI
    from growth; SAI from stems; RFTRA from evapotranspiration.
Sets: WLV, TWLV, DWLV [kg ha-1]; LAIEM, LASUM, LAIEXP, LAIMAX, LAI [ha ha-1]; LEAF_FIRST, LEAF_COUNT
    [-]; GRLV, DSLV1, DSLV2, DSLV [kg ha-1 d-1]; FYSAGE [d d-1]; SLAT [ha kg-1]; GLAIEX, GLASOL [ha ha-1
    d-1].
"""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost.tables import KDIFTB, SLATB, limit, table
from agbench.variables import Floats

WEIGHT: Final = 0
AREA: Final = 1
AGE: Final = 2
MOST_CLASSES: Final = 1024
"""Classes that a row keeps; where more live, the two oldest become one."""

_HOT = 35.0  # degC; temperature of a physiological day
_SOURCE_LIMITED_LAI = 6.0  # ha ha-1; LAIEXP from which assimilates alone limit leaf area
_JUVENILE_DVS = 0.2
_JUVENILE_LAI = 0.75  # ha ha-1
_SHADE_DEATH = 0.03  # d-1; greatest relative death by shading
_CRITICAL_LIGHT = 3.2  # -; LAI x KDIF from which leaves shade each other to death


@kernel
def start_leaves(s: Any, weight: float, tables: Floats, leaves: Floats) -> None:
    """Give the leaves their share of the initial `weight` [kg ha-1], in one class."""
    s.WLV = weight * (1.0 - s.FR) * s.FL
    s.TWLV = s.WLV
    sla = table(tables, SLATB, s.DVS)
    s.LAIEM = s.WLV * sla
    s.LASUM = s.LAIEXP = s.LAIMAX = s.LAIEM
    s.LAI = s.LASUM + s.SAI + s.PAI
    s.LEAF_FIRST = 0.0
    s.LEAF_COUNT = 0.0
    _add_class(s, leaves, s.WLV, sla)


@kernel
def _add_class(s: Any, leaves: Floats, weight: float, area: float) -> None:
    """Append a class, moving all to the front of the array where its end is reached."""
    first = int(s.LEAF_FIRST)
    count = int(s.LEAF_COUNT)
    if count == leaves.shape[1]:
        _merge_oldest(leaves)
        first = 1
        count -= 1
    if first + count == leaves.shape[1]:
        for i in range(count):
            for k in range(3):
                leaves[k, i] = leaves[k, first + i]
        s.LEAF_FIRST = 0.0
        first = 0
    leaves[WEIGHT, first + count] = weight
    leaves[AREA, first + count] = area
    leaves[AGE, first + count] = 0.0
    s.LEAF_COUNT = count + 1.0


@kernel
def _merge_oldest(leaves: Floats) -> None:
    """Put the oldest class, the first, into the second: area and age become means by weight."""
    old, young = leaves[WEIGHT, 0], leaves[WEIGHT, 1]
    share = old / (old + young) if old + young > 0.0 else 0.0
    leaves[WEIGHT, 1] = old + young
    leaves[AREA, 1] += share * (leaves[AREA, 0] - leaves[AREA, 1])
    leaves[AGE, 1] += share * (leaves[AGE, 0] - leaves[AGE, 1])


@kernel
def dying_of_age(s: Any, p: Any, leaves: Floats) -> float:
    """Return the weight of the classes older than SPAN [kg ha-1]."""
    first = int(s.LEAF_FIRST)
    end = first
    while end < first + int(s.LEAF_COUNT) and leaves[AGE, end] > p.SPAN:
        end += 1
    total = 0.0
    for i in range(end - 1, first - 1, -1):
        total += leaves[WEIGHT, i]
    return total


@kernel
def leaf_growth_and_stress(s: Any, p: Any, tables: Floats) -> None:
    """Set GRLV and the death of leaves by drought and by shading [kg ha-1 d-1]."""
    s.GRLV = s.ADMI * s.FL
    s.DSLV1 = s.WLV * (1.0 - s.RFTRA) * p.PERDL
    critical = _CRITICAL_LIGHT / table(tables, KDIFTB, s.DVS)
    s.DSLV2 = s.WLV * limit(0.0, _SHADE_DEATH, _SHADE_DEATH * (s.LAI - critical) / critical)
    s.DSLV = max(s.DSLV1, s.DSLV2)


@kernel
def leaf_area_rates(s: Any, p: Any, sla: float, juvenile: float, temperature: float) -> None:
    """Set ageing and the growth of leaf area; SLAT carries what temperature allows.

    `sla` is the specific area of new leaves [ha kg-1], `juvenile` the factor of stress on young
    canopies [-], `temperature` the daily mean [degC].
    """
    s.FYSAGE = max(0.0, (temperature - p.TBASE) / (_HOT - p.TBASE))
    s.SLAT = sla
    if s.LAIEXP >= _SOURCE_LIMITED_LAI:
        return
    warmth = max(0.0, temperature - p.TBASE)
    factor = juvenile if s.DVS < _JUVENILE_DVS and s.LAI < _JUVENILE_LAI else 1.0
    s.GLAIEX = s.LAIEXP * p.RGRLAI * warmth * factor
    s.GLASOL = s.GRLV * sla
    if s.GRLV > 0.0:
        s.SLAT = min(s.GLAIEX, s.GLASOL) / s.GRLV


@kernel
def integrate_leaves(s: Any, leaves: Floats, moved: float) -> None:
    """Advance leaves by a day; `moved` [kg ha-1] leaves them for storage organs."""
    _remove(s, leaves, s.DRLV)
    first = int(s.LEAF_FIRST)
    for i in range(first, first + int(s.LEAF_COUNT)):
        leaves[AGE, i] += s.FYSAGE
    if moved > 0.0:
        _shrink(s, leaves, moved)
    if s.GRLV > 0.0:
        _add_class(s, leaves, s.GRLV, s.SLAT)
    _sum_classes(s, leaves)
    s.LAI = s.LASUM + s.SAI + s.PAI
    s.LAIMAX = max(s.LAI, s.LAIMAX)
    s.LAIEXP += s.GLAIEX
    s.DWLV += s.DRLV
    s.TWLV = s.WLV + s.DWLV


@kernel
def _remove(s: Any, leaves: Floats, weight: float) -> None:
    """Take `weight` [kg ha-1] from the classes, the oldest first."""
    first = int(s.LEAF_FIRST)
    end = first + int(s.LEAF_COUNT)
    while first < end and weight > 0.0 and weight >= leaves[WEIGHT, first]:
        weight -= leaves[WEIGHT, first]
        first += 1
    if first < end and weight > 0.0:
        leaves[WEIGHT, first] -= weight
    s.LEAF_FIRST = float(first)
    s.LEAF_COUNT = float(end - first)


@kernel
def _shrink(s: Any, leaves: Floats, weight: float) -> None:
    """Take `weight` [kg ha-1] from all classes in proportion, if they hold more than it."""
    first = int(s.LEAF_FIRST)
    end = first + int(s.LEAF_COUNT)
    total = 0.0
    for i in range(end - 1, first - 1, -1):
        total += leaves[WEIGHT, i]
    if weight < total:
        for i in range(first, end):
            leaves[WEIGHT, i] *= (total - weight) / total


@kernel
def _sum_classes(s: Any, leaves: Floats) -> None:
    """Set WLV and LASUM, summing from the youngest class to the oldest."""
    first = int(s.LEAF_FIRST)
    weight = 0.0
    area = 0.0
    for i in range(first + int(s.LEAF_COUNT) - 1, first - 1, -1):
        weight += leaves[WEIGHT, i]
        area += leaves[WEIGHT, i] * leaves[AREA, i]
    s.WLV = weight
    s.LASUM = area
