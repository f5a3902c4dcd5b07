"""Building field tasks: model, worlds, actions, observations, reward."""

from calendar import isleap
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from agbench.data import catalog
from agbench.data.field_task import ActionSpec, FieldTask
from agbench.data.overrides import as_filed
from agbench.envs import scenario_weather
from agbench.envs.actions import ActionMap, Amounts, Menu
from agbench.envs.constraints import ConstrainedReward
from agbench.envs.core import Parts
from agbench.envs.field.forecasts import Forecast
from agbench.envs.field.observations import FieldObserver
from agbench.envs.field.randomisation import RandomParameters
from agbench.envs.field.rotation_profit import RotationProfit
from agbench.envs.rewards import GrowthReward, ReferenceRuns, Reward, WeightReward
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import ConfigError, WeatherError, unknown
from agbench.files import sha256
from agbench.simulators import models
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.rotation import RotationCrop
from agbench.simulators.models import CropModel, FieldSetup
from agbench.weather.change import changed
from agbench.weather.daily import DailySeries, day_ranges, from_frame

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def build(
    task: FieldTask, split: str, weather: "pd.DataFrame | None" = None, years: Sequence[int] | None = None
) -> Parts:
    """Return the parts of a field task on one split; see `agbench.envs.family.build`."""
    model = model_of(task)
    require_able(task, model)
    worlds = WorldBuilder(task, model, read_user_series(weather, task.simulator.site))
    scenarios = scenario_set(task, worlds, split, years)
    return Parts(
        task=task,
        scenarios=scenarios,
        actions=_actions(model, task),
        observer=observer(task),
        make_simulator=model.simulator,
        make_reward=reward(model, task),
        hashes=lambda: hashes(task, scenarios),
    )


def entry_points(task: FieldTask) -> list[str]:
    """Return where the code of a task's model starts, which is looked up by name."""
    spec = task.simulator
    return models.entry_points(spec.model, spec.engine, spec.soil_water, catalog.crop(spec.crop).crop_type)


def model_of(task: FieldTask) -> CropModel:
    """Return the crop model of a task, on its engine."""
    spec = task.simulator
    return models.find(spec.model, spec.engine, spec.soil_water, catalog.crop(spec.crop).crop_type)


def require_able(task: FieldTask, model: CropModel) -> None:
    """Raise `ConfigError` for settings that the model, or the engine that runs it, cannot follow."""
    runs = f"{model.name} on the engine {task.simulator.engine!r}"
    if task.observation.forecast.days and not model.forecasts:
        raise ConfigError(
            f"{task.task}: observation.forecast: {runs} has no forecasts; the WOFOST models on "
            "the engine 'compiled' do."
        )
    if task.season.age is not None and "AGEI" not in model.parameters:
        raise ConfigError(f"{task.task}: season.age: {task.simulator.crop} has no age; trees have.")
    if (task.season.management == "orchard") != (model.crop_type != "annual"):
        right = "orchard" if model.crop_type != "annual" else "inputs"
        raise ConfigError(
            f"{task.task}: season.management {task.season.management!r}: {task.simulator.crop} is "
            f"{model.crop_type}; write {right!r}."
        )
    if bool(task.season.rotation) != model.rotates:
        raise ConfigError(
            f"{task.task}: season.management 'rotation' and the model 'wofost-npk-rotation' go together; "
            f"got {task.season.management!r} and {model.name!r}."
        )
    if task.season.management in ("harvest", "plant") and "harvest" not in model.events:
        raise ConfigError(
            f"{task.task}: season.management {task.season.management!r}: {runs} has no harvest; "
            "wofost-npk on the engine 'compiled' has."
        )
    _require_known(task, model)


def _require_known(task: FieldTask, model: CropModel) -> None:
    """Raise `UnknownNameError`, with the key, for a name that is none of the model's variables or inputs."""
    seen, paid = task.observation, task.reward
    for key, table, names in (
        ("observation.state", model.variables, seen.state),
        ("observation.weather", model.weather, seen.weather),
        ("observation.forecast.variables", model.weather, seen.forecast.variables),
        ("action.doses", model.inputs, task.action.doses),
        ("reward.variable", model.variables, [paid.variable]),
        ("reward.lost", model.variables, [] if paid.lost is None else [paid.lost]),
        ("reward.prices", model.inputs, paid.prices),
        ("reward.limits", model.inputs, paid.limits),
    ):
        for name in names:
            if name not in table:
                raise unknown("variable", name, table.names, where=f"{task.task}: {key}")


def hashes(task: FieldTask, scenarios: ScenarioSet) -> dict[str, str]:
    """Return the SHA-256 of the crop and soil files and of each site's weather series."""
    drawn = task.randomisation
    crops = dict.fromkeys((task.simulator.crop, *task.season.rotation, *drawn.crops))
    named = [("crop", name) for name in crops]
    named += [("soil", name) for name in (task.simulator.soil, *drawn.soils)]
    result = {f"{kind} {name}": sha256(catalog.find(kind, name)) for kind, name in named}
    return result | scenario_weather.hashes(scenarios.keys, scenarios.series)


