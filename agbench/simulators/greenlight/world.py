"""The world of one greenhouse episode: its weather, its parameters and the state it starts in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.errors import SimulationError, WeatherError
from agbench.simulators.greenlight.parameters.table import parameter_vector
from agbench.simulators.greenlight.presets import Preset, Structure, preset
from agbench.simulators.greenlight.variables import STATES, WEATHER, initial_state, wrong_state
from agbench.variables import Floats
from agbench.weather.day_by_day import DayByDay

BESIDE: Final = 2


@dataclass(frozen=True, eq=False)
class GreenLightWorld:
    """All that fixes an episode apart from the controls; build it with `greenlight_world`."""

    structure: Structure
    """The equations that the parameters belong to."""

    weather: "Floats | DayByDay"
    """(rows, 10), one row an interval, C order."""
    parameters: Floats
    """(208,)."""
    start: Floats
    """(28,): the state at the start."""
    steps: int
    """Intervals until the episode's end; further weather serves forecasts."""
    beside: "tuple[Floats | DayByDay, ...]" = ()
    """Tables that observers read beside the weather, at most `BESIDE`, each (rows, columns) in C order."""


def greenlight_world(
    weather: Floats,
    name: str | Preset = "gym",
    changes: Mapping[str, float] | None = None,
    start: Floats | None = None,
    day: float = 0.0,
    steps: int | None = None,
) -> GreenLightWorld:
    """Return the world of a preset (`name`, or itself) under `weather`, shape (rows, 10).

    `changes` sets parameters by name. Without a `start`, shape (28,), the crop is grown and the
    clock shows `day` [d]. `steps` ends the episode before the weather does.
    """
    series = whole_series(weather)
    x = initial_state(series[0], day) if start is None else np.array(start, dtype=np.float64)
    _check_start(x)
    last = len(series) if steps is None else steps
    if not 0 < last <= len(series):
        raise WeatherError(
            f"greenlight: an episode of {last} steps needs as many rows of weather; there are {len(series)}."
        )
    chosen = preset(name)
    parameters = parameter_vector({**chosen.changes, **(changes or {})})
    return GreenLightWorld(chosen.structure, series, parameters, x, last)


def whole_series(weather: Floats) -> Floats:
    """Return weather (rows, 10) as the simulator needs it; raises `WeatherError` where it has gaps."""
    series: Floats = np.asarray(weather, dtype=np.float64)
    if series.ndim != 2 or series.shape[1] != len(WEATHER) or len(series) == 0:
        raise WeatherError(
            f"greenlight: weather has shape {series.shape}, not (rows, {len(WEATHER)}) with the "
            f"columns {', '.join(WEATHER.names)}."
        )
    if not np.isfinite(series).all():
        row, column = np.argwhere(~np.isfinite(series))[0]
        raise WeatherError(
            f"greenlight: weather is not finite at row {row}, column {WEATHER.names[column]}. "
            "Fill the gap first."
        )
    return np.ascontiguousarray(series)


def _check_start(x: Floats) -> None:
    """Refuse a start of another shape, or a state that cannot be."""
    if x.shape != (len(STATES),) or not np.isfinite(x).all():
        missing = "" if x.shape != (len(STATES),) else f" and {x[~np.isfinite(x)][0]} among them"
        raise SimulationError(
            f"greenlight: the start has shape {x.shape}{missing}; give {len(STATES)} finite numbers in the "
            f"order {', '.join(STATES.names)}."
        )
    for name, value in zip(STATES.names, x.tolist(), strict=True):
        wrong = wrong_state(name, value)
        if wrong:
            raise SimulationError(f"greenlight: the start's {wrong}")
