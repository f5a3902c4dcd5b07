"""The schema that tasks of all families share: metrics, splits, protocol, references, history."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.places import TASK_ID
from agbench.data.reading import Strict
from agbench.errors import unknown

_COLUMNS = ("scenario", "repeat", "seed", "return", "cost", "steps", "failed", "error", "final_state")
"""What every table of episodes has beside the metrics."""

MARGIN = 0.1
"""A policy may violate constraints by this share more than the expert does, or as the task tolerates."""


def _task_id(value: str) -> str:
    if not TASK_ID.fullmatch(value):
        raise ValueError(f"{value!r} is not a task id such as 'wheat-nitrogen-v1'.")
    return value


TaskId = Annotated[str, AfterValidator(_task_id)]


class MetricSpec(Strict):
    """What is recorded of an episode, times `factor`.

    A final `state`, the sum of an `input`, or a `total` that the reward keeps account of.
    """

    unit: str
    meaning: str
    state: str | None = None
    input: str | None = None
    total: str | None = None
    factor: Number = 1.0
    digits: int = Field(default=1, ge=0, le=6)

    @model_validator(mode="after")
    def _one_source(self) -> "MetricSpec":
        if sum(source is not None for source in (self.state, self.input, self.total)) != 1:
            raise ValueError("a metric needs exactly one of 'state', 'input' and 'total'.")
        return self


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
    """The policies that a task is measured by; the oracle may look ahead.

    `blind` is the best calendar that observes nothing: what an expert gains by observing.
    """

    floor: str
    expert: str
    oracle: str | None = None
    blind: str | None = None


class Task(Strict):
    """A benchmark task, versioned: changing anything here is a new version.

    Each family of tasks has its own subclass, which adds simulator, actions, observation, reward
    and says what a split is. `hard` says what makes it hard, `simplified` what it leaves out of a real
    farm; both are prose for its page.
    """

    task: TaskId
    family: str
    summary: str
    source: str
    tags: list[str] = []
    hard: str = ""
    simplified: str = ""
    metrics: dict[str, MetricSpec]
    splits: Mapping[str, Any]
    protocol: ProtocolSpec
    references: ReferencesSpec
    history: list[str] = Field(min_length=1)

    @abstractmethod
    def scenarios(self, split: str) -> list[str]:
        """Return the keys of a split's scenarios, in order."""

    @property
    @abstractmethod
    def step(self) -> int:
        """The model steps that one decision lasts."""

    @property
    def has_costs(self) -> bool:
        """Whether there are constraints, so that a step can have a cost."""
        return True

    @property
    def tolerated_cost(self) -> float:
        """The mean constraint cost of an episode that is feasible whatever the expert's is."""
        return 0.0

    def feasible_cost(self, expert_cost: float) -> float:
        """Return the largest mean constraint cost that is feasible where the expert's is this."""
        return max((1.0 + MARGIN) * float(expert_cost), self.tolerated_cost)

    @property
    def warmup(self) -> int:
        """The model steps before the first decision."""
        return 0

    @property
    def sows(self) -> bool:
        """Whether the agent sows with the input PLANT and harvests with HARVEST."""
        return False

    def check_split(self, split: str) -> None:
        """Raise `UnknownNameError` for a split that the task does not have."""
        if split not in self.splits:
            raise unknown("split", split, self.splits, where=self.task)

    def idle(self) -> dict[str, str]:
        """Return the keys, by path, that change nothing as the task stands, and what would make them count.

        Named are those of which it is certain; an override of one is refused.
        """
        return {}

    def content(self) -> dict[str, Any]:
        """Return the task as plain data, defaults included."""
        return self.model_dump(mode="json")

    def without_loose_ends(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return an overridden content of this task without what names a part that an override took away."""
        return content

    def identity(self) -> dict[str, Any]:
        """Return what makes this task this task, and no other; its hash identifies it."""
        return self.content()

    @field_validator("metrics")
    @classmethod
    def _names_free(cls, metrics: dict[str, MetricSpec]) -> dict[str, MetricSpec]:
        taken = sorted(metrics.keys() & set(_COLUMNS))
        if taken:
            raise ValueError(f"a metric cannot be named {taken[0]!r}; every episode has this value already.")
        return metrics

    @model_validator(mode="after")
    def _objective_exists(self) -> "Task":
        objectives = ("return", *self.metrics)
        if self.protocol.objective not in objectives:
            raise ValueError(
                f"protocol.objective {self.protocol.objective!r} is not one of {', '.join(objectives)}."
            )
        return self
