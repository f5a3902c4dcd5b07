"""Bare greenhouse physics for modellers: one greenhouse, one table, no rewards and no agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agbench.errors import ConfigError
from agbench.simulation.greenhouse_control import Controller, controller
from agbench.simulation.greenhouse_weather import season_weather
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.presets import preset as named
from agbench.simulators.greenlight.simulate import simulate_greenlight
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
from agbench.variables import Floats

if TYPE_CHECKING:
    from datetime import datetime

    import pandas as pd


def simulate_greenhouse(
    preset: str = "gym",
    parameters: Mapping[str, float] | None = None,
    *,
    weather: Any,
    controls: Any,
    x0: Any = None,
    start: "datetime | str | None" = None,
    end: "datetime | str | None" = None,
    interval: float = 300.0,
    structure: Mapping[str, Any] | None = None,
    integrator: str = "rodas4",
    tol: float | None = None,
    seed: int = 0,
    dli: str | None = None,
) -> "pd.DataFrame":
    """Simulate one greenhouse and return its states, a row an interval, the start first.

    Args:
        preset: `gym`, `katzin_2020`, `katzin_2021`, each also with `_hps`.
        parameters: changes of parameters by name.
        weather: the id of a site; the path of a typical year (`.epw`, `.csv` of TMY3, `.tm2` of TMY2);
            a DataFrame with the columns of `agbench.weather.greenhouse.series`, a row an interval; or an
            array (rows, 10) in their order. Rules read `dli`, `isDay` and `isDaySmooth`, too, which
            `agbench.weather.daylight.with_daylight` adds; no equation does.
        controls: an array (N, 6) or (N, 8) between 0 and 1 in the order of `CONTROLS`, or a DataFrame
            with them as columns, the last two 0 if left out; or a policy as
            `agbench.simulation.greenhouse_control.controller` takes it: `"rule-based"`,
            `"random"`, the name of a greenhouse task's policy, or the path of its settings. It then
            acts directly at every interval, and the table holds the controls too. It runs to `end`, by
            default to the weather's end; on daily weather for 60 days.
        x0: a full state (28,), or a mapping of what differs from the usual start.
        start: the first moment, of any weather with dates; by default that of a measured series, a
            typical year (dated 2005) or a table.
        end: the last moment, some intervals after the first; an array of controls must reach it.
        interval: the length of a step [s], which a table's dates must keep. The five-minute rows of a
            site or a file are averaged over multiples of 300 s and held over divisors.
        structure: choices of equations that differ from the preset's, by the names of
            `agbench.simulators.greenlight.presets.Structure`, as `{"pruning": "threshold"}`.
        integrator: `rodas4`, `rodas3` or `cvodes`, each with its tolerance or `tol`.
        seed: of the controls `"random"`.
        dli: what rules know of the radiation of a site or a file: `"past"`, its sum over the 24 hours before,
            as in tasks, or `"day"` (the default), that of the whole day, which foresees the afternoon. Tables
            have a column of their own.

    The index is time where the weather has dates, else seconds.

    Raises:
        ConfigError, UnknownNameError: for an argument or a parameter that is wrong.
        WeatherError, ActionError, SimulationError: for weather, controls or a start that are.

    Examples:
        >>> import numpy as np
        >>> table = simulate_greenhouse(weather="bleiswijk", controls=np.full((3, 6), 0.5))
        >>> table.shape
        (4, 28)
    """
    check_interval(interval)
    for name, given in (("parameters", parameters), ("structure", structure)):
        if given is not None and not isinstance(given, Mapping):
            raise ConfigError(f"greenlight: {name} is {given!r}, not a mapping of values by name.")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ConfigError(f"greenlight: seed is {seed!r}; it must be a whole number, 0 or more.")
    greenhouse = named(preset, structure)
    decide = controller(controls, seed) if isinstance(controls, (str, Path)) else None
    u = control_array(controls) if decide is None else np.empty((0, 0))
    table = season_weather(weather, start, interval, len(u) if decide is None else None, end, dli)
    at = by_name(x0)
    if isinstance(at, Mapping):
        at = {"time": _day_of(table), **at}
    if decide is None:
        return simulate_greenlight(
            greenhouse,
            parameters,
            weather=table,
            controls=u,
            x0=at,
            interval=interval,
            integrator=integrator,
            tol=tol,
        )
    simulator = MeteredGreenhouse(1, greenhouse, interval, choose_accuracy(integrator=integrator, tol=tol))
    return _under_control(simulator, decide, table, greenhouse, parameters, at)


def _under_control(
    simulator: MeteredGreenhouse, decide: Controller, table: Any, preset: Preset, parameters: Any, x0: Any
) -> "pd.DataFrame":
    """Return states and controls of a greenhouse whose controller acts at every interval."""
    import pandas as pd

    series = weather_array(table, simulator.interval, decide.reads)
    start = start_state(x0, initial_state(series[0]))
    simulator.reset([greenlight_world(series, preset, parameters, start)])
    controls: Floats = np.zeros((1, len(CONTROLS)))
    rows = np.zeros((len(series) + 1, len(STATES) + len(CONTROLS)))
    rows[0, : len(STATES)] = simulator.state[0]
    for k in range(len(series)):
        decide(simulator.measured(), controls)
        simulator.advance(controls, 1)
        rows[k + 1] = np.append(simulator.state[0], controls[0])
    index = time_index(table, len(rows), simulator.interval)
    return pd.DataFrame(rows, index=index, columns=[*STATES.names, *CONTROLS.names])


def _day_of(table: Any) -> float:
    """Return the day of the year at which a table begins, 0 on 1 January; 0 where it has no dates."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame) or not isinstance(table.index, pd.DatetimeIndex):
        return 0.0
    if not len(table):
        return 0.0
    first = table.index[0]
    return float(first.day_of_year - 1) + (first.hour * 3600 + first.minute * 60 + first.second) / 86_400
