"""The blind schedule of a greenhouse: the same controls or set points at the same hours of every day."""

from typing import Any

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import Ranges, check_amount, place
from agbench.envs.greenhouse.actions import Controls
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.variables import Floats

_DAY = 86_400  # s


class DailySettings(Strict):
    """Values by name, one from each of the `hours` on: controls [0 to 1], or set points in their units.

    Before the first hour the last value holds, as at the end of the day before.
    """

    hours: list[Number] = Field(default=[0, 7, 11, 17], min_length=1)
    values: dict[str, list[Number]] = Field(default={})

    @model_validator(mode="after")
    def _a_value_an_hour(self) -> "DailySettings":
        if list(self.hours) != sorted(set(self.hours)) or not 0 <= self.hours[0] <= self.hours[-1] < 24:
            raise ValueError("hours must ascend, from 0 to less than 24.")
        for name, values in self.values.items():
            if len(values) != len(self.hours):
                raise ValueError(
                    f"values.{name} has {len(values)} values, and there are {len(self.hours)} hours."
                )
        return self


@policy(
    "daily",
    settings=DailySettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.tuning:tune_daily",
)
class Daily:
    """Does the same every day at the same hours; what is not named is at its lowest.

    It counts the hours from the midnight at which an episode starts, and observes nothing. In a menu of
    temperatures, tSpDay is what is chosen by day and by night.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: DailySettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        self._actions = interface.actions
        self._hours = np.array(settings.hours, dtype=np.float64)
        self._step_hours = interface.task.step * INTERVAL / 3600.0
        self._table = np.tile(interface.actions.lowest, (len(self._hours), 1))
        for key, values in settings.values.items():
            for value in values:
                try:
                    check_amount(interface.actions, key, value)
                except ConfigError as error:
                    raise ConfigError(f"values.{key}: {error}") from None
            self._table[:, place(interface.actions, key)] = values
        self._menu = not isinstance(interface.actions, Ranges)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the midnight of the first day, when all equipment is off."""
        self._step = 0
        self._present: Floats = np.zeros((1, len(self._actions.names)))

    def __call__(self, observation: Any) -> Any:
        """Return the action of the hour."""
        action, self._present = self.at(self._step, self._table[None], self._present)
        self._step += 1
        return action[0]

    def at(self, step: int, tables: Floats, present: Floats) -> tuple[Any, Floats]:
        """Return the actions of a step by tables (n, hours, names), and what is in force then, (n, names).

        `present`, (n, names), is what was in force before it.
        """
        hour = step * self._step_hours % (_DAY / 3600.0)
        target = tables[:, np.searchsorted(self._hours, hour, side="right") - 1]
        if self._menu:
            target = np.repeat(target[:, :1], len(self._actions.names), axis=1)
            return self._actions.actions_of(target), target
        actions = self._actions.actions_of(target, present)
        if isinstance(self._actions, Controls):
            return actions, self._actions.moved(actions.astype(np.float64), present)
        return actions, target
