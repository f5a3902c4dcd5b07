"""The 208 parameters of the greenhouse model: their table, and a full vector from a few changes.

The order is that of GreenLight-Gym 2. `UNUSED` names those that no equation reads; they are kept
because published lists of parameters contain them.
"""

import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace

import numpy as np

from agbench.errors import ConfigError, unknown
from agbench.simulators.greenlight.parameters.climate import CLIMATE
from agbench.simulators.greenlight.parameters.crop import CROP
from agbench.simulators.greenlight.parameters.derived import DERIVED
from agbench.simulators.greenlight.parameters.lamps import LAMPS
from agbench.variables import Floats, Parameter, ParameterTable

PARAMETER_TABLE = ParameterTable((*CLIMATE, *CROP, *LAMPS))
UNUSED = frozenset(
    (
        *("omega", "etaRoofThr", "epsRfFir", "rhoThScrFir", "aSide", "hSideRoof"),
        *("energyContentGas", "globJtoUmol", "tEndSumGrowth", "heatCorrection", "intLamps"),
        *("dmfm", "eps"),
    )
)
_WHERE = "greenlight parameters"


def parameter_vector(changes: Mapping[str, float]) -> Floats:
    """Return all parameters, shape (208,): the table's values with `changes` applied by name.

    Capacities and other derived parameters follow from the changed ones, unless set themselves.

    Raises:
        UnknownNameError: for a parameter that does not exist.
        ConfigError: for a value that is no finite number or out of its bounds.
    """
    values = {p.name: p.default for p in PARAMETER_TABLE}
    for name, value in changes.items():
        if name not in values:
            raise unknown("parameter", name, values, _WHERE)
        values[name] = PARAMETER_TABLE[name].read(value, _WHERE)
    record = SimpleNamespace(**values)
    for name, rule in DERIVED.items():
        if name not in changes:
            setattr(record, name, _derived(PARAMETER_TABLE[name], rule, record))
    return np.array([getattr(record, name) for name in PARAMETER_TABLE.names])


def _derived(
    parameter: Parameter, rule: Callable[[SimpleNamespace], float], others: SimpleNamespace
) -> float:
    """Return what follows from the other parameters; raises `ConfigError` where that cannot be."""
    try:
        value = rule(others)
    except OverflowError:
        value = math.inf
    wrong = isinstance(value, complex) or not math.isfinite(value)
    if wrong or not parameter.low <= value <= parameter.high:
        amount = str(value) if wrong else parameter.quantity(value)
        raise ConfigError(
            f"{_WHERE}: {parameter.name} ({parameter.meaning}) follows from the others (derived.py) and "
            f"would be {amount}; it must be {'a finite number' if wrong else parameter.bounds}."
        )
    return value
