"""Building greenhouse tasks: worlds, actions, observations, reward."""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.data.overrides import as_filed
from agbench.envs.actions import ActionMap
from agbench.envs.core import Observer, Parts
from agbench.envs.greenhouse.actions import Controls, SetPoints, TemperatureMenu
from agbench.envs.greenhouse.ahead import error_paths, price_table
from agbench.envs.greenhouse.noise import ParameterNoise
from agbench.envs.greenhouse.observations import GreenhouseObserver
from agbench.envs.greenhouse.prices import GreenhousePrices
from agbench.envs.greenhouse.rewards import GreenhouseAccounts
from agbench.envs.greenhouse.scenarios import EpisodeWeather, GreenhouseKey, is_buildable, read_key
from agbench.envs.greenhouse.worlds import GreenhouseWorld, perturbed
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import AgBenchError, ConfigError, WeatherError, unknown
from agbench.simulators.base import Simulator
from agbench.simulators.greenlight.climate_computer import SETTINGS as RULES
from agbench.simulators.greenlight.climate_computer import settings_vector
from agbench.simulators.greenlight.equipment import without_effect
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.parameters.table import parameter_vector
from agbench.simulators.greenlight.parameters.uncertain import (
    check_drawn,
    check_level,
    half_width,
    uncertain_columns,
)
from agbench.simulators.greenlight.presets import Preset, preset
from agbench.simulators.greenlight.sensors import relative_humidity
from agbench.simulators.greenlight.setpoints import SetpointGreenhouse
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER, initial_state, wrong_state
from agbench.variables import Floats
from agbench.weather.greenhouse.series import from_frame
from agbench.weather.greenhouse.site import Measured

if TYPE_CHECKING:
    import pandas as pd


_KEPT: Final = 200
"""Worlds kept by a split without random ones; sixty days take 1.4 MB."""
_MOST_HUMIDITY: Final = 300.0  # %


def build(
    task: GreenhouseTask,
    split: str,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
) -> Parts:
    """Return the parts of a greenhouse task on one split; see `agbench.envs.family.build`."""
    worlds = _Worlds(task, weather)
    usual = as_filed(task)
    if years is None:
        _check_site(task, split, usual)
        _check_start(task, split, usual)
        keys = task.scenarios(split)
    else:
        keys = _of_years(task, split, years, usual)
    if not keys:
        raise ConfigError(f"{task.task}: the split {split!r} has no scenarios.")
    if years is None and task.splits[split].years is not None and _has_another_episode(task, usual):
        keys = _with_weather(worlds, keys)
    worlds.check_covered(keys)
    all_keys = [key for name in task.splits for key in task.scenarios(name)]
    return Parts(
        task=task,
        scenarios=ScenarioSet(
            split, keys, all_keys, worlds.build, random=worlds.random(keys), beyond=worlds.has, most=_KEPT
        ),
        actions=action_map(task),
        observer=observer(task),
        make_simulator=lambda n: make_simulator(task, n),
        make_reward=lambda n: GreenhouseAccounts(task, _parameters(task), worlds.prices.highest, n),
        hashes=lambda: worlds.hashes(keys),
        before_step=_noise(task),
    )


def _has_another_episode(task: GreenhouseTask, usual: GreenhouseTask) -> bool:
    """Return whether an override changed when a task's episodes start or how long they last."""
    return (usual.episode.start, usual.episode.length) != (task.episode.start, task.episode.length)


def _check_site(task: GreenhouseTask, split: str, usual: GreenhouseTask) -> None:
    """Refuse another site of the task where the split itself says where its greenhouse stands."""
    site, own = task.simulator.site, task.splits[split].site
    if own in (None, site) or site == usual.simulator.site:
        return
    catalog.find("site", site)  # raises for a name that is none
    raise ConfigError(
        f"{task.task}: simulator.site {site!r} would change nothing: the split {split!r} is at {own}. Choose "
        f"years measured there, as site={site!r}, years=[2010], or a scenario in reset: "
        f"options={{'scenario': '{site}/2010-{task.episode.start}'}}."
    )


def _check_start(task: GreenhouseTask, split: str, usual: GreenhouseTask) -> None:
    """Refuse another start of episodes where the split itself says when they begin."""
    start = task.episode.start
    spec = task.splits[split]
    if start == usual.episode.start or spec.first_days(start) != spec.first_days(usual.episode.start):
        return
    first = spec.first_days(start)[0]
    key = task.scenarios(split)[0].replace(first, first[: -len(start)] + start)
    raise ConfigError(
        f"{task.task}: episode.start {start!r} would change nothing: {split!r} has starts of its "
        f"own. Choose a scenario in reset, options={{'scenario': {key!r}}}, or years that begin on it: "
        "site='schiphol', years=[2010]."
    )


