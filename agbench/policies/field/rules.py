"""Rules of thumb: an amount of an input at intervals, when something runs low, up to a total."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from agbench.data.field import Number
from agbench.data.field_observation import Days
from agbench.data.field_task import FieldTask
from agbench.data.quantity import days
from agbench.data.reading import Strict
from agbench.envs.actions import check_amount, place
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.policies.field.calendar import Calendar, CalendarEntry, CalendarSettings

_SMALLEST = 1e-9  # of an input; what is less is rounding


def _tuples(value: Any) -> Any:
    """Return ranges that were written as lists as tuples."""
    if not isinstance(value, dict):
        return value
    return {name: tuple(r) if isinstance(r, list) else r for name, r in value.items()}


Ranges = Annotated[dict[str, tuple[Number, Number]], BeforeValidator(_tuples)]
"""From and to, by the name of what is observed."""


class Rule(Strict):
    """Give `amount` of `input`, at most once in `every`, from `after` the first decision on.

    Only while the observed `when` lies below `below`, while everything observed that `within` names
    (state or mean weather) lies in its range from .. to, and until the season's total of the input
    reaches `until`, where these are given. A rule that is `first` comes before the doses of the plan.
    """

    input: str
    amount: Number = Field(ge=0)
    every: Days | None = None
    after: int = Field(default=0, ge=0, le=366)
    when: str | None = None
    below: Number | None = None
    until: Number | None = Field(default=None, ge=0)
    within: Ranges = Field(default={})
    first: bool = False

    @model_validator(mode="after")
    def _both(self) -> "Rule":
        if (self.when is None) != (self.below is None):
            raise ValueError("when and below go together: the variable and its threshold.")
        for name, (low, high) in self.within.items():
            if low > high:
                raise ValueError(f"within.{name}: from {low:g} to {high:g} is no range.")
        return self


class PlannedInput(Strict):
    """When a planned dose of an input is left out.

    While the observed `when` is not below `below`, or something observed that `within` names lies outside
    its range.
    """

    when: str
    below: Number
    within: Ranges = Field(default={})


class RulesSettings(Strict):
    """A plan of doses by date, and rules: one dose a decision, the plan's before those of rules not `first`.

    A dose of the `plan` is left out as `planned` says for its input. `agbench fit` takes the plan from the
    policy `calendar`, such as the best blind calendar, so that the rules correct what does not observe.
    Of the rules the first that applies acts.
    With the `order` `scarcest` it is that whose observed `when` is the smallest part of its `below`, rules
    without a threshold last: what is most lacking comes first, as in Liebig's law of the minimum.

    `agbench fit` tries values of `tune` (such as `0.amount: [2, 4]` for the first rule, `N.below: [20, 40]`
    for planned doses of N) on `scenarios` of the training split, evenly spread, or on all: at most `budget`
    combinations, drawn by `seed` and bred, and then one setting after another.
    """

    rules: list[Rule] = Field(min_length=1)
    order: Literal["listed", "scarcest"] = "listed"
    calendar: str | None = None
    plan: list[CalendarEntry] = Field(default=[])
    planned: dict[str, PlannedInput] = Field(default={})
    tune: dict[str, list[Any]] = Field(default={})
    budget: int = Field(default=200, ge=1)
    scenarios: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0)


@dataclass
class _ReadRule:
    """A rule and what it needs while it runs."""

    rule: Rule
    every: int
    place: int
    ranges: list[tuple[int, float, float]]
    last: int | None = None


@policy("rules", settings=RulesSettings, families=["field"], fit="agbench.policies.field.tuning:fit_rules")
class Rules:
    """Follows rules in the order of their importance."""

    information: Information = "observation"

    def __init__(self, name: str, settings: RulesSettings, interface: Interface[FieldTask]) -> None:
        self.name = name
        self._actions = actions = interface.actions
        self._step_days = interface.task.season.step_days
        self._readings = [_read(number, rule, interface) for number, rule in enumerate(settings.rules)]
        self._nothing = actions.encode(actions.names[0], 0.0)[0]
        self._scarcest = settings.order == "scarcest"
        self._limits = interface.task.reward.limits
        self._calendar = Calendar(name, CalendarSettings(plan=settings.plan), interface)
        self._planned = {input: _planned(own, interface) for input, own in settings.planned.items()}
        for input in settings.planned:
            place(actions, input)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision."""
        self._day = -self._step_days
        self._applied = dict.fromkeys(self._actions.names, 0.0)
        self._calendar.reset(seed)
        for reading in self._readings:
            reading.last = None

    def __call__(self, observation: Any) -> Any:
        """Return what a rule that is `first`, or else the plan, or else another rule gives now."""
        self._day += self._step_days
        due = self._calendar.due()
        first = next(
            (one for one in self._readings if one.rule.first and self._applies(one, observation)), None
        )
        if first is not None:
            if due is not None:
                self._calendar.put_back()
            return self._give(first)
        if due is not None and self._is_wanted(*due, observation):
            action, dose = self._actions.encode(due[0], due[1] + _SMALLEST)
            self._applied[due[0]] += dose
            return action
        applying = (reading for reading in self._readings if self._applies(reading, observation))
        if self._scarcest:
            reading = min(applying, key=lambda one: _share(one, observation), default=None)
        else:
            reading = next(applying, None)
        return self._nothing if reading is None else self._give(reading)

    def _give(self, reading: _ReadRule) -> Any:
        """Return the action of a rule, and keep account of it."""
        action, dose = self._actions.encode(reading.rule.input, reading.rule.amount + _SMALLEST)
        self._applied[reading.rule.input] += dose
        reading.last = self._day
        return action

    def _is_wanted(self, input: str, amount: float, observation: Any) -> bool:
        """Return whether a planned dose is given, not left out."""
        if input in self._planned:
            column, below, ranges = self._planned[input]
            if observation[column] >= below or not _all_within(ranges, observation):
                return False
        return self._applied[input] + amount <= self._limits.get(input, math.inf) + _SMALLEST

    def _applies(self, reading: _ReadRule, observation: Any) -> bool:
        rule = reading.rule
        if self._day < rule.after or rule.amount <= 0.0:
            return False
        if reading.last is not None and self._day - reading.last < reading.every:
            return False
        if rule.below is not None and observation[reading.place] >= rule.below:
            return False
        if not _all_within(reading.ranges, observation):
            return False
        total = self._applied[rule.input] + rule.amount
        until = math.inf if rule.until is None else rule.until
        return total <= min(until, self._limits.get(rule.input, math.inf)) + _SMALLEST


