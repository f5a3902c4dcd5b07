"""The variables of the greenhouse model: states and controls, in their fixed order, beside its weather.

Bounds of states are wide enough for all that a start within `STARTS` and any controls lead to.
"""

from dataclasses import replace

import numpy as np

from agbench.compiled.elementary import exp
from agbench.variables import Floats, Variable, VariableTable
from agbench.weather.greenhouse.columns import WEATHER as WEATHER


def _temperature(name: str, place: str, high: float = 300.0) -> Variable:
    return Variable(name, "degC", f"temperature of {place}", -100.0, high)


STATES = VariableTable(
    (
        Variable("co2Air", "mg m-3", "CO2 in the air below the screens", 0.0, 2e6),
        Variable("co2Top", "mg m-3", "CO2 in the air above the screens", 0.0, 2e6),
        _temperature("tAir", "the air below the screens"),
        _temperature("tTop", "the air above the screens"),
        _temperature("tCan", "the canopy"),
        _temperature("tCovIn", "the inside of the cover"),
        _temperature("tCovE", "the outside of the cover"),
        _temperature("tThScr", "the thermal screen"),
        _temperature("tFlr", "the floor"),
        _temperature("tPipe", "the pipe rails", 500.0),
        _temperature("tSo1", "soil layer 1"),
        _temperature("tSo2", "soil layer 2"),
        _temperature("tSo3", "soil layer 3"),
        _temperature("tSo4", "soil layer 4"),
        _temperature("tSo5", "soil layer 5"),
        Variable("vpAir", "Pa", "vapour pressure below the screens", 0.0, 1e6),
        Variable("vpTop", "Pa", "vapour pressure above the screens", 0.0, 1e6),
        _temperature("tLamp", "the lamps", 500.0),
        _temperature("tIntLamp", "the interlights", 500.0),
        _temperature("tGroPipe", "the grow pipes", 500.0),
        _temperature("tBlScr", "the blackout screen"),
        _temperature("tCan24", "the canopy, mean of a day"),
        Variable("cBuf", "mg m-2", "carbohydrates (CH2O) in the buffer", -1e5, 1e6),
        Variable("cLeaf", "mg m-2", "carbohydrates (CH2O) in leaves", -10.0, 1e6),
        Variable("cStem", "mg m-2", "carbohydrates (CH2O) in stems", -10.0, 1e8),
        Variable("cFruit", "mg m-2", "carbohydrates (CH2O) in fruit", -10.0, 1e8),
        Variable("tCanSum", "degC d", "temperature sum of the canopy", -1e6, 1e6),
        Variable("time", "d", "time since the start of the clock", 0.0, 1e6),
    )
)
CONTROLS = VariableTable(
    (
        Variable("uBoil", "-", "heating of the pipe rails, part of capacity", 0.0, 1.0),
        Variable("uCo2", "-", "CO2 supply, part of capacity", 0.0, 1.0),
        Variable("uThScr", "-", "thermal screen, 1 closed", 0.0, 1.0),
        Variable("uVent", "-", "roof vents, 1 open", 0.0, 1.0),
        Variable("uLamp", "-", "lamps, part of capacity", 0.0, 1.0),
        Variable("uBlScr", "-", "blackout screen, 1 closed", 0.0, 1.0),
        Variable("uIntLamp", "-", "interlights, part of capacity", 0.0, 1.0),
        Variable("uBoilGro", "-", "heating of the grow pipes, part of capacity", 0.0, 1.0),
    )
)
SCALES = np.array([500.0] * 2 + [20.0] * 13 + [1500.0] * 2 + [20.0] * 5 + [1e4, 1e5, 2e5, 1e5, 1e3, 10.0])
"""A usual size of each state, in its unit: the floor of relative errors."""

_STARTS = {
    **dict.fromkeys(("co2Air", "co2Top"), (1.0, 2e4)),  # the equations divide by the CO2 in the stomata
    **dict.fromkeys(("vpAir", "vpTop"), (1.0, 2e4)),
    **dict.fromkeys(("tPipe", "tLamp", "tIntLamp", "tGroPipe"), (-50.0, 150.0)),
    "cBuf": (-1e4, 2e5),
    "cLeaf": (1.0, 5e5),
    **dict.fromkeys(("cStem", "cFruit"), (0.0, 1e7)),
    "tCanSum": (-1e3, 5e4),
    "time": (0.0, 1e5),
}
STARTS = VariableTable(
    replace(v, low=low, high=high) for v in STATES for low, high in (_STARTS.get(v.name, (-50.0, 70.0)),)
)
"""The states with the bounds within which a simulation may start."""


def wrong_state(name: str, value: float) -> str:
    """Return what is wrong with a state to start in, as the end of a sentence; empty if nothing is.

    Raises `UnknownNameError` for a state that does not exist.
    """
    variable = STARTS[name]
    if variable.low <= value <= variable.high:
        return ""
    return (
        f"{name} ({variable.meaning}) is {value:g} {variable.unit}; it must lie from {variable.low:g} "
        f"to {variable.high:g}."
    )


def initial_state(weather: Floats, day: float = 0.0) -> Floats:
    """Return GreenLight-Gym 2's start, shape (28,): a grown crop in a greenhouse at 16.5 degC.

    `weather` is the first row of the weather, shape (7,) or more; `day` the start of the clock [d].
    The air holds outdoor CO2 and 90 % relative humidity; soil layers grade down to the deep soil.
    """
    co2, deep, indoor = weather[3], weather[6], 16.5
    x = np.full(len(STATES), indoor)
    x[STATES.columns(["co2Air", "co2Top"])] = co2
    x[STATES.columns(["tCan", "tCan24"])] = indoor + 4.0
    x[STATES.columns(["tSo2", "tSo3", "tSo4", "tSo5"])] = [
        indoor + share * (deep - indoor) for share in (0.25, 0.5, 0.75, 1.0)
    ]
    vapour = 0.9 * 610.78 * exp(17.2694 * indoor / (indoor + 238.3))
    x[STATES.columns(["vpAir", "vpTop"])] = vapour
    crop = {"cBuf": 0.0, "cLeaf": 95283.0, "cStem": 251070.0, "cFruit": 55338.0, "tCanSum": 3097.8}
    for name, value in crop.items():
        x[STATES.column(name)] = value
    x[STATES.column("time")] = day
    return x
