"""Assimilation of a canopy: Gaussian integration over the day and over the depth of the canopy.

J. Goudriaan (1986), A simple and fast numerical method for the computation of daily totals of crop
photosynthesis, Agricultural and Forest Meteorology 38, 249-254; C.J.T. Spitters, H.A.J.M.
Toussaint, J. Goudriaan (1986), Agricultural and Forest Meteorology 38, 217-242.
WOFOST 8.1 lets the maximum rate of a leaf depend on its nitrogen, which declines with depth.

Reads: DVS from phenology; LAI from leaves; TEMP from weather; NamountLV from nitrogen.
Sets: ASSIMILATION_DAYS [d]; PGASS [kg ha-1 d-1].
"""

import math
from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp, exp_of_four
from agbench.simulators.wofost.tables import AMAXTB, EFFTB, KDIFTB, TMNFTB, TMPFTB, table
from agbench.simulators.wofost.weather import GAUSS_POINTS, GAUSS_WEIGHTS
from agbench.variables import Floats

_SCATTERING = 0.2  # -; scattering coefficient of leaves for visible light
_ROOT = math.sqrt(1.0 - _SCATTERING)
_REFLECTION = (1.0 - _ROOT) / (1.0 + _ROOT)  # -; of a horizontal canopy
_MEMORY = 7  # d; least temperatures that act on today's assimilation
_CH2O_PER_CO2 = 30.0, 44.0  # g mol-1


@kernel
def leaf_assimilation(
    direct: float, diffuse: float, sine: float, depth: float, kdif: float, eff: float, amax: float
) -> float:
    """Return the assimilation of sunlit and shaded leaves at a depth [kg CO2 ha-1 h-1].

    `direct`, `diffuse` light [J m-2 s-1], `depth` as leaf area above [ha ha-1], `eff` initial
    light use efficiency, `amax` maximum rate [kg CO2 ha-1 h-1].
    """
    reflected = _REFLECTION * 2.0 / (1.0 + 1.6 * sine)
    k_black = 0.5 / sine * kdif / (0.8 * _ROOT)
    k_direct = k_black * _ROOT
    beam = (1.0 - _SCATTERING) * direct / sine
    sky_left, beam_left, sunlit, unused = exp_of_four(
        -kdif * depth, -k_direct * depth, -k_black * depth, -beam * eff / max(2.0, amax)
    )
    scattered_sky = (1.0 - reflected) * diffuse * kdif * sky_left
    total_beam = (1.0 - reflected) * direct * k_direct * beam_left
    unscattered_beam = (1.0 - _SCATTERING) * direct * k_black * sunlit
    shade = scattered_sky + total_beam - unscattered_beam
    in_shade = amax * (1.0 - exp(-shade * eff / max(2.0, amax)))
    in_sun = in_shade
    if beam > 0.0:
        response = 1.0 - unused
        in_sun = amax * (1.0 - (amax - in_shade) * response / (eff * beam))
    return sunlit * in_sun + (1.0 - sunlit) * in_shade


@kernel
def canopy_assimilation(
    direct: float, diffuse: float, sine: float, lai: float, kdif: float, eff: float, amax: float
) -> float:
    """Return the assimilation of the canopy at an hour [kg CO2 ha-1 h-1]."""
    if sine <= 0.0:
        return 0.0
    total = 0.0
    for i in range(3):
        depth = lai * GAUSS_POINTS[i]
        leaf = leaf_assimilation(direct, diffuse, sine, depth, kdif, eff, amax)
        total += leaf * GAUSS_WEIGHTS[i]
    return total * lai


@kernel
def daily_assimilation(w: Any, lai: float, kdif: float, eff: float, amax: float) -> float:
    """Return the gross assimilation of a day [kg CO2 ha-1 d-1]."""
    if not (amax > 0.0 and lai > 0.0 and w.DAYL > 0.0):
        return 0.0
    total = canopy_assimilation(w.PARDIR1, w.PARDIF1, w.SINB1, lai, kdif, eff, amax)
    total = total * GAUSS_WEIGHTS[0]
    hour = canopy_assimilation(w.PARDIR2, w.PARDIF2, w.SINB2, lai, kdif, eff, amax)
    total += hour * GAUSS_WEIGHTS[1]
    hour = canopy_assimilation(w.PARDIR3, w.PARDIF3, w.SINB3, lai, kdif, eff, amax)
    total += hour * GAUSS_WEIGHTS[2]
    return total * w.DAYL


