"""Rules of thumb: an amount of an input at intervals, when something runs low, up to a total."""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.field_task import Days, FieldTask
from agbench.data.quantity import days
from agbench.data.reading import Strict
from agbench.envs.actions import check_amount
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy

_SMALLEST = 1e-9  # of an input; what is less is rounding


class Rule(Strict):
    """Give `amount` of `input`, at most once in `every`, from `after` the first decision on.

    Only while the observed `when` lies below `below`, while everything observed that `within` names
    (state or mean weather) lies in its range from .. to, and until the season's total of the input
    reaches `until`, where these are given.
    """

    input: str
    amount: Number = Field(ge=0)
    every: Days | None = None
    after: int = Field(default=0, ge=0, le=366)
    when: str | None = None
    below: Number | None = None
    until: Number | None = Field(default=None, ge=0)
    within: dict[str, tuple[Number, Number]] = Field(default={})

    @field_validator("within", mode="before")
    @classmethod
    def _ranges(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: tuple(r) if isinstance(r, list) else r for name, r in value.items()}

    @model_validator(mode="after")
    def _both(self) -> "Rule":
        if (self.when is None) != (self.below is None):
            raise ValueError("when and below go together: the variable and its threshold.")
        for name, (low, high) in self.within.items():
            if low > high:
                raise ValueError(f"within.{name}: from {low:g} to {high:g} is no range.")
        return self


class RulesSettings(Strict):
    """The rules: one acts a decision, the first that applies.

    With the `order` `scarcest` it is that whose observed `when` is the smallest part of its `below`, rules
    without a threshold last: what is most lacking comes first, as in Liebig's law of the minimum.

    `agbench fit` tries values of `tune` (such as `0.amount: [2, 4]` for the first rule) on the first
    `scenarios` of the training split or on all: at most `budget` combinations, drawn by `seed`, and then
    one setting after another.
    """

    rules: list[Rule] = Field(min_length=1)
    order: Literal["listed", "scarcest"] = "listed"
    tune: dict[str, list[Any]] = Field(default={})
    budget: int = Field(default=200, ge=1)
    scenarios: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0)


@dataclass
class _Reading:
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
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision."""
        self._day = -self._step_days
        self._applied = dict.fromkeys(self._actions.names, 0.0)
        for reading in self._readings:
            reading.last = None

    def __call__(self, observation: Any) -> Any:
        """Return the action of the rule that comes first of those that apply."""
        self._day += self._step_days
        applying = (reading for reading in self._readings if self._applies(reading, observation))
        if self._scarcest:
            reading = min(applying, key=lambda one: _share(one, observation), default=None)
        else:
            reading = next(applying, None)
        if reading is None:
            return self._nothing
        action, dose = self._actions.encode(reading.rule.input, reading.rule.amount + _SMALLEST)
        self._applied[reading.rule.input] += dose
        reading.last = self._day
        return action

    def _applies(self, reading: _Reading, observation: Any) -> bool:
        rule = reading.rule
        if self._day < rule.after or rule.amount <= 0.0:
            return False
        if reading.last is not None and self._day - reading.last < reading.every:
            return False
        if rule.below is not None and observation[reading.place] >= rule.below:
            return False
        if not all(low <= observation[place] <= high for place, low, high in reading.ranges):
            return False
        total = self._applied[rule.input] + rule.amount
        return rule.until is None or total <= rule.until + _SMALLEST


def _share(reading: _Reading, observation: Any) -> float:
    """Return what is observed as a part of a rule's threshold; 1 without a threshold."""
    below = reading.rule.below
    return 1.0 if below is None or below <= 0.0 else float(observation[reading.place]) / below


def _read(number: int, rule: Rule, interface: Interface[FieldTask]) -> _Reading:
    """Return a rule with what it names looked up.

    Raises `UnknownNameError` for what is not there, `ConfigError` for an amount that no action gives.
    """
    try:
        check_amount(interface.actions, rule.input, rule.amount)
    except ConfigError as error:
        raise ConfigError(f"rules.{number}.amount: {error}") from None
    every = 0 if rule.every is None else days(rule.every)
    ranges = [(interface.observer.index(name), low, high) for name, (low, high) in rule.within.items()]
    return _Reading(rule, every, 0 if rule.when is None else interface.observer.index(rule.when), ranges)