def _all_within(ranges: list[tuple[int, float, float]], observation: Any) -> bool:
    """Return whether all that is observed lies in its range."""
    return all(low <= observation[place] <= high for place, low, high in ranges)


def _planned(
    own: PlannedInput, interface: Interface[FieldTask]
) -> tuple[int, float, list[tuple[int, float, float]]]:
    """Return what leaves out planned doses, with the columns of what is observed."""
    return interface.observer.index(own.when), own.below, _columns(own.within, interface)


def _columns(
    within: dict[str, tuple[float, float]], interface: Interface[FieldTask]
) -> list[tuple[int, float, float]]:
    return [(interface.observer.index(name), low, high) for name, (low, high) in within.items()]


def _share(reading: _ReadRule, observation: Any) -> float:
    """Return what is observed as a part of a rule's threshold; 1 without a threshold."""
    below = reading.rule.below
    return 1.0 if below is None or below <= 0.0 else float(observation[reading.place]) / below


def _read(number: int, rule: Rule, interface: Interface[FieldTask]) -> _ReadRule:
    """Return a rule with what it names looked up.

    Raises `UnknownNameError` for what is not there, `ConfigError` for an amount that no action gives.
    """
    try:
        check_amount(interface.actions, rule.input, rule.amount)
    except ConfigError as error:
        raise ConfigError(f"rules.{number}.amount: {error}") from None
    every = 0 if rule.every is None else days(rule.every)
    ranges = _columns(rule.within, interface)
    return _ReadRule(rule, every, 0 if rule.when is None else interface.observer.index(rule.when), ranges)
