"""The parameters that each WOFOST model reads, and how a mapping of them becomes a record.

`crop_parameters` and `soil_parameters` declare them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError
from agbench.simulators.field import afgen
from agbench.simulators.field.parameters import read
from agbench.simulators.field.shares import SHARES_OF_SHOOT, wrong_shares
from agbench.simulators.wofost.crop_parameters import (
    AMAX,
    CO2,
    CO2_OPTIONAL,
    CROP,
    CROP81,
    CROP_NPK,
    CROP_PERENNIAL,
    TREE,
    by_age,
)
from agbench.simulators.wofost.grape_parameters import GRAPE, UNUSED
from agbench.simulators.wofost.soil_parameters import (
    BALANCE,
    NITROGEN81,
    NUTRIENTS80,
    PERCOLATION,
    ROOTABLE,
    ROTATION,
    WATER,
)
from agbench.simulators.wofost.variables import MOST_LAYERS
from agbench.simulators.wofost.variants import find
from agbench.variables import Floats, Parameter, ParameterTable

_CO2_TABLES: Final = ("CO2AMAXTB", "CO2EFFTB", "CO2TRATB")
_CONSTANTS: Final = ("CO2AMAX", "CO2EFF", "CO2TRA")
"""Factors of the three CO2 tables at the CO2 of the run [-]."""
_SWITCHES = [
    *("SOUND", "WATER_LIMITED", "NITROGEN_LIMITED", "PK_LIMITED", "AGES_AFTER_MATURITY"),
    *("START_EMERGED", "END_EMERGENCE", "END_MATURITY", "END_DEATH"),
    *("HARVEST_ENDS", "START_DORMANT", "INCORPORATED"),
]
REPAIRS: Final = (
    *("N2", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12"),
    *("W1", "W2", "C1", "C2", "C6", "C9", "P1"),
    *("P6", "P7", "P9", "P10", "P11", "P12", "P15"),
)
"""Defects of the original (docs/wofost.md) whose repair has a switch; `sound` repairs them all."""
_CALENDAR = ["CROP_START", "CROP_END", "MAX_DURATION", "LAST_DAY", "LAST_EVENT", "EPOCH"]
_CALENDAR += ["PLANT_FIRST", "PLANT_LAST"]


_ALL: Final = (
    *(*CROP, AMAX, *CO2, *WATER, *PERCOLATION, *BALANCE, *CROP81, *CROP_NPK, *NITROGEN81, *NUTRIENTS80),
    *(*CROP_PERENNIAL, *GRAPE, *ROTATION),
)
_SCALARS: Final = tuple(dict.fromkeys(p.name for p in _ALL if not p.of))
TABLES: Final = tuple(dict.fromkeys(p.name for p in _ALL if p.of and p.name not in _CO2_TABLES))
"""The AFGEN tables in the order in which the kernels have them."""
_LAYER = ["THICKNESS", "LAYER_SM0", "LAYER_SMFCF", "LAYER_SMW", "LAYER_CRAIRC", "LAYER_COND_FC"]
PARAMETERS: Final = np.dtype(
    [(name, np.float64) for name in (*_SCALARS, *_CONSTANTS, *_SWITCHES)]
    + [(f"REPAIR_{name}", np.float64) for name in REPAIRS]
    + [("SURFACE_CONDUCTIVITY", np.float64)]
    + [(name, np.float64, MOST_LAYERS) for name in _LAYER]
    + [("LAYER_KIND", np.int64, MOST_LAYERS), ("LAYERS", np.int64)]
    + [(name, np.int64) for name in _CALENDAR]
)
"""One record a world. Calendar fields count days from the first day of the world; EPOCH is that
first day in days since 1970-01-01."""


_OF_LIFECYCLE: Final = {"annual": (), "perennial": CROP_PERENNIAL, "grape": (*TREE, *GRAPE)}
"""What crops of each type read beyond what all do."""


@cache
def parameters(model: str, layered: bool = False, crop_type: str = "annual") -> ParameterTable:
    """Return what `model` (such as `wofost72-wlp`) reads, for crops of a type, on one layer or several."""
    variant = find(model)
    crop = CROP if crop_type == "annual" else by_age(CROP)
    names: list[Parameter] = [*crop, *([ROOTABLE] if layered else WATER)]
    if layered:  # WOFOSTGym has names of its own for the water balance of layers
        names += [replace(p, alias=f"M{p.name}") for p in BALANCE]
    elif variant.limits_water:
        names += [*PERCOLATION, *BALANCE]
    if variant.kernels == "wofost72":
        names += [AMAX, *CO2_OPTIONAL]
    elif variant.kernels == "wofost81":
        names += [*CO2, *CROP81, *(NITROGEN81 if variant.limits_nitrogen else ())]
    else:
        names += [AMAX, *CO2, *CROP_NPK, *NUTRIENTS80, *(ROTATION if variant.rotates else ())]
    if crop_type == "grape":
        names = [p for p in names if p.name not in UNUSED]
    present = {p.name for p in names}
    return ParameterTable([*names, *(p for p in _OF_LIFECYCLE[crop_type] if p.name not in present)])


def collect(
    model: str,
    mapping: Mapping[str, Any],
    where: str = "parameters",
    layered: bool = False,
    crop_type: str = "annual",
) -> tuple[NDArray[Any], list[Floats]]:
    """Return the record and the tables (in the order of TABLES) of a mapping of parameters.

    A family of tables is an array of its planes; `place_families` gives these a place. Names that the
    model does not read are passed over; one that is missing, mistyped or out of bounds raises
    `ConfigError`.
    """
    values, built = read(parameters(model, layered, crop_type), mapping, model, where)
    check_rules(values, {"": where})
    record = np.zeros((), PARAMETERS)
    for name, value in values.items():
        record[name] = value
    tables = [built.get(name, np.zeros((3, 2))) for name in TABLES]
    for constant, table in zip(_CONSTANTS, _CO2_TABLES, strict=True):
        applies = table in built and "CO2" in values
        record[constant] = afgen.afgen(built[table], values["CO2"]) if applies else 1.0
    return record, tables


def place_families(tables: list[Floats]) -> None:
    """Append the curves of families to the tables, and replace each family by the places of its curves.

    The table of a family then holds the values it depends on and, as ordinates, where their curves are.
    """
    for i, table in enumerate(tables):
        if table.ndim == 3:
            directory = table[0].copy()
            directory[1] += len(tables) - 1
            tables[i] = directory
            tables.extend(table[1:])


def check_rules(
    values: Mapping[str, float], where: Mapping[str, str], tables: Mapping[str, Floats] = MappingProxyType({})
) -> None:
    """Raise `ConfigError` where numbers or tables contradict each other; those that are absent do not.

    `where` says where the parts of the model are read from, as for `require`.
    """
    shares = wrong_shares(tables, SHARES_OF_SHOOT)
    of_shares = [] if shares is None else [("crop", shares)]
    for part, wrong in [*_contradictions(values), *of_shares]:
        if part in where or "" in where:
            raise ConfigError(f"{where.get(part, where.get(''))}: {wrong}")


def _contradictions(values: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield contradictions among parameters, and zeros by which PCSE would divide, each with its part."""
    moistures = [values.get(name, 0.0) for name in ("SMW", "SMFCF", "SM0")]
    if values.keys() >= {"SMW", "SMFCF", "SM0"} and not moistures[0] < moistures[1] <= moistures[2]:
        yield (
            "soil",
            f"soil moisture must rise from SMW over SMFCF to SM0; got {', '.join(map(str, moistures))}.",
        )
    breathes = values.get("IOX") == 1.0 and values.get("IAIRDU") == 0.0
    if breathes and values.get("CRAIRC", 1.0) <= 0.0:
        yield "soil", f"CRAIRC must be above 0 where IOX is 1 and IAIRDU 0; got {values['CRAIRC']}."
    if values.get("DVSEND", 10.0) < values.get("DVSM", 0.0):
        yield "crop", "DVSEND must not lie below DVSM."