class Worlds(Protocol):
    """What builds the worlds of a task's scenarios."""

    user_series: DailySeries | None
    """The weather that replaces the site's, if any."""
    random: bool
    """Whether each episode draws a world of its own."""

    def check_covered(self, keys: Sequence[str]) -> None:
        """Raise `WeatherError` where a scenario's days lack weather."""

    def stands_for_season(self, key: str) -> bool:
        """Return whether a key beyond the splits is one that can be built."""

    def build(self, key: str, generator: "np.random.Generator | None") -> Any:
        """Return the world of a scenario; what is random in it is drawn from `generator`."""


def scenario_set(task: FieldTask, worlds: Worlds, split: str, years: Sequence[int] | None) -> ScenarioSet:
    """Return the split's scenarios; others, of any split or none, are available by key."""
    if years is None:
        _check_site(task, split)
        keys = task.scenarios(split)
    else:
        keys = _of_years(task, split, years, alone=worlds.user_series is not None)
    if not keys:
        raise ConfigError(f"{task.task}: the split {split!r} has no years.")
    worlds.check_covered(keys)
    all_keys = [key for name in task.splits for key in task.scenarios(name)]
    drawn = dict.fromkeys(set(task.endless(split)).intersection(keys), scenario_weather.another)
    return ScenarioSet(
        split,
        keys,
        all_keys,
        worlds.build,
        worlds.user_series,
        worlds.random,
        beyond=worlds.stands_for_season,
        drawn=drawn,
    )


def read_user_series(weather: Any, name: str) -> DailySeries | None:
    """Return a table of weather that was given as a series; None for none."""
    if weather is None:
        return None
    import pandas as pd

    if not isinstance(weather, pd.DataFrame):
        raise ConfigError(
            f"weather must be a DataFrame of daily weather; got {weather!r}. The observed weather "
            "variables are observation__weather."
        )
    return from_frame(weather, name)


def _check_site(task: FieldTask, split: str) -> None:
    """Refuse another site of the task where the split itself says where its fields lie."""
    site, spec = task.simulator.site, task.splits[split]
    usual = as_filed(task).simulator.site
    if site == usual or spec.places(site) != spec.places(usual):
        return
    catalog.find("site", site)  # raises for a name that is none
    raise ConfigError(
        f"{task.task}: simulator.site {site!r} would change nothing: the split {split!r} is at "
        f"{', '.join(spec.places(site))}. Choose measured years, which are the site's, as years=[1984], or a "
        f"scenario in reset: options={{'scenario': '{site}/1984'}}."
    )


def _of_years(task: FieldTask, split: str, years: Sequence[int], alone: bool) -> list[str]:
    """Return the keys of chosen years at the split's sites; at the task's `alone`, or if it is another."""
    home = task.simulator.site
    alone = alone or home != as_filed(task).simulator.site
    places = [home] if alone else task.splits[split].places(home)
    return [f"{site}/{year}" for site in places for year in years]


class WorldBuilder:
    """Builds the worlds of scenarios; parameters and series are read once."""

    def __init__(self, task: FieldTask, model: CropModel, user_series: DailySeries | None) -> None:
        self._task = task
        self._model = model
        self.user_series = user_series
        self._parameters = RandomParameters(task, model)
        self._generated: set[str] = set()  # sites that are known to have a generator
        self.random = task.randomisation.any or bool(task.observation.forecast.error)

    def check_covered(self, keys: Sequence[str]) -> None:
        """Raise `WeatherError` now where a scenario's days lack weather, not in mid-training."""
        for key in scenario_weather.measured(keys):
            series, start, end = self._where_and_when(key)
            try:
                series.window(start, end)
            except WeatherError as error:
                reason = str(error)
                if self.user_series is None:
                    reason = _incomplete(series, start, end) or reason
                raise WeatherError(f"{self._task.task}, scenario {key}: {reason}") from None

    def stands_for_season(self, key: str) -> bool:
        """Return whether a key of any site is one that can be built; hidden seasons are for splits."""
        season = scenario_weather.read(key)
        if season is None or season.kind == "hidden":
            return False
        if self.user_series is not None and season.site != self._task.simulator.site:
            raise ConfigError(f"scenario {key}: the weather that was given is of {self.user_series.name}.")
        if season.kind == "measured":
            self.check_covered([key])
        elif season.site not in self._generated:
            self.check_covered([key])
            self._generated.add(season.site)
        return True

    def build(self, key: str, generator: "np.random.Generator | None") -> Any:
        """Return the world of a scenario; what is random in it is drawn from `generator`."""
        spec, season = self._task.simulator, self._task.season
        series, start, end = self._where_and_when(key)
        crop_start = start if season.crop_start is None else season.day_after(start, season.crop_start)
        ends = "max_duration" if season.management == "orchard" else "maturity"
        return self._model.world(
            FieldSetup(
                parameters={} if season.rotation else self._parameters.draw(generator),
                rotation=self._rotation(generator),
                series=series,
                calendar=CropCalendar(crop_start, crop_start_type=season.start_type, crop_end_type=ends),
                start=start,
                end=end,
                recovery=self._task.action.recovery,
                efficiency=self._task.action.efficiency,
                setting=spec.setting,
                limitation=spec.limitation,
                management=season.management,
                sowing_window=season.sowing_days(start),
                noise_seed=0 if generator is None else int(generator.integers(2**63)),
            )
        )

    def _rotation(self, generator: "np.random.Generator | None") -> tuple[RotationCrop, ...]:
        """Return the crops of a rotation, none where there is one crop."""
        return tuple(
            RotationCrop(self._parameters.draw(generator, name), spec.sowing, spec.incorporated)
            for name, spec in self._task.season.rotation.items()
        )

    def _where_and_when(self, key: str) -> tuple[DailySeries, date, date]:
        """Return series, first and last day."""
        year = scenario_weather.parse(key).year
        start, end = self._task.season.days_from(year)
        warming = float(self._task.simulator.warming)
        return _warmed(key, warming, self.user_series, scenario_weather.mark(key), end), start, end


