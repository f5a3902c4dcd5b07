"""The 208 parameters of the greenhouse model: their table, and a full vector from a few changes.

The order is that of GreenLight-Gym 2. `UNUSED` names those that no equation reads; they are kept
because published lists of parameters contain them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Final

import numpy as np

from agbench.errors import ConfigError, unknown
from agbench.simulators.greenlight.parameters.climate import CLIMATE
from agbench.simulators.greenlight.parameters.crop import CROP
from agbench.simulators.greenlight.parameters.derived import DERIVED, DERIVED_FROM
from agbench.simulators.greenlight.parameters.lamps import LAMPS
from agbench.variables import ABOVE_0, Floats, Parameter, ParameterTable

_SPAN: Final = 100.0
_LEAST_DERIVED, _MOST_DERIVED = 1e-2, 1e10
_OF_ANY_SIZE: Final = ("aFlr", "aCov", "aRoof", "aSide", "pBoil", "pBoilGro", "phiExtCo2")


def _bounded(parameter: Parameter) -> Parameter:
    """Return a parameter with the bounds that its table leaves out.

    What must be above 0 is at least a hundredth of its usual value, and what is without a limit at most a
    hundred times it, but for what grows with the greenhouse. Those that follow from others have limits about
    as wide.
    """
    usual, low, high = parameter.default, parameter.low, parameter.high
    assert usual is not None
    follows = math.isnan(usual)
    if low == ABOVE_0:
        low = _LEAST_DERIVED if follows else usual / _SPAN
    if high == math.inf and parameter.name not in _OF_ANY_SIZE:
        high = _MOST_DERIVED if follows else usual * _SPAN
    return replace(parameter, low=low, high=high)


PARAMETER_TABLE = ParameterTable(map(_bounded, (*CLIMATE, *CROP, *LAMPS)))
UNUSED = frozenset(
    (
        *("omega", "etaRoofThr", "epsRfFir", "rhoThScrFir", "aSide", "hSideRoof"),
        *("energyContentGas", "globJtoUmol", "tEndSumGrowth", "heatCorrection", "intLamps"),
        *("dmfm", "eps"),
    )
)
_LARGEST: Final = (
    ("pBoil", "", 1000.0, "W", "floor"),
    ("pBoil", "aPipe", 5000.0, "W", "pipe rails"),
    ("pBoilGro", "", 1000.0, "W", "floor"),
    ("pBoilGro", "aGroPipe", 5000.0, "W", "grow pipes"),
    ("phiExtCo2", "", 50.0, "mg s-1", "floor"),
)
"""The most of a capacity for each m2 of floor, or of pipes with so much surface for each m2 of floor: three
times what published greenhouses have, or more."""
_IN_ORDER: Final = (("hAir", "hGh"), ("phiPipeI", "phiPipeE"), ("phiGroPipeI", "phiGroPipeE"))
"""Pairs of parameters of which the first must be the smaller: the second's place, or steel, is around it."""

_LAMPS: Final = (
    (
        *("thetaLampMax", ("etaLampPar", "etaLampNir", "etaLampCool")),
        *("cHecLampAir", "aLamp", ("epsLampTop", "epsLampBottom")),
    ),
    ("thetaIntLampMax", ("etaIntLampPar", "etaIntLampNir"), "cHecIntLampAir", "aIntLamp", ("epsIntLamp",)),
)
"""Power of lamps; which parts of it become no heat of theirs; heat exchange, surface, emissivities."""
_HOTTEST: Final = 400.0  # K above the air
_GLOW: Final = 15_000.0  # W m-2, what a black surface so hot radiates


