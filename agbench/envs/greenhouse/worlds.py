"""The world of a greenhouse episode, with its calendar, its prices and its level of uncertainty."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from agbench.envs.greenhouse.ahead import prices_of
from agbench.simulators.greenlight.world import GreenLightWorld
from agbench.variables import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class GreenhouseWorld(GreenLightWorld):
    """A world that knows its first day, its prices and how uncertain its crop is."""

    first_day: date
    level: float
    """Half-width of the perturbation of each step [-]; 0 where nothing is drawn step by step."""
    hours: int
    """Hours of which `beside` has prices: a `price_table`, before the paths of the forecasts' errors."""

    @property
    def prices(self) -> Floats:
        """(hours, 4): those of each hour since the start in the order of `PRICED`, and some hours ahead."""
        return prices_of(np.asarray(self.beside[0]), self.hours)


def perturbed(usual: Floats, level: "float | Floats", draws: Floats) -> Floats:
    """Return parameters, each times 1 + U(-level, level), from uniform draws in [0, 1)."""
    return usual * (1.0 + (-level + 2.0 * level * draws))
