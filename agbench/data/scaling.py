"""The schema of a task's scaling: typical centres and spreads of what is observed, and of rewards."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agbench.data.field import Number
from agbench.data.reading import Strict
from agbench.data.task import TaskId

Spread = Annotated[Number, Field(gt=0.0)]


def _with_spread(pair: list[float]) -> list[float]:
    if pair[1] <= 0.0:
        raise ValueError(f"is [centre, spread]; a spread is above 0, and this is {pair[1]:g}")
    return pair


Pair = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_with_spread)]


class ScalingTable(Strict):
    """What learners scale a task's observations and rewards by; `agbench scale TASK` makes it.

    `observations`: by name [centre, spread], in the variable's own unit; a spread is never 0. `reward`: the
    standard deviation of discounted sums of rewards, in the unit of the reward. `source` says how the numbers
    were made.
    """

    task: TaskId
    source: str
    reward: Spread
    observations: dict[str, Pair]
