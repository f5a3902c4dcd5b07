"""What a task lets an agent do and see, made once: a board asks for every result."""

from typing import Any, Final

from gymnasium import spaces

from agbench.data.task import Task
from agbench.envs.family import action_map, observer
from agbench.evaluation import provenance

_ACTIONS: Final[dict[str, spaces.Space[Any]]] = {}
_OBSERVED: Final[dict[str, int]] = {}


def action_space(task: Task) -> spaces.Space[Any]:
    """Return the action space of a task, to be read alone."""
    key = provenance.task_hash(task)
    if key not in _ACTIONS:
        _ACTIONS[key] = action_map(task).space
    return _ACTIONS[key]


def observation_size(task: Task) -> int:
    """Return how many numbers an observation of a task has."""
    key = provenance.task_hash(task)
    if key not in _OBSERVED:
        _OBSERVED[key] = observer(task).space.shape[0]
    return _OBSERVED[key]
