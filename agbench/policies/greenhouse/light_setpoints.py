"""Set points that follow the light: growers allow a warmer crop the more light there is."""

from typing import Any

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import place
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.simulators.greenlight.setpoints import SETPOINTS

_UNIT = 100.0  # W m-2 of radiation, to which gains refer


class LightSettings(Strict):
    """Set points by name in their units, and by how much some change with 100 W m-2 of iGlob."""

    values: dict[str, Number]
    gains: dict[str, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _gains_have_values(self) -> "LightSettings":
        for name in self.gains:
            if name not in self.values:
                raise ValueError(f"gains: {name} has no value to start from in 'values'.")
        return self


@policy(
    "light-setpoints",
    settings=LightSettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.tuning:tune_setpoints",
)
class LightSetpoints:
    """Holds set points at given values, some of them higher or lower with the light.

    What the action space does not hold is set as near as it can be; in a menu of temperatures, tSpDay
    holds by day and tSpNight at night.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: LightSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        actions = interface.actions
        if not interface.task.action.uses_setpoints:
            raise ConfigError(f"{name} computes set points from iGlob, but {interface.task.task} has none.")
        for key in settings.values:
            place(actions, key)
            low, high, unit = SETPOINTS[key].low, SETPOINTS[key].high, SETPOINTS[key].unit
            if not low <= settings.values[key] <= high:
                raise ConfigError(
                    f"values.{key}: {settings.values[key]:g} must lie within {low:g} to {high:g} {unit}."
                )
        missing = [key for key in actions.names if key not in settings.values]
        if missing:
            raise ConfigError(f"'values' lacks {', '.join(missing)}.")
        self._actions = actions
        self._light = interface.observer.index("iGlob")
        self._columns = interface.columns(actions.reads)
        self._values = np.array([settings.values[key] for key in actions.names])
        self._gains = np.array([settings.gains.get(key, 0.0) for key in actions.names])

    def reset(self, seed: int) -> None:
        """Do nothing: only the present light counts."""

    def __call__(self, observation: Any) -> Any:
        """Return the action for the present light."""
        seen = np.asarray(observation, np.float64)
        target = self._values + self._gains * float(seen[self._light]) / _UNIT
        return self._actions.actions_of(target[None], seen[None, self._columns])[0]
