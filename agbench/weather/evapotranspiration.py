"""Reference evapotranspiration: Penman (E0, ES0) and Penman-Monteith (ET0), as in WOFOST.

Penman 1948, Proc. R. Soc. A 193, with the constants of Frere and Popov 1979 (FAO Plant Production
and Protection Paper 17); Allen et al. 1998 (FAO Irrigation and Drainage Paper 56, cited as FAO 56).
The numbers equal those of PCSE's `reference_ET` with `ETMODEL="PM"`.
"""

import math

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import exp, pow
from agbench.variables import Floats
from agbench.weather.astronomy import angot_radiation, day_length

LATENT_HEAT = 2.45e6  # evaporation of water [J kg-1], FAO 56
WATER_ALBEDO = 0.05  # Frere and Popov 1979
SOIL_ALBEDO = 0.15  # Frere and Popov 1979
REFERENCE_ALBEDO = 0.23  # reference grass, FAO 56
STEFAN_BOLTZMANN = 5.670373e-8 * 24 * 60 * 60  # J m-2 d-1 K-4
STEFAN_BOLTZMANN_FAO = 4.903e-3  # J m-2 d-1 K-4, FAO 56 equation 39
SURFACE_RESISTANCE = 70.0  # reference grass [s m-1], FAO 56


@kernel
def _square(x: float) -> float:
    """The square of a number."""
    return x * x


@kernel
def saturated_pressure(temperature: float) -> float:
    """Saturated vapour pressure [hPa] at `temperature` [degC] (Goudriaan 1977)."""
    return 6.10588 * exp(17.32491 * temperature / (temperature + 238.102))


@kernel
def saturated_slope(temperature: float) -> float:
    """Slope of Goudriaan's saturated vapour pressure [hPa K-1]."""
    return 238.102 * 17.32491 * saturated_pressure(temperature) / _square(temperature + 238.102)


@kernel
def psychrometer_constant(temperature: float, elevation: float) -> float:
    """Psychrometric constant [hPa K-1] at `elevation` [m] (Frere and Popov 1979)."""
    pressure = 1013.0 * exp(-0.034 * elevation / (temperature + 273.0))
    return 0.67 * pressure / 1013.0


@kernel
def wind_coefficient(tmin: float, tmax: float) -> float:
    """Weight of wind in the drying power of the air [s m-1], by the daily temperature range."""
    return 0.54 + 0.35 * min(1.0, max(0.0, (tmax - tmin - 12.0) / 4.0))


@kernel
def relative_sunshine(transmitted: float, angstrom_a: float, angstrom_b: float) -> float:
    """Share of bright sunshine in the day [-] by the inverted Angstrom formula."""
    return min(1.0, max(0.0, (transmitted - abs(angstrom_a)) / abs(angstrom_b)))


@kernel
def longwave_loss(temperature: float, vapour: float, sunshine: float) -> float:
    """Net outgoing long-wave radiation [J m-2 d-1] (Brunt 1932); `vapour` in hPa."""
    black = STEFAN_BOLTZMANN * _square(_square(temperature + 273.0))
    return black * (0.56 - 0.079 * math.sqrt(vapour)) * (0.1 + 0.9 * sunshine)


@kernel
def penman(net: float, drying: float, slope: float, gamma: float) -> float:
    """Evaporation [mm d-1] from net radiation and drying power, both in mm d-1 (Penman 1948)."""
    return max(0.0, (slope * net + gamma * drying) / (slope + gamma))


@kernel
def penman_terms(
    tmin: float, tmax: float, vap: float, wind: float, elevation: float, sunshine: float
) -> tuple[float, float, float, float]:
    """What wet surfaces of any albedo share (Penman 1948).

    Returns the loss of long waves [J m-2 d-1], the drying power of the air [mm d-1], and the slope of
    saturated pressure and the psychrometric constant [hPa K-1].
    """
    temperature = (tmin + tmax) / 2.0
    saturated = saturated_pressure(temperature)
    vapour = min(vap, saturated)
    wetting = 0.5 + wind_coefficient(tmin, tmax) * wind
    return (
        longwave_loss(temperature, vapour, sunshine),
        0.26 * max(0.0, saturated - vapour) * wetting,
        saturated_slope(temperature),
        psychrometer_constant(temperature, elevation),
    )


@kernel
def penman_evaporation(
    albedo: float, irrad: float, loss: float, drying: float, slope: float, gamma: float
) -> float:
    """Evaporation from a wet surface of this `albedo` [mm d-1], from its `penman_terms`."""
    return penman((irrad * (1.0 - albedo) - loss) / LATENT_HEAT, drying, slope, gamma)


