"""The blind calendar of a greenhouse: what it does by the hour of the day and the day of the year."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import ActionMap, Ranges, check_amount, place
from agbench.envs.greenhouse.actions import Controls
from agbench.errors import ConfigError, UnknownNameError
from agbench.policies.base import Information, Interface, policy
from agbench.variables import Floats

_DAY = 24.0  # h
_YEAR = 365.0  # d


class DailySettings(Strict):
    """Values by name: controls [0 to 1], or set points in their units.

    Each name has a row of values for each of the `days` of the year, 0 on 1 January, with one value for each
    of the `hours`. Values change linearly from hour to hour, around the clock, and from day to day, around
    the year. With one day alone all days are alike.
    """

    hours: list[Number] = Field(default=[0, 4, 7, 9, 12, 15, 18, 21], min_length=1)
    days: list[Number] = Field(default=[0], min_length=1)
    values: dict[str, list[list[Number]]] = Field(default={})

    @model_validator(mode="after")
    def _a_value_each(self) -> "DailySettings":
        for name, ends, largest in (("hours", self.hours, _DAY), ("days", self.days, _YEAR)):
            if any(a >= b for a, b in pairwise(ends)) or not 0 <= ends[0] <= ends[-1] < largest:
                raise ValueError(f"{name} must ascend, from 0 to less than {largest:g}.")
        for name, rows in self.values.items():
            if len(rows) != len(self.days):
                raise ValueError(f"values.{name} has {len(rows)} rows, and there are {len(self.days)} days.")
            for row in rows:
                if len(row) != len(self.hours):
                    raise ValueError(
                        f"values.{name} has a row of {len(row)} values, and there are {len(self.hours)} "
                        "hours."
                    )
        return self


@policy(
    "daily",
    settings=DailySettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.daily_tuning:tune_daily",
)
class Daily:
    """Does what its table says for the hour and the day; what is not named is at its lowest.

    It counts the hours from the midnight at which an episode starts. Of an observation it reads the day of
    the year alone, and that only if its table has several days. In a menu of temperatures, tSpDay is what
    is chosen by day and by night.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: DailySettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        self._actions = interface.actions
        self.hours, self.days = np.array(settings.hours), np.array(settings.days)
        """The hours of the day and the days of the year that its table is for."""
        self._day = _column_of_the_day(interface) if len(self.days) > 1 else None
        self._step_hours = interface.task.step * INTERVAL / 3600.0
        self.table = _table(settings, interface)[None]
        """What it says, (1, days, hours, names)."""
        self._menu = not isinstance(interface.actions, Ranges)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the midnight of the first day, when all equipment is off."""
        self._step = 0
        self._present: Floats = np.zeros((1, len(self._actions.names)))

    def __call__(self, observation: Any) -> Any:
        """Return the action of the hour and the day."""
        seen = np.asarray(observation, np.float64)[None]
        action, self._present = self.at(self._step, seen, self.table, self._present)
        self._step += 1
        return action[0]

    def at(self, step: int, seen: Floats, tables: Floats, present: Floats) -> tuple[Any, Floats]:
        """Return the actions of a step by tables (n, days, hours, names), and what is in force then.

        `seen`, (n, observation), holds the day; `present`, (n, names), is what was in force before.
        """
        target = self.target(step, seen, tables)
        if self._menu:
            target = np.repeat(target[:, :1], len(self._actions.names), axis=1)
            return self._actions.actions_of(target), target
        actions = self._actions.actions_of(target, present)
        if isinstance(self._actions, Controls):
            return actions, self._actions.moved(actions.astype(np.float64), present)
        return actions, target

    def target(self, step: int, seen: Floats, tables: Floats) -> Floats:
        """Return what tables (n or 1, days, hours, names) say for a step and the day seen, (n, names)."""
        hour = np.array([step * self._step_hours % _DAY])
        first, then, share = (part[0] for part in _between(self.hours, hour, _DAY))
        by_day = (1.0 - share) * tables[:, :, first] + share * tables[:, :, then]
        if self._day is None:
            alike: Floats = by_day[:, 0]
            return alike
        rows = np.arange(len(tables))
        before, after, part = _between(self.days, seen[:, self._day], _YEAR)
        result: Floats = (1.0 - part[:, None]) * by_day[rows, before] + part[:, None] * by_day[rows, after]
        return result


def _between(knots: Floats, at: Floats, period: float) -> tuple[Any, Any, Floats]:
    """Return the knots before and after moments of a cycle, and the share of the way that is gone [0, 1)."""
    before = np.searchsorted(knots, at, side="right") - 1
    after = (before + 1) % len(knots)
    gap = (knots[after] - knots[before]) % period
    return before, after, ((at - knots[before]) % period) / np.where(gap > 0.0, gap, period)


def _column_of_the_day(interface: Interface[GreenhouseTask]) -> int:
    try:
        return interface.columns(["day"])[0]
    except UnknownNameError:
        raise ConfigError(
            f"a table of several days needs the day of the year, which {interface.task.task} does not let "
            "an agent observe; give one of the days."
        ) from None


def _table(settings: DailySettings, interface: Interface[GreenhouseTask]) -> Floats:
    """Return the values (days, hours, names) of settings; raises `ConfigError` for one that cannot be."""
    actions = interface.actions
    result = np.tile(actions.lowest, (len(settings.days), len(settings.hours), 1))
    for key, rows in settings.values.items():
        for value in _to_check(rows, actions):
            try:
                check_amount(actions, key, value)
            except ConfigError as error:
                raise ConfigError(f"values.{key}: {error}") from None
        result[:, :, place(actions, key)] = rows
    return result


def _to_check(rows: Sequence[Sequence[float]], actions: ActionMap) -> list[float]:
    """Return the values by which all are known to be possible: of a range the outermost are enough."""
    every = [value for row in rows for value in row]
    return [min(every), max(every)] if isinstance(actions, Ranges) else list(dict.fromkeys(every))
