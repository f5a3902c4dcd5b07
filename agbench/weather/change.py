"""Weather with a given change of climate."""

from dataclasses import replace

import numpy as np

from agbench.compiled import entry
from agbench.variables import Floats
from agbench.weather.columns import DAILY, OBSERVED
from agbench.weather.daily import ANGSTROM, DailySeries, derive
from agbench.weather.evapotranspiration import saturated_pressure


def changed(series: DailySeries, degrees: float, percent: float) -> DailySeries:
    """Return a series warmer by `degrees` [K] and with `percent` [%] more rain on each rainy day.

    Relative humidity is unchanged, so that vapour pressure rises with saturation (Clausius and
    Clapeyron); radiation, wind and the days of rain stay; evapotranspiration is computed again.
    """
    columns = {name: series.values[:, DAILY.column(name)].copy() for name in (*OBSERVED, "TEMP")}
    columns["VAP"] = _humid(columns["VAP"], columns["TEMP"], float(degrees))
    for name in ("TMIN", "TMAX", "TEMP"):
        columns[name] += degrees
    columns["RAIN"] *= 1.0 + percent / 100.0
    angstrom = _angstrom(series)
    values = derive(columns, series.start, series.latitude, series.elevation, angstrom)
    provenance = {**series.provenance, "change": f"{degrees:+g} degC, {percent:+g} % rain"}
    return replace(series, values=values, provenance=provenance)


def _angstrom(series: DailySeries) -> tuple[float, float]:
    """Return the Angstrom coefficients that a series was derived with."""
    if "angstrom" not in series.provenance:
        return ANGSTROM
    a, b = series.provenance["angstrom"].split()
    return float(a), float(b)


@entry
def _humid(vapour: Floats, temperature: Floats, degrees: float) -> Floats:
    """Vapour pressure [hPa] at the same relative humidity when it is warmer by `degrees` [K]."""
    result = np.empty(vapour.size)
    for i in range(vapour.size):
        ratio = saturated_pressure(temperature[i] + degrees) / saturated_pressure(temperature[i])
        result[i] = vapour[i] * ratio
    return result