@kernel
def saturated_pressure_fao(temperature: float) -> float:
    """Saturated vapour pressure [kPa] at `temperature` [degC] (FAO 56 equation 11)."""
    return 0.6108 * exp((17.27 * temperature) / (237.3 + temperature))


@kernel
def saturated_slope_fao(temperature: float) -> float:
    """Slope of the saturated vapour pressure [kPa K-1] (FAO 56 equation 13)."""
    return 4098.0 * saturated_pressure_fao(temperature) / _square(temperature + 237.3)


@kernel
def psychrometer_constant_fao(elevation: float) -> float:
    """Psychrometric constant [kPa K-1] at `elevation` [m] (FAO 56 equations 7 and 8)."""
    pressure = 101.3 * pow((293.0 - 0.0065 * elevation) / 293.0, 5.26)
    return 0.665 * pressure * 1.0e-3


@kernel
def longwave_loss_fao(tmin: float, tmax: float, vapour: float, clearness: float) -> float:
    """Net outgoing long-wave radiation [J m-2 d-1] (FAO 56 equation 39); `vapour` in kPa."""
    warmest = STEFAN_BOLTZMANN_FAO * _square(_square(tmax + 273.16))
    coldest = STEFAN_BOLTZMANN_FAO * _square(_square(tmin + 273.16))
    black = (warmest + coldest) / 2.0
    return black * (0.34 - 0.14 * math.sqrt(vapour)) * (1.35 * clearness - 0.35)


@kernel
def penman_monteith(
    tmin: float, tmax: float, irrad: float, vap: float, wind: float, elevation: float, above: float
) -> float:
    """Evapotranspiration of the reference grass [mm d-1] (FAO 56 equation 6).

    `vap` in hPa; `above` is the radiation above the atmosphere [J m-2 d-1].
    """
    clear_sky = (0.75 + 2e-5 * elevation) * above
    if clear_sky <= 0.0:
        return 0.0
    temperature = (tmin + tmax) / 2.0
    saturated = (saturated_pressure_fao(tmax) + saturated_pressure_fao(tmin)) / 2.0
    vapour = min(vap / 10.0, saturated)
    loss = longwave_loss_fao(tmin, tmax, vapour, irrad / clear_sky)
    net = ((1.0 - REFERENCE_ALBEDO) * irrad - loss) / LATENT_HEAT
    drying = (900.0 / (temperature + 273.0)) * wind * (saturated - vapour)
    slope = saturated_slope_fao(temperature)
    gamma = psychrometer_constant_fao(elevation)
    resisted = gamma * (1.0 + SURFACE_RESISTANCE / 208.0 * wind)
    demand = slope * net / (slope + resisted) + gamma * drying / (slope + resisted)
    return max(0.0, demand)


@entry
def reference_et(
    day_of_year: Floats,
    tmin: Floats,
    tmax: Floats,
    irrad: Floats,
    vap: Floats,
    wind: Floats,
    latitude: float,
    elevation: float,
    angstrom_a: float,
    angstrom_b: float,
) -> Floats:
    """Return E0, ES0 and ET0 of each day [cm d-1], (T, 3); a day with a NaN gives NaN.

    Units: degC, J m-2 d-1, hPa, m s-1 at 2 m, degrees, m; Angstrom coefficients [-].
    """
    rates = np.empty((day_of_year.size, 3))
    for i in range(day_of_year.size):
        if math.isnan(tmin[i] + tmax[i] + irrad[i] + vap[i] + wind[i]):
            rates[i, :] = math.nan
            continue
        above = angot_radiation(latitude, day_of_year[i])
        has_day = day_length(latitude, day_of_year[i], 0.0) > 0.0
        transmitted = irrad[i] / above if has_day else 0.0
        sunshine = relative_sunshine(transmitted, angstrom_a, angstrom_b)
        terms = penman_terms(tmin[i], tmax[i], vap[i], wind[i], elevation, sunshine)
        rates[i, 0] = penman_evaporation(WATER_ALBEDO, irrad[i], *terms) / 10.0
        rates[i, 1] = penman_evaporation(SOIL_ALBEDO, irrad[i], *terms) / 10.0
        demand = penman_monteith(tmin[i], tmax[i], irrad[i], vap[i], wind[i], elevation, above)
        rates[i, 2] = demand / 10.0
    return rates
