"""The family of farms: many fields of a daily crop model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agbench.data.farm_task import FarmTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import Family, build
from agbench.envs.farm import building
from agbench.envs.field.building import entry_points
from agbench.envs.field.family import hidden_split, longest

if TYPE_CHECKING:
    import pandas as pd

    from agbench.envs.farm.parallel import FarmParallelEnv
    from agbench.envs.rendering import EpisodePlot


def _plot(core: BatchCore) -> "EpisodePlot":
    from agbench.envs.farm.drawing import FarmPlot

    return FarmPlot(core)


def _check_response(task: FarmTask, parts: Parts) -> None:
    from agbench.envs.farm import response

    response.check(task, parts)


def _parallel(
    task: FarmTask,
    split: str,
    weather: "pd.DataFrame | None",
    years: Sequence[int] | None,
    shared_reward: bool,
    render_mode: str | None,
) -> "FarmParallelEnv":
    from agbench.envs.farm.parallel import FarmParallelEnv

    each = task.model_copy(update={"farm": task.farm.model_copy(update={"control": "each"})})
    return FarmParallelEnv(build(each, split, weather=weather, years=years), shared_reward, render_mode)


FARM: Final = Family(
    name="farm",
    schema=FarmTask,
    build=building.build,
    action_map=building.action_map,
    observer=building.observer,
    step_seconds=86_400,
    longest=longest,
    entry_points=entry_points,
    plot=_plot,
    hidden_split=hidden_split,
    check_response=_check_response,
    parallel=_parallel,
    calendars="agbench.policies.field.blind:calendars",
    benchmark="agbench.benchmarks.farms:measure",
)
