"""Air flows per floor area [m3 m-2 s-1]: through vents and leaks, and through the screens.

Vanthoor 2011, Equations 8.41 and 8.65 to 8.75; Katzin 2021, Equations 7.37, 7.38 and 7.42. All
presets have roof vents only.

Reads: wind, tOut from weather; tAir, tTop from states; uVent, uThScr, uBlScr from controls.
Sets: fVentRoof, fVentSide, fScr [m3 m-2 s-1].
"""

from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.smooth import TEMPERATURE_WIDTH, magnitude_power


def ventilation(
    structure: Structure, x: SimpleNamespace, u: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> SimpleNamespace:
    """Return the flows `fVentRoof`, `fVentSide` (leaks below the screens) and `fScr`."""
    leakage = p.cLeakage * casadi.fmax(d.wind, p.minWind)
    return SimpleNamespace(
        fVentRoof=p.etaInsScr * roof_flow(structure, x, u, d, p) + p.cLeakTop * leakage,
        fVentSide=(1 - p.cLeakTop) * leakage,
        fScr=screen_flow(structure, x, u, p),
    )


def roof_flow(
    structure: Structure, x: SimpleNamespace, u: SimpleNamespace, d: SimpleNamespace, p: SimpleNamespace
) -> Any:
    """Flow through the roof vents by buoyancy and wind (Eq. 8.65)."""
    mean = 0.5 * x.tAir + 0.5 * d.tOut + 273.15
    buoyancy = p.g * p.hVent * (x.tAir - d.tOut) / (2 * mean)
    wind = p.cWgh * d.wind**2
    width = 1e-6 * structure.smoothing  # m2 s-2: the buoyancy of TEMPERATURE_WIDTH in a vent of 1 m
    return u.uVent * p.aRoof * p.cDgh / (2 * p.aFlr) * magnitude_power(buoyancy + wind, 0.5, width)


def screen_flow(structure: Structure, x: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Any:
    """Flow through the screens: the denser of the two decides (Eq. 8.41, 7.37 and 7.38)."""
    below = p.mAir * p.pressure / ((x.tAir + 273.15) * p.R)
    above = p.mAir * p.pressure / ((x.tTop + 273.15) * p.R)
    difference = x.tAir - x.tTop + structure.offset
    through_cloth = magnitude_power(difference, 0.66, structure.smoothing * TEMPERATURE_WIDTH)
    mean = 0.5 * (below + above)
    through = [
        position * permeability * through_cloth
        + _gap_flow(structure, 1 - position, below - above, mean, p.g) / mean
        for position, permeability in ((u.uThScr, p.kThScr), (u.uBlScr, p.kBlScr))
    ]
    if structure.smoothing > 1.0:
        return (through[0] ** -4 + through[1] ** -4) ** -0.25
    return casadi.fmin(*through)


def _gap_flow(structure: Structure, opening: Any, difference: Any, mean: Any, gravity: Any) -> Any:
    """Mass flow through a gap, driven by the difference in density [kg m-2 s-1]."""
    width = 4e-7 * structure.smoothing  # kg m-3: the difference in density of TEMPERATURE_WIDTH
    if structure.offset > 0 and structure.smoothing == 1.0:
        drive = 0.5 * mean * opening * gravity * casadi.fabs(difference)
        return opening * casadi.sqrt(drive + structure.offset)
    flow = casadi.sqrt(0.5 * mean * gravity) * magnitude_power(difference, 0.5, width)
    if structure.smoothing > 1.0:
        return opening * casadi.sqrt(opening + 1e-6 * structure.smoothing) * flow
    return opening**1.5 * flow
