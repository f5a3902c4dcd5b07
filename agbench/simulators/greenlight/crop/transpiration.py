"""Transpiration of the canopy through its stomata.

Vanthoor 2011, Equations 8.47 to 8.52, after Stanghellini 1987.

Reads: vpAir, tCan, co2Air from states.
Sets: mvCanAir [kg m-2 s-1].
"""

from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.smooth import logistic, saturation_pressure

MOST_CO2_CLOSURE = 1.5  # -, limit of the resistance factor of CO2 (Equation 8.50)
MOST_DRYNESS_CLOSURE = 5.8  # -, limit of the resistance factor of the vapour deficit


def transpiration(radiation: Any, lai: Any, x: SimpleNamespace, p: SimpleNamespace) -> Any:
    """Transpiration [kg m-2 s-1] under `radiation` above the canopy [W m-2]."""
    deficit = saturation_pressure(x.tCan) - x.vpAir
    resistance = p.rB + stomatal_resistance(radiation, deficit, x, p)
    coefficient = 2 * p.rhoAirCap * p.cPAir * lai / (p.L * p.gammaPsych * resistance)
    return coefficient * deficit


def stomatal_resistance(radiation: Any, deficit: Any, x: SimpleNamespace, p: SimpleNamespace) -> Any:
    """Resistance of the stomata [s m-1] by light, CO2 and vapour deficit [Pa] (Eq. 8.49-8.52)."""
    day = logistic(-p.sRsSlope * (radiation - p.rCanSp))
    by_co2 = p.cEvap3Night * (1 - day) + p.cEvap3Day * day
    by_deficit = p.cEvap4Night * (1 - day) + p.cEvap4Day * day
    light = (radiation + p.cEvap1) / (radiation + p.cEvap2)
    co2 = casadi.fmin(MOST_CO2_CLOSURE, 1 + by_co2 * (p.etaMgPpm * x.co2Air - 200) ** 2)
    dryness = casadi.fmin(MOST_DRYNESS_CLOSURE, 1 + by_deficit * deficit**2)
    return p.rSMin * light * co2 * dryness
