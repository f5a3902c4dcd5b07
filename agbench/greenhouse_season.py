"""Bare greenhouse physics for modellers: one greenhouse, one table, no rewards and no agents."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agbench import data
from agbench.errors import ConfigError, WeatherError
from agbench.greenhouse_control import Controller, controller
from agbench.greenhouse_weather import greenhouse_weather, measured_series
from agbench.simulators.base import Floats
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.presets import preset as named
from agbench.simulators.greenlight.simulate import simulate_greenlight, start_state, weather_array
from agbench.simulators.greenlight.stepping import setting
from agbench.simulators.greenlight.variables import CONTROLS, STATES
from agbench.simulators.greenlight.world import greenlight_world
from agbench.spec.greenhouse_task import INTERVAL
from agbench.weather.greenhouse import COLUMNS, READER

if TYPE_CHECKING:
    import pandas as pd

_SEASON_DAYS = 60


def simulate_greenhouse(
    preset: str = "gym",
    parameters: Mapping[str, float] | None = None,
    *,
    weather: Any,
    controls: Any,
    x0: Any = None,
    start: "datetime | str | None" = None,
    interval: float = 300.0,
    structure: Mapping[str, Any] | None = None,
    integrator: str = "rodas4",
    tol: float | None = None,
    seed: int = 0,
) -> "pd.DataFrame":
    """Simulate one greenhouse and return its states, a row an interval, the start first.

    Args:
        preset: `gym`, `katzin_2020`, `katzin_2021`, each also with `_hps`.
        parameters: changes of parameters by name.
        weather: the id of a site, or a DataFrame with the columns of `agbench.weather.greenhouse`,
            a row an interval, or an array (rows, 10) in their order.
        controls: an array (N, 6) or (N, 8) between 0 and 1 in the order of `CONTROLS`, or a policy as
            `agbench.greenhouse_control.controller` takes it: `"rule-based"`, `"random"`, the name of
            a greenhouse task's policy, or the path of its settings. It then acts directly at every
            interval, and the table holds the controls too. It runs to the weather's end; on daily
            weather for 60 days.
        x0: a full state (28,), or a mapping of what differs from the usual start.
        start: the first moment, for a site's weather; by default that of a measured series.
        interval: the length of a step [s]; a site's weather is averaged over multiples of 300 s.
        structure: choices of equations that differ from the preset's, by the names of
            `agbench.simulators.greenlight.presets.Structure`, as `{"pruning": "threshold"}`.
        integrator: `rodas4`, `rodas3` or `cvodes`, each with its tolerance or `tol`.
        seed: of the controls `"random"`.

    >>> import numpy as np
    >>> table = simulate_greenhouse(weather="bleiswijk", controls=np.full((3, 6), 0.5))
    >>> table.shape
    (4, 28)
    """
    greenhouse = named(preset, structure)
    chosen = controller(controls, seed) if isinstance(controls, (str, Path)) else None
    steps = None if chosen is not None else len(np.asarray(controls))
    table = _site_weather(weather, start, interval, steps) if isinstance(weather, str) else weather
    day = _day_of(table)
    if chosen is None:
        at = {"time": day} if x0 is None else _with_time(x0, day)
        return simulate_greenlight(
            greenhouse,
            parameters,
            weather=table,
            controls=controls,
            x0=at,
            interval=interval,
            integrator=integrator,
            tol=tol,
        )
    simulator = MeteredGreenhouse(1, greenhouse, interval, setting(integrator=integrator, tol=tol))
    start_at = {} if x0 is None else x0
    return _under_control(simulator, chosen, table, greenhouse, parameters, _with_time(start_at, day))


def _under_control(
    simulator: MeteredGreenhouse,
    decide: Controller,
    table: Any,
    preset: Preset,
    parameters: Any,
    x0: Any,
) -> "pd.DataFrame":
    """Return states and controls of a greenhouse whose controller acts at every interval."""
    import pandas as pd

    series = weather_array(table)
    usual = greenlight_world(series, preset, parameters).start
    simulator.reset([greenlight_world(series, preset, parameters, start_state(x0, usual))])
    controls: Floats = np.zeros((1, len(CONTROLS)))
    rows = np.zeros((len(series) + 1, len(STATES) + len(CONTROLS)))
    rows[0, : len(STATES)] = simulator.state[0]
    for k in range(len(series)):
        decide(simulator.measured(), controls)
        simulator.advance(controls, 1)
        rows[k + 1] = np.append(simulator.state[0], controls[0])
    index: Any = pd.Index(np.arange(len(rows)) * simulator.interval, name="seconds")
    if isinstance(table, pd.DataFrame) and isinstance(table.index, pd.DatetimeIndex):
        index = pd.date_range(table.index[0], periods=len(rows), freq=f"{simulator.interval:g}s")
    return pd.DataFrame(rows, index=index, columns=[*STATES.names, *CONTROLS.names])


def _with_time(x0: Any, day: float) -> Any:
    """Return a start whose clock shows `day`, unless it says otherwise."""
    return {"time": day, **x0} if isinstance(x0, Mapping) else x0


def _day_of(table: Any) -> float:
    """Return the day of the year at which a table begins, 0 on 1 January; 0 where it has no dates."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame) or not isinstance(table.index, pd.DatetimeIndex):
        return 0.0
    first = table.index[0]
    return float(first.day_of_year - 1) + (first.hour * 3600 + first.minute * 60 + first.second) / 86_400


def _site_weather(site: str, start: Any, interval: float, steps: int | None) -> "pd.DataFrame":
    """Return a site's greenhouse weather as a table, a row an interval, for `steps` of them."""
    import pandas as pd

    if interval % INTERVAL:
        raise WeatherError(f"weather {site}: interval is {interval:g} s; give a multiple of {INTERVAL} s.")
    many = int(interval) // INTERVAL
    measured = data.site(site).reader == READER
    if start is None and not measured:
        raise ConfigError(f"start is missing: the weather of {site} covers many years.")
    first = measured_series(site).begin if start is None else pd.Timestamp(start).to_pydatetime()
    if measured:
        series = measured_series(site)
        left = int((series.end - first).total_seconds()) // INTERVAL
        rows = series.window(first, left if steps is None else steps * many)
    else:
        days = _SEASON_DAYS if steps is None else -(-steps * int(interval) // 86_400)
        midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
        before = int((first - midnight) / timedelta(seconds=INTERVAL))
        source = greenhouse_weather(site, False, INTERVAL)
        rows = source.rows(midnight.date(), days + 1, 0, None)[before:]
        rows = rows[: days * 86_400 // INTERVAL if steps is None else steps * many]
    whole = rows[: len(rows) // many * many].reshape(-1, many, len(COLUMNS))
    index = pd.date_range(first, periods=len(whole), freq=f"{int(interval)}s", name="time")
    return pd.DataFrame(whole.mean(axis=1), index=index, columns=list(COLUMNS))
