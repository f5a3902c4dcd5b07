"""From a task file to something that runs: model, worlds, actions, observations, reward."""

from calendar import isleap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from agbench.envs.actions import ActionMap, Amounts, Menu
from agbench.envs.core import Parts
from agbench.envs.observations import Observer
from agbench.envs.rewards import GrowthReward, ReferenceRuns
from agbench.envs.scenarios import Scenario, ScenarioSet
from agbench.errors import ConfigError, WeatherError, unknown
from agbench.field_season import parameters_of, site_series
from agbench.simulators import models
from agbench.simulators.calendar import CropCalendar
from agbench.simulators.models import FieldSetup, Model
from agbench.spec.task import ActionSpec, Task
from agbench.weather.daily import DailySeries, from_frame

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
    if split not in task.splits:
        raise unknown("split", split, task.splits, where=task.task)
    model = models.find(task.simulator.model, task.simulator.engine)
    return Parts(
        task=task,
        scenarios=_scenarios(task, model, split, weather, years),
        actions=_actions(model, task.action),
        observer=_observer(model, task),
        make_simulator=model.simulator,
        make_reward=_reward(model, task),
    )


def _scenarios(
    task: Task,
    model: Model,
    split: str,
    weather: "pd.DataFrame | None",
    years: Sequence[int] | None,
) -> ScenarioSet:
    """Return the split's scenarios; the other splits' can be asked for by key."""
    given = None if weather is None else _given_series(weather, task.simulator.site)
    by_split = {name: _listed(task, name, years if name == split else None) for name in task.splits}
    if not by_split[split]:
        raise ConfigError(f"{task.task}: the split {split!r} has no years.")
    builder = _WorldBuilder(task, model, given)
    builder.check_covered(by_split[split])
    known = {s.key: s for scenarios in by_split.values() for s in scenarios}
    return ScenarioSet(split, by_split[split], known, builder.build, given)


def _given_series(weather: Any, name: str) -> DailySeries:
    import pandas as pd

    if not isinstance(weather, pd.DataFrame):
        raise ConfigError(
            f"weather must be a DataFrame of daily weather; got {weather!r}. The observed weather "
            "variables are observation__weather."
        )
    return from_frame(weather, name)


def _listed(task: Task, split: str, years: Sequence[int] | None) -> list[Scenario]:
    spec = task.splits[split]
    site = spec.site or task.simulator.site
    if isinstance(years, (int, str)):
        raise ConfigError(f"years must be a list of years, such as [{years}]; got {years!r}.")
    return [Scenario(site, int(y)) for y in (spec.all_years if years is None else years)]


class _WorldBuilder:
    """Builds the worlds of scenarios; parameters and series are read once."""

    def __init__(self, task: Task, model: Model, given: DailySeries | None) -> None:
        self._task = task
        self._model = model
        self._given = given
        self._parameters: Mapping[str, Any] = {
            **parameters_of(model, "site", task.simulator.site),
            **parameters_of(model, "soil", task.simulator.soil),
            **parameters_of(model, "crop", task.simulator.crop),
        }

    def check_covered(self, scenarios: Sequence[Scenario]) -> None:
        """Raise `WeatherError` now where a scenario's days lack weather, not in mid-training."""
        for scenario in scenarios:
            start, end = self._season(scenario)
            try:
                if self._given is None:
                    _check_years(self._series(scenario), {start.year, end.year})
                self._series(scenario).window(start, end)
            except WeatherError as error:
                raise WeatherError(f"{self._task.task}, scenario {scenario.key}: {error}") from None

    def build(self, scenario: Scenario) -> Any:
        """Return the world of a scenario."""
        season = self._task.season
        start, end = self._season(scenario)
        return self._model.world(
            FieldSetup(
                parameters=self._parameters,
                series=self._series(scenario),
                calendar=CropCalendar(start, crop_start_type=season.start_type),
                start=start,
                end=end,
                recovery=self._task.action.recovery,
                efficiency=self._task.action.efficiency,
                setting=self._task.simulator.setting,
            )
        )

    def _series(self, scenario: Scenario) -> DailySeries:
        return site_series(scenario.site) if self._given is None else self._given

    def _season(self, scenario: Scenario) -> tuple[date, date]:
        """Return first and last day; a season that ends before it starts ends next year."""
        start = date.fromisoformat(f"{scenario.year}-{self._task.season.start}")
        end = date.fromisoformat(f"{scenario.year}-{self._task.season.end}")
        return start, end if end > start else end.replace(year=end.year + 1)


def _check_years(series: DailySeries, years: set[int]) -> None:
    """Raise `WeatherError` for a year that the site's own series does not hold whole."""
    for year, days in series.incomplete_years().items():
        if year in years:
            raise WeatherError(
                f"the year {year} of {series.name} is incomplete: it has {days} of "
                f"{366 if isleap(year) else 365} days. Leave it out."
            )


def action_map(task: Task) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    return _actions(models.find(task.simulator.model, task.simulator.engine), task.action)


def _actions(model: Model, spec: ActionSpec) -> ActionMap:
    if spec.kind == "menu":
        return Menu(model.inputs, spec.doses)
    limits = {name: spec.limit.get(name, doses[-1]) for name, doses in spec.doses.items()}
    return Amounts(model.inputs, limits)


def _observer(model: Model, task: Task) -> Observer:
    spec = task.observation
    return Observer(
        model.variables,
        model.weather,
        spec.state,
        spec.weather,
        spec.window_days,
        spec.weather_form == "daily",
    )


def _reward(model: Model, task: Task) -> Callable[[int], GrowthReward]:
    """Return what makes the reward of n rows; all of them share the reference runs."""
    spec = task.reward
    references = None
    if spec.kind == "growth-above-reference":
        references = ReferenceRuns(model.simulator, model.variables.column(spec.variable))
    return lambda n: GrowthReward(
        model.variables, model.inputs, spec.variable, spec.prices, spec.beta, references, n
    )
