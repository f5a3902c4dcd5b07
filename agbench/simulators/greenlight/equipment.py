"""Which controls do something: those whose equipment has a capacity in a greenhouse."""

from collections.abc import Iterable
from typing import Final

from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Floats

CAPACITIES: Final = {
    "uBoil": "pBoil",
    "uCo2": "phiExtCo2",
    "uVent": "aRoof",
    "uLamp": "thetaLampMax",
    "uIntLamp": "thetaIntLampMax",
    "uBoilGro": "pBoilGro",
}
"""The parameter that each control is a part of; screens have none."""


def without_effect(controls: Iterable[str], parameters: Floats) -> str | None:
    """Return why the first of some `controls` that does nothing does so; None if all do something.

    `parameters` are (208,).
    """
    for name in controls:
        capacity = CAPACITIES.get(name)
        if capacity is None or parameters[PARAMETER_TABLE.column(capacity)] > 0.0:
            continue
        declared = PARAMETER_TABLE[capacity]
        return (
            f"{name} ({CONTROLS[name].meaning}) does nothing: the greenhouse has none, as {capacity}, "
            f"{declared.meaning}, is 0 {declared.unit}"
        )
    return None
