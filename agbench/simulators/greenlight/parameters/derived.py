"""Parameters that follow from others, unless a user sets them: capacities, surfaces, air density.

Vanthoor 2011, Equations 8.20 to 8.25 and Table 8.3; Katzin 2021, Equation 7.35.
"""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from agbench.compiled.elementary import exp, pow

SEA_LEVEL_PRESSURE = 101325.0  # Pa


def _pipe_capacity(p: SimpleNamespace, length: float, outer: float, inner: float) -> float:
    """Heat capacity of steel pipes full of water [J K-1 m-2] (Equation 8.22)."""
    steel = (outer * outer - inner * inner) * p.rhoSteel * p.cPSteel
    return 0.25 * math.pi * length * (steel + inner * inner * p.rhoWater * p.cPWater)


DERIVED: dict[str, Callable[[SimpleNamespace], float]] = {
    "capPipe": lambda p: _pipe_capacity(p, p.lPipe, p.phiPipeE, p.phiPipeI),
    "rhoAirCap": lambda p: p.rhoAir0 * exp(p.g * p.mAir * p.hElevation / (293.15 * p.R)),
    "capAir": lambda p: p.hAir * p.rhoAirCap * p.cPAir,
    "capFlr": lambda p: p.hFlr * p.rhoFlr * p.cPFlr,
    "capSo1": lambda p: p.hSo1 * p.rhoCpSo,
    "capSo2": lambda p: p.hSo2 * p.rhoCpSo,
    "capSo3": lambda p: p.hSo3 * p.rhoCpSo,
    "capSo4": lambda p: p.hSo4 * p.rhoCpSo,
    "capSo5": lambda p: p.hSo5 * p.rhoCpSo,
    "capThScr": lambda p: p.hThScr * p.rhoThScr * p.cPThScr,
    "capTop": lambda p: (p.hGh - p.hAir) * p.rhoAirCap * p.cPAir,
    "capBlScr": lambda p: p.hBlScr * p.rhoBlScr * p.cPBlScr,
    "capCo2Air": lambda p: p.hAir,
    "capCo2Top": lambda p: p.hGh - p.hAir,
    "aPipe": lambda p: math.pi * p.lPipe * p.phiPipeE,
    "fCanFlr": lambda p: 1 - 0.49 * math.pi * p.lPipe * p.phiPipeE,
    "pressure": lambda p: SEA_LEVEL_PRESSURE * pow(1 - 2.5577e-5 * p.hElevation, 5.25588),
    "cLeafMax": lambda p: p.laiMax / p.sla,
    "aGroPipe": lambda p: math.pi * p.lGroPipe * p.phiGroPipeE,
    "capGroPipe": lambda p: _pipe_capacity(p, p.lGroPipe, p.phiGroPipeE, p.phiGroPipeI),
}
"""How each derived parameter follows from the others, in an order in which this can be computed."""


class _Reading:
    """A record of parameters, each 1, that remembers which were read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __getattr__(self, name: str) -> float:
        self.names.append(name)
        return 1.0


def _sources(rule: Callable[[Any], float]) -> tuple[str, ...]:
    """Return the parameters that a rule reads, in order, each once."""
    reading = _Reading()
    rule(reading)
    return tuple(dict.fromkeys(reading.names))


DERIVED_FROM: Final = {name: _sources(rule) for name, rule in DERIVED.items()}
"""The parameters, derived ones among them, that each derived parameter follows from."""
