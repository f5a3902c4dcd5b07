"""Schedules: doses on dates, as a grower plans them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import Field

from agbench.data.field import Number
from agbench.data.field_task import FieldTask, MonthDay, SeasonSpec
from agbench.data.reading import Strict
from agbench.envs.actions import ActionMap, Menu, no_such_amount, place
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy

_SMALLEST = 1e-9  # of an input; what is less is rounding


class PlannedDose(Strict):
    """An amount of an input that is due on a date, in the input's unit."""

    date: MonthDay
    amount: Number = Field(ge=0, le=1e6)


class ScheduleSettings(Strict):
    """The input and its planned doses; `agbench fit` keeps the dates where they are `fixed`."""

    input: str
    dates: Literal["free", "fixed"] = "fixed"
    plan: list[PlannedDose]


@dataclass(frozen=True)
class _Due:
    day: int
    amount: float


@policy(
    "schedule",
    settings=ScheduleSettings,
    families=["field"],
    fit="agbench.policies.field.tuning:fit_schedule",
)
class Schedule:
    """Applies the due amounts as fast as the action space allows.

    A dose larger than one action can give is carried over to the following steps. Dates count as
    days since the season's start in a year without 29 February.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: ScheduleSettings, interface: Interface[FieldTask]) -> None:
        place(interface.actions, settings.input)
        self.name = name
        self._input = settings.input
        self._season = season = interface.task.season
        self._actions = interface.actions
        for number, planned in enumerate(settings.plan):
            _check_date(season, planned.date, f"plan.{number}.date")
            _check_amount(interface.actions, settings.input, planned.amount, f"plan.{number}.amount")
        self._due = sorted(
            (_Due(season_day(season, p.date), p.amount) for p in settings.plan), key=lambda due: due.day
        )
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision."""
        self._day = self._season.warmup_days
        self._applied = 0.0

    def __call__(self, observation: Any) -> Any:
        """Return the action for the amount that is due and not yet applied."""
        due = sum(d.amount for d in self._due if d.day <= self._day) - self._applied
        action, dose = self._actions.encode(self._input, max(due, 0.0) + _SMALLEST)
        self._applied += dose
        self._day += self._season.step_days
        return action


def _check_date(season: SeasonSpec, month_day: str, where: str) -> None:
    """Raise `ConfigError` for a date outside the season."""
    last = season_day(season, season.end) or 365  # a season that ends on its first day lasts a year
    if season_day(season, month_day) > last:
        raise ConfigError(
            f"{where}: {month_day} lies outside the season, from {season.start} to {season.end}."
        )


def _check_amount(actions: ActionMap, name: str, amount: float, where: str) -> None:
    """Raise `ConfigError` for an amount that doses of the menu do not add up to; names the nearest."""
    if not isinstance(actions, Menu):
        return  # any amount can be given, in several steps if need be
    doses = actions.doses(name)
    given = _in_doses(doses, amount)
    if amount - given > _SMALLEST:
        above = [given + dose for dose in doses] + [dose for dose in doses if dose > amount]
        possible = [a for a in above if a > amount and a - _in_doses(doses, a) <= _SMALLEST]
        raise ConfigError(f"{where}: {no_such_amount(name, amount, [given, *sorted(possible)[:1]])}")


def _in_doses(doses: Sequence[float], amount: float) -> float:
    """Return how much of an amount the largest doses give, one after the other, as the policy does."""
    given = 0.0
    for dose in sorted(doses[1:], reverse=True):
        given += dose * ((amount - given + _SMALLEST) // dose)
    return given


def season_day(season: SeasonSpec, month_day: str) -> int:
    """Return the day of the season of a date, the season's start being day 0."""
    start = date.fromisoformat(f"2001-{season.start}")
    day = date.fromisoformat(f"2001-{month_day}")
    return (day - start).days if day >= start else (day.replace(year=2002) - start).days


def decision_dates(season: SeasonSpec, steps: int) -> list[str]:
    """Return the date of each of the season's first `steps` decisions, in a year of 365 days."""
    start = date.fromisoformat(f"2001-{season.start}").toordinal() + season.warmup_days
    days = [date.fromordinal(start + i * season.step_days) for i in range(steps)]
    return [day.strftime("%m-%d") for day in days]


def as_plan(season: SeasonSpec, amounts: Sequence[float]) -> list[PlannedDose]:
    """Return the amounts of successive decisions as planned doses, zeros left out."""
    dates = decision_dates(season, len(amounts))
    return [PlannedDose(date=d, amount=float(a)) for d, a in zip(dates, amounts, strict=True) if a > 0.0]
