"""Episodes simulated again from recorded actions, to be drawn; kept by content in the user's cache."""

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
from agbench.data.reading import read_data
from agbench.data.task import Task
from agbench.envs import AgBenchEnv
from agbench.envs.curves import PanelData, curve
from agbench.envs.family import build, family
from agbench.envs.rendering import EpisodePlot
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import write_text
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.page.record import EpisodeRecord
from agbench.policies import playing
from agbench.policies.simple import Recorded
from agbench.variables import Floats

_FORMAT: Final = 3  # of what is kept; a new one when panels change
_DAY: Final = 86_400  # s


@dataclass(frozen=True)
class ShownEpisode:
    """An episode on a submission's page: which one it is among those of its seed, and its record."""

    role: str
    scenario: str
    claimed: float
    """The objective that was submitted for it."""
    record: EpisodeRecord


def shown(submission: CheckedSubmission, count: int, cache: Path | None = None) -> list[ShownEpisode]:
    """Return `count` episodes of the first training seed on `test`: the median, the worst, the best."""
    result = submission.of_split("test")[0]
    objective = np.array(result.columns[submission.task.protocol.objective], dtype=np.float64)
    return [
        ShownEpisode(
            role,
            result.columns["scenario"][place],
            float(objective[place]),
            _kept(submission.task, result, place, cache or cache_folder() / "episodes"),
        )
        for role, place in _chosen(objective, count)
    ]


def _chosen(objective: Floats, count: int) -> Iterator[tuple[str, int]]:
    """Yield role and place of the episodes to show; each place once."""
    order = np.argsort(objective, kind="stable").tolist()
    places = {"median": order[(len(order) - 1) // 2], "worst": order[0], "best": order[-1]}
    seen: set[int] = set()
    for role, place in list(places.items())[:count]:
        if place not in seen:
            seen.add(place)
            yield role, place


def _kept(task: Task, result: CheckedResult, place: int, cache: Path) -> EpisodeRecord:
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
            return read_data(EpisodeRecord, json.loads(path.read_text("utf-8")), str(path))
        except (ConfigError, ValueError):  # cut off or changed by hand: made again
            path.unlink()
    record = _simulated(task, result.split, str(episode["scenario"]), int(episode["seed"]), actions)
    write_text(path, json.dumps(record.model_dump(), separators=(",", ":")))
    return record


@lru_cache(maxsize=2)
def _environment(name: str, split: str, task_hash: str) -> tuple[AgBenchEnv, EpisodePlot]:
    from agbench.data import catalog

    env = AgBenchEnv(build(catalog.task(name), split))
    return env, family(env.task).plot(env.core)


def _simulated(task: Task, split: str, scenario: str, seed: int, actions: NDArray[Any]) -> EpisodeRecord:
    """Simulate an episode's actions and return its record."""
    env, plot = _environment(task.task, split, provenance.task_hash(task))
    decisions = playing.episode(env, Recorded(list(actions)), seed, scenario)
    info = next(decisions).info
    plot.begin(env.core)
    rewards, ends, problem = [], [], ""
    try:
        for decision in decisions:
            info = decision.info
            plot.add(env.core, decision.action, decision.reward)
            rewards.append(decision.reward)
            ends.append(float(info["elapsed"]))
        if len(rewards) < len(actions):
            problem = "there are actions after the episode's end."
    except Exception as error:  # recorded actions are anybody's
        ended = len(rewards) == len(actions)
        problem = "the actions end before the episode does." if ended else f"{type(error).__name__}: {error}"
    total = sum(rewards)
    objective = total if task.protocol.objective == "return" else float(info[task.protocol.objective])
    own = family(task)
    days: Floats = np.array(ends, dtype=np.float64) * own.step_seconds / _DAY
    panels = [*plot.panels(), _rewards(days, np.array(rewards, dtype=np.float64), _reward_unit(task))]
    first, last = own.start(env.core.worlds[0]), float(info["elapsed"]) * own.step_seconds / _DAY
    return EpisodeRecord(
        first_day=f"{first:%Y-%m-%d}",
        days=last,
        total=total,
        objective=objective,
        problem=problem,
        panels=panels,
    )


def _reward_unit(task: Task) -> str:
    """Return the unit of a step's reward: known where the return is the objective."""
    return task.protocol.objective_unit if task.protocol.objective == "return" else "-"


def _rewards(ends: Floats, rewards: Floats, unit: str) -> PanelData:
    """Return the panel of rewards, summed over a day where it has several, and their sum so far."""
    day = np.ceil(ends - 1e-9)
    days = np.unique(day)
    sums = np.array([rewards[day == d].sum() for d in days])
    total = curve("sum so far", unit, days, np.cumsum(sums), right=True)
    return PanelData(title="Reward", curves=[curve("reward", unit, days, sums, "bars"), total])
