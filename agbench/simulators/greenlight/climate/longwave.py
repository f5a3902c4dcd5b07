"""Far-infrared exchange between all surfaces [W m-2], named from the first to the second.

Stefan-Boltzmann with view factors: Vanthoor 2011, Equation 8.38 and Table 8.3; Katzin 2021,
Equations 7.29 and 7.30 and Table 7.4.

Reads: uThScr, uBlScr from controls; tLamp, tCan, tFlr, tPipe, tGroPipe, tIntLamp, tBlScr, tThScr,
    tCovIn, tCovE from states; tSky from weather.
Sets: rCanFlr, rPipeFlr, rPipeCan, rGroPipeCan, rLampBelowCan, rLampBelowPipe, rLampBelowFlr,
    rIntLampLampBelow, rIntLampCan, rIntLampPipe, rIntLampFlr, rCanBlScr, rCanThScr, rCanCovIn, rCanSky,
    rPipeBlScr, rPipeThScr, rPipeCovIn, rPipeSky, rFlrBlScr, rFlrThScr, rFlrCovIn, rFlrSky, rLampBlScr,
    rLampThScr, rLampCovIn, rLampSky, rIntLampBlScr, rIntLampThScr, rIntLampCovIn, rIntLampSky,
    rBlScrThScr, rBlScrCovIn, rBlScrSky, rThScrCovIn, rThScrSky, rCovESky [W m-2].
"""

import math
from types import SimpleNamespace
from typing import Any

from casadi import exp

PIPE_VIEW = 0.49  # of a rail pipe's surface, what sees the floor and what sees upwards (Table 8.3)


def longwave(
    cover: SimpleNamespace,
    lai: Any,
    x: SimpleNamespace,
    u: SimpleNamespace,
    d: SimpleNamespace,
    p: SimpleNamespace,
) -> SimpleNamespace:
    """Return all far-infrared fluxes under the symbols of the papers."""
    bodies = _bodies(cover, x, d, p)
    fluxes = {}
    for (first, second), view in {**_below_screens(lai, p), **_through_screens(lai, u, p)}.items():
        (emissivity, emission), (absorptivity, back) = bodies[first], bodies[second]
        name = f"r{first}{second}"
        fluxes[name] = view * emissivity * absorptivity * p.sigma * (emission - back)
    return SimpleNamespace(**fluxes)


def _bodies(
    cover: SimpleNamespace, x: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> dict[str, tuple[Any, Any]]:
    """Emissivity [-] and fourth power of the temperature [K4] of each surface."""

    def fourth(temperature: Any) -> Any:
        return ((temperature + 273.15) ** 2) ** 2

    lamp = fourth(x.tLamp)
    return {
        "Can": (p.epsCan, fourth(x.tCan)),
        "Flr": (p.epsFlr, fourth(x.tFlr)),
        "Pipe": (p.epsPipe, fourth(x.tPipe)),
        "GroPipe": (p.epsGroPipe, fourth(x.tGroPipe)),
        "Lamp": (p.epsLampTop, lamp),
        "LampBelow": (p.epsLampBottom, lamp),
        "IntLamp": (p.epsIntLamp, fourth(x.tIntLamp)),
        "BlScr": (p.epsBlScrFir, fourth(x.tBlScr)),
        "ThScr": (p.epsThScrFir, fourth(x.tThScr)),
        "CovIn": (cover.epsFir, fourth(x.tCovIn)),
        "CovE": (cover.epsFir, fourth(x.tCovE)),
        "Sky": (p.epsSky, fourth(d.tSky)),
    }


def _below_screens(lai: Any, p: SimpleNamespace) -> dict[tuple[str, str], Any]:
    """Surface times view [m2 m-2] between bodies below the screens."""
    gap = exp(-p.kFir * lai)
    up, down = _interlight_absorption(lai, p)
    rails = PIPE_VIEW * math.pi * p.lPipe * p.phiPipeE
    return {
        ("Can", "Flr"): (1 - gap) * p.fCanFlr,
        ("Pipe", "Flr"): p.aPipe * PIPE_VIEW,
        ("Pipe", "Can"): p.aPipe * PIPE_VIEW * (1 - gap),
        ("GroPipe", "Can"): p.aGroPipe,
        ("LampBelow", "Can"): p.aLamp * (1 - gap),
        ("LampBelow", "Pipe"): p.aLamp * p.tauIntLampFir * rails * gap,
        ("LampBelow", "Flr"): p.aLamp * p.tauIntLampFir * (1 - rails) * gap,
        ("IntLamp", "LampBelow"): p.aIntLamp * (1 - up) * p.aLamp,
        ("IntLamp", "Can"): p.aIntLamp * (up + down),
        ("IntLamp", "Pipe"): p.aIntLamp * rails * (1 - down),
        ("IntLamp", "Flr"): p.aIntLamp * (1 - rails) * (1 - down),
    }


def _through_screens(lai: Any, u: SimpleNamespace, p: SimpleNamespace) -> dict[tuple[str, str], Any]:
    """Surface times view [m2 m-2] from each body to the screens, the cover and the sky."""
    gap = exp(-p.kFir * lai)
    up, _ = _interlight_absorption(lai, p)
    rails = PIPE_VIEW * math.pi * p.lPipe * p.phiPipeE
    lamps = p.tauIntLampFir * p.tauLampFir
    upwards = {
        "Can": (1 - gap) * p.tauLampFir,
        "Pipe": p.aPipe * PIPE_VIEW * gap * lamps,
        "Flr": (1 - rails) * gap * lamps,
        "Lamp": p.aLamp,
        "IntLamp": p.aIntLamp * (1 - up) * p.tauLampFir,
    }
    through_thermal = 1 - u.uThScr * (1 - p.tauThScrFir)
    through_both = through_thermal * (1 - u.uBlScr * (1 - p.tauBlScrFir))
    views: dict[tuple[str, str], Any] = {}
    for body, view in upwards.items():
        views[body, "BlScr"] = view * u.uBlScr
        views[body, "ThScr"] = view * (u.uThScr * (1 - u.uBlScr * (1 - p.tauBlScrFir)))
        views[body, "CovIn"] = view * through_both
        views[body, "Sky"] = view * (through_both * p.tauRfFir)
    views["BlScr", "ThScr"] = u.uBlScr * u.uThScr
    views["BlScr", "CovIn"] = u.uBlScr * through_thermal
    views["BlScr", "Sky"] = u.uBlScr * through_thermal * p.tauRfFir
    views["ThScr", "CovIn"] = u.uThScr
    views["ThScr", "Sky"] = u.uThScr * p.tauRfFir
    views["CovE", "Sky"] = 1.0
    return views


def _interlight_absorption(lai: Any, p: SimpleNamespace) -> tuple[Any, Any]:
    """Part of the interlights' far-infrared that the canopy above, and below, them takes [-]."""
    up = 1 - exp(-p.kIntFir * (1 - p.vIntLampPos) * lai)
    down = 1 - exp(-p.kIntFir * p.vIntLampPos * lai)
    return up, down
