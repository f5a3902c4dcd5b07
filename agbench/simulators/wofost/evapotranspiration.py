"""Evaporation under the canopy and transpiration, reduced by drought and by lack of oxygen.

Soil water depletion: van Keulen and Wolf (1986), Modelling of agricultural production: weather,
soils and crops, after Doorenbos and Kassam (1979).

Reads: E0, ET0, ES0 from weather; SM, DSOS from water balance; LAI from leaves; DVS from phenology.
Sets: EVWMX, EVSMX, TRAMX, TRA [cm d-1]; RFWS, RFOS, RFTRA, IDWS, IDOS [-]; IDWST, IDOST [d].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.wofost.tables import KDIFTB, limit, table
from agbench.variables import Floats

_GLOBAL_EXTINCTION = 0.75  # -; extinction of global over that of diffuse visible light
_MOST_WET_DAYS = 4.0  # d; after them lack of oxygen acts in full


@kernel
def depletion_fraction(demand: float, group: float) -> float:
    """Return the share of available water that is easily taken up [-].

    `demand` is the crop's evapotranspiration without stress [cm d-1], `group` its drought
    tolerance DEPNR, 1 (sensitive) to 5 (tolerant).
    """
    fraction = 1.0 / (0.76 + 1.5 * demand) - (5.0 - group) * 0.1
    if group < 3.0:
        fraction += (demand - 0.6) / (group * (group + 3.0))
    return limit(0.10, 0.95, fraction)


@kernel
def drought_reduction(demand: float, moisture: float, p: Any) -> float:
    """Return RFWS [-] at root-zone `moisture` [cm3 cm-3]; `demand` in cm d-1."""
    easy = depletion_fraction(demand, p.DEPNR)
    critical = (1.0 - easy) * (p.SMFCF - p.SMW) + p.SMW
    return limit(0.0, 1.0, (moisture - p.SMW) / (critical - p.SMW))


@kernel
def oxygen_reduction(moisture: float, wet_days: float, p: Any) -> float:
    """Return RFOS [-]; `wet_days` is DSOS. Crops with air ducts (IAIRDU) do not suffer."""
    if p.IAIRDU != 0.0 or p.IOX != 1.0:
        return 1.0
    least = limit(0.0, 1.0, (p.SM0 - moisture) / p.CRAIRC)
    return least + (1.0 - min(wet_days, _MOST_WET_DAYS) / _MOST_WET_DAYS) * (1.0 - least)


@kernel
def canopy_evaporation(s: Any, p: Any, tables: Floats, w: Any) -> float:
    """Set EVWMX, EVSMX, TRAMX and return the crop's demand under a closed canopy [cm d-1]."""
    demand = max(0.0, p.CFET * w.ET0)
    open_share = exp(-_GLOBAL_EXTINCTION * table(tables, KDIFTB, s.DVS) * s.LAI)
    s.EVWMX = w.E0 * open_share
    s.EVSMX = max(0.0, w.ES0 * open_share)
    s.TRAMX = demand * (1.0 - open_share) * p.CO2TRA
    return demand


@kernel
def evapotranspiration(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the evaporation under the canopy and the transpiration of the day [cm d-1]."""
    demand = canopy_evaporation(s, p, tables, w)
    s.RFWS = drought_reduction(demand, s.SM, p)
    s.RFOS = oxygen_reduction(s.SM, s.DSOS, p)
    s.RFTRA = s.RFOS * s.RFWS
    s.TRA = s.TRAMX * s.RFTRA
    s.IDWS = 1.0 if s.RFWS < 1.0 else 0.0
    s.IDOS = 1.0 if s.RFOS < 1.0 else 0.0
    s.IDWST += s.IDWS
    s.IDOST += s.IDOS
