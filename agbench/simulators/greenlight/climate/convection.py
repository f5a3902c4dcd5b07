"""Convection and conduction [W m-2], named from the first body to the second.

Vanthoor 2011, Equations 8.19, 8.40 and Table 8.4; Katzin 2021, Equations 7.31 to 7.34.

Reads: tSo1, tSo2, tSo3, tSo4, tSo5, tFlr, tAir, tPipe, tGroPipe, tThScr, tBlScr, tTop, tCan, tCovIn,
    tCovE, tLamp, tIntLamp from states; tSoOut, tOut, wind from weather; uThScr, uBlScr, uLamp, uBoil,
    uBoilGro from controls; fVentSide, fScr, fVentRoof from ventilation.
Sets: hCanAir, hAirFlr, hAirThScr, hAirBlScr, hAirOut, hAirTop, hThScrTop, hBlScrTop, hTopCovIn,
    hTopOut, hCovInCovE, hCovEOut, hPipeAir, hGroPipeAir, hLampAir, hIntLampAir, hLampCool, hBoilPipe,
    hBoilGroPipe, hFlrSo1, hSo1So2, hSo2So3, hSo3So4, hSo4So5, hSo5SoOut [W m-2].
"""

import math
from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.smooth import TEMPERATURE_WIDTH, magnitude_power


def exchange_coefficients(
    structure: Structure, x: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace
) -> SimpleNamespace:
    """Return the coefficients [W m-2 K-1] of free convection at screens and cover."""

    def free(first: Any, second: Any) -> Any:
        return free_convection(structure, first, second, structure.heat_exponent)

    return SimpleNamespace(
        AirThScr=1.7 * u.uThScr * free(x.tAir, x.tThScr),
        AirBlScr=1.7 * u.uBlScr * free(x.tAir, x.tBlScr),
        ThScrTop=1.7 * u.uThScr * free(x.tThScr, x.tTop),
        BlScrTop=1.7 * u.uBlScr * free(x.tBlScr, x.tTop),
        TopCovIn=p.cHecIn * free(x.tTop, x.tCovIn) * p.aCov / p.aFlr,
    )


def free_convection(structure: Structure, first: Any, second: Any, exponent: float) -> Any:
    """Return the temperature difference to a power, which drives free convection [K^exponent]."""
    return magnitude_power(
        first - second + structure.offset, exponent, structure.smoothing * TEMPERATURE_WIDTH
    )


def convection(
    structure: Structure,
    cover: SimpleNamespace,
    coefficients: SimpleNamespace,
    flows: SimpleNamespace,
    lai: Any,
    states: tuple[SimpleNamespace, SimpleNamespace, SimpleNamespace, SimpleNamespace],
) -> SimpleNamespace:
    """Return all sensible heat fluxes; `states` are (x, u, d, p)."""
    x, u, d, p = states
    c = coefficients
    heat = p.rhoAirCap * p.cPAir
    return SimpleNamespace(
        hCanAir=2 * p.alfaLeafAir * lai * (x.tCan - x.tAir),
        hAirFlr=_floor(structure, x),
        hAirThScr=c.AirThScr * (x.tAir - x.tThScr),
        hAirBlScr=c.AirBlScr * (x.tAir - x.tBlScr),
        hAirOut=heat * flows.fVentSide * (x.tAir - d.tOut),
        hAirTop=heat * flows.fScr * (x.tAir - x.tTop),
        hThScrTop=c.ThScrTop * (x.tThScr - x.tTop),
        hBlScrTop=c.BlScrTop * (x.tBlScr - x.tTop),
        hTopCovIn=c.TopCovIn * (x.tTop - x.tCovIn),
        hTopOut=heat * flows.fVentRoof * (x.tTop - d.tOut),
        hCovInCovE=cover.conductance * (x.tCovIn - x.tCovE),
        hCovEOut=p.aCov / p.aFlr * (p.cHecOut1 + p.cHecOut2 * d.wind**p.cHecOut3) * (x.tCovE - d.tOut),
        hPipeAir=_pipes(structure, p.lPipe, p.phiPipeE, x.tPipe, x.tAir),
        hGroPipeAir=_pipes(structure, p.lGroPipe, p.phiGroPipeE, x.tGroPipe, x.tAir),
        hLampAir=p.cHecLampAir * (x.tLamp - x.tAir),
        hIntLampAir=p.cHecIntLampAir * (x.tIntLamp - x.tAir),
        hLampCool=p.etaLampCool * u.uLamp * p.thetaLampMax,
        hBoilPipe=u.uBoil * p.pBoil / p.aFlr,
        hBoilGroPipe=u.uBoilGro * p.pBoilGro / p.aFlr,
        **_soil(x, d, p),
    )


def _floor(structure: Structure, x: SimpleNamespace) -> Any:
    """Heat from air to floor: a warm floor stirs the air, a cold one lies still (Table 8.4)."""
    warm = 1.7 * free_convection(structure, x.tFlr, x.tAir, structure.heat_exponent)
    cold = 1.3 * free_convection(structure, x.tAir, x.tFlr, 0.25)
    return casadi.if_else(x.tFlr > x.tAir, warm, cold) * (x.tAir - x.tFlr)


def _pipes(structure: Structure, length: Any, diameter: Any, pipe: Any, air: Any) -> Any:
    """Heat from pipes to air (Table 8.4)."""
    coefficient = 1.99 * math.pi * diameter * length
    return coefficient * free_convection(structure, pipe, air, 0.32) * (pipe - air)


def _soil(x: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Conduction from the floor down the soil layers (Table 8.4)."""
    layers = [p.hSo1, p.hSo2, p.hSo3, p.hSo4, p.hSo5, p.hSoOut]
    temperatures = [x.tSo1, x.tSo2, x.tSo3, x.tSo4, x.tSo5, d.tSoOut]
    names = ["So1So2", "So2So3", "So3So4", "So4So5", "So5SoOut"]
    fluxes = {
        f"h{name}": 2 * p.lambdaSo / (layers[i] + layers[i + 1]) * (temperatures[i] - temperatures[i + 1])
        for i, name in enumerate(names)
    }
    floor = 2 / (p.hFlr / p.lambdaFlr + p.hSo1 / p.lambdaSo)
    return {"hFlrSo1": floor * (x.tFlr - x.tSo1), **fluxes}
