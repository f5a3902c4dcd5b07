"""The greenhouse model: 28 state equations, assembled from the fluxes of climate and crop.

Vanthoor 2011, Equations 8.1 to 8.13 and 9.1 to 9.9; Katzin 2020, Equation A1; Katzin 2021,
Equations 7.1, 7.40 and 7.43.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import casadi

from agbench.errors import unknown
from agbench.simulators.greenlight.climate.convection import convection, exchange_coefficients
from agbench.simulators.greenlight.climate.cover import cover
from agbench.simulators.greenlight.climate.light import light
from agbench.simulators.greenlight.climate.longwave import longwave
from agbench.simulators.greenlight.climate.vapour import co2_fluxes, vapour_fluxes
from agbench.simulators.greenlight.climate.ventilation import ventilation
from agbench.simulators.greenlight.crop.growth import growth, removal, respiration
from agbench.simulators.greenlight.crop.photosynthesis import photosynthesis
from agbench.simulators.greenlight.crop.transpiration import transpiration
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.variables import EntryTable

DAY = 86400.0  # s
LEAST_LAI = 1e-3  # -, of the canopy that stores heat


def fluxes(
    structure: Structure, x: SimpleNamespace, u: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> SimpleNamespace:
    """Return every flux of climate and crop, by the symbols of the papers."""
    lai = p.sla * x.cLeaf
    layers = cover(u, p)
    flows = ventilation(structure, x, u, d, p)
    coefficients = exchange_coefficients(structure, x, u, p)
    short = light(layers, lai, u, d, p)
    heat = convection(structure, layers, coefficients, flows, lai, (x, u, d, p))
    vapour = vapour_fluxes(structure, coefficients, flows, x, d)
    above_canopy = short.rCanSun + short.rCanLamp + short.rCanIntLamp
    organs = growth(x, p)
    breath = respiration(organs, x, p)
    par = (
        p.parJtoUmolSun * short.rParSunCan
        + p.zetaLampPar * short.rParLampCan
        + p.zetaIntLampPar * short.rParIntLampCan
    )
    assimilation = photosynthesis(structure, par, lai, x, p)
    organ_loss = breath.mcLeafAir + breath.mcStemAir + breath.mcFruitAir
    parts = (
        flows,
        short,
        longwave(layers, lai, x, u, d, p),
        heat,
        vapour,
        co2_fluxes(flows, x, u, d, p),
        organs,
        breath,
        removal(structure, x, p),
    )
    return SimpleNamespace(
        **{name: value for part in parts for name, value in vars(part).items()},
        lai=lai,
        capCan=p.capLeaf * (lai if structure.extremes == "published" else casadi.fmax(lai, LEAST_LAI)),
        mvCanAir=transpiration(above_canopy, lai, x, p),
        mcAirBuf=assimilation,
        mcAirCan=p.mCo2 / p.mCh2o * (assimilation - breath.mcBufAir - organ_loss),
        capCov=layers.capacity,
    )


def state_equations(f: SimpleNamespace, x: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Return the rate of each state [its unit per s] from the fluxes."""
    return {**_air(f, x, p), **_surfaces(f, p), **_heat_sources(f, p), **_crop(f, x)}


