"""A greenhouse with set points as inputs: the climate computer turns them into controls."""

from typing import Final

import numpy as np

from agbench.errors import SimulationError
from agbench.simulators.greenlight.climate_computer import SETTINGS as RULES
from agbench.simulators.greenlight.climate_computer import control, read_day_inside
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.presets import Preset
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Booleans, Floats, Variable, VariableTable

SETPOINTS: Final = VariableTable(
    (
        Variable("tSpDay", "degC", "heating set point in the light period", 10.0, 35.0),
        Variable("tSpNight", "degC", "heating set point in the dark", 10.0, 35.0),
        Variable("co2SpDay", "ppm", "CO2 set point in the light period", 0.0, 3000.0),
        Variable("rhMax", "%", "humidity at which vents open", 40.0, 110.0),
        Variable("thScrSpDay", "degC", "outdoor temperature for the screen by day", -30.0, 40.0),
        Variable("thScrSpNight", "degC", "outdoor temperature for the screen at night", -30.0, 40.0),
        Variable("lampsOffSun", "W m-2", "radiation above which lamps are off", 0.0, 1500.0),
    )
)
"""The set points that can be inputs; they are settings of the climate computer."""


class SetpointGreenhouse(MeteredGreenhouse):
    """n greenhouses under their climate computers; inputs are set points, held over a decision."""

    inputs = SETPOINTS

    def __init__(
        self,
        n: int,
        rules: Floats,
        name: str | Preset = "katzin_2021",
        interval: float = 300.0,
        accuracy: Accuracy = ACCURACIES["accurate"],
    ) -> None:
        """Allocate n rows; `rules` (30,) are the settings; the set points replace some of them."""
        super().__init__(n, name, interval, accuracy)
        self._rules: Floats = np.tile(rules, (n, 1))
        self._setpoint_columns = RULES.columns(SETPOINTS.names)

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` intervals under set points `inputs` (n, 7)."""
        if inputs.shape != (self.n, len(SETPOINTS)) or not np.isfinite(inputs).all():
            raise SimulationError(
                f"greenlight: set points have shape {inputs.shape}; give ({self.n}, "
                f"{len(SETPOINTS)}) finite numbers in the order {', '.join(SETPOINTS.names)}."
            )
        super().advance(inputs, steps, mask)

    def day_inside(self) -> Floats:
        """Return how much it is day to the climate computers now, (n,): sun, or the lamps' hours."""
        return read_day_inside(self.measured(), self._rules)

    def _controls_for(self, inputs: Floats) -> Floats:
        """Return what the climate computers do now under the set points."""
        self._rules[:, self._setpoint_columns] = inputs
        controls = np.zeros((self.n, len(CONTROLS)))
        control(self.measured(), self._rules, controls)
        return controls
