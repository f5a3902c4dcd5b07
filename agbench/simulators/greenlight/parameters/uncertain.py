"""Named lists of crop parameters that parametric uncertainty perturbs."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, unknown
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.variables import Floats

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


def check_level(level: float, chosen: str | Sequence[str], parameters: Floats) -> None:
    """Raise `ConfigError` for a level at which a chosen parameter is drawn from beyond its bounds.

    `parameters` are (208,): the values about which they are drawn.
    """
    half = half_width(chosen)
    for column in uncertain_columns(chosen).tolist():
        parameter, usual = PARAMETER_TABLE.entries[column], float(parameters[column])
        low, high = sorted((usual * (1.0 - level * half), usual * (1.0 + level * half)))
        if parameter.low <= low and high <= parameter.high:
            continue
        bound = parameter.high if high > parameter.high else parameter.low
        raise ConfigError(
            f"uncertainty: a level of {level:g} would draw {parameter.name} ({parameter.meaning}) from "
            f"{low:.4g} to {high:.4g} {parameter.unit}; it must be {parameter.bounds}, which a level of "
            f"{abs(bound / usual - 1.0) / half:.4g} reaches."
        )
