"""Vapour and CO2 carried by air, and condensation: fluxes [kg m-2 s-1], CO2 in [mg m-2 s-1].

Vanthoor 2011, Equations 8.42 to 8.46 and Table 8.4; Katzin 2021, Equations 7.39 and 7.40.

Reads: vpAir, tBlScr, tAir, vpTop, tTop, tThScr, tCovIn, co2Air, co2Top from states; vpOut, tOut, co2Out
    from weather; fScr, fVentRoof, fVentSide from ventilation; uCo2 from controls.
Sets: mvAirThScr, mvAirBlScr, mvTopCovIn, mvAirTop, mvTopOut, mvAirOut [kg m-2 s-1]; mcExtAir, mcAirTop,
    mcTopOut, mcAirOut [mg m-2 s-1].
"""

from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.smooth import logistic, saturation_pressure

HEAT_TO_VAPOUR = 6.4e-9  # kg K J-1 Pa-1, from heat to vapour exchange (Equation 8.43)
CONDENSATION_SLOPE = 0.1  # Pa-1, smooth switch from none to condensation (Table 8.1)


def condensation(coefficient: Any, vapour: Any, surface: Any) -> Any:
    """Vapour condensing on a surface [kg m-2 s-1].

    `coefficient` [W m-2 K-1] is of heat exchange, `vapour` [Pa] of the air, `surface` in degC.
    """
    excess = vapour - saturation_pressure(surface)
    return logistic(CONDENSATION_SLOPE * excess) * HEAT_TO_VAPOUR * coefficient * excess


def vapour_fluxes(
    structure: Structure,
    coefficients: SimpleNamespace,
    flows: SimpleNamespace,
    x: SimpleNamespace,
    d: SimpleNamespace,
) -> SimpleNamespace:
    """Return all vapour fluxes except transpiration."""

    def carried(flow: Any, first: tuple[Any, Any], second: tuple[Any, Any]) -> Any:
        """Vapour in an air flow between places of (vapour pressure, temperature)."""
        (vapour_1, t_1), (vapour_2, t_2) = first, second
        zero = structure.vapour_kelvin
        return structure.vapour_constant * flow * (vapour_1 / (t_1 + zero) - vapour_2 / (t_2 + zero))

    air, top, out = (x.vpAir, x.tAir), (x.vpTop, x.tTop), (d.vpOut, d.tOut)
    on_blackout = condensation(coefficients.AirBlScr, x.vpAir, x.tBlScr)
    if not structure.blackout_dries:
        on_blackout = casadi.fmax(0, on_blackout)
    return SimpleNamespace(
        mvAirThScr=condensation(coefficients.AirThScr, x.vpAir, x.tThScr),
        mvAirBlScr=on_blackout,
        mvTopCovIn=condensation(coefficients.TopCovIn, x.vpTop, x.tCovIn),
        mvAirTop=carried(flows.fScr, air, top),
        mvTopOut=carried(flows.fVentRoof, top, out),
        mvAirOut=carried(flows.fVentSide, air, out),
    )


def co2_fluxes(
    flows: SimpleNamespace, x: SimpleNamespace, u: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> SimpleNamespace:
    """Return the CO2 supply and what air flows carry [mg m-2 s-1]."""
    return SimpleNamespace(
        mcExtAir=u.uCo2 * p.phiExtCo2 / p.aFlr,
        mcAirTop=flows.fScr * (x.co2Air - x.co2Top),
        mcTopOut=flows.fVentRoof * (x.co2Top - d.co2Out),
        mcAirOut=flows.fVentSide * (x.co2Air - d.co2Out),
    )
