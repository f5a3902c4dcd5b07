"""Building farm tasks: the parts of a field task, for all fields of a farm together."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agbench.data.farm_task import FarmTask
from agbench.envs.actions import ActionMap, Amounts, Menu
from agbench.envs.core import BatchCore, Parts
from agbench.envs.farm.actions import Choice, Each, JointAmounts, JointMenu, Spending
from agbench.envs.farm.observations import FarmObserver
from agbench.envs.farm.rewards import FarmReward
from agbench.envs.field import building as field
from agbench.envs.rewards import Reward
from agbench.envs.scenarios import ScenarioSet
from agbench.simulators.base import Simulator
from agbench.simulators.field.farm import FarmSimulator, FarmTable, FarmWorld
from agbench.simulators.models import CropModel
from agbench.variables import Floats
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def build(
    task: FarmTask, split: str, weather: "pd.DataFrame | None" = None, years: Sequence[int] | None = None
) -> Parts:
    """Return the parts of a farm task on one split; see `agbench.envs.family.build`."""
    model = field.model_of(task)
    field.require_able(task, model)
    worlds = FarmWorlds(task, model, field.read_user_series(weather, task.simulator.site))
    scenarios = field.scenario_set(task, worlds, split, years)
    return Parts(
        task=task,
        scenarios=scenarios,
        actions=action_map(task),
        observer=observer(task),
        make_simulator=_simulator(task, model),
        make_reward=_reward(task, model),
        hashes=lambda: _hashes(task, scenarios),
        more_info=_more_info,
    )


class FarmWorlds:
    """Builds the worlds of a farm: those of its fields, under the weather of the scenario."""

    def __init__(self, task: FarmTask, model: CropModel, user_series: DailySeries | None) -> None:
        self._fields = [
            field.WorldBuilder(task.field(i), model, user_series) for i in range(len(task.fields))
        ]
        self.user_series = user_series
        self.random = any(builder.random for builder in self._fields)

    def check_covered(self, keys: Sequence[str]) -> None:
        """Raise `WeatherError` where a scenario's days lack weather; the fields share it."""
        self._fields[0].check_covered(keys)

    def stands_for_season(self, key: str) -> bool:
        """Return whether a key beyond the splits is one that can be built."""
        return self._fields[0].stands_for_season(key)

    def build(self, key: str, generator: "np.random.Generator | None") -> FarmWorld:
        """Return the world of a scenario; the fields draw one after another from `generator`."""
        return FarmWorld(tuple(builder.build(key, generator) for builder in self._fields))


def _simulator(task: FarmTask, model: CropModel) -> Callable[[int], Simulator]:
    names, areas, budgets = task.field_names, task.areas, _budgets(task)
    return lambda n: FarmSimulator(n, model.simulator, names, areas, budgets)


def _reward(task: FarmTask, model: CropModel) -> Callable[[int], Reward]:
    """Return what makes the reward of n farms, of the rewards of their fields."""
    inner, names, areas = field.reward(model, task), task.field_names, task.areas
    penalty = task.reward.paid_penalty
    return lambda n: FarmReward(inner(n * len(names)), names, areas, penalty, n)


def _hashes(task: FarmTask, scenarios: ScenarioSet) -> dict[str, str]:
    result: dict[str, str] = {}
    for i in range(len(task.fields)):
        result |= field.hashes(task.field(i), scenarios)
    return result


def _more_info(core: BatchCore) -> Mapping[str, Floats]:
    """Return what each field earned in the last step, by name."""
    reward = core.reward
    assert isinstance(reward, FarmReward)
    assert isinstance(core.task, FarmTask)
    return {f"reward.{name}": reward.of_fields[:, i].copy() for i, name in enumerate(core.task.field_names)}


def _budgets(task: FarmTask) -> dict[str, float]:
    return {name: float(amount) for name, amount in task.farm.budgets.items()}


def action_map(task: FarmTask) -> ActionMap:
    """Return the action space of a farm and what its actions mean; reads no weather."""
    model = field.model_of(task)
    of_a_field = field.field_actions(model, task.action)
    fields, spending = task.field_names, Spending(task.farm.overspending == "clipped")
    if task.farm.control == "each":
        return Each(of_a_field, fields, spending)
    if task.farm.control == "choice":
        assert isinstance(of_a_field, Menu)
        farm = FarmTable(model.inputs, fields, task.areas)
        return Choice(farm, of_a_field, task.action.doses, fields, spending)
    if isinstance(of_a_field, Menu):
        return JointMenu(model.inputs, task.action.doses, len(fields), spending)
    assert isinstance(of_a_field, Amounts)
    return JointAmounts(model.inputs, field.limits_of(task.action), len(fields), spending)


def observer(task: FarmTask) -> FarmObserver:
    """Return what a farm lets an agent see; reads no weather."""
    model = field.model_of(task)
    shared: Any = task.observation.model_copy(update={"state": []})
    return FarmObserver(
        model.variables,
        task.observation.state,
        task.field_names,
        field.observer(task.model_copy(update={"observation": shared})),
        _budgets(task),
        model.inputs,
    )
