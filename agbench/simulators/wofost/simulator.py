"""The batch simulator of the WOFOST models."""

from importlib import import_module
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.field.simulator import DailySimulator
from agbench.simulators.wofost.leaves import MOST_CLASSES
from agbench.simulators.wofost.variables import INPUTS, INPUTS_OF, MANAGEMENT_OF
from agbench.simulators.wofost.variants import find
from agbench.simulators.wofost.weather import WEATHER_VARIABLES
from agbench.simulators.wofost.world import WofostWorld
from agbench.variables import Floats

_PLANT: Final = INPUTS.column("PLANT")


class WofostSimulator(DailySimulator):
    """n independent simulations of one model; see `agbench.simulators.base.Simulator`."""

    weather_variables = WEATHER_VARIABLES

    def __init__(self, model: str, n: int, soil_water: str = "single", crop_type: str = "annual") -> None:
        self._code = find(model).kernels_on(soil_water, crop_type)
        self.inputs = INPUTS_OF[crop_type]
        self._MANAGEMENT = MANAGEMENT_OF[crop_type]
        code = import_module(self._code)
        super().__init__(n, code.VARIABLES, code)
        self.model = model
        self.soil_water = soil_water
        self.crop_type = crop_type
        self._memory = np.zeros((n, 3, 0))

    @property
    def noise_seeds(self) -> NDArray[np.uint64]:
        """The seeds of the errors of each row's weather forecasts, (n,)."""
        seeds: NDArray[np.uint64] = self._pool["noise_seed"][self._slot]
        return seeds

    def _manage(self, inputs: Floats, arrives: Floats, amounts: Floats) -> None:
        amounts[:, : len(self.inputs)] = inputs
        np.multiply(inputs[:, :4], arrives, out=amounts[:, len(self.inputs) :])

    def _check(self, world: WofostWorld) -> None:
        if find(world.model).kernels_on(world.soil_water, world.crop_type) != self._code:
            raise SimulationError(
                f"a world of {world.model} on {world.soil_water} soil does not fit into a batch of "
                f"{self.model} on {self.soil_water} soil (crops: {world.crop_type}, {self.crop_type})."
            )

    def _reserve_memory(self, width: int) -> None:
        """Widen the leaf classes: a class a day of the longest world suffices, and so do MOST_CLASSES."""
        width = min(max(width, self._pool["weather"].shape[1] + 1), MOST_CLASSES)
        if self._memory.shape[2] < width:
            wider = np.zeros((self.n, 3, width))
            wider[:, :, : self._memory.shape[2]] = self._memory
            self._memory = wider


class RotationSimulator(WofostSimulator):
    """n independent rotations; the input PLANT is the number, from 1, of a crop of the row's world.

    Sowing a crop out of its season does nothing.
    """

    def _manage(self, inputs: Floats, arrives: Floats, amounts: Floats) -> None:
        super()._manage(inputs, arrives, amounts)
        number = np.rint(inputs[:, _PLANT]).astype(np.intp)
        seasons = self._pool["sowable"]
        tomorrow = np.minimum(self.elapsed + 1, seasons.shape[2] - 1)
        crop = np.clip(number - 1, 0, seasons.shape[1] - 1)
        sown = (number > 0) & (number <= seasons.shape[1]) & seasons[self._slot, crop, tomorrow]
        amounts[:, _PLANT] = np.where(sown, number, 0.0)
