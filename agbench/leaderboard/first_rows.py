"""The first rows of a board: the reference policies of every task, submitted like all others."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.evaluation import provenance, references
from agbench.evaluation.references import ROLES, Part, Role
from agbench.evaluation.result import Result, action_files
from agbench.files import REFERENCES, alone, forget, recover
from agbench.leaderboard import board as places
from agbench.leaderboard import episodes
from agbench.leaderboard.checks.agents import AUTHORS, CONTACT
from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.leaderboard.submitting import refused_place, submit
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.replaying import Replay, replay
from agbench.leaderboard.verify.reproducing import reproduce
from agbench.leaderboard.verify.verified import Level
from agbench.untrusted import tables
from agbench.untrusted.confined import confined
from agbench.untrusted.refusal import RefusedError

VERSION: Final = "1"


@dataclass(frozen=True)
class FirstRow:
    """A row that stands: what replaying it found, the level that was verified, the seconds that it took.

    `replay` is None for a row that had been verified before.
    """

    name: str
    replay: Replay | None
    level: Level
    seconds: float

    def __str__(self) -> str:
        """The row in a line for the terminal."""
        if self.replay is None:
            return f"{self.name}: stands, verified before"
        result = self.replay
        same = "equal to the last bit" if result.exact else f"within {result.largest_difference:.1g}"
        return f"{self.name}: {result.episodes} episodes {self.level}, {same}, {self.seconds:.1f} s"


def roles(task: str) -> list[Role]:
    """Return the reference policies that a task has."""
    spec = catalog.task(task)
    return [role for role in ROLES if references.policy_name(spec, role) is not None]


def name_of(task: str, role: Role) -> str:
    """Return a first row's TASK/AGENT/VERSION: its agent is called by its role."""
    return f"{task}/{role}/{VERSION}"


def make(
    task: str,
    role: Role,
    board: Path,
    kept: Path = REFERENCES,
    overwrite: bool = False,
    reproducing: bool = True,
) -> FirstRow:
    """Put a first row on the board, replay it and, with `reproducing`, reproduce it unless it is an oracle.

    A row that stands, was verified with this simulator and does what the policy does now is left as it
    is; with `overwrite` one that is outdated is replaced, else it is refused. The older one is there until
    the new one is whole; where a run was killed while they changed places, it is brought back. Raises
    `RefusedError`.
    """
    folder = places.place(board, task, role, VERSION)
    if folder.parent.is_dir():
        with alone(folder, refused_place):
            recover(folder)
    parts = [part for part in references.parts(catalog.task(task)) if part.role == role]
    results = [references.run(part, kept)[0] for part in parts]
    level: Level = "reproduced" if reproducing and role != "oracle" else "replayed"
    with confined(tables.READER) as child:
        if folder.is_dir():
            standing = _standing(folder, parts, results, board, level, child)
            if standing is not None:
                _forget(folder)
                return FirstRow(name_of(task, role), None, level, 0.0)
        if overwrite or not folder.is_dir():
            card = _card(task, role, Result.load(results[0]))
            try:
                submit(results, card, board, official=True, replace=overwrite)
            except RefusedError:
                if overwrite or not folder.is_dir():
                    raise  # else another run put it there meanwhile: it is verified like one that stood
        submission = check(folder, child)
        _forget(folder)
    return _verify(submission, board, level)


def _forget(folder: Path) -> None:
    """Delete the older row that a killed run left beside the one that took its place."""
    with alone(folder, refused_place):
        forget(folder)


def make_all(
    rows: Sequence[tuple[str, Role]],
    board: Path,
    kept: Path,
    overwrite: bool,
    reproducing: bool,
    workers: int,
    say: Callable[[str], None],
) -> int:
    """Make rows in a pool of processes, say what was found of each, and return how many were refused."""
    bad = 0
    job = board, kept, overwrite, reproducing
    ordered = sorted(rows, key=lambda row: references.effort(Part(row[0], row[1], "test")), reverse=True)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        running = [pool.submit(_attempt, task, role, *job) for task, role in ordered]
        for finished in as_completed(running):
            text, good = finished.result()
            bad += not good
            say(text)
    return bad


def _attempt(
    task: str, role: Role, board: Path, kept: Path, overwrite: bool, reproducing: bool
) -> tuple[str, bool]:
    """Make a row in a process of the pool; return what to say of it, and whether it stands."""
    try:
        return str(make(task, role, board, kept, overwrite, reproducing)), True
    except RefusedError as error:
        remedy = "" if overwrite else " Where no release has had this row yet: --overwrite."
        return f"{name_of(task, role)}: refused: {error}{remedy}", False


def _standing(
    folder: Path, parts: list[Part], results: list[Path], board: Path, level: Level, child: Any
) -> CheckedSubmission | None:
    """Return a row that is on the board, if it is verified and took the actions of the results."""
    try:
        submission = check(folder, child)
    except RefusedError:
        return None
    for part, result in zip(parts, results, strict=True):
        files: dict[str, str] = Result.load(result).record["files"]
        for name in action_files(files):
            if submission.card.files.get(f"{part.split}/seed-0/{name}") != files[name]:
                return None
    now = provenance.simulator_hash(submission.task)
    return submission if verified.load(board, submission).holds(level, now) else None


def _verify(submission: CheckedSubmission, board: Path, level: Level) -> FirstRow:
    """Replay a row, or reproduce it if that is the chosen level, and record the level."""
    started = time.perf_counter()
    card = submission.card
    name = f"{card.task}/{card.agent}/{card.version}"
    again = reproduce(submission) if level != "replayed" else None
    result = again.replay if again is not None else replay(submission)
    episodes.keep(board, submission)  # first: a row whose level is written is not looked at again
    if again is None:
        verified.save(board, submission, "replayed", result.exact)
    else:
        verified.save(board, submission, "reproduced", result.exact, near_ties=again.near_ties)
    return FirstRow(name, result, level, time.perf_counter() - started)


def _card(task: str, role: Role, result: Result) -> dict[str, Any]:
    """Return what the card of a first row says."""
    method = "rule" if role != "oracle" else "oracle" if result.information == "model" else "mpc"
    text = {
        "floor": "The task's floor: a score of 0 everywhere.",
        "blind": "The task's blind calendar: the best fixed schedule that was found; it observes nothing.",
        "expert": "The task's expert: a mark for what skill is worth.",
        "oracle": "The task's oracle, which knows the weather: a score of 100 on test.",
    }[role]
    path = catalog.find_baseline(task, result.policy)
    about = f" {read_file(Baseline, path).summary}" if path is not None else ""
    return {
        "agent": role,
        "version": VERSION,
        "authors": AUTHORS,
        "contact": CONTACT,
        "method": method,
        "notes": f"{text} The policy {result.policy}.{about}",
        "policy": {"format": "rule", "name": result.policy},
    }
