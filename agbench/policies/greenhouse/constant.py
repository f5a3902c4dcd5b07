"""Constant decisions in a greenhouse: the same controls or set points all season."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import ActionMap
from agbench.envs.greenhouse.actions import Controls, SetPoints
from agbench.envs.greenhouse.observations import GreenhouseObserver
from agbench.errors import ConfigError, unknown
from agbench.policies.base import Information


class ConstantSettings(Strict):
    """Values by name: controls [0 to 1] or set points, in their units."""

    values: dict[str, Number]


class Constant:
    """Holds controls or set points where they were told to be; what is not named is at its lowest.

    In a menu of temperatures, tSpDay and tSpNight are what is chosen by day and by night.
    """

    information: Information = "observation"

    def __init__(
        self, name: str, values: Mapping[str, float], task: GreenhouseTask, actions: ActionMap
    ) -> None:
        self.name = name
        for key in values:
            if key not in actions.names:
                raise unknown("control or set point", key, actions.names, where=f"policy {name}")
        self._seen = [variable.name for variable in GreenhouseObserver(task.observation).entries]
        self._kind = task.action.kind
        self._rate = task.action.rate
        self._values = dict(values)
        self._names = actions.names
        self._fixed = self._encoded(actions)

    def reset(self, seed: int) -> None:
        """Do nothing: there is nothing to remember."""

    def __call__(self, observation: Any) -> Any:
        """Return the action that holds the values."""
        if self._kind == "temperature":
            day = observation[self._seen.index("iGlob")] > 0.0
            return self._fixed["tSpDay" if day else "tSpNight"]
        if self._kind == "increment":
            present = np.array([observation[self._seen.index(name)] for name in self._names], np.float64)
            wanted = np.array([self._values.get(name, 0.0) for name in self._names])
            return np.clip((wanted - present) / self._rate, -1.0, 1.0).astype(np.float32)
        return self._fixed["all"]

    def _encoded(self, actions: ActionMap) -> dict[str, Any]:
        """Return the actions that never change, by when they are taken."""
        if self._kind == "temperature":
            if "iGlob" not in self._seen or set(self._values) != {"tSpDay", "tSpNight"}:
                raise ConfigError(
                    f"policy {self.name}: a menu of temperatures needs the values tSpDay and tSpNight, "
                    "and iGlob in the observation."
                )
            return {name: actions.encode(name, value)[0] for name, value in self._values.items()}
        if isinstance(actions, (Controls, SetPoints)) or self._kind != "increment":
            together = np.full(len(self._names), -1.0, dtype=np.float32)
            for name, value in self._values.items():
                i = self._names.index(name)
                together[i] = actions.encode(name, value)[0][i]
            return {"all": together}
        return {}
