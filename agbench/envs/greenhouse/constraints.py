"""Constraints on the indoor climate: how far and how long it was outside its limits."""

from typing import Final

import numpy as np

from agbench.simulators.base import Floats
from agbench.simulators.greenlight.sensors import CLIMATE
from agbench.spec.greenhouse_task import ConstraintsSpec

NAMES: Final = ("tAir", "co2_ppm", "rh")
_COLUMNS: Final = CLIMATE.columns(NAMES)


class Limits:
    """The limits of a task, for a batch."""

    def __init__(self, spec: ConstraintsSpec) -> None:
        limits = (spec.temperature, spec.co2, spec.humidity)
        self._low: Floats = np.array([limit.low for limit in limits])
        self._high: Floats = np.array([limit.high for limit in limits])
        self._scale: Floats = np.array([limit.full_scale for limit in limits])
        self._clip = spec.clip

    def violations(self, climate: Floats) -> Floats:
        """Return how far temperature, CO2 and humidity are outside, as parts of full scale (n, 3)."""
        values = climate[:, _COLUMNS]
        outside = np.maximum(np.maximum(self._low - values, values - self._high), 0.0)
        scaled: Floats = outside / self._scale
        return np.minimum(scaled, 1.0) if self._clip else scaled
