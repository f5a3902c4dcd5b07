"""The family of fields: daily crop models, whose actions are events."""

from typing import TYPE_CHECKING, Final

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.split import SplitSpec
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import Family
from agbench.envs.field import building
from agbench.errors import ConfigError

if TYPE_CHECKING:
    from agbench.envs.rendering import EpisodePlot


def longest(task: FieldTask) -> int:
    """Return the days of the longest season."""
    spans = (task.season.days_from(year) for year in range(2001, 2005))  # 2004 has a 29 February
    return max((last - first).days for first, last in spans)


def _plot(core: BatchCore) -> "EpisodePlot":
    from agbench.envs.field.drawing import FieldPlot

    return FieldPlot(core)


def hidden_split(task: FieldTask, scenarios: int) -> SplitSpec:
    """Return seasons of the test split's sites that only a secret gives, under its change of climate.

    Where the test split has parts the change is that of the first one.
    """
    test = task.splits["test"]
    for site in test.places(task.simulator.site):
        if catalog.site(site).climate is None:
            raise ConfigError(
                f"{task.task} has no hidden scenarios: the site {site} has no climate to generate them from."
            )
    if test.parts:
        places, change = test.places(task.simulator.site), test.parts[0].change
        return SplitSpec(hidden=scenarios, sites=places, change=change)
    return SplitSpec(hidden=scenarios, site=test.site, sites=test.sites, change=test.change)


def _check_response(task: FieldTask, parts: Parts) -> None:
    from agbench.envs.field import response

    response.check(task, parts)


FIELD: Final = Family(
    name="field",
    schema=FieldTask,
    build=building.build,
    action_map=building.action_map,
    observer=building.observer,
    step_seconds=86_400,
    longest=longest,
    entry_points=building.entry_points,
    plot=_plot,
    hidden_split=hidden_split,
    check_response=_check_response,
    calendars="agbench.policies.field.blind:calendars",
    benchmark="agbench.benchmarks.fields:measure",
)
