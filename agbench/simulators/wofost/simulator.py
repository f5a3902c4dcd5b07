"""The batch simulator of the WOFOST models."""

from importlib import import_module
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.field.simulator import DailySimulator
from agbench.simulators.wofost.variables import INPUT, INPUTS
from agbench.simulators.wofost.weather import WEATHER_VARIABLES
from agbench.simulators.wofost.world import WofostWorld
from agbench.variables import Floats

_KERNELS: Final = {
    "wofost72": "agbench.simulators.wofost.wofost72",
    "wofost81": "agbench.simulators.wofost.wofost81",
    "wofost": "agbench.simulators.wofost.wofost_npk",
    "wofost81-layered": "agbench.simulators.wofost.wofost81_layered",
    "wofost-layered": "agbench.simulators.wofost.wofost_npk_layered",
}
"""Where the kernels of models that share their columns are, with the table of these: `VARIABLES`."""


def _family(model: str, soil_water: str) -> str:
    """Return the name of the models that share their columns and kernels."""
    name = model.partition("-")[0]
    return f"{name}-layered" if soil_water == "layered" else name


def kernels(model: str, soil_water: str = "single") -> str:
    """Return the name of the module that has a model's kernels."""
    return _KERNELS[_family(model, soil_water)]


class WofostSimulator(DailySimulator):
    """n independent simulations of one model; see `agbench.simulators.base.Simulator`."""

    inputs = INPUTS
    weather_variables = WEATHER_VARIABLES
    _MANAGEMENT = INPUT

    def __init__(self, model: str, n: int, soil_water: str = "single") -> None:
        super().__init__(n, import_module(kernels(model, soil_water)))
        self.model = model
        self.soil_water = soil_water
        self._memory = np.zeros((n, 3, 0))

    @property
    def noise_seeds(self) -> NDArray[np.uint64]:
        """Where the errors of each row's weather forecasts start from, (n,)."""
        seeds: NDArray[np.uint64] = self._pool["noise_seed"][self._slot]
        return seeds

    def _manage(self, inputs: Floats, arrives: Floats, amounts: Floats) -> None:
        amounts[:, : len(INPUTS)] = inputs
        np.multiply(inputs[:, :4], arrives, out=amounts[:, len(INPUTS) :])

    def _check(self, world: WofostWorld) -> None:
        if _family(world.model, world.soil_water) != _family(self.model, self.soil_water):
            raise SimulationError(
                f"a world of {world.model} on {world.soil_water} soil does not fit into a "
                f"batch of {self.model} on {self.soil_water} soil."
            )

    def _make_room(self, wanted: int) -> None:
        """Widen the leaf classes: a class a day of the longest world suffices."""
        wanted = max(wanted, self._pool["weather"].shape[1] + 1)
        if self._memory.shape[2] < wanted:
            wider = np.zeros((self.n, 3, wanted))
            wider[:, :, : self._memory.shape[2]] = self._memory
            self._memory = wider
