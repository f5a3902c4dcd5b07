"""Constant decisions in a greenhouse: the same controls or set points all episode."""

from typing import Any

import numpy as np

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import check_amount, place
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy


class ConstantSettings(Strict):
    """Values by name: controls [0 to 1] or set points, in their units."""

    values: dict[str, Number]


@policy("constant", settings=ConstantSettings, families=["greenhouse"])
class Constant:
    """Holds controls or set points at given values; what is not named is at its lowest.

    In a menu of temperatures, tSpDay and tSpNight are what is chosen by day and by night.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: ConstantSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        self._actions = interface.actions
        self._columns = interface.columns(interface.actions.reads)
        self._values = interface.actions.lowest.copy()
        for key, value in settings.values.items():
            try:
                check_amount(interface.actions, key, value)
            except ConfigError as error:
                raise ConfigError(f"values.{key}: {error}") from None
            self._values[place(interface.actions, key)] = value

    def reset(self, seed: int) -> None:
        """Do nothing: there is nothing to remember."""

    def __call__(self, observation: Any) -> Any:
        """Return the action that holds the values."""
        present = np.asarray(observation, np.float64)[None, self._columns]
        return self._actions.actions_of(self._values[None], present)[0]
