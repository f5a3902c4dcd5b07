"""The schema of a task: what an agent sees, does and is paid for, where, and how it is judged."""

import itertools
import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from agbench.spec.field import Number
from agbench.spec.quantity import days
from agbench.spec.reading import Strict

_TASK_ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*-v\d+$")
_YEAR_RANGE = re.compile(r"^(odd|even|all) (\d{4})-(\d{4})$")


def _task_id(value: str) -> str:
    if not _TASK_ID.match(value):
        raise ValueError(f"{value!r} is not a task id such as 'wheat-nitrogen-v1'.")
    return value


def _month_day(value: str) -> str:
    try:
        date.fromisoformat(f"2001-{value}")
    except ValueError:
        raise ValueError(f"{value!r} is not a day of the year such as '09-01'.") from None
    return value


def _days(value: str) -> str:
    days(value)
    return value


TaskId = Annotated[str, AfterValidator(_task_id)]
MonthDay = Annotated[str, AfterValidator(_month_day)]
Days = Annotated[str, AfterValidator(_days)]


class SimulatorSpec(Strict):
    """Which model runs, with which crop, soil and site, by which engine."""

    model: str
    crop: str
    soil: str
    site: str
    engine: Literal["compiled", "pcse"] = "compiled"
    setting: Literal["sound", "published"] = "sound"


class SeasonSpec(Strict):
    """When an episode starts and ends, how long a step is, what runs before the first decision."""

    start: MonthDay
    start_type: Literal["emergence", "sowing"] = "emergence"
    end: MonthDay
    step: Days = "7 d"
    warmup: Days = "7 d"

    @property
    def step_days(self) -> int:
        """The length of a step [d]."""
        return days(self.step)

    @property
    def warmup_days(self) -> int:
        """The days simulated before the first observation [d]."""
        return days(self.warmup)


class ActionSpec(Strict):
    """What the agent may do.

    `menu`: one of a list of doses, the first being nothing. `continuous`: every input at once,
    [-1, 1] mapped to 0 .. `limit` of the input (default: its largest dose).
    """

    kind: Literal["menu", "continuous"] = "menu"
    doses: dict[str, list[Number]] = Field(min_length=1)
    limit: dict[str, Number] = {}
    recovery: Number = Field(default=0.7, gt=0, le=1)
    efficiency: Number = Field(default=0.7, gt=0, le=1)

    @field_validator("doses")
    @classmethod
    def _ascending(cls, doses: dict[str, list[float]]) -> dict[str, list[float]]:
        for name, amounts in doses.items():
            ascending = all(a < b for a, b in itertools.pairwise(amounts))
            if len(amounts) < 2 or amounts[0] != 0 or not ascending:
                raise ValueError(f"{name}: doses must start with 0 and ascend; got {amounts}.")
        return doses


class ObservationSpec(Strict):
    """What the agent sees: model variables of the last day, weather of the last `window`.

    `weather_form` is `mean` (one value a variable) or `daily` (one value a variable and day, the
    oldest first).
    """

    state: list[str]
    weather: list[str] = []
    window: Days = "7 d"
    weather_form: Literal["mean", "daily"] = "mean"

    @property
    def window_days(self) -> int:
        """The length of the weather window [d]."""
        return days(self.window)

    @model_validator(mode="after")
    def _something(self) -> "ObservationSpec":
        if not self.state and not self.weather:
            raise ValueError("an agent must see something: state and weather are both empty.")
        for names in (self.state, self.weather):
            twice = sorted({n for n in names if names.count(n) > 1})
            if twice:
                raise ValueError(f"listed twice: {', '.join(twice)}.")
        return self


class RewardSpec(Strict):
    """How a step is paid.

    `growth`: growth of `variable` minus prices times inputs. `growth-above-reference`: minus the
    growth of the same scenario without any input too (Kallenberg et al. 2023). `prices` are per
    unit of input, in the reward's unit.
    """

    kind: Literal["growth", "growth-above-reference"]
    variable: str
    unit: str
    prices: dict[str, Number] = {}
    beta: Number = Field(default=1.0, ge=0)


class MetricSpec(Strict):
    """What is recorded of an episode: a final state or the sum of an input, times `factor`."""

    unit: str
    meaning: str
    state: str | None = None
    input: str | None = None
    factor: Number = 1.0
    digits: int = Field(default=1, ge=0, le=6)

    @model_validator(mode="after")
    def _one_source(self) -> "MetricSpec":
        if (self.state is None) == (self.input is None):
            raise ValueError("a metric needs exactly one of 'state' and 'input'.")
        return self


class SplitSpec(Strict):
    """A set of scenarios: years of a site, as a list or as `odd 1977-1999`, less `except`."""

    years: list[int] | str
    leaving_out: list[int] = []
    site: str | None = None

    @field_validator("years")
    @classmethod
    def _readable(cls, value: list[int] | str) -> list[int] | str:
        if isinstance(value, str) and not _YEAR_RANGE.match(value):
            raise ValueError(f"{value!r} is not a list of years or text such as 'odd 1977-1999'.")
        return value

    @property
    def all_years(self) -> list[int]:
        """The years of the split, ascending."""
        if isinstance(self.years, list):
            years = list(self.years)
        else:
            match = _YEAR_RANGE.match(self.years)
            assert match is not None
            years = list(range(int(match[2]), int(match[3]) + 1))
            if match[1] != "all":
                years = [y for y in years if y % 2 == (match[1] == "odd")]
        return [y for y in years if y not in self.leaving_out]


class ProtocolSpec(Strict):
    """The fixed recipe of an evaluation."""

    objective: str
    objective_unit: str
    repeats: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)
    deterministic: bool = True
    aggregate: Literal["median", "mean"] = "median"
    bootstrap: int = Field(default=10_000, ge=100)
    worst: Number
    training_splits: list[str] = ["train"]


class ReferencesSpec(Strict):
    """The policies that a task is measured by; the oracle may look ahead."""

    floor: str
    expert: str
    oracle: str | None = None


class Task(Strict):
    """A benchmark task, versioned: changing anything here is a new version."""

    task: TaskId
    summary: str
    source: str
    tags: list[str] = []
    simulator: SimulatorSpec
    season: SeasonSpec
    action: ActionSpec
    observation: ObservationSpec
    reward: RewardSpec
    metrics: dict[str, MetricSpec]
    splits: dict[str, SplitSpec] = Field(min_length=1)
    protocol: ProtocolSpec
    references: ReferencesSpec
    history: list[str] = Field(min_length=1)

    def content(self) -> dict[str, Any]:
        """Return the task as plain data, defaults included; its hash identifies the task."""
        return self.model_dump(mode="json")

    @model_validator(mode="after")
    def _objective_exists(self) -> "Task":
        known = ("return", *self.metrics)
        if self.protocol.objective not in known:
            raise ValueError(
                f"protocol.objective {self.protocol.objective!r} is not one of {', '.join(known)}."
            )
        return self
