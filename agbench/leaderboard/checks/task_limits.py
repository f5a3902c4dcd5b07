"""What a task lets an agent do and see, and how long: made once, since a board asks for every result."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from gymnasium import spaces

from agbench.data.task import Task
from agbench.envs.family import action_map, family, observer
from agbench.envs.scenarios import episode_seed
from agbench.evaluation import provenance
from agbench.evaluation.protocol import Episode

Found = TypeVar("Found")

_EPISODES: Final[dict[tuple[str, str], tuple[Episode, ...]]] = {}


def _once(find: Callable[[Task], Found]) -> Callable[[Task], Found]:
    """Return a function that finds something of a task once, known by the task's hash."""
    known: dict[str, Found] = {}

    @wraps(find)
    def found(task: Task) -> Found:
        key = provenance.task_hash(task)
        if key not in known:
            known[key] = find(task)
        return known[key]

    return found


@_once
def action_space(task: Task) -> spaces.Space[Any]:
    """Return the action space of a task, to be read alone."""
    return action_map(task).space


@_once
def observation_size(task: Task) -> int:
    """Return how many numbers an observation of a task has."""
    size: int = observer(task).space.shape[0]
    return size


@_once
def most_decisions(task: Task) -> int:
    """Return how many decisions the longest episode of a task can have; reads no weather."""
    return max(1, -(-(family(task).longest(task) - task.warmup) // task.step))


def expected_episodes(task: Task, split: str) -> tuple[Episode, ...]:
    """Return the episodes that the protocol has on a split, in order."""
    key = provenance.task_hash(task), split
    if key not in _EPISODES:
        _EPISODES[key] = tuple(
            Episode(scenario, repeat, episode_seed(task.protocol.seed, scenario, repeat))
            for scenario in task.scenarios(split)
            for repeat in range(task.protocol.repeats)
        )
    return _EPISODES[key]
