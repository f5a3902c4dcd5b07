"""Bare greenhouse physics for modellers: weather and controls in, a table of states out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from agbench.errors import ActionError, WeatherError
from agbench.simulators.greenlight.equipment import without_effect
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.stepping import choose_accuracy
from agbench.simulators.greenlight.tables import (
    by_name,
    check_interval,
    control_array,
    start_state,
    time_index,
    weather_array,
)
from agbench.simulators.greenlight.variables import CONTROLS, STATES, initial_state
from agbench.simulators.greenlight.world import greenlight_world

if TYPE_CHECKING:
    import pandas as pd


def simulate_greenlight(
    preset: str | Preset = "gym",
    parameters: Mapping[str, float] | None = None,
    *,
    weather: "pd.DataFrame | ArrayLike",
    controls: "pd.DataFrame | ArrayLike",
    x0: "pd.Series | ArrayLike | Mapping[str, float] | None" = None,
    interval: float = 300.0,
    integrator: str = "rodas4",
    tol: float | None = None,
) -> "pd.DataFrame":
    """Return the states of one greenhouse, a row each `interval` [s], the start first.

    `weather` has one row an interval: a DataFrame with the columns of `WEATHER`, or an array in
    their order. `controls` has shape (N, 6) or (N, 8) in the order of `CONTROLS`, between 0 and 1, or
    is a DataFrame with those columns; N intervals are simulated. Controls of equipment that the
    greenhouse lacks must be 0. `x0` is a full state, or a mapping of what differs from the usual start.
    `integrator` is "rodas4", "rodas3" or "cvodes". The index is time where the weather has dates; else
    the weather's, where that reaches far enough, or seconds.
    """
    import pandas as pd

    check_interval(interval)
    series, u = weather_array(weather, interval), control_array(controls)
    if len(series) < len(u):
        raise WeatherError(
            f"greenlight: {len(u)} rows of controls need as many rows of weather, not {len(series)}."
        )
    start = start_state(by_name(x0), initial_state(series[0]))
    world = greenlight_world(series, preset, parameters, start, steps=len(u))
    moved = [name for name, column in zip(CONTROLS.names, u.T, strict=True) if column.any()]
    reason = without_effect(moved, world.parameters)
    if reason is not None:
        raise ActionError(
            f"greenlight: controls: {reason}. Set it to 0, or give it a capacity in parameters."
        )
    simulator = GreenLightSimulator(1, preset, interval, choose_accuracy(integrator=integrator, tol=tol))
    simulator.reset([world])
    states = np.empty((len(u) + 1, len(STATES)))
    states[0] = simulator.state[0]
    for k in range(len(u)):
        simulator.advance(u[k : k + 1], 1)
        states[k + 1] = simulator.state[0]
    index = time_index(weather, len(states), interval)
    return pd.DataFrame(states, index=index, columns=list(STATES.names))