def _air(f: SimpleNamespace, x: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """CO2, temperature and vapour of the air below and above the screens."""
    vapour = p.mWater / p.R
    return {
        "co2Air": (f.mcExtAir - f.mcAirCan - f.mcAirTop - f.mcAirOut) / p.capCo2Air,
        "co2Top": (f.mcAirTop - f.mcTopOut) / p.capCo2Top,
        "tAir": (
            (f.hCanAir + f.hPipeAir + f.hGroPipeAir + f.hLampAir + f.hIntLampAir)
            + (f.rGlobSunAir + f.rLampAir + f.rIntLampAir)
            - (f.hAirFlr + f.hAirThScr + f.hAirBlScr + f.hAirOut + f.hAirTop)
        )
        / p.capAir,
        "tTop": (f.hThScrTop + f.hBlScrTop + f.hAirTop - f.hTopCovIn - f.hTopOut) / p.capTop,
        "vpAir": (f.mvCanAir - f.mvAirThScr - f.mvAirBlScr - f.mvAirTop - f.mvAirOut)
        / (vapour * p.hAir / (x.tAir + 273.15)),
        "vpTop": (f.mvAirTop - f.mvTopCovIn - f.mvTopOut) / (vapour * (p.hGh - p.hAir) / (x.tTop + 273.15)),
    }


def _surfaces(f: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Temperatures of canopy, cover, screens, floor and soil."""
    canopy_gains = (
        (f.rParSunCan + f.rNirSunCan + f.rParLampCan + f.rNirLampCan)
        + (f.rParIntLampCan + f.rNirIntLampCan + f.rPipeCan + f.rGroPipeCan)
        + (f.rLampBelowCan + f.rIntLampCan)
    )
    canopy_losses = (f.hCanAir + p.L * f.mvCanAir + f.rCanFlr) + (
        f.rCanCovIn + f.rCanSky + f.rCanThScr + f.rCanBlScr
    )
    floor_gains = (
        (f.hAirFlr + f.rParSunFlr + f.rNirSunFlr + f.rParLampFlr + f.rNirLampFlr)
        + (f.rParIntLampFlr + f.rNirIntLampFlr + f.rCanFlr + f.rPipeFlr)
        + (f.rLampBelowFlr + f.rIntLampFlr)
    )
    floor_losses = f.hFlrSo1 + f.rFlrCovIn + f.rFlrSky + f.rFlrThScr + f.rFlrBlScr
    return {
        "tCan": (canopy_gains - canopy_losses) / f.capCan,
        "tCovIn": (
            (f.hTopCovIn + p.L * f.mvTopCovIn - f.hCovInCovE)
            + (f.rCanCovIn + f.rFlrCovIn + f.rPipeCovIn + f.rThScrCovIn)
            + (f.rBlScrCovIn + f.rLampCovIn + f.rIntLampCovIn)
        )
        / f.capCov,
        "tCovE": (f.rGlobSunCovE + f.hCovInCovE - f.hCovEOut - f.rCovESky) / f.capCov,
        "tThScr": (
            (f.hAirThScr + p.L * f.mvAirThScr - f.hThScrTop - f.rThScrCovIn - f.rThScrSky)
            + (f.rCanThScr + f.rFlrThScr + f.rPipeThScr + f.rBlScrThScr)
            + (f.rLampThScr + f.rIntLampThScr)
        )
        / p.capThScr,
        "tBlScr": (
            (f.hAirBlScr + p.L * f.mvAirBlScr - f.hBlScrTop)
            + (f.rCanBlScr + f.rFlrBlScr + f.rPipeBlScr + f.rLampBlScr + f.rIntLampBlScr)
            - (f.rBlScrCovIn + f.rBlScrSky + f.rBlScrThScr)
        )
        / p.capBlScr,
        "tFlr": (floor_gains - floor_losses) / p.capFlr,
        "tSo1": (f.hFlrSo1 - f.hSo1So2) / p.capSo1,
        "tSo2": (f.hSo1So2 - f.hSo2So3) / p.capSo2,
        "tSo3": (f.hSo2So3 - f.hSo3So4) / p.capSo3,
        "tSo4": (f.hSo3So4 - f.hSo4So5) / p.capSo4,
        "tSo5": (f.hSo4So5 - f.hSo5SoOut) / p.capSo5,
    }


def _heat_sources(f: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Temperatures of rail and grow pipes, lamps and interlights."""
    lamp_light = f.rParLampCan + f.rNirLampCan + f.rParLampFlr + f.rNirLampFlr + f.rLampAir
    lamp_heat = (
        (f.rLampSky + f.rLampCovIn + f.rLampThScr + f.rLampBlScr)
        + (f.rLampBelowCan + f.rLampBelowPipe + f.rLampBelowFlr)
        + (f.hLampAir + f.hLampCool)
    )
    inter_light = f.rParIntLampCan + f.rNirIntLampCan + f.rParIntLampFlr + f.rNirIntLampFlr + f.rIntLampAir
    inter_heat = (
        (f.rIntLampSky + f.rIntLampCovIn + f.rIntLampThScr + f.rIntLampBlScr)
        + (f.rIntLampCan + f.rIntLampPipe + f.rIntLampFlr + f.rIntLampLampBelow)
        + f.hIntLampAir
    )
    return {
        "tPipe": (
            (f.hBoilPipe + f.rLampBelowPipe + f.rIntLampPipe - f.hPipeAir)
            - (f.rPipeSky + f.rPipeCovIn + f.rPipeThScr + f.rPipeBlScr)
            - (f.rPipeCan + f.rPipeFlr)
        )
        / p.capPipe,
        "tGroPipe": (f.hBoilGroPipe - f.rGroPipeCan - f.hGroPipeAir) / p.capGroPipe,
        "tLamp": (f.qLampIn + f.rIntLampLampBelow - lamp_light - lamp_heat) / p.capLamp,
        "tIntLamp": (f.qIntLampIn - inter_light - inter_heat) / p.capIntLamp,
    }


def _crop(f: SimpleNamespace, x: SimpleNamespace) -> dict[str, Any]:
    """Carbohydrates, temperature memory of the canopy, and the clock."""
    return {
        "tCan24": (x.tCan - x.tCan24) / DAY,
        "cBuf": f.mcAirBuf - f.mcBufFruit - f.mcBufLeaf - f.mcBufStem - f.mcBufAir,
        "cLeaf": f.mcBufLeaf - f.mcLeafAir - f.mcLeafHar,
        "cStem": f.mcBufStem - f.mcStemAir,
        "cFruit": f.mcBufFruit - f.mcFruitAir - f.mcFruitHar,
        "tCanSum": x.tCan / DAY,
        "time": 1 / DAY,
    }


def flux_names() -> tuple[str, ...]:
    """Return the symbols of all fluxes."""
    (_, x), (_, u), (_, d), (_, p) = _arguments()
    return tuple(vars(fluxes(Structure(), x, u, d, p)))


def flux_function(structure: Structure, names: Sequence[str]) -> Any:
    """Return a `casadi.Function` (x, u, d, p) -> the named fluxes, for balances and diagnosis.

    Raises `UnknownNameError` for a name that is no flux.
    """
    (xs, x), (us, u), (ds, d), (ps, p) = _arguments()
    every = fluxes(structure, x, u, d, p)
    for name in names:
        if name not in vars(every):
            raise unknown("flux", name, vars(every))
    chosen = casadi.vertcat(*(getattr(every, name) for name in names))
    return casadi.Function("fluxes", [xs, us, ds, ps], [chosen], list("xudp"), ["f"])


def rate_function(structure: Structure) -> Any:
    """Return the model as a `casadi.Function` (x (28), u (8), d (10), p (208)) -> dx/dt (28)."""
    (xs, x), (us, u), (ds, d), (ps, p) = _arguments()
    rates = state_equations(fluxes(structure, x, u, d, p), x, p)
    column = casadi.cse(casadi.vertcat(*(rates[name] for name in STATES.names)))
    return casadi.Function("rates", [xs, us, ds, ps], [column], list("xudp"), ["dx"])


def _arguments() -> list[tuple[Any, SimpleNamespace]]:
    tables = ((STATES, "x"), (CONTROLS, "u"), (WEATHER, "d"), (PARAMETER_TABLE, "p"))
    return [_symbols(table, letter) for table, letter in tables]


def _symbols(table: EntryTable[Any], letter: str) -> tuple[Any, SimpleNamespace]:
    """Return a CasADi column of symbols for a table, and its entries by name."""
    entries = [casadi.SX.sym(f"{letter}_{name}") for name in table.names]
    return casadi.vertcat(*entries), SimpleNamespace(**dict(zip(table.names, entries, strict=True)))
