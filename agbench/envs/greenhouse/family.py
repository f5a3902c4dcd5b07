"""The family of greenhouses: steps of five minutes, controls or set points as actions."""

from datetime import datetime, time
from typing import TYPE_CHECKING, Final

from agbench.data import catalog
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.core import BatchCore
from agbench.envs.family import Family
from agbench.envs.greenhouse import building, response
from agbench.envs.greenhouse.worlds import GreenhouseWorld
from agbench.errors import ConfigError
from agbench.simulators.greenlight.metered import MeteredGreenhouse

if TYPE_CHECKING:
    from agbench.envs.rendering import EpisodePlot


def _start(world: GreenhouseWorld) -> datetime:
    return datetime.combine(world.first_day, time())


def _longest(task: GreenhouseTask) -> int:
    return task.episode.intervals


def _set_points(core: BatchCore) -> dict[str, float]:
    """Return the controls or set points in force in the first row."""
    simulator = core.simulator
    assert isinstance(simulator, MeteredGreenhouse)
    names = core.parts.actions.names
    values = simulator.commands[0, simulator.inputs.columns(names)].tolist()
    return dict(zip(names, values, strict=True))


def _hidden_split(task: GreenhouseTask, scenarios: int) -> GreenhouseSplit:
    """Return seasons that only a secret gives, with the test split's levels.

    They are of its site, or of the greenhouse's where that has no climate. Where the test split lists its
    days, they begin when training does.
    """
    test = task.splits["test"]
    sites = [test.site or task.simulator.site, task.simulator.site]
    site = next((name for name in sites if catalog.site(name).climate is not None), None)
    if site is None:
        raise ConfigError(
            f"{task.task} has no hidden scenarios: the site {sites[0]} has no climate to generate seasons "
            "from."
        )
    begin = task.splits[task.protocol.training_splits[0]] if test.starts else test
    return GreenhouseSplit(
        hidden=scenarios, site=site, start=begin.start, until=begin.until, levels=test.levels
    )


def _plot(core: BatchCore) -> "EpisodePlot":
    from agbench.envs.greenhouse.drawing import GreenhousePlot

    return GreenhousePlot(core)


GREENHOUSE: Final = Family(
    name="greenhouse",
    schema=GreenhouseTask,
    build=building.build,
    action_map=building.action_map,
    observer=building.observer,
    step_seconds=INTERVAL,
    longest=_longest,
    start=_start,
    set_points=_set_points,
    plot=_plot,
    hidden_split=_hidden_split,
    check_response=response.check,
    calendars="agbench.policies.greenhouse.blind:calendars",
    benchmark="agbench.benchmarks.greenhouses:measure",
)
