"""Weather forecasts: the coming weather, with errors that grow with every day ahead.

An error depends on the episode's seed, the day, the day ahead and the variable alone, so that it is
the same in any batch, and when an episode is played again from any of its days.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.simulators.base import Simulator
from agbench.variables import Floats, Variable, VariableTable

_ROUNDS: Final = 4  # uniform numbers that make a nearly normal one (Irwin-Hall)
_UNIT: Final = np.sqrt(12.0 / _ROUNDS)


class Forecast:
    """Forecasts of some weather variables for the coming `days`.

    `error` is the standard deviation of tomorrow's forecast by variable; k days ahead it is k times
    as large.
    """

    def __init__(
        self, weather: VariableTable, variables: Sequence[str], days: int, error: Mapping[str, float]
    ) -> None:
        self._columns = weather.columns(variables)
        self._days = days
        deviation = np.array([float(error.get(name, 0.0)) for name in variables])
        self._deviation: Floats = np.arange(1.0, days + 1.0)[:, None] * deviation
        entries = [weather[name] for name in variables]
        self._low = np.array([v.low for v in entries])
        self._high = np.array([v.high for v in entries])
        self.entries = [
            Variable(f"{v.name}[+{ahead}]", v.unit, f"forecast: {v.meaning}", v.low, v.high)
            for ahead in range(1, days + 1)
            for v in entries
        ]

    def of(self, simulator: Simulator) -> Floats:
        """Return the forecasts of all rows, (n, days * variables), a day's variables together."""
        truth: Floats = simulator.coming(self._days, self._columns)  # type: ignore[attr-defined]
        noise = _noise(simulator.noise_seeds, simulator.elapsed, truth.shape[1:])  # type: ignore[attr-defined]
        forecast = np.clip(truth + self._deviation * noise, self._low, self._high)
        return forecast.reshape(len(forecast), -1)


def _noise(seeds: NDArray[np.uint64], day: NDArray[np.int64], shape: tuple[int, ...]) -> Floats:
    """Return numbers of mean 0 and variance 1, nearly normal, (n, *shape)."""
    count = int(np.prod(shape))
    start = _mixed(seeds + _mixed(day.astype(np.uint64)))
    total = np.zeros((len(seeds), count))
    for i in range(_ROUNDS):
        counters = np.arange(count, dtype=np.uint64) + np.uint64(i * count + 1)
        bits = _mixed(start[:, None] + counters * _GOLDEN)
        total += (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    noise: Floats = ((total - 0.5 * _ROUNDS) * _UNIT).reshape(len(seeds), *shape)
    return noise


_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def _mixed(x: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the bits of `x` well mixed (splitmix64; Steele, Lea, Flood 2014)."""
    z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed
