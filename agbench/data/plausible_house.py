"""Checks that catch what no greenhouse is: wrong units, half a change of size, equations without sense.

As `agbench.data.plausibility`, of which they are a part, they refuse a task or let it pass as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_LEAST: Final[Mapping[str, tuple[float, str]]] = {
    **dict.fromkeys(("pBoil", "pBoilGro"), (100.0, "W; kW need a factor 1000")),
    "phiExtCo2": (5.0, "mg s-1; g s-1 need a factor 1000"),
    "psi": (2.0, "deg; radians need a factor 57.3"),
    "cBufMax": (1000.0, "mg m-2; g m-2 need a factor 1000"),
}
"""Parameters below these, but for 0, are in another unit."""

_MOST: Final[Mapping[str, tuple[float, str]]] = dict.fromkeys(
    ("hAir", "hGh"), (100.0, "m; cm need a factor 0.01")
)
"""Parameters above these are in another unit."""

_STRUCTURE: Final[Mapping[str, tuple[float, float]]] = {
    "heat_exponent": (0.1, 1.0),
    **dict.fromkeys(("pruning_rate", "harvest_rate"), (1e3, 1e6)),
    "cut_log": (1.0, 10.0),
    "offset": (0.0, 1e-3),
    "vapour_constant": (1e-3, 1e-2),
    "vapour_kelvin": (273.0, 274.0),
    "smoothing": (1.0, 1e4),
}
"""The range of each choice of structure that is a number."""

_NOT_DRAWN: Final = frozenset(
    (
        *("aFlr", "thetaLampMax", "etaLampPar", "etaLampNir", "etaLampCool", "cHecLampAir", "aLamp"),
        *("epsLampTop", "epsLampBottom", "thetaIntLampMax", "etaIntLampPar", "etaIntLampNir"),
        *("cHecIntLampAir", "aIntLamp", "epsIntLamp"),
    )
)
"""What must fit others: a floor its cover and boiler, the power of lamps what they shed."""


def wrong_house(simulator: Any, uncertainty: Any) -> Iterator[str]:
    """Yield what is wrong with a greenhouse, and with which of its parameters are drawn."""
    yield from _units(getattr(simulator, "parameters", {}))
    yield from _structure(getattr(simulator, "structure", {}))
    yield from _drawn(getattr(uncertainty, "parameters", ()))


def _units(parameters: Mapping[str, float]) -> Iterator[str]:
    """Yield which parameters are in another unit, and a floor that was changed without its cover."""
    for name, value in parameters.items():
        least, unit = _LEAST.get(name, (0.0, ""))
        if 0.0 < value < least:
            yield f"simulator.parameters.{name}: {value:g}; it must be 0, or {least:g} or more. Give {unit}."
        most, unit = _MOST.get(name, (float("inf"), ""))
        if value > most:
            yield f"simulator.parameters.{name}: {value:g}; at most {most:g} is allowed. Give {unit}."
    if "aFlr" in parameters and parameters.get("aCov", 0.0) < parameters["aFlr"]:
        cover = f"{parameters['aCov']:g} m2" if "aCov" in parameters else "as large as before"
        yield (
            f"simulator.parameters.aFlr: a floor of {parameters['aFlr']:g} m2, and its cover is {cover}. "
            "Give aCov, roof and walls together, larger than the floor. Vents (aRoof), boiler (pBoil) "
            "and CO2 supply (phiExtCo2) are of the whole greenhouse too."
        )


def _structure(structure: Mapping[str, Any]) -> Iterator[str]:
    """Yield which choices of structure lie outside what the equations were made for."""
    for name, (low, high) in _STRUCTURE.items():
        value = structure.get(name, low)
        if isinstance(value, int | float) and not isinstance(value, bool) and not low <= value <= high:
            yield f"simulator.structure.{name}: {value:g}; it must lie from {low:g} to {high:g}."


def _drawn(chosen: str | Sequence[str]) -> Iterator[str]:
    """Yield which parameters cannot be drawn, as others have to fit them."""
    for name in () if isinstance(chosen, str) else chosen:
        if name in _NOT_DRAWN:
            yield (
                f"uncertainty.parameters: {name} cannot be drawn, as other parameters of the greenhouse have "
                "to fit it. Draw parameters of the crop or the climate, and set this one in "
                "simulator.parameters."
            )
