"""Observations: declared variables of model and weather, float32, in physical units."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.envs.field.forecasts import Forecast
from agbench.envs.observations import Entries
from agbench.simulators.base import Simulator
from agbench.variables import Variable, VariableTable

_PROGRESS: Final = {
    "elapsed": Variable("elapsed", "d", "days since the start", 0.0, 1e5),
    "day_of_year": Variable("day_of_year", "d", "day of the year, 1 on 1 January", 1.0, 366.0),
    "finished": Variable("finished", "-", "1 once the season is over", 0.0, 1.0),
}


class FieldObserver(Entries):
    """Model variables of the current day, weather of the last `window` steps, progress, forecast.

    Weather is averaged over the window, or given day by day (the oldest first, all variables of a
    day together). `progress` are `elapsed`, `day_of_year` and `finished`, in any order. `index` takes
    `RAIN` for `mean(RAIN)`.
    """

    def __init__(
        self,
        model: VariableTable,
        weather: VariableTable,
        state: Sequence[str],
        sky: Sequence[str],
        window: int,
        daily: bool,
        progress: Sequence[str] = (),
        forecast: Forecast | None = None,
    ) -> None:
        self._state = model.columns(state)
        self._sky = weather.columns(sky)
        self._window = window
        self._daily = daily
        self._progress = tuple(progress)
        self._forecast = forecast
        entries = [model[name] for name in state]
        if daily:
            for ago in range(window - 1, -1, -1):
                entries += [_renamed(weather[name], f"{name}[-{ago}]") for name in sky]
        else:
            entries += [_renamed(weather[name], f"mean({name})") for name in sky]
        self._later = len(entries)
        entries += [_PROGRESS[name] for name in progress]
        if forecast is not None:
            entries += forecast.entries
        super().__init__(entries, {} if daily else {name: f"mean({name})" for name in sky})

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all rows into `out`, (n, size)."""
        split = len(self._state)
        out[:, :split] = simulator.state[:, self._state]
        if len(self._sky):
            seen = simulator.weather(self._window, self._sky)
            out[:, split : self._later] = seen.reshape(len(out), -1) if self._daily else _mean(seen)
        at = self._later
        for name in self._progress:
            out[:, at] = getattr(simulator, name)
            at += 1
        if self._forecast is not None:
            out[:, at:] = self._forecast.of(simulator)


def _mean(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the window, summed day by day so that it does not depend on n."""
    total: Any = seen[:, 0].copy()
    for day in range(1, seen.shape[1]):
        total += seen[:, day]
    result: NDArray[np.float64] = total / seen.shape[1]
    return result


def _renamed(variable: Variable, name: str) -> Variable:
    return Variable(name, variable.unit, variable.meaning, variable.low, variable.high)
