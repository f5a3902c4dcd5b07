"""The schema of a task's anchors: what its floor, expert and oracle reach in every scenario."""

from pydantic import Field

from agbench.spec.field import Number
from agbench.spec.reading import Strict
from agbench.spec.task import TaskId


class AnchorValues(Strict):
    """The objective of each reference policy in one scenario, repeats averaged."""

    floor: Number
    expert: Number
    oracle: Number | None = None


class Anchors(Strict):
    """The constants by which a task's scores are normalised; `agbench anchors TASK` makes them."""

    task: TaskId
    task_hash: str = Field(min_length=64, max_length=64)
    objective: str
    unit: str
    splits: dict[str, dict[str, AnchorValues]]
