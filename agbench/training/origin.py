"""Whether a model is of the task it is exported for, by what it carries: a scaling, or bounds."""

from typing import Any

import numpy as np
from gymnasium import spaces

from agbench.data import places
from agbench.data.reading import read_file
from agbench.data.scaling import ScalingTable
from agbench.data.task import Task
from agbench.envs.family import observer
from agbench.envs.scaling import Scaling, scaling_of
from agbench.errors import ConfigError

_OVERRIDES = "Was it trained for another task, or with overrides? Name them with --set."


def require_scaling_of(task: Task, scaling: Scaling) -> None:
    """Raise `ConfigError` where a model's scaling is that of another task, or of other observations.

    A scaling that no task has is let through: it is from a file that a user named, or from values that
    have been measured anew since.
    """
    for way in (True, "bounds"):
        try:
            if _same(scaling, scaling_of(task, way)):
                return
        except ConfigError:  # the task has no such scaling
            continue
    for name in places.names("task"):
        path = places.find_scaling(name)
        if path is not None and _is_of(scaling, read_file(ScalingTable, path)):
            here = "shows other observations" if name == task.task else "is another task"
            raise ConfigError(
                f"the model's observations are scaled as {name} scales them; {task.task}, as it is named "
                f"here, {here}. {_OVERRIDES}"
            )


def _same(one: Scaling, other: Scaling) -> bool:
    return np.array_equal(one.centre, other.centre) and np.array_equal(one.spread, other.spread)


def _is_of(scaling: Scaling, table: ScalingTable) -> bool:
    """Return whether a table holds the centre and spread of every variable of a scaling."""
    held = {tuple(pair) for pair in table.observations.values()}
    return held.issuperset(zip(scaling.centre.tolist(), scaling.spread.tolist(), strict=True))


def require_bounds_of(task: Task, space: spaces.Space[Any], whose: str) -> None:
    """Raise `ConfigError` where what saw observations in `space` saw others than the task's."""
    expected = observer(task).space
    if not isinstance(space, spaces.Box) or space.shape != expected.shape:
        raise ConfigError(
            f"{whose} saw observations of the shape {space.shape}; {task.task} has {expected.shape}. "
            f"{_OVERRIDES}"
        )
    apart = np.flatnonzero((space.low != expected.low) | (space.high != expected.high))
    if apart.size:
        first = apart[0]
        raise ConfigError(
            f"{whose} saw observations of other bounds than {task.task} has: number {first + 1} is between "
            f"{space.low[first]:g} and {space.high[first]:g}, {observer(task).entries[first].name} between "
            f"{expected.low[first]:g} and {expected.high[first]:g}. {_OVERRIDES}"
        )
