"""Seasons simulated again from recorded actions, to be drawn; kept by content in the user's cache."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.cache import cache_folder
from agbench.data.greenhouse_task import INTERVAL
from agbench.data.reading import read_data
from agbench.data.task import Task
from agbench.envs import SeasonEnv
from agbench.envs.family import build
from agbench.envs.field.season_figure import STATE_PANELS
from agbench.envs.field.season_panels import MOISTURE, Season, Setting, running_mean, shown_in
from agbench.envs.greenhouse.drawing import GreenhousePlot
from agbench.envs.rendering import SeasonPlot
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import write_text
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.page.record import Panel, SeasonRecord, curve, stems
from agbench.variables import Floats

_FORMAT: Final = 2  # of what is kept; a new one when panels change
_CLIMATE: Final = (
    ("Outdoors", (("tOut", "degC", False), ("iGlob", "W m-2", True))),
    ("Indoors", (("tAir", "degC", False), ("rh", "%", True))),
    ("CO2 and fruit", (("co2_ppm", "ppm", False), ("cFruit", "g m-2", True))),
    ("Heating, CO2, ventilation", (("uBoil", "-", False), ("uCo2", "-", False), ("uVent", "-", False))),
    ("Screens and lamps", (("uThScr", "-", False), ("uBlScr", "-", False), ("uLamp", "-", False))),
    ("Money", (("income", "EUR m-2", False), ("spent", "EUR m-2", False), ("profit", "EUR m-2", False))),
)


@dataclass(frozen=True)
class ShownSeason:
    """A season on a submission's page: which one it is among those of its seed, and its record."""

    role: str
    scenario: str
    claimed: float
    """The objective that was submitted for it."""
    record: SeasonRecord


def shown(submission: CheckedSubmission, count: int, cache: Path | None = None) -> list[ShownSeason]:
    """Return `count` seasons of the first training seed on `test`: the median, the worst, the best."""
    result = submission.of_split("test")[0]
    objective = np.array(result.columns[submission.task.protocol.objective], dtype=np.float64)
    return [
        ShownSeason(
            role,
            result.columns["scenario"][place],
            float(objective[place]),
            _kept(submission.task, result, place, cache or cache_folder() / "seasons"),
        )
        for role, place in _chosen(objective, count)
    ]


