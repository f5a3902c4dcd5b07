"""Bare greenhouse physics for modellers: weather and controls in, a table of states out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from agbench.errors import ActionError, WeatherError, did_you_mean
from agbench.simulators.base import Floats
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.stepping import setting
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.simulators.greenlight.world import greenlight_world

if TYPE_CHECKING:
    import pandas as pd

_ALSO = {"dli": "dayRadSum"}  # a column's other name
_OPTIONAL = ("dli", "isDay", "isDaySmooth")  # no equation reads them


def simulate_greenlight(
    preset: str | Preset = "gym",
    parameters: Mapping[str, float] | None = None,
    *,
    weather: "pd.DataFrame | ArrayLike",
    controls: ArrayLike,
    x0: "ArrayLike | Mapping[str, float] | None" = None,
    interval: float = 300.0,
    integrator: str = "rodas4",
    tol: float | None = None,
) -> "pd.DataFrame":
    """Return the states of one greenhouse, a row each `interval` [s], the start first.

    `weather` has one row an interval: a DataFrame with the columns of `WEATHER`, or an array in
    their order. `controls` has shape (N, 6) or (N, 8) in the order of `CONTROLS`, between 0 and 1;
    N intervals are simulated. `x0` is a full state, or a mapping of what differs from the usual
    start. `integrator` is "rodas4", "rodas3" or "cvodes". The index is the weather's, where that
    reaches far enough, else seconds.
    """
    series, u = weather_array(weather), _controls(controls)
    if len(series) < len(u):
        raise WeatherError(
            f"greenlight: {len(u)} rows of controls need as many rows of weather, not {len(series)}."
        )
    world = greenlight_world(series, preset, parameters, steps=len(u))
    if x0 is not None:
        world = greenlight_world(series, preset, parameters, start_state(x0, world.start), steps=len(u))
    simulator = GreenLightSimulator(1, preset, interval, setting(integrator=integrator, tol=tol))
    simulator.reset([world])
    states = np.empty((len(u) + 1, len(STATES)))
    states[0] = simulator.state[0]
    for k in range(len(u)):
        simulator.advance(u[k : k + 1], 1)
        states[k + 1] = simulator.state[0]
    return _table(states, weather, interval)


def weather_array(weather: "pd.DataFrame | ArrayLike") -> Floats:
    """Return weather as an array (rows, 10); a DataFrame's columns are found by name."""
    import pandas as pd

    if not isinstance(weather, pd.DataFrame):
        return np.asarray(weather, dtype=np.float64)
    found = np.zeros((len(weather), len(WEATHER)))
    for i, name in enumerate(WEATHER.names):
        column = next((c for c in (name, _ALSO.get(name)) if c in weather.columns), None)
        if column is not None:
            found[:, i] = weather[column]
        elif name not in _OPTIONAL:
            raise WeatherError(
                f"greenlight: weather lacks the column {name!r} [{WEATHER[name].unit}], "
                f"{WEATHER[name].meaning}.{did_you_mean(name, map(str, weather.columns))}"
            )
    return found


def _controls(controls: ArrayLike) -> Floats:
    """Return controls as an array (N, 8); interlights and grow pipes are off if not given."""
    u = np.asarray(controls, dtype=np.float64)
    if u.ndim != 2 or u.shape[1] not in (6, len(CONTROLS)):
        raise ActionError(
            f"greenlight: controls have shape {u.shape}, not (N, 6) or (N, {len(CONTROLS)}) in the "
            f"order {', '.join(CONTROLS.names)}."
        )
    outside = np.argwhere(~((u >= 0.0) & (u <= 1.0)))
    if len(outside):
        step, column = outside[0]
        raise ActionError(
            f"greenlight: control {CONTROLS.names[column]} of step {step} is {u[step, column]}; it must "
            "lie between 0 and 1."
        )
    return np.hstack([u, np.zeros((len(u), len(CONTROLS) - u.shape[1]))])


def start_state(x0: "ArrayLike | Mapping[str, float]", usual: Floats) -> Floats:
    """Return a full state (28,) from one, or from a mapping of what differs from the usual."""
    if not isinstance(x0, Mapping):
        return np.asarray(x0, dtype=np.float64)
    start = usual.copy()
    for name, value in x0.items():
        start[STATES.column(name)] = value
    return start


def _table(states: Floats, weather: object, interval: float) -> "pd.DataFrame":
    """Return states as a DataFrame, indexed like the weather if that has a row for the end."""
    import pandas as pd

    if isinstance(weather, pd.DataFrame) and len(weather) >= len(states):
        index = weather.index[: len(states)]
    else:
        index = pd.Index(np.arange(len(states)) * interval, name="seconds")
    return pd.DataFrame(states, index=index, columns=list(STATES.names))