@kernel
def mean_minimum(s: Any, series: Any, t: int) -> float:
    """Return the mean least temperature of up to seven assimilation days, today's last [degC]."""
    s.ASSIMILATION_DAYS = min(s.ASSIMILATION_DAYS + 1.0, float(_MEMORY))
    days = int(s.ASSIMILATION_DAYS)
    total = 0.0
    for i in range(days):
        total += series[t - i].TMIN
    return total / days


@kernel
def _as_sugar(co2: float) -> float:
    """Return assimilation as CH2O, given as CO2."""
    return co2 * _CH2O_PER_CO2[0] / _CH2O_PER_CO2[1]


@kernel
def potential_assimilation(s: Any, p: Any, tables: Floats, series: Any, t: int) -> None:
    """Set PGASS [kg CH2O ha-1 d-1] of WOFOST 7.2 and 8.0: AMAXTB gives the maximum leaf rate."""
    assimilate(s, p, tables, series[t], mean_minimum(s, series, t))


@kernel
def assimilate(s: Any, p: Any, tables: Floats, w: Any, minimum: float) -> None:
    """Set PGASS of a day, as `potential_assimilation`; `minimum` is the mean least temperature [degC]."""
    cold = table(tables, TMNFTB, minimum)
    amax = table(tables, AMAXTB, s.DVS) * p.CO2AMAX * table(tables, TMPFTB, w.DTEMP)
    eff = table(tables, EFFTB, w.DTEMP) * p.CO2EFF
    kdif = table(tables, KDIFTB, s.DVS)
    s.PGASS = _as_sugar(daily_assimilation(w, s.LAI, kdif, eff, amax) * cold)


@kernel
def _leaf_nitrogen(s: Any, p: Any, depth: float) -> float:
    """Return the nitrogen of leaves at a depth [kg ha-1 leaf]: exponential decline, KN."""
    if s.LAI < 0.01:
        return s.NamountLV / s.LAI
    return s.NamountLV * p.KN * exp(-p.KN * depth) / (1.0 - exp(-p.KN * s.LAI))


@kernel
def _maximum_by_nitrogen(s: Any, p: Any, warmth: float, depth: float) -> float:
    """Return the maximum leaf rate at a depth [kg CO2 ha-1 h-1] by its nitrogen."""
    by_nitrogen = max(0.0, p.AMAX_SLP * (_leaf_nitrogen(s, p, depth) - p.AMAX_LNB))
    return p.CO2AMAX * warmth * min(p.AMAX_REF, by_nitrogen)


@kernel
def potential_assimilation_by_nitrogen(s: Any, p: Any, tables: Floats, series: Any, t: int) -> None:
    """Set PGASS [kg CH2O ha-1 d-1] of WOFOST 8.1: leaf nitrogen gives the maximum leaf rate."""
    w = series[t]
    cold = table(tables, TMNFTB, mean_minimum(s, series, t))
    warmth = table(tables, TMPFTB, w.TEMP)
    eff = table(tables, EFFTB, w.DTEMP) * p.CO2EFF
    kdif = table(tables, KDIFTB, s.DVS)
    if not (s.LAI > 0.0 and w.DAYL > 0.0):
        return
    first = second = third = 0.0
    for i in range(3):
        depth = s.LAI * GAUSS_POINTS[i]
        amax = _maximum_by_nitrogen(s, p, warmth, depth)
        weight = GAUSS_WEIGHTS[i]
        first += weight * _at(w.PARDIR1, w.PARDIF1, w.SINB1, depth, kdif, eff, amax)
        second += weight * _at(w.PARDIR2, w.PARDIF2, w.SINB2, depth, kdif, eff, amax)
        third += weight * _at(w.PARDIR3, w.PARDIF3, w.SINB3, depth, kdif, eff, amax)
    total = first * s.LAI * GAUSS_WEIGHTS[0] + second * s.LAI * GAUSS_WEIGHTS[1]
    total += third * s.LAI * GAUSS_WEIGHTS[2]
    s.PGASS = _as_sugar(total * w.DAYL * cold)


@kernel
def _at(
    direct: float, diffuse: float, sine: float, depth: float, kdif: float, eff: float, amax: float
) -> float:
    """Return `leaf_assimilation`, or 0 while the sun is down."""
    if sine <= 0.0:
        return 0.0
    return leaf_assimilation(direct, diffuse, sine, depth, kdif, eff, amax)
