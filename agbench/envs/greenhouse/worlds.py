"""The world of a greenhouse episode, with its calendar, its prices and its level of uncertainty."""

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from agbench.simulators.base import Floats
from agbench.simulators.greenlight.world import GreenLightWorld


@dataclass(frozen=True, eq=False)
class GreenhouseWorld(GreenLightWorld):
    """A world that knows its first day, its prices and how uncertain its crop is."""

    first_day: date
    level: float
    """Half-width of the perturbation of each step [-]; 0 where nothing is drawn step by step."""
    prices: Floats
    """(hours, 4): those of each hour since the start in the order of `PRICED`, and some hours ahead."""


def perturbed(
    parameters: Floats, columns: NDArray[np.intp], level: float, generator: np.random.Generator
) -> Floats:
    """Return chosen parameters, each times 1 + U(-level, level)."""
    found: Floats = parameters[columns] * (1.0 + generator.uniform(-level, level, len(columns)))
    return found
