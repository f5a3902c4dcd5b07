"""Observations: declared variables of model and weather, float32, in physical units."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.simulators.base import Simulator, Variable, VariableTable


class Observer:
    """Model variables of the current day, then weather of the last `window` steps.

    Weather is averaged over the window, or given day by day (the oldest first, all variables of a
    day together).
    """

    def __init__(
        self,
        model: VariableTable,
        weather: VariableTable,
        state: Sequence[str],
        sky: Sequence[str],
        window: int,
        daily: bool,
    ) -> None:
        self._state = model.columns(state)
        self._sky = weather.columns(sky)
        self._window = window
        self._daily = daily
        self.entries = [model[name] for name in state]
        if daily:
            for ago in range(window - 1, -1, -1):
                self.entries += [_renamed(weather[name], f"{name}[-{ago}]") for name in sky]
        else:
            self.entries += [_renamed(weather[name], f"mean({name})") for name in sky]
        low = np.array([v.low for v in self.entries], dtype=np.float32)
        high = np.array([v.high for v in self.entries], dtype=np.float32)
        self.space: spaces.Box = spaces.Box(low, high, dtype=np.float32)

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all rows into `out`, (n, size)."""
        split = len(self._state)
        out[:, :split] = simulator.state[:, self._state]
        if len(self._sky):
            seen = simulator.weather(self._window, self._sky)
            out[:, split:] = seen.reshape(len(out), -1) if self._daily else _mean(seen)


def _mean(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the window, summed day by day so that it does not depend on n."""
    total: Any = seen[:, 0].copy()
    for day in range(1, seen.shape[1]):
        total += seen[:, day]
    result: NDArray[np.float64] = total / seen.shape[1]
    return result


def _renamed(variable: Variable, name: str) -> Variable:
    return Variable(name, variable.unit, variable.meaning, variable.low, variable.high)
