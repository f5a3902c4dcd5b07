"""From a task file to something that runs: worlds, actions, observations, reward, by family."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.task import Task
from agbench.envs.actions import ActionMap
from agbench.envs.core import Observer, Parts
from agbench.envs.field import building as field
from agbench.envs.greenhouse import building as greenhouse
from agbench.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd


def build(
    task: Task,
    split: str = "train",
    *,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
) -> Parts:
    """Return the parts of a task on one split.

    `weather` replaces the site's series and `years` the split's. Raises `UnknownNameError`,
    `ConfigError` or `WeatherError` for whatever does not exist or fit.
    """
    task.check_split(split)
    if isinstance(task, FieldTask):
        return field.build(task, split, weather, years)
    if isinstance(task, GreenhouseTask):
        return greenhouse.build(task, split, weather, years)
    raise ConfigError(f"{task.task}: nothing builds tasks of the family {task.family!r}.")


def action_map(task: Task) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    if isinstance(task, FieldTask):
        return field.action_map(task)
    if isinstance(task, GreenhouseTask):
        return greenhouse.action_map(task)
    raise ConfigError(f"{task.task}: nothing builds tasks of the family {task.family!r}.")


def observer(task: Task) -> Observer:
    """Return what a task lets an agent see; reads no weather."""
    if isinstance(task, FieldTask):
        return field.observer(task)
    if isinstance(task, GreenhouseTask):
        return greenhouse.observer(task)
    raise ConfigError(f"{task.task}: nothing builds tasks of the family {task.family!r}.")


def entry_points(task: Task) -> list[str]:
    """Return where the code starts that moves a task's numbers, for `agbench.compiled.closure`."""
    shared = [
        "agbench.compiled.arithmetic",
        "agbench.envs.single:SeasonEnv",
        "agbench.evaluation.protocol:episodes",
        "agbench.evaluation.rollout:roll_out",
        f"{type(task).__module__}:{type(task).__qualname__}",
    ]
    if isinstance(task, FieldTask):
        return [*shared, *field.entry_points(task)]
    if isinstance(task, GreenhouseTask):
        return [*shared, *greenhouse.entry_points(task)]
    raise ConfigError(f"{task.task}: nothing builds tasks of the family {task.family!r}.")
