"""The 208 parameters of the greenhouse model: their table, and a full vector from a few changes.

The order is that of GreenLight-Gym 2. `UNUSED` names those that no equation reads; they are kept
because published lists of parameters contain them.
"""

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np

from agbench.errors import unknown
from agbench.simulators.greenlight.parameters.climate import CLIMATE
from agbench.simulators.greenlight.parameters.crop import CROP
from agbench.simulators.greenlight.parameters.derived import DERIVED
from agbench.simulators.greenlight.parameters.lamps import LAMPS
from agbench.simulators.greenlight.parameters.limits import check_value, derived_value
from agbench.variables import Floats, Variable, VariableTable

PARAMETERS = (*CLIMATE, *CROP, *LAMPS)
PARAMETER_TABLE = VariableTable(Variable(p.name, p.unit, p.meaning) for p in PARAMETERS)
UNUSED = frozenset(
    (
        *("omega", "etaRoofThr", "epsRfFir", "rhoThScrFir", "aSide", "hSideRoof"),
        *("energyContentGas", "globJtoUmol", "tEndSumGrowth", "heatCorrection", "intLamps"),
        *("dmfm", "eps"),
    )
)


def parameter_vector(changes: Mapping[str, float]) -> Floats:
    """Return all parameters, shape (208,): the table's values with `changes` applied by name.

    Capacities and other derived parameters follow from the changed ones, unless set themselves.

    Raises:
        UnknownNameError: for a parameter that does not exist.
        ConfigError: for a value that is no finite number or cannot be: negative where only positive
            ones mean anything, zero where the equations divide by it.
    """
    values = {p.name: p.value for p in PARAMETERS}
    for name, value in changes.items():
        if name not in values:
            raise unknown("parameter", name, values, "greenlight parameters")
        values[name] = check_value(PARAMETER_TABLE[name], value)
    record = SimpleNamespace(**values)
    for name, rule in DERIVED.items():
        if name not in changes:
            setattr(record, name, derived_value(PARAMETER_TABLE[name], rule, record))
    return np.array([getattr(record, p.name) for p in PARAMETERS])
