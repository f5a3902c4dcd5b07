"""Set points between those of a strategy and those of a calendar, by the day of the year.

A strategy reads sun, frost and forecast; a calendar knows what was best at the hour and the season. Which of
them to trust, and how far, differs with the season: in winter, when lamps and vents depend on the day, the
strategy; in late summer the calendar.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.policies.greenhouse.daily import Daily
from agbench.policies.greenhouse.phase_setpoints import PhaseSetpoints
from agbench.simulators.greenlight.setpoints import SETPOINTS
from agbench.variables import Floats

_YEAR = 365.0  # d


class BlendedSettings(Strict):
    """A strategy (kind `phase-setpoints`) and a calendar (kind `daily`), by name, and the calendar's share.

    There is a share for each of the `days` of the year, 0 on 1 January: 0 is the strategy alone, 1 the
    calendar alone. It changes linearly from day to day, around the year.
    """

    start: list[str] = Field(min_length=2, max_length=2)
    days: list[Number] = Field(default=[0], min_length=1)
    shares: list[Number] = Field(default=[0], min_length=1)

    @model_validator(mode="after")
    def _a_share_each(self) -> "BlendedSettings":
        if any(a >= b for a, b in pairwise(self.days)) or not 0 <= self.days[0] <= self.days[-1] < _YEAR:
            raise ValueError(f"days must ascend, from 0 to less than {_YEAR:g}.")
        if len(self.shares) != len(self.days):
            raise ValueError(f"there are {len(self.shares)} shares, and {len(self.days)} days.")
        if not all(0 <= share <= 1 for share in self.shares):
            raise ValueError("a share of the calendar is 0 to 1.")
        return self


@policy(
    "blended-setpoints",
    settings=BlendedSettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.blended_tuning:tune_shares",
)
class BlendedSetpoints:
    """Sets the mean of what strategy and calendar say, weighed by the share of the day."""

    information: Information = "observation"

    def __init__(self, name: str, settings: BlendedSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        strategy, calendar = (interface.load(own) for own in settings.start)
        if not isinstance(strategy, PhaseSetpoints):
            raise ConfigError(f"start: {settings.start[0]} is no strategy of the kind 'phase-setpoints'.")
        if not isinstance(calendar, Daily):
            raise ConfigError(f"start: {settings.start[1]} is no calendar of the kind 'daily'.")
        self._strategy, self._calendar = strategy, calendar
        self._actions = interface.actions
        self._columns = SETPOINTS.columns(interface.actions.names)
        self._day = interface.columns(["day"])[0]
        self._settings = settings
        self._step = 0

    def reset(self, seed: int) -> None:
        """Go back to the midnight of the first day."""
        self._step = 0

    def __call__(self, observation: Any) -> Any:
        """Return the action for the hour, the day and what is seen."""
        seen = np.asarray(observation)[None]
        action = self.actions(self._step, seen, self.share(seen))[0]
        self._step += 1
        return action

    def share(self, observations: Any) -> Floats:
        """Return the calendar's share on the days that are seen, (n,)."""
        day = np.asarray(observations, np.float64)[:, self._day]
        return np.interp(day, self._settings.days, self._settings.shares, period=_YEAR)

    def actions(self, step: int, observations: Any, share: Floats) -> Any:
        """Return the actions of rows in a step, counted from the midnight at which their episodes start.

        `observations` are (n, size), the calendar's `share` is (n,).
        """
        strategy, n = self._strategy, len(observations)
        acts = strategy.actions(
            observations, np.repeat(strategy.table[None], n, 0), np.repeat(strategy.gains[None], n, 0)
        )
        said = self._actions.inputs(acts)[:, self._columns]
        planned = self._calendar.target(step, np.asarray(observations, np.float64), self._calendar.table)
        return self._actions.actions_of((1.0 - share[:, None]) * said + share[:, None] * planned)
