"""Set points that follow the light: growers allow a warmer crop the more light there is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import ActionMap
from agbench.envs.greenhouse.observations import GreenhouseObserver
from agbench.errors import ConfigError, unknown
from agbench.policies.base import Information

_UNIT = 100.0  # W m-2 of radiation, to which gains refer


class LightSettings(Strict):
    """Set points by name in their units, and by how much some change with 100 W m-2 of iGlob."""

    values: dict[str, Number]
    gains: dict[str, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> "LightSettings":
        for name in self.gains:
            if name not in self.values:
                raise ValueError(f"gains: {name} has no value to start from in 'values'.")
        return self


class LightSetpoints:
    """Holds set points where they were told to be, some of them higher or lower with the light.

    What the action cannot say is told as near as it can; in a menu of temperatures, tSpDay holds
    by day and tSpNight at night.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: LightSettings, task: GreenhouseTask, actions: ActionMap) -> None:
        self.name = name
        seen = [variable.name for variable in GreenhouseObserver(task.observation).entries]
        if not task.action.tells_setpoints or "iGlob" not in seen:
            raise ConfigError(
                f"policy {name}: it tells set points by iGlob; {task.task} takes or shows none of these."
            )
        for key in settings.values:
            if key not in actions.names:
                raise unknown("set point", key, actions.names, where=f"policy {name}")
        missing = [key for key in actions.names if key not in settings.values]
        if missing:
            raise ConfigError(f"policy {name}: 'values' lacks {', '.join(missing)}.")
        self._light = seen.index("iGlob")
        self._menu = np.array(task.action.temperatures) if task.action.kind == "temperature" else None
        self._values = np.array([settings.values[key] for key in actions.names])
        self._gains = np.array([settings.gains.get(key, 0.0) for key in actions.names])
        ends = np.array(list(task.action.ranges.values()) or [[0.0, 1.0]] * len(self._values))
        self._low, self._high = ends.T

    def reset(self, seed: int) -> None:
        """Do nothing: only the present light counts."""

    def __call__(self, observation: Any) -> Any:
        """Return the action for the present light."""
        light = float(observation[self._light])
        wanted = self._values + self._gains * light / _UNIT
        if self._menu is not None:
            return int(np.argmin(np.abs(self._menu - wanted[0 if light > 0.0 else 1])))
        share = np.clip((wanted - self._low) / (self._high - self._low), 0.0, 1.0)
        action: NDArray[np.float32] = (2.0 * share - 1.0).astype(np.float32)
        return action
