"""Constraints on the indoor climate: how far and how long it was outside its limits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.data.greenhouse_reward import ConstraintsSpec
from agbench.simulators.greenlight.sensors import CLIMATE
from agbench.variables import Floats

NAMES: Final = ("tAir", "co2_ppm", "rh")
_COLUMNS: Final = CLIMATE.columns(NAMES)


class ClimateLimits:
    """The limits of a task, for a batch."""

    def __init__(self, spec: ConstraintsSpec) -> None:
        limits = (spec.temperature, spec.co2, spec.humidity)
        self._low: Floats = np.array([limit.low for limit in limits])
        self._high: Floats = np.array([limit.high for limit in limits])
        self._scale: Floats = np.array([limit.full_scale for limit in limits])
        self._clip = spec.clip

    def violations(self, climate: Floats) -> Floats:
        """Return how far temperature, CO2 and humidity are outside, as parts of full scale (n, 3)."""
        result = np.empty((len(climate), len(NAMES)))
        _violations(climate, _COLUMNS, self._low, self._high, self._scale, self._clip, result)
        return result


@entry
def _violations(
    climate: Floats,
    columns: NDArray[np.intp],
    low: Floats,
    high: Floats,
    scale: Floats,
    clip: bool,
    result: Floats,
) -> None:
    for i in range(len(climate)):
        for k in range(len(columns)):
            value = climate[i, columns[k]]
            outside = max(low[k] - value, value - high[k], 0.0) / scale[k]
            result[i, k] = min(outside, 1.0) if clip else outside
