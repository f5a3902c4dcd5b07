"""Building field tasks: model, worlds, actions, observations, reward."""

from calendar import isleap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from agbench import data
from agbench.building import seasons
from agbench.envs.actions import ActionMap, Amounts, Menu
from agbench.envs.core import Parts
from agbench.envs.observations import Observer
from agbench.envs.rewards import GrowthReward, ReferenceRuns
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import ConfigError, WeatherError
from agbench.field_season import parameters_of
from agbench.files import sha256
from agbench.simulators import models
from agbench.simulators.calendar import CropCalendar
from agbench.simulators.models import FieldSetup, Model
from agbench.spec.field_task import ActionSpec, FieldTask
from agbench.weather.daily import DailySeries, from_frame

if TYPE_CHECKING:
    import pandas as pd


def build(
    task: FieldTask,
    split: str,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
) -> Parts:
    """Return the parts of a field task on one split; see `agbench.building.build`."""
    model = models.find(task.simulator.model, task.simulator.engine)
    scenarios = _scenarios(task, model, split, weather, years)
    return Parts(
        task=task,
        scenarios=scenarios,
        actions=_actions(model, task.action),
        observer=_observer(model, task),
        make_simulator=model.simulator,
        make_reward=_reward(model, task),
        hashes=lambda: _hashes(task, scenarios),
    )


def _hashes(task: FieldTask, scenarios: ScenarioSet) -> dict[str, str]:
    """Return the SHA-256 of the crop and soil files and of each site's weather series."""
    found = {
        f"{kind} {name}": sha256(data.find(kind, name))
        for kind, name in (("crop", task.simulator.crop), ("soil", task.simulator.soil))
    }
    return found | seasons.hashes(scenarios.keys, scenarios.series)


def _scenarios(
    task: FieldTask,
    model: Model,
    split: str,
    weather: "pd.DataFrame | None",
    years: Sequence[int] | None,
) -> ScenarioSet:
    """Return the split's scenarios; the other splits' can be asked for by key."""
    given = None if weather is None else _given_series(weather, task.simulator.site)
    keys = task.scenarios(split) if years is None else _of_years(task, split, years)
    if not keys:
        raise ConfigError(f"{task.task}: the split {split!r} has no years.")
    builder = _WorldBuilder(task, model, given)
    builder.check_covered(keys)
    known = [key for name in task.splits for key in task.scenarios(name)]
    return ScenarioSet(split, keys, known, builder.build, given)


def _given_series(weather: Any, name: str) -> DailySeries:
    import pandas as pd

    if not isinstance(weather, pd.DataFrame):
        raise ConfigError(
            f"weather must be a DataFrame of daily weather; got {weather!r}. The observed weather "
            "variables are observation__weather."
        )
    return from_frame(weather, name)


def _of_years(task: FieldTask, split: str, years: Sequence[int]) -> list[str]:
    """Return the keys of chosen years at the split's site."""
    if isinstance(years, (int, str)):
        raise ConfigError(f"years must be a list of years, such as [{years}]; got {years!r}.")
    return [f"{task.splits[split].site or task.simulator.site}/{int(year)}" for year in years]


class _WorldBuilder:
    """Builds the worlds of scenarios; parameters and series are read once."""

    def __init__(self, task: FieldTask, model: Model, given: DailySeries | None) -> None:
        self._task = task
        self._model = model
        self._given = given
        self._parameters: Mapping[str, Any] = {
            **parameters_of(model, "site", task.simulator.site),
            **parameters_of(model, "soil", task.simulator.soil),
            **parameters_of(model, "crop", task.simulator.crop),
        }

    def check_covered(self, keys: Sequence[str]) -> None:
        """Raise `WeatherError` now where a scenario's days lack weather, not in mid-training."""
        for key in keys:
            if seasons.require_generator(key):
                continue
            series, start, end = self._where_and_when(key)
            try:
                if self._given is None:
                    _check_years(series, {start.year, end.year})
                series.window(start, end)
            except WeatherError as error:
                raise WeatherError(f"{self._task.task}, scenario {key}: {error}") from None

    def build(self, key: str, generator: object) -> Any:
        """Return the world of a scenario; nothing in it is random."""
        season = self._task.season
        series, start, end = self._where_and_when(key)
        return self._model.world(
            FieldSetup(
                parameters=self._parameters,
                series=series,
                calendar=CropCalendar(start, crop_start_type=season.start_type),
                start=start,
                end=end,
                recovery=self._task.action.recovery,
                efficiency=self._task.action.efficiency,
                setting=self._task.simulator.setting,
            )
        )

    def _where_and_when(self, key: str) -> tuple[DailySeries, date, date]:
        """Return series, first and last day; a season that ends before it starts ends next year."""
        year = seasons.parse(key).year
        start = date.fromisoformat(f"{year}-{self._task.season.start}")
        end = date.fromisoformat(f"{year}-{self._task.season.end}")
        series = seasons.series_of(key, self._given)
        return series, start, end if end > start else end.replace(year=end.year + 1)


def _check_years(series: DailySeries, years: set[int]) -> None:
    """Raise `WeatherError` for a year that the site's own series does not hold whole."""
    for year, days in series.incomplete_years().items():
        if year in years:
            raise WeatherError(
                f"the year {year} of {series.name} is incomplete: it has {days} of "
                f"{366 if isleap(year) else 365} days. Leave it out."
            )


def action_map(task: FieldTask) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    return _actions(models.find(task.simulator.model, task.simulator.engine), task.action)


def _actions(model: Model, spec: ActionSpec) -> ActionMap:
    if spec.kind == "menu":
        return Menu(model.inputs, spec.doses)
    limits = {name: spec.limit.get(name, doses[-1]) for name, doses in spec.doses.items()}
    return Amounts(model.inputs, limits)


def _observer(model: Model, task: FieldTask) -> Observer:
    spec = task.observation
    return Observer(
        model.variables,
        model.weather,
        spec.state,
        spec.weather,
        spec.window_days,
        spec.weather_form == "daily",
    )


def _reward(model: Model, task: FieldTask) -> Callable[[int], GrowthReward]:
    """Return what makes the reward of n rows; all of them share the reference runs."""
    spec = task.reward
    references = None
    if spec.kind == "growth-above-reference":
        references = ReferenceRuns(model.simulator, model.variables.column(spec.variable))
    return lambda n: GrowthReward(
        model.variables, model.inputs, spec.variable, spec.prices, spec.beta, references, n
    )
