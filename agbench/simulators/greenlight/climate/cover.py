"""The cover seen by light and heat: roof, thermal screen, blackout screen and lamps as one layer.

Vanthoor 2011, Section 8.4; Katzin 2021, Equations 7.5 and 7.6.

Reads: uBlScr, uThScr from controls.
Sets: capCov [J K-1 m-2].
"""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import casadi


@dataclass(frozen=True)
class CoverLayer:
    """Transmission and reflection [-] of a flat layer, from above (up) and from below (down)."""

    transmission: Any
    reflection_up: Any
    reflection_down: Any

    @property
    def absorption(self) -> Any:
        """What a layer lit from above keeps [-]."""
        return 1 - self.transmission - self.reflection_up


def plain(transmission: Any, reflection: Any) -> CoverLayer:
    """Return a layer that looks the same from both sides."""
    return CoverLayer(transmission, reflection, reflection)


def movable(position: Any, transmission: Any, reflection: Any) -> CoverLayer:
    """Return a screen, drawn over `position` of the floor (0 open, 1 closed)."""
    return plain(1 - position * (1 - transmission), position * reflection)


def stack(upper: CoverLayer, lower: CoverLayer) -> CoverLayer:
    """Return two layers, with the light going back and forth between them, as one (Eq. 8.14-15)."""
    bounces = 1 - upper.reflection_down * lower.reflection_up
    return CoverLayer(
        upper.transmission * lower.transmission / bounces,
        upper.reflection_up + upper.transmission**2 * lower.reflection_up / bounces,
        lower.reflection_down + lower.transmission**2 * upper.reflection_down / bounces,
    )


def cover(u: SimpleNamespace, p: SimpleNamespace) -> SimpleNamespace:
    """Return the whole cover: layers `par` and `nir`, `epsFir`, `capacity` and `conductance`.

    `capacity` [J K-1 m-2] is that of its inner, and of its outer, tenth (Eq. 8.18 and 8.21);
    `conductance` [W m-2 K-1] is between the two (Eq. 8.19).
    """
    par = stack(
        stack(plain(p.tauRfPar, p.rhoRfPar), movable(u.uThScr, p.tauThScrPar, p.rhoThScrPar)),
        movable(u.uBlScr, p.tauBlScrPar, p.rhoBlScrPar),
    )
    nir = stack(
        stack(plain(p.tauRfNir, p.rhoRfNir), movable(u.uThScr, p.tauThScrNir, p.rhoThScrNir)),
        movable(u.uBlScr, p.tauBlScrNir, p.rhoBlScrNir),
    )
    return SimpleNamespace(
        par=stack(par, plain(p.tauLampPar, p.rhoLampPar)),
        nir=stack(nir, plain(p.tauLampNir, p.rhoLampNir)),
        epsFir=1 - p.tauRfFir - p.rhoRfFir,
        capacity=0.1 * casadi.cos(p.psi * math.pi / 180) * p.hRf * p.rhoRf * p.cPRf,
        conductance=p.lambdaRf / p.hRf,
    )
