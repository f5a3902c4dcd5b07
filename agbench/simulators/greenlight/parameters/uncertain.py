"""Named lists of crop parameters that parametric uncertainty perturbs."""

import math
from collections.abc import Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, unknown
from agbench.simulators.greenlight.parameters.derived import DERIVED, DERIVED_FROM
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, too_large
from agbench.variables import Floats, Parameter

UNCERTAIN: Final = MappingProxyType(
    {
        "sound": (
            *("alpha", "theta", "j25LeafMax", "cGamma", "etaCo2AirStom", "cLeafMax", "sla"),
            *("cFruitG", "cLeafG", "cStemG", "cRgr", "q10m", "cFruitM", "cLeafM", "cStemM"),
            *("rgFruit", "rgLeaf", "rgStem", "cBufMax", "cBufMin", "tCan24Max", "tCan24Min"),
            *("tCanMax", "tCanMin", "tEndSum", "rgr", "rSMin", "cEvap3Day"),
        ),
        "published": (
            *("globJtoUmol", "j25LeafMax", "cGamma", "etaCo2AirStom", "eJ", "t25k", "S", "H"),
            *("theta", "alpha", "mCh2o", "mCo2", "parJtoUmolSun", "laiMax", "sla", "rgr"),
            *("cLeafMax", "cFruitMax", "cFruitG", "cLeafG", "cStemG", "cRgr", "q10m"),
            *("cFruitM", "cLeafM", "cStemM", "rgFruit", "rgLeaf", "rgStem"),
            *("cBufMax", "cBufMin", "tCan24Max", "tCan24Min", "tCanMax"),
        ),
    }
)
"""`sound`: 28 parameters that differ between cultivars and crops, none a constant of nature.
`published`: the 34 that GreenLight-Gym 2 perturbs, numbers 128 to 161 of its vector. Among them are
molar masses, a reference temperature and the enthalpy and entropy of an enzyme."""

HALF_WIDTH: Final = MappingProxyType({"sound": 1.0, "published": 0.5})
"""Half-width of the uniform draw, as a part of a scenario's level d: U(-d, d), or U(-d/2, d/2)."""


def uncertain_columns(chosen: str | Sequence[str]) -> NDArray[np.intp]:
    """Return the columns of a named list, or of parameters given by name.

    Raises `UnknownNameError` for a list or a parameter that does not exist.
    """
    if not isinstance(chosen, str):
        return PARAMETER_TABLE.columns(chosen)
    if chosen not in UNCERTAIN:
        raise unknown("list of uncertain parameters", chosen, UNCERTAIN)
    return PARAMETER_TABLE.columns(UNCERTAIN[chosen])


def half_width(chosen: str | Sequence[str]) -> float:
    """Return the half-width of the draw at a level of 1, of a named list or of parameters given by name."""
    return HALF_WIDTH[chosen] if isinstance(chosen, str) else 1.0


def check_drawn(chosen: str | Sequence[str], where: str) -> None:
    """Raise `ConfigError` for a chosen parameter that others follow from, which are not drawn along.

    They would keep their usual values: a house would be higher and its air weigh as before. The mass at which
    leaves are pruned is a limit of its own.
    """
    for column in uncertain_columns(chosen).tolist():
        parameter = PARAMETER_TABLE.entries[column]
        following = [name for name in DERIVED if parameter.name in DERIVED_FROM[name] and name != "cLeafMax"]
        if following:
            raise ConfigError(
                f"{where}: {parameter.name} ({parameter.meaning}) cannot be drawn: {', '.join(following)} "
                f"{'follows' if len(following) == 1 else 'follow'} from it and would stay as usual. Draw "
                "parameters of the crop, or give the house other ones in simulator.parameters."
            )


def check_level(level: float, chosen: str | Sequence[str], parameters: Floats, where: str) -> None:
    """Raise `ConfigError` for a level at which chosen parameters are drawn from beyond their bounds.

    `parameters` are (208,): the values about which they are drawn. Errors begin with `where`.
    """
    half = level * half_width(chosen)
    columns = uncertain_columns(chosen).tolist()
    lows, highs = parameters.copy(), parameters.copy()
    for column in columns:
        usual = float(parameters[column])
        lows[column], highs[column] = sorted((usual * (1.0 - half), usual * (1.0 + half)))
        _check_ends(PARAMETER_TABLE.entries[column], usual, (lows[column], highs[column]), level, where)
    largest = dict(zip(PARAMETER_TABLE.names, highs.tolist(), strict=True))
    for surface in ("aFlr", "aPipe", "aGroPipe"):
        largest[surface] = float(lows[PARAMETER_TABLE.column(surface)])
    wrong = too_large(SimpleNamespace(**largest))
    if wrong:
        raise ConfigError(f"{where}: a level of {level:g} may draw a greenhouse that cannot be: {wrong}")


def _check_ends(
    parameter: Parameter, usual: float, ends: tuple[float, float], level: float, where: str
) -> None:
    """Refuse a parameter whose draws reach beyond its bounds."""
    low, high = ends
    if parameter.low <= low and high <= parameter.high:
        return
    bound = parameter.high if high > parameter.high else parameter.low
    most = (math.ceil(1e4 * level * abs(bound - usual) / (high - usual)) - 1) / 1e4  # below, not at it
    unit = "" if parameter.unit == "-" else f" {parameter.unit}"
    raise ConfigError(
        f"{where}: a level of {level:g} would draw {parameter.name} ({parameter.meaning}) from {low:.4g} to "
        f"{high:.4g}{unit}; it must be {parameter.bounds}. "
        + (f"Levels up to {most:g} are allowed." if most > 0.0 else "Leave it out of uncertainty.parameters.")
    )
