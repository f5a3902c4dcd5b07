"""Checks of a soil's water: limits of moisture, conductivities and depth must fit together."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple


class Retention(NamedTuple):
    """The names that a model has for moisture contents, the driest first."""

    rising: tuple[str, ...]
    wilting: str
    capacity: str


RETENTIONS: Final = (
    Retention(("SMW", "SMFCF", "SM0"), "SMW", "SMFCF"),
    Retention(("WCAD", "WCWP", "WCFC", "WCWET", "WCST"), "WCWP", "WCFC"),
)
"""Those of WOFOST and of LINTUL-3."""

_AVAILABLE: Final = (0.02, 0.45)  # cm3 cm-3 between wilting point and field capacity: gravel, peat
_DEPTH: Final = (10.0, 500.0)  # cm
_CONDUCTIVITY: Final = (0.0, 1000.0)  # cm d-1, saturated gravel
_BETWEEN_0_AND_1: Final = ("CRAIRC", "SMLIM", "NOTINF")
_NOT_NEGATIVE: Final = ("WAV", "SSI", "SSMAX")


def contradiction(values: Mapping[str, Any]) -> str | None:
    """Return the first thing that cannot be so in a soil's plain values, or None.

    Values that a soil does not state are not checked.
    """
    return next(_contradictions(values), None)


def _contradictions(values: Mapping[str, Any]) -> Iterator[str]:
    for model in RETENTIONS:
        yield from _moistures(model, values)
    for name in ("SOPE", "KSUB"):
        if name in values and not _CONDUCTIVITY[0] < values[name] <= _CONDUCTIVITY[1]:
            yield f"{name}, a percolation rate, must be above 0, at most 1000 cm d-1; it is {values[name]:g}."
    if "RDMSOL" in values and not _DEPTH[0] <= values["RDMSOL"] <= _DEPTH[1]:
        yield f"RDMSOL, the rootable depth, must be 10 to 500 cm; it is {values['RDMSOL']:g}."
    for name in _BETWEEN_0_AND_1:
        if name in values and not 0.0 <= values[name] <= 1.0:
            yield f"{name} is a share, 0 to 1; it is {values[name]:g}."
    for name in _NOT_NEGATIVE:
        if name in values and values[name] < 0.0:
            yield f"{name} is an amount of water and must not be negative; it is {values[name]:g} cm."
    if values.get("SSI", 0.0) > values.get("SSMAX", values.get("SSI", 0.0)):
        yield f"SSI, the water on the surface, exceeds SSMAX: {values['SSI']:g} > {values['SSMAX']:g} cm."


def _moistures(model: Retention, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the order and the distance of a model's moisture contents."""
    names = [name for name in model.rising if name in values]
    for drier, wetter in pairwise(names):
        if not 0.0 < values[drier] < values[wetter] < 1.0:
            yield (
                f"moisture must rise from {drier} to {wetter}, between 0 and 1;"
                f" they are {values[drier]:g} and {values[wetter]:g}."
            )
    if model.wilting in values and model.capacity in values:
        held = values[model.capacity] - values[model.wilting]
        if not _AVAILABLE[0] <= held <= _AVAILABLE[1]:
            yield (
                f"{model.capacity} - {model.wilting}, the water that plants can have, is {held:.3g};"
                f" soils hold {_AVAILABLE[0]:g} (gravel) to {_AVAILABLE[1]:g} (peat)."
            )


def remark(values: Mapping[str, Any]) -> str | None:
    """Return what a modeller should know of a soil that is possible yet odd, or None.

    Roots lack oxygen where less than CRAIRC of the soil is air. A soil that is so wet at field
    capacity suffocates its crop after every good rain.
    """
    if not {"SM0", "SMFCF", "SMW", "CRAIRC"} <= values.keys():
        return None
    limit = values["SM0"] - values["CRAIRC"]
    if limit <= values["SMW"]:
        return f"roots lack oxygen above {limit:.3g}, even at wilting point ({values['SMW']:g})"
    if limit <= values["SMFCF"]:
        return f"roots lack oxygen above {limit:.3g}, below field capacity ({values['SMFCF']:g})"
    return None
