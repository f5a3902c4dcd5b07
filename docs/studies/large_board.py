"""A synthetic board, and how long its check and its page take: `python docs/studies/large_board.py`.

The submissions are real: random schedules of nitrogen, simulated, each with actions of its own, so that
they pass check and replay. They differ in method, information, training seeds and trust level. Prints a line
for each time. Takes about three minutes for a board of 1000 submissions that is
there; to make one takes longer.
"""

import argparse
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from agbench.data import catalog
from agbench.data.dataset import made
from agbench.data.submission import LEARNED
from agbench.envs.family import action_map
from agbench.evaluation.references import reported
from agbench.evaluation.runner import evaluate
from agbench.files import sha256, write_text
from agbench.leaderboard import board as places
from agbench.leaderboard import episodes
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.merging import merge
from agbench.leaderboard.page.building import build
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verified import Level
from agbench.policies.simple import Recorded
from agbench.untrusted.confined import end_idle

TASK: Final = "wheat-nitrogen-v1"
_DATASET: Final = "wheat-nitrogen/medium-v1"
_STEPS: Final = 60  # more decisions than a season has
_KINDS: Final = (
    ("rl", "observation"),
    ("rule", "observation"),
    ("offline-rl", "forecast"),
    ("rule", "state"),
    ("il", "state"),
    ("rule", "forecast"),
    ("oracle", "model"),
)
_LEVELS: Final[tuple[Level, ...]] = (
    *("claimed", "replayed", "reproduced"),
    *("reproduced", "reproduced", "reproduced"),
)


@dataclass(frozen=True)
class Timing:
    """What was measured: seconds that passed, and seconds of processors, child processes included."""

    what: str
    wall: float
    processors: float


def synthetic(board: Path, count: int, learned_seeds: int = 5, task: str = TASK) -> int:
    """Fill a board with `count` submissions to a task with a menu of actions; return their results' number.

    Every tenth is a second version of the agent before it. Learned agents have up to `learned_seeds`
    training seeds, all others one.
    """
    results = 0
    agent = 0
    for i in range(count):
        version = "2" if i % 10 == 9 else "1"
        agent += version == "1"
        method, information = _KINDS[agent % len(_KINDS)]
        seeds = learned_seeds - (i % 4 == 3) if method in LEARNED else 1
        results += max(seeds, 1)
        folder = places.place(board, task, f"agent-{agent:04d}", version)
        if not (folder / CARD).is_file():
            _submission(folder, np.random.default_rng(i), method, information, max(seeds, 1))
    return results


def _submission(
    folder: Path, generator: np.random.Generator, method: str, information: str, seeds: int
) -> None:
    """Write one submission, its card last."""
    task, agent, version = folder.parts[-3:]
    shutil.rmtree(folder, ignore_errors=True)
    record: dict[str, Any] = {}
    for seed in range(seeds):
        policy = _Schedule(task, generator, agent, information)
        for split in reported(catalog.task(task), "floor"):
            result = evaluate(task, policy, split, progress=False)
            result.save(folder / split / f"seed-{seed}")
            record = result.record
    trained: dict[str, Any] = {"steps": 100_000} if method in LEARNED else {}
    if method == "offline-rl":
        trained["dataset"] = {"name": _DATASET, "sha256": made(_DATASET)[0]}
    card = {
        "format": 1,
        "task": task,
        "task_hash": record["task_hash"],
        "agent": agent,
        "version": version,
        "authors": ["A. Grower", "B. Modeller"],
        "contact": "grower@example.org",
        "method": method,
        "information": information,
        "training": {"seeds": list(range(seeds)), "splits": ["train"], **trained},
        "paper": "https://example.org/paper",
        "files": {
            path.relative_to(folder).as_posix(): sha256(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        },
    }
    write_text(folder / CARD, yaml.safe_dump(card, sort_keys=False))


class _Schedule(Recorded):
    """Random actions of a menu, most of them the first, which is nothing."""

    def __init__(self, task: str, generator: np.random.Generator, name: str, information: str) -> None:
        menu: Any = action_map(catalog.task(task)).space
        drawn = generator.random(_STEPS + 1)
        share = 0.25 + 0.35 * drawn[0]
        chosen = [1 + int(v / share * (menu.n - 1)) if v < share else 0 for v in drawn[1:]]
        super().__init__([np.int64(v) for v in chosen], name)
        self.information = information  # type: ignore[assignment]


def grade(board: Path) -> None:
    """Give the submissions of a board trust levels in turn, most of them `reproduced`.

    As a verification does, keep the episodes that the pages of those show, and merge all.
    """
    result = [s for _, s in judged(board) if isinstance(s, CheckedSubmission)]
    for i, submission in enumerate(result):
        level = _LEVELS[i % len(_LEVELS)]
        if level != "claimed":
            verified.save(board, submission, "replayed" if level == "replayed" else "reproduced", i % 3 > 0)
            episodes.keep(board, submission)
    merge(board)


def measure(board: Path, cache: Path) -> Iterator[Timing]:
    """Yield the times of a check of all submissions, of a first build, of one with seasons kept."""
    started = _now()
    good = sum(isinstance(result, CheckedSubmission) for _, result in judged(board))
    yield _since(started, f"check, {good} good")
    for what in ("build, cold caches", "build, warm caches"):
        started = _now()
        built = build(board, cache=cache)
        yield _since(started, f"{what}, {built.submissions} pages")


def _now() -> tuple[float, float]:
    end_idle()  # a child process counts when it has ended
    return time.perf_counter(), sum(os.times()[:4])


def _since(started: tuple[float, float], what: str) -> Timing:
    wall, processors = _now()
    return Timing(what, wall - started[0], processors - started[1])


def main() -> None:
    """Make the board where it is not there, and print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000, help="submissions")
    parser.add_argument("--seeds", type=int, default=5, help="training seeds of learned agents")
    parser.add_argument("--board", type=Path, default=Path("runs/synthetic-board"))
    chosen = parser.parse_args()
    started = time.perf_counter()
    results = synthetic(chosen.board, chosen.count, chosen.seeds)
    print(f"{chosen.count} submissions, {results} results  made in {time.perf_counter() - started:8.1f} s")
    grade(chosen.board)
    cache = chosen.board / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    for timing in measure(chosen.board, cache):
        print(f"{timing.what:48} {timing.wall:8.1f} s, {timing.processors:8.1f} s of processors", flush=True)


if __name__ == "__main__":
    main()
