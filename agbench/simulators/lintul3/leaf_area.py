"""Leaves: how their area grows with temperature and biomass, and how they die.

Reads: LAI, TRANRF, NNI, WLVG from the day; WC from water; DVS, TSUM from phenology.
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp

JUVENILE_DVS = 0.2  # -; below it, and below JUVENILE_LAI, leaf area grows exponentially
JUVENILE_LAI = 0.75  # m2 m-2; Spitters and Schapendonk 1990


@kernel
def specific_leaf_area(correction: float, nni: float, p: Any) -> float:
    """Return the specific leaf area [m2 g-1]; `correction` is SLACF at the current DVS [-]."""
    return p.SLAC * correction * exp(-p.NSLA * (1.0 - nni))


@kernel
def leaf_area_growth(s: Any, p: Any, sla: float, leaf_growth: float, warmth: float) -> float:
    """Return the growth of LAI [d-1].

    `leaf_growth` is the growth of leaf weight [g m-2 d-1], `warmth` the effective temperature
    [degC d]. Juvenile leaf area grows exponentially with warmth, later with leaf weight.
    """
    if s.LAI == 0.0 and s.WC > p.WCWP:
        return p.LAII
    if s.DVS < JUVENILE_DVS and s.LAI < JUVENILE_LAI:
        stress = s.TRANRF * exp(-p.NLAI * (1.0 - s.NNI))
        return s.LAI * (exp(p.RGRL * warmth) - 1.0) * stress
    return sla * leaf_growth


@kernel
def relative_leaf_death(s: Any, p: Any, ageing: float) -> float:
    """Return the relative death rate of leaves [d-1]: the larger of ageing and mutual shading.

    `ageing` is RDRT at the day's temperature; it acts once TSUM has reached TSUMAG.
    """
    by_age = 0.0 if s.TSUM < p.TSUMAG else ageing
    by_shade = max(0.0, p.RDRSHM * (s.LAI - p.LAICR) / p.LAICR)
    return max(by_age, by_shade)


@kernel
def leaf_death_by_nitrogen(s: Any, p: Any) -> float:
    """Return the weight of leaves that die from nitrogen shortage [g m-2 d-1]."""
    return s.WLVG * p.RDRNS * (1.0 - s.NNI) if s.NNI < 1.0 else 0.0


@kernel
def _no_more_than_stands(s: Any, lost: float, dying: float, starved: float) -> float:
    return lost if lost < s.LAI or s.WLVG <= 0.0 else s.LAI * (dying + starved / s.WLVG)


@kernel
def area_lost(s: Any, p: Any, dying: float, starved: float, sla: float) -> float:
    """Return the leaf area that dies [d-1]: the share `dying` [d-1], and what nitrogen shortage takes.

    Shibu et al. 2010 and PCSE turn the weight `starved` [g m-2 d-1] into area by today's specific leaf area
    `sla` [m2 g-1]. Where leaves are thicker than that, more area than stands may die, and LAI falls below 0.
    There, the sound setting takes the same share of area as of weight.
    """
    lost = s.LAI * dying + starved * sla
    return _no_more_than_stands(s, lost, dying, starved) if p.SOUND == 1.0 else lost