def _chosen(objective: Floats, count: int) -> Iterator[tuple[str, int]]:
    """Yield role and place of the seasons to show; each place once."""
    order = np.argsort(objective, kind="stable").tolist()
    places = {"median": order[(len(order) - 1) // 2], "worst": order[0], "best": order[-1]}
    seen: set[int] = set()
    for role, place in list(places.items())[:count]:
        if place not in seen:
            seen.add(place)
            yield role, place


def _kept(task: Task, result: CheckedResult, place: int, cache: Path) -> SeasonRecord:
    """Return the record of an episode, simulated unless it is in the cache."""
    actions = result.actions[place]
    episode = {name: result.columns[name][place] for name in ("scenario", "seed")}
    key = {
        "format": _FORMAT,
        "task": provenance.task_hash(task),
        "simulator": provenance.simulator_hash(task),
        "split": result.split,
        **episode,
        "actions": hashlib.sha256(
            f"{actions.dtype.str}{actions.shape}".encode() + actions.tobytes()
        ).hexdigest(),
    }
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    path = cache / name[:2] / f"{name}.json"
    if path.is_file():
        try:
            return read_data(SeasonRecord, json.loads(path.read_text("utf-8")), str(path))
        except (ConfigError, ValueError):  # cut off or changed by hand: made again
            path.unlink()
    record = _simulated(task, result.split, str(episode["scenario"]), int(episode["seed"]), actions)
    write_text(path, json.dumps(record.model_dump(), separators=(",", ":")))
    return record


@lru_cache(maxsize=2)
def _environment(name: str, split: str, task_hash: str) -> tuple[SeasonEnv, SeasonPlot]:
    from agbench.data import catalog

    env = SeasonEnv(build(catalog.task(name), split))
    return env, (env.core.parts.make_plot or SeasonPlot)(env.core)


def _simulated(task: Task, split: str, scenario: str, seed: int, actions: NDArray[Any]) -> SeasonRecord:
    """Simulate an episode's actions and return its record."""
    env, plot = _environment(task.task, split, provenance.task_hash(task))
    _, info = env.reset(seed=seed, options={"scenario": scenario})
    plot.begin(env.core)
    rewards, ends, problem, over = [], [], "", False
    for action in actions:
        if over:
            problem = "there are actions after the season's end."
            break
        try:
            _, reward, terminated, truncated, info = env.step(action)
        except Exception as error:  # recorded actions are anybody's; what is wrong with them is said
            problem = f"{type(error).__name__}: {error}"
            break
        plot.add(env.core, action, float(reward))
        rewards.append(float(reward))
        ends.append(float(info["elapsed"]))
        over = bool(terminated or truncated)
    if not over and not problem:
        problem = "the actions end before the season does."
    total = sum(rewards)
    objective = total if task.protocol.objective == "return" else float(info[task.protocol.objective])
    paid: Floats = np.array(rewards, dtype=np.float64)
    if isinstance(plot, GreenhousePlot):
        days: Floats = np.array(ends, dtype=np.float64) * INTERVAL / 86_400
        panels, first = _greenhouse(task, plot, days, paid), env.core.worlds[0].first_day
        last = float(days[-1]) if len(days) else 0.0
    else:
        setting, season = plot.told()
        panels, first, last = _field(task, setting, season), setting.start, float(season.today)
    return SeasonRecord(
        first_day=str(first), days=last, total=total, objective=objective, problem=problem, panels=panels
    )


def _field(task: Task, setting: Setting, season: Season) -> list[Panel]:
    """Return the panels of a field's season, those that its model has something for."""
    days = np.arange(season.today + 1.0)
    sky = season.weather
    panels = []
    if "TMIN" in sky and "TMAX" in sky:
        unit = setting.weather["TMIN"].unit
        curves = [curve("TMIN to TMAX", unit, days, sky["TMIN"], "band", top=sky["TMAX"])]
        if "IRRAD" in sky:
            factor, variable = shown_in(setting.weather["IRRAD"])
            mean = running_mean(sky["IRRAD"] * factor)
            curves.append(curve("IRRAD, 7-day mean", variable.unit, days, mean, right=True))
        panels.append(Panel(title="Weather", curves=curves))
    if "RAIN" in sky:
        factor, variable = shown_in(setting.weather["RAIN"])
        curves = [curve("RAIN", variable.unit, days, sky["RAIN"] * factor, "bars")]
        moisture = MOISTURE.found(setting.variables)
        if moisture is not None:
            states = season.states[moisture.name]
            curves.append(curve(moisture.name, moisture.unit, season.days, states, right=True))
        panels.append(Panel(title="Water", curves=curves))
    for title, left, right in STATE_PANELS:
        curves = [
            curve(v.name, v.unit, season.days, season.states[v.name], right=side is right)
            for side in (left, right)
            for v in (c.found(setting.variables) for c in side)
            if v is not None
        ]
        if curves:
            panels.append(Panel(title=title, curves=curves))
    return [
        *panels,
        *_doses(setting, season),
        _rewards(season.steps[:, 1], season.rewards, _reward_unit(task)),
    ]


def _doses(setting: Setting, season: Season) -> list[Panel]:
    """Return a panel for the inputs of each unit."""
    units = list(dict.fromkeys(variable.unit for variable in setting.inputs))
    return [
        Panel(
            title="Applied" if len(units) == 1 else f"Applied: {', '.join(names)}",
            curves=[
                stems(v.name, unit, season.steps[:, 0], season.doses[:, i])
                for i, v in enumerate(setting.inputs)
                if v.unit == unit
            ],
        )
        for unit in units
        for names in [[v.name for v in setting.inputs if v.unit == unit]]
    ]


def _greenhouse(task: Task, plot: GreenhousePlot, ends: Floats, rewards: Floats) -> list[Panel]:
    """Return the panels of a greenhouse's season, in means of a day."""
    table = plot.daily()
    panels = [
        Panel(
            title=title,
            curves=[
                curve(name, unit, table["days"], table[name], right=right) for name, unit, right in names
            ],
        )
        for title, names in _CLIMATE
    ]
    day = np.ceil(ends - 1e-9)
    found = np.unique(day)
    sums = np.array([rewards[day == d].sum() for d in found])
    return [*panels, _rewards(found, sums, _reward_unit(task))]


def _reward_unit(task: Task) -> str:
    """Return the unit of a step's reward: known where the return is the objective."""
    return task.protocol.objective_unit if task.protocol.objective == "return" else "-"


def _rewards(ends: Floats, rewards: Floats, unit: str) -> Panel:
    """Return the panel of rewards and their sum so far."""
    total = curve("sum so far", unit, ends, np.cumsum(rewards), right=True)
    return Panel(title="Reward", curves=[curve("reward", unit, ends, rewards, "bars"), total])