@lru_cache(maxsize=64)
def _warmed(key: str, degrees: float, user_series: DailySeries | None, mark: str, until: date) -> DailySeries:
    """Return the weather of a scenario to a day, `degrees` [K] warmer; `mark` tells secrets apart."""
    series = scenario_weather.series_of(key, user_series, until)
    return changed(series, degrees, 0.0) if degrees else series


def _incomplete(series: DailySeries, start: date, end: date) -> str | None:
    """Return the first year of a season that lacks days, and which days the season lacks; None for none."""
    for year, days in series.incomplete_years().items():
        if start.year <= year <= end.year:
            whole = 366 if isleap(year) else 365
            has = f"the year {year} of {series.name} is incomplete: it has {days} of {whole} days"
            return f"{has}. Leave it out; this season needs {day_ranges(series.missing(start, end))}."
    return None


def action_map(task: FieldTask) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    return _actions(model_of(task), task)


def _actions(model: CropModel, task: FieldTask) -> ActionMap:
    crops = enumerate(task.season.rotation, start=1)
    return field_actions(model, task.action, {("PLANT", float(i)): f"PLANT {crop}" for i, crop in crops})


def field_actions(
    model: CropModel, spec: ActionSpec, words: "dict[tuple[str, float], str] | None" = None
) -> ActionMap:
    """Return what actions on one field mean; `words` name the doses that are no amounts."""
    useless = [name for name in spec.doses if name in model.ignores]
    if useless:
        others = ", ".join(models.able(useless[0])) or "none"
        raise ConfigError(
            f"action.doses: {useless[0]} has no effect in {model.name} on this engine. On the engine "
            f"'compiled' it acts in {others}."
        )
    if spec.kind == "menu":
        return Menu(model.inputs, spec.doses, words)
    return Amounts(model.inputs, limits_of(spec))


def limits_of(spec: ActionSpec) -> dict[str, float]:
    """Return the largest amount of each input that continuous actions give."""
    return {name: spec.limit.get(name, doses[-1]) for name, doses in spec.doses.items()}


def observer(task: FieldTask) -> FieldObserver:
    """Return what a task lets an agent see; reads no weather."""
    model, spec = model_of(task), task.observation
    forecast = None
    if spec.forecast.days:
        ahead = spec.forecast
        forecast = Forecast(model.weather, ahead.variables, ahead.days, ahead.error)
    return FieldObserver(
        model.variables,
        model.weather,
        spec.state,
        spec.weather,
        spec.window_days,
        spec.weather_form == "daily",
        spec.progress,
        forecast,
    )


def reward(model: CropModel, task: FieldTask) -> Callable[[int], Reward]:
    """Return the function that makes the reward of n rows; all of them share the reference runs."""
    spec = task.reward
    if spec.kind == "rotation-profit":
        economy = spec.variable, spec.crop_prices, spec.crop_costs, spec.prices
        return lambda n: RotationProfit(model.variables, model.inputs, *economy, n)
    references = None
    if spec.kind == "growth-above-reference":
        references = ReferenceRuns(model.simulator, model.variables.column(spec.variable))

    def gain(n: int) -> Reward:
        if spec.kind == "storage-organ-weight":
            return WeightReward(model.variables, spec.variable, n)
        price = spec.product_price if spec.kind == "profit" and spec.product_price else 1.0
        priced = model.variables, model.inputs, spec.variable, spec.prices, spec.beta
        return GrowthReward(*priced, references, n, price)

    if not spec.constrained:
        return gain
    columns = model.inputs.columns(list(spec.limits))
    lost = None if spec.lost is None else model.variables.column(spec.lost)
    limits, penalty = list(spec.limits.values()), spec.paid_penalty
    return lambda n: ConstrainedReward(gain(n), columns, limits, lost, penalty, n)
