"""A family of tasks: one object with everything that differs between fields, greenhouses and others.

Code that has a task calls `family(task)`; no code outside a family's folder depends on which family it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from agbench.data import families
from agbench.data.families import register
from agbench.data.task import Task
from agbench.envs.actions import ActionMap
from agbench.envs.core import BatchCore, Observer, Parts
from agbench.envs.years import chosen_years
from agbench.errors import ConfigError, NotApplicableError

if TYPE_CHECKING:
    import pandas as pd

    from agbench.envs.rendering import EpisodePlot

__all__ = ["Family", "action_map", "build", "entry_points", "family", "observer", "register"]

T = TypeVar("T", bound=Task)


def _no_more_code(task: Task) -> list[str]:
    return []


def _no_set_points(core: BatchCore) -> dict[str, float]:
    return {}


def _plot(core: BatchCore) -> "EpisodePlot":
    from agbench.envs.rendering import EpisodePlot

    return EpisodePlot(core, family(core.task).step_seconds)


def _no_hidden(task: Task, scenarios: int) -> Any:
    raise ConfigError(
        f"{task.task} has no hidden scenarios: its weather is measured, and there is no generator for it."
    )


def _no_response(task: Task, parts: Parts) -> None:
    raise NotApplicableError(f"the family {task.family!r} does not describe the effect of its actions.")


def _one_agent(task: Task, *_: Any) -> Any:
    raise NotApplicableError(
        f"{task.task} has one agent; make_parallel is for farms, such as sunflower-farm-v1."
    )


@dataclass(frozen=True)
class Family(Generic[T]):
    """What a family of tasks is made of.

    The functions `build` and `action_map` are where the code of its episodes starts, and what a hash of
    that code covers: they are functions of modules, not lambdas. What stands above the environments is
    named by texts such as `package.module:function`, loaded on first use.
    """

    name: str
    """As task files say it: `family: field`."""
    schema: type[T]
    """The schema of its tasks."""
    build: "Callable[[T, str, pd.DataFrame | None, Sequence[int] | None], Parts]"
    """(task, split, weather, years) -> the parts of the task; the last two replace the split's own."""
    action_map: Callable[[T], ActionMap]
    """Task -> its action space and what actions mean; reads no weather."""
    observer: Callable[[T], Observer]
    """Task -> what its agent sees; reads no weather."""
    step_seconds: int
    """The length of a model step [s]."""
    longest: Callable[[T], int]
    """Task -> the model steps of its longest episode, warm-up included; reads no weather."""
    start: Callable[[Any], date] = attrgetter("start")
    """World -> the day on which its episode begins, or the moment."""
    entry_points: Callable[[T], list[str]] = _no_more_code
    """Task -> where more of its code starts, as `module:name`: what names in the text do not lead to."""
    set_points: Callable[[BatchCore], dict[str, float]] = _no_set_points
    """Core -> what its first row's equipment was last set to, by name: by what a step is described."""
    plot: "Callable[[BatchCore], EpisodePlot]" = _plot
    """Core -> the picture of its first row's episode."""
    hidden_split: Callable[[T, int], Any] = _no_hidden
    """(task, number) -> the split of so many hidden scenarios; raises `ConfigError` where there are none."""
    check_response: Callable[[T, Parts], None] = _no_response
    """(task, parts) -> raises `ContractError` where an action does not act as an agronomist expects."""
    parallel: Callable[..., Any] = _one_agent
    """(task, split, weather, years, shared reward or not, render mode) -> its PettingZoo environment."""
    calendars: str = "agbench.policies.tuning.blind:of_any_space"
    """What draws action sequences of policies that observe nothing: (parts, number, decisions, generator) ->
    actions (number, decisions, ...)."""
    benchmark: str = "agbench.benchmarks.environments:measure"
    """What `agbench bench` runs: (task id, seconds, environments, another Python) -> figures."""

    def __post_init__(self) -> None:
        """Raise `ConfigError` for a field that cannot be what it must be."""
        no_functions = [name for name in _FUNCTIONS if not callable(getattr(self, name))]
        if no_functions:
            raise ConfigError(f"the family {self.name!r}: {', '.join(no_functions)} must be functions.")
        if not isinstance(self.step_seconds, int) or self.step_seconds < 1:
            raise ConfigError(
                f"the family {self.name!r}: step_seconds must be a whole number of seconds, at least 1; "
                f"got {self.step_seconds!r}."
            )


_FUNCTIONS: Final = (
    *("build", "action_map", "observer", "longest", "start", "entry_points", "set_points"),
    *("plot", "hidden_split", "check_response"),
)


def family(task: Task) -> Family[Any]:
    """Return the family of a task.

    Raises `UnknownNameError` where there is none of that name, `ConfigError` where it is no `Family`.
    """
    result = families.find(task.family)
    if not isinstance(result, Family):
        raise ConfigError(
            f"the family {task.family!r} is a {type(result).__name__}; it must be an "
            "agbench.envs.family.Family."
        )
    return result


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
    chosen = None if years is None else chosen_years(years)
    parts = family(task).build(task, split, weather, chosen)
    return replace(parts, rebuild=partial(build, task, split, weather=weather, years=chosen))


def action_map(task: Task) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    return family(task).action_map(task)


def observer(task: Task) -> Observer:
    """Return what a task lets an agent see; reads no weather."""
    return family(task).observer(task)


def entry_points(task: Task) -> list[str]:
    """Return where the code starts that moves a task's numbers, for `agbench.compiled.closure`."""
    own = family(task)
    return [
        "agbench.compiled.arithmetic",
        "agbench.envs.single:AgBenchEnv",
        "agbench.evaluation.protocol:episodes",
        "agbench.evaluation.rollout:roll_out",
        *(f"{part.__module__}:{part.__qualname__}" for part in (type(task), own.build, own.action_map)),
        *own.entry_points(task),
    ]
