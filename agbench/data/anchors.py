"""The schema of a task's anchors: the objective of its reference policies in every scenario."""

from typing import Annotated

from pydantic import Field

from agbench.data.field import Number
from agbench.data.reading import Strict
from agbench.data.task import TaskId

Hash = Annotated[str, Field(min_length=64, max_length=64)]


class AnchorValues(Strict):
    """The objective of each reference policy in one scenario, repeats averaged.

    `cost` is the expert's constraint cost there.
    """

    floor: Number
    expert: Number
    cost: Number = Field(ge=0)
    oracle: Number | None = None
    blind: Number | None = None


class Anchors(Strict):
    """The constants by which a task's scores are normalised; `agbench anchors TASK` makes them.

    The hashes say what they were made with: the task, the weather, soils and crops of its reported
    splits, and the settings of its reference policies. `limits` are the largest mean constraint costs
    of an episode that are feasible, by split.
    """

    task: TaskId
    task_hash: Hash
    data_hash: Hash
    references_hash: Hash
    objective: str
    unit: str
    limits: dict[str, Number]
    splits: dict[str, dict[str, AnchorValues]]