def _with_weather(worlds: "_Worlds", keys: Sequence[str]) -> list[str]:
    """Return the scenarios whose days all have weather; all of them where none has.

    A split lists years that suit the episodes of its file; others may run into days without weather.
    """
    errors: dict[str, AgBenchError] = {}
    for key in keys:
        try:
            worlds.check_covered([key])
        except (WeatherError, ConfigError) as error:
            errors[key] = error
    kept = [key for key in keys if key not in errors]
    if errors and kept:
        first = next(iter(errors.values()))
        warnings.warn(f"left out {', '.join(errors)}, which lack weather: {first}", stacklevel=2)
    return kept or list(keys)


def _of_years(task: GreenhouseTask, split: str, years: Sequence[int], usual: GreenhouseTask) -> list[str]:
    """Return the keys of chosen years of the split's place and start; another place or start is theirs.

    So is the task's start where the split has a range of starts.
    """
    free: dict[str, Any] = {"leaving_out": [], "starts": [], "generated": None, "hidden": None, "until": None}
    spec = task.splits[split]
    if task.episode.start != usual.episode.start or spec.until is not None:
        free["start"] = None  # of a range of starts it is the first, not that of each year
    if task.simulator.site != usual.simulator.site:
        free["site"] = None
    chosen = spec.model_copy(update={"years": list(years), **free})
    return task.model_copy(update={"splits": {split: chosen}}).scenarios(split)


def action_map(task: GreenhouseTask) -> ActionMap:
    """Return the action space of a task and what its actions mean; reads no weather."""
    spec = task.action
    rules = dict(zip(RULES.names, settings_vector(spec.rules, "action.rules").tolist(), strict=True))
    if spec.kind == "temperature":
        return TemperatureMenu(spec.temperatures, rules, spec.period)
    if spec.kind == "setpoints":
        return SetPoints(spec.ranges, rules)
    _check_installed(task)
    return Controls(spec.controls, spec.rate if spec.kind == "increment" else None)


def _check_installed(task: GreenhouseTask) -> None:
    """Refuse controls of equipment that the greenhouse does not have."""
    existing = [name for name in task.action.controls if name in CONTROLS]
    reason = without_effect(existing, _parameters(task))
    if reason is not None:
        raise ConfigError(
            f"{task.task}: action.controls: {reason}. Leave it out, or give it a capacity in "
            "simulator.parameters."
        )


def _noise(task: GreenhouseTask) -> ParameterNoise | None:
    """Return what draws parameters before every step; None where none are drawn by step."""
    if not task.uncertainty.parameters or task.uncertainty.every != "step":
        return None
    columns = uncertain_columns(task.uncertainty.parameters)
    return ParameterNoise(columns, _parameters(task)[columns])


def observer(task: GreenhouseTask) -> Observer:
    """Return what a task lets an agent see; reads no weather."""
    return GreenhouseObserver(task.observation)


def _preset(task: GreenhouseTask) -> Preset:
    """Return a task's greenhouse, with its choices of structure."""
    spec = task.simulator
    return preset(spec.preset, spec.structure, f"{task.task}: simulator.structure")


def _parameters(task: GreenhouseTask) -> Floats:
    """Return the parameters (208,) of a task's greenhouse, before any are perturbed."""
    changes = {**preset(task.simulator.preset).changes, **task.simulator.parameters}
    return parameter_vector(changes, f"{task.task}: simulator.parameters")


def make_simulator(task: GreenhouseTask, n: int, accuracy: Accuracy | None = None) -> Simulator:
    """Return the simulator of a task with n rows, at the task's own accuracy or at another."""
    spec = task.simulator
    accuracy = accuracy or ACCURACIES[spec.accuracy]
    chosen = _preset(task)
    if not task.action.uses_setpoints:
        return MeteredGreenhouse(n, chosen, INTERVAL, accuracy)
    rules = settings_vector(task.action.rules, "action.rules")
    return SetpointGreenhouse(n, rules, chosen, INTERVAL, accuracy)


