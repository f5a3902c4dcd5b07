"""Episodes simulated again from recorded actions, to be drawn.

Whoever verifies a row keeps them beside its record, `verified/TASK/AGENT/VERSION.episodes.json.gz`, with the
hash of the physics, so that a build of the page has nothing to simulate. What is not there is simulated once
and kept in the user's cache. Both know an episode by what it follows from: task, scenario, seed and actions;
the cache by the package's code too. What the board keeps is drawn until the row is verified again.
"""

import contextlib
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from agbench.cache import cache_folder
from agbench.data.reading import Strict, read_data
from agbench.data.submission import Hash
from agbench.data.task import Task
from agbench.envs import AgBenchEnv
from agbench.envs.curves import PanelData, curve
from agbench.envs.family import build, family
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import write_bytes
from agbench.leaderboard import board as places
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.leaderboard.json_cache import JsonCache
from agbench.policies import playing
from agbench.policies.simple import Recorded
from agbench.variables import Floats

if TYPE_CHECKING:
    from agbench.envs.rendering import EpisodePlot  # which loads Matplotlib

_FORMAT: Final = 4  # of what is kept; a new one when panels change
_DAY: Final = 86_400  # s
_LARGEST: Final = 20_000_000  # bytes of a row's episodes, unpacked
MOST: Final = 3
"""How many episodes of a row are shown at most."""


@dataclass(frozen=True)
class ShownEpisode:
    """An episode on a submission's page: which one it is among those of its seed, and its record."""

    role: str
    scenario: str
    claimed: float
    """The objective that was submitted for it."""
    record: EpisodeRecord
    earlier: bool = False
    """Whether it was simulated with an earlier version of the task's physics."""


class KeptEpisodes(Strict):
    """A row's episodes on a board, by name; `simulator` is the hash of the physics that made them."""

    simulator: Hash
    episodes: dict[str, Any]


def shown(
    submission: CheckedSubmission, count: int, cache: Path | None = None, board: Path | None = None
) -> list[ShownEpisode]:
    """Return `count` episodes of the first training seed on `test`: the median, the worst, the best.

    Those that are kept on the `board` are not simulated.
    """
    result = submission.of_split("test")[0]
    kept = None if board is None or not count else _read(path(board, submission))
    objective = np.array(result.columns[submission.task.protocol.objective], dtype=np.float64)
    folder = cache or cache_folder() / "episodes"
    return [
        _shown(submission, role, place, float(objective[place]), folder, kept)
        for role, place in chosen(objective, count)
    ]


def _shown(
    submission: CheckedSubmission,
    role: str,
    place: int,
    claimed: float,
    cache: Path,
    kept: KeptEpisodes | None,
) -> ShownEpisode:
    """Return an episode of the first training seed as the page shows it, simulated if it must be."""
    task, result = submission.task, submission.of_split("test")[0]
    scenario, name = result.columns["scenario"][place], _name(task, result, place)
    if kept is not None and name in kept.episodes:
        with contextlib.suppress(ConfigError, ValueError):  # changed by hand: simulated
            record = read_data(EpisodeRecord, kept.episodes[name], name)
            earlier = kept.simulator != provenance.simulator_hash(task)
            return ShownEpisode(role, scenario, claimed, record, earlier)
    return ShownEpisode(role, scenario, claimed, _cached(task, result, place, cache))


def path(board: Path, submission: CheckedSubmission) -> Path:
    """Return the file of a row's episodes on a board."""
    card = submission.card
    return board / places.VERIFIED / card.task / card.agent / f"{card.version}.episodes.json.gz"


def keep(board: Path, submission: CheckedSubmission, count: int = MOST) -> None:
    """Simulate the episodes that a row's page shows, and keep them on the board."""
    task, result = submission.task, submission.of_split("test")[0]
    objective = np.array(result.columns[task.protocol.objective], dtype=np.float64)
    before, physics = _read(path(board, submission)), provenance.simulator_hash(task)
    known = before.episodes if before is not None and before.simulator == physics else {}
    records = {}
    for _, place in chosen(objective, count):
        name = _name(task, result, place)
        records[name] = known.get(name) or _again(task, result, place).model_dump()
    text = json.dumps({"simulator": physics, "episodes": records}, separators=(",", ":"), sort_keys=True)
    packed = gzip.compress(text.encode(), mtime=0)
    write_bytes(path(board, submission), packed)


def _read(file: Path) -> KeptEpisodes | None:
    """Return the records of a file; None where it is not there or damaged."""
    try:
        with gzip.open(file) as stream:
            return read_data(KeptEpisodes, from_json(stream.read(_LARGEST)), str(file))
    except (OSError, ValueError, EOFError, zlib.error):
        return None


def chosen(objective: Floats, count: int) -> Iterator[tuple[str, int]]:
    """Yield role and place of the episodes to show; each place once."""
    order = np.argsort(objective, kind="stable").tolist()
    places = {"median": order[(len(order) - 1) // 2], "worst": order[0], "best": order[-1]}
    seen: set[int] = set()
    for role, place in list(places.items())[:count]:
        if place not in seen:
            seen.add(place)
            yield role, place


def _name(task: Task, result: CheckedResult, place: int) -> str:
    """Return what an episode is known by: the SHA-256 of all that it follows from."""
    actions = result.actions[place]
    episode = {name: result.columns[name][place] for name in ("scenario", "seed")}
    key = {
        "format": _FORMAT,
        "task": provenance.task_hash(task),
        "split": result.split,
        **episode,
        "actions": hashlib.sha256(
            f"{actions.dtype.str}{actions.shape}".encode() + actions.tobytes()
        ).hexdigest(),
    }
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def _cached(task: Task, result: CheckedResult, place: int, cache: Path) -> EpisodeRecord:
    """Return the record of an episode, simulated unless it is in the cache."""
    return JsonCache(cache).known(
        {"episode": _name(task, result, place)},
        lambda: _again(task, result, place),
        EpisodeRecord.model_dump,
        lambda kept: read_data(EpisodeRecord, kept, "episode"),
    )


def _again(task: Task, result: CheckedResult, place: int) -> EpisodeRecord:
    scenario, seed = str(result.columns["scenario"][place]), int(result.columns["seed"][place])
    return _simulated(task, result.split, scenario, seed, result.actions[place])


@lru_cache(maxsize=2)
def _environment(name: str, split: str, task_hash: str) -> "tuple[AgBenchEnv, EpisodePlot]":
    from agbench.data import catalog

    env = AgBenchEnv(build(catalog.task(name), split))
    return env, family(env.task).plot(env.core)


def _simulated(task: Task, split: str, scenario: str, seed: int, actions: NDArray[Any]) -> EpisodeRecord:
    env, plot = _environment(task.task, split, provenance.task_hash(task))
    return simulated(env, plot, scenario, seed, actions)


def simulated(
    env: AgBenchEnv, plot: "EpisodePlot", scenario: str, seed: int, actions: NDArray[Any]
) -> EpisodeRecord:
    """Simulate an episode's actions and return its record."""
    task = env.task
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
