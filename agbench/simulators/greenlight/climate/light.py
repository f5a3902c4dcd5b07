"""Short-wave radiation from sun, lamps and interlights: who absorbs how much [W m-2].

Vanthoor 2011, Equations 8.26 to 8.37; Katzin 2021, Equations 7.7 to 7.27.

Reads: iGlob from weather; uLamp, uIntLamp from controls.
Sets: rParSunCan, rNirSunCan, rParSunFlr, rNirSunFlr, rGlobSunAir, rGlobSunCovE, rCanSun, qLampIn,
    rCanLamp, rLampAir, rParLampCan, rNirLampCan, rParLampFlr, rNirLampFlr, qIntLampIn, rCanIntLamp,
    rIntLampAir, rParIntLampCan, rNirIntLampCan, rParIntLampFlr, rNirIntLampFlr [W m-2].
"""

from types import SimpleNamespace
from typing import Any

from casadi import exp

from agbench.simulators.greenlight.climate.cover import plain, stack


def light(
    cover: SimpleNamespace, lai: Any, u: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> SimpleNamespace:
    """Return all short-wave fluxes under the symbols of the papers."""
    return SimpleNamespace(**sunlight(cover, lai, d, p), **lamplight(lai, u, p), **interlight(lai, u, p))


def sunlight(cover: SimpleNamespace, lai: Any, d: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Absorption of sunlight by canopy, floor, air and cover (Eq. 8.26-8.37)."""
    entering = (1 - p.etaGlobAir) * d.iGlob
    par = entering * cover.par.transmission * p.etaGlobPar
    canopy, floor = near_infrared_absorption(cover, lai, p)
    return {
        "rParSunCan": par * par_absorption(lai, p),
        "rNirSunCan": entering * canopy * p.etaGlobNir,
        "rParSunFlr": par * (1 - p.rhoFlrPar) * exp(-p.k1Par * lai),
        "rNirSunFlr": entering * floor * p.etaGlobNir,
        "rGlobSunAir": p.etaGlobAir
        * d.iGlob
        * (cover.par.transmission * p.etaGlobPar + (canopy + floor) * p.etaGlobNir),
        "rGlobSunCovE": d.iGlob * (cover.par.absorption * p.etaGlobPar + cover.nir.absorption * p.etaGlobNir),
        "rCanSun": entering * (cover.par.transmission * p.etaGlobPar + cover.nir.transmission * p.etaGlobNir),
    }


def par_absorption(lai: Any, p: SimpleNamespace) -> Any:
    """Part of the PAR above the canopy that it absorbs, on the way down and from the floor [-]."""
    down = 1 - exp(-p.k1Par * lai)
    up = exp(-p.k1Par * lai) * p.rhoFlrPar * (1 - exp(-p.k2Par * lai))
    return (1 - p.rhoCanPar) * (down + up)


def near_infrared_absorption(cover: SimpleNamespace, lai: Any, p: SimpleNamespace) -> tuple[Any, Any]:
    """Part of the outdoor NIR that canopy and floor absorb [-] (Eq. 8.30-8.34)."""
    through = exp(-p.kNir * lai)
    glass = plain(1 - cover.nir.reflection_up, cover.nir.reflection_up)
    canopy = plain(through, p.rhoCanNir * (1 - through))
    whole = stack(stack(glass, canopy), plain(1 - p.rhoFlrNir, p.rhoFlrNir))
    return whole.absorption, whole.transmission


def lamplight(lai: Any, u: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Electricity of the lamps and where their light goes (Eq. 7.7-7.12)."""
    power = u.uLamp * p.thetaLampMax
    par, nir = p.etaLampPar * power, p.etaLampNir * power
    fluxes = {
        "rParLampCan": par * par_absorption(lai, p),
        "rNirLampCan": nir * (1 - p.rhoCanNir) * (1 - exp(-p.kNir * lai)),
        "rParLampFlr": par * (1 - p.rhoFlrPar) * exp(-p.k1Par * lai),
        "rNirLampFlr": nir * (1 - p.rhoFlrNir) * exp(-p.kNir * lai),
    }
    rest = par + nir - sum(fluxes.values())
    return {"qLampIn": power, "rCanLamp": par + nir, "rLampAir": rest, **fluxes}


def interlight(lai: Any, u: SimpleNamespace, p: SimpleNamespace) -> dict[str, Any]:
    """Electricity of the interlights and where their light goes (Eq. 7.13-7.22)."""
    power = u.uIntLamp * p.thetaIntLampMax
    par, nir = p.etaIntLampPar * power, p.etaIntLampNir * power
    below, above = p.vIntLampPos * lai, (1 - p.vIntLampPos) * lai
    par_down = p.fIntLampDown * exp(-p.k1IntPar * below)
    nir_down = p.fIntLampDown * exp(-p.kIntNir * below)
    par_up = (1 - p.fIntLampDown) * exp(-p.k1IntPar * above)
    nir_up = (1 - p.fIntLampDown) * exp(-p.kIntNir * above)
    returned = par_down * p.rhoFlrPar * (1 - exp(-p.k2IntPar * lai))
    fluxes = {
        "rParIntLampCan": par * (1 - p.rhoCanPar) * (1 - par_down - par_up + returned),
        "rNirIntLampCan": nir * (1 - p.rhoCanNir) * (1 - nir_down - nir_up),
        "rParIntLampFlr": par * (1 - p.rhoFlrPar) * par_down,
        "rNirIntLampFlr": nir * (1 - p.rhoFlrNir) * nir_down,
    }
    rest = par + nir - sum(fluxes.values())
    return {"qIntLampIn": power, "rCanIntLamp": par + nir, "rIntLampAir": rest, **fluxes}