class _Worlds:
    """Builds the worlds of scenarios."""

    def __init__(self, task: GreenhouseTask, weather: Any) -> None:
        self._task = task
        past = task.episode.dli == "past"
        self._weather = EpisodeWeather(task.episode, None if weather is None else _measured(weather, past))
        _check_crop(task)
        self._days = task.episode.intervals * INTERVAL // 86_400
        self._ahead = max([*task.observation.forecast_steps, 0]) + 1
        self.prices = GreenhousePrices(task.reward)
        self._parameters = _parameters(task)
        self._uncertain = uncertain_columns(task.uncertainty.parameters)
        self._levels = {0.0}
        _preset(task)
        check_drawn(task.uncertainty.parameters, f"{task.task}: uncertainty.parameters")
        self._check_level(task.uncertainty.level, f"{task.task}: uncertainty.level")

    def random(self, keys: Sequence[str]) -> bool:
        """Return whether the episode's generator draws weather or parameters."""
        usual = self._task.uncertainty.level
        taken = [read_key(key) for key in keys]
        uncertain = any((usual if key.level is None else key.level) > 0.0 for key in taken)
        drawn = self.prices.random or bool(self._task.observation.forecast_error)
        return uncertain or drawn or any(self._weather.random(key) for key in taken)

    def check_covered(self, keys: Sequence[str]) -> None:
        """Raise now where a scenario's days lack weather or prices, not in mid-training."""
        taken = {key: read_key(key) for key in keys}
        different = {read.covered_as: key for key, read in reversed(taken.items())}
        for key in reversed(different.values()):
            self._check(key, taken[key])

    def has(self, key: str) -> bool:
        """Return whether a key of no split can be built; raises where its days lack weather or prices."""
        return is_buildable(partial(self._check, key), key)

    def _check(self, key: str, taken: GreenhouseKey) -> None:
        try:
            self._weather.check(taken, self._days)
            self._check_level(taken.level or 0.0, "uncertainty")
            self.prices.rows(taken.first, self._days)
        except (WeatherError, ConfigError) as error:
            raise type(error)(f"{self._task.task}, scenario {key}: {error}") from None

    def _check_level(self, level: float, where: str) -> None:
        """Refuse a level of uncertainty, the task's own or a key's, that draws beyond parameters' bounds."""
        if level not in self._levels:
            check_level(level, self._task.uncertainty.parameters, self._parameters, where)
            self._levels.add(level)

    def hashes(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the SHA-256 of each site's series, and of price series."""
        return self._weather.hashes(map(read_key, keys)) | self.prices.hashes

    def build(self, key: str, generator: np.random.Generator | None) -> GreenhouseWorld:
        """Return the world of a scenario: weather, crop at the start, parameters."""
        task = self._task
        taken = read_key(key)
        first, level = taken.first, taken.level
        rows = self._weather.of(taken).table(first, self._days, self._ahead, generator)
        parameters = self._parameters
        by_step = task.uncertainty.every == "step"
        level = (task.uncertainty.level if level is None else level) * half_width(task.uncertainty.parameters)
        if level > 0.0 and not by_step and generator is not None:
            draws = generator.random(len(self._uncertain))
            parameters = parameters.copy()
            parameters[self._uncertain] = perturbed(parameters[self._uncertain], level, draws)
        start = initial_state(rows[0], float(first.timetuple().tm_yday - 1))
        for name, value in task.episode.crop.items():
            start[STATES.column(name)] = value
        hours = -(-self._ahead * INTERVAL // 3600)
        prices = self.prices.rows(first, self._days, hours, generator)
        errors = error_paths(task.observation.forecast_error, len(rows), generator)
        return GreenhouseWorld(
            structure=_preset(task).structure,
            weather=rows,
            parameters=parameters,
            start=start,
            steps=task.episode.intervals,
            first_day=first,
            level=level if by_step else 0.0,
            hours=len(prices),
            beside=(price_table(prices, self.prices.published_at), errors),
        )


def _check_crop(task: GreenhouseTask) -> None:
    """Refuse a start of the crop that names no state, sets one to what it cannot be, or steeps the air."""
    start = initial_state(np.zeros(len(WEATHER)))
    for name, value in task.episode.crop.items():
        if name not in STATES:
            raise unknown("state", name, STATES.names, f"{task.task}: episode.crop")
        wrong = wrong_state(name, value)
        if wrong:
            raise ConfigError(f"{task.task}: episode.crop: {wrong}")
        start[STATES.column(name)] = value
    for vapour, temperature in (("vpAir", "tAir"), ("vpTop", "tTop")):
        pressure, degrees = start[STATES.columns([vapour, temperature])].tolist()
        humidity = relative_humidity(pressure, degrees)
        if humidity > _MOST_HUMIDITY:
            usual = {
                name: "" if name in task.episode.crop else ", as usual" for name in (vapour, temperature)
            }
            raise ConfigError(
                f"{task.task}: episode.crop: with {temperature} of {degrees:.4g} degC{usual[temperature]}, "
                f"and {vapour} of {pressure:.4g} Pa{usual[vapour]}, the air has a humidity of "
                f"{humidity:.0f} %; it must be at most {_MOST_HUMIDITY:.0f} %. Set both: air of 100 % holds "
                f"{100.0 * pressure / humidity:.4g} Pa."
            )


def _measured(weather: "pd.DataFrame", past: bool) -> Measured:
    """Return a caller's table as weather; raises `WeatherError` unless it has the model's interval."""
    series = from_frame(weather)
    if series.interval != INTERVAL:
        raise WeatherError(
            f"weather {series.name}: rows are {series.interval} s apart; a greenhouse task needs one every "
            f"{INTERVAL} s. Interpolate the table, or hold each row: "
            f"weather.resample('{INTERVAL}s').ffill()."
        )
    return Measured(series, past)
