"""What values parameters of the greenhouse model may have: finite, of the right sign, zero or not."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError
from agbench.variables import Variable

SIGNED: Final = frozenset({"hElevation", "sRsSlope"})
"""May be negative, as temperatures in degC may: land below the sea, a slope that falls."""

DIVISORS: Final = frozenset(
    (
        # heats of evaporation and of materials, densities, layers: capacities divide by them
        *("L", "rhoAir0", "gammaPsych", "capLeaf", "cPAir", "hSo1", "hSo2", "hSo3", "hSo4", "hSo5"),
        *("mAir", "mWater", "R", "aFlr", "hAir", "rhoRf", "cPRf", "hRf", "rhoThScr", "cPThScr", "hThScr"),
        *("rhoBlScr", "cPBlScr", "hBlScr", "rhoFlr", "cPFlr", "hFlr", "rhoCpSo", "lPipe", "lGroPipe"),
        *("capPipe", "rhoAirCap", "capAir", "capFlr", "capSo1", "capSo2", "capSo3", "capSo4", "capSo5"),
        *("capThScr", "capTop", "capBlScr", "capCo2Air", "capCo2Top", "capGroPipe", "capLamp"),
        *("capIntLamp", "pressure"),
        # the crop
        *("etaCo2AirStom", "t25k", "theta", "mCh2o", "sla", "q10m", "tEndSum"),
    )
)
"""The equations divide by these or take their logarithm: they must be above zero."""


def check_value(parameter: Variable, value: Any) -> float:
    """Return a parameter's value as a number; raises `ConfigError` for one that it cannot have."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, complex))
    if not number or not math.isfinite(value):
        raise ConfigError(
            f"greenlight parameters: {parameter.name} is {value!r}, not a finite number in {parameter.unit}."
        )
    wanted = wrong_sign(parameter, float(value))
    if wanted:
        raise ConfigError(
            f"greenlight parameters: {parameter.name} ({parameter.meaning}) is {value:g} {parameter.unit}; "
            f"it must be {wanted}."
        )
    return float(value)


def derived_value(
    parameter: Variable, rule: Callable[[SimpleNamespace], float], others: SimpleNamespace
) -> float:
    """Return what follows from the other parameters; raises `ConfigError` where that cannot be."""
    try:
        value = rule(others)
    except OverflowError:
        value = math.inf
    wrong = isinstance(value, complex) or not math.isfinite(value)
    wanted = "a finite number" if wrong else wrong_sign(parameter, value)
    if wanted:
        said = str(value) if wrong else f"{value:g} {parameter.unit}"
        raise ConfigError(
            f"greenlight parameters: {parameter.name} ({parameter.meaning}) follows from the others "
            f"(derived.py) and would be {said}; it must be {wanted}."
        )
    return value


def wrong_sign(parameter: Variable, value: float) -> str:
    """Return what a value would have to be, empty where it is that."""
    if parameter.unit == "degC" or parameter.name in SIGNED:
        return ""
    if parameter.name in DIVISORS:
        return "" if value > 0.0 else "above 0"
    return "" if value >= 0.0 else "0 or more"