def parameter_vector(changes: Mapping[str, float], where: str = "greenlight parameters") -> Floats:
    """Return all parameters, shape (208,): the table's values with `changes` applied by name.

    Heat capacities and other derived parameters follow from the changed ones, unless set themselves. Errors
    begin with `where`.

    Raises:
        UnknownNameError: for a parameter that does not exist.
        ConfigError: for a value that is no finite number or out of its bounds, an air or a pipe that does not
            fit into what is around it, a boiler or CO2 supply that is too large for the floor, or lamps that
            cannot shed their heat.
    """
    values = {p.name: p.default for p in PARAMETER_TABLE}
    for name, value in changes.items():
        if name not in values:
            raise unknown("parameter", name, values, where)
        values[name] = PARAMETER_TABLE[name].read(value, where)
    record = SimpleNamespace(**values)
    _check_order(record, where)
    for name, rule in DERIVED.items():
        if name not in changes:
            setattr(record, name, _derived(PARAMETER_TABLE[name], rule, record, where))
    wrong = too_large(record)
    if wrong:
        raise ConfigError(f"{where}: {wrong}")
    _check_lamps(record, where)
    return np.array([getattr(record, name) for name in PARAMETER_TABLE.names])


def too_large(values: SimpleNamespace) -> str:
    """Return which capacity is too large for its greenhouse, as the end of a sentence; empty if none is."""
    for capacity, surface, most, unit, of in _LARGEST:
        value, area = getattr(values, capacity), values.aFlr * (getattr(values, surface) if surface else 1.0)
        if value > most * area:
            sized = "aFlr" if not surface else f"aFlr times {surface}"
            meaning = PARAMETER_TABLE[capacity].meaning
            return (
                f"{capacity} ({meaning}) is {value:.10g} {unit} for all {area:.6g} m2 of {of} ({sized}); it "
                f"must be at most {most * area:.6g} {unit}, {most:g} {unit} for each m2."
            )
    return ""


def _check_order(values: SimpleNamespace, where: str) -> None:
    """Refuse a height or a diameter that does not fit into the one around it."""
    for inner, outer in _IN_ORDER:
        small, large = getattr(values, inner), getattr(values, outer)
        if not small < large:
            raise ConfigError(
                f"{where}: {inner} ({PARAMETER_TABLE[inner].meaning}) is {small:.10g} m; it must be less "
                f"than {outer} ({PARAMETER_TABLE[outer].meaning}), {large:.10g} m."
            )


def _check_lamps(values: SimpleNamespace, where: str) -> None:
    """Refuse lamps that make more of their electricity than there is, or would grow hot without end."""
    for name, parts, exchange, surface, emissivities in _LAMPS:
        power, share = getattr(values, name), sum(getattr(values, part) for part in parts)
        if share > 1.0:
            raise ConfigError(
                f"{where}: {', '.join(parts)} are parts of the lamps' electricity and add up to "
                f"{share:.10g}; they must add up to 1 or less."
            )
        glow = getattr(values, surface) * sum(getattr(values, each) for each in emissivities) * _GLOW
        heat, most = power * (1.0 - share), getattr(values, exchange) * _HOTTEST + glow
        if heat > most:
            meaning = PARAMETER_TABLE[name].meaning
            raise ConfigError(
                f"{where}: {name} ({meaning}) is {power:.10g} W m-2, of which {heat:.4g} heat the lamps "
                f"themselves; {_HOTTEST:g} K above the air they would shed {most:.4g}. Give them a larger "
                f"{exchange}, or {surface} and {' and '.join(emissivities)}."
            )


def _derived(
    parameter: Parameter, rule: Callable[[SimpleNamespace], float], others: SimpleNamespace, where: str
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
            f"{where}: {parameter.name} ({parameter.meaning}) follows from {_listed(parameter.name, others)} "
            f"and would be {amount}; it must be {'a finite number' if wrong else parameter.bounds}."
        )
    return value


def _listed(name: str, others: SimpleNamespace) -> str:
    """Return the parameters that a derived one follows from, with their values."""
    sources = [PARAMETER_TABLE[source] for source in DERIVED_FROM[name]]
    amounts = [f"{p.name} ({p.quantity(getattr(others, p.name))})" for p in sources]
    return " and ".join(filter(None, (", ".join(amounts[:-1]), amounts[-1])))
