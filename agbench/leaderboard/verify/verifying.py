"""Verifying rows and recording the results: one by one or in processes, all or only those that are due."""

import contextlib
import hashlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from agbench.data import catalog
from agbench.data.submission import Submission
from agbench.errors import AgBenchError, ConfigError
from agbench.evaluation import provenance
from agbench.leaderboard import board as places
from agbench.leaderboard import episodes
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CARD, CheckedSubmission, read_card
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.replaying import Replay, replay
from agbench.leaderboard.verify.reproducing import reproduce
from agbench.leaderboard.verify.verified import Verified
from agbench.untrusted.folder import read_file
from agbench.untrusted.refusal import RefusedError

Verify = Callable[[CheckedSubmission], str]
"""Verifies a submission and returns a sentence about it; raises `RefusedError` where it does not hold."""
_Judged = tuple[Path, CheckedSubmission | RefusedError]
_AHEAD: Final = 2  # rows a process that are checked and wait for it


@dataclass(frozen=True)
class Verdict:
    """What was found of a row: whether it is good, and a sentence."""

    folder: Path
    good: bool
    message: str


def replayed(board: Path, submission: CheckedSubmission) -> str:
    """Replay a submission and write down that it held."""
    started = time.perf_counter()
    result = replay(submission)
    verified.save(board, submission, "replayed", result.exact)
    episodes.keep(board, submission)
    return f"{submission.name}: {_episodes_in_words(result)} replayed, {_same(result)}, {_passed(started)}"


def reproduced(board: Path, submission: CheckedSubmission) -> str:
    """Reproduce a submission, or replay one that brings no policy, and write down that it held."""
    if submission.card.policy is None:
        replayed(board, submission)
        return f"{submission.name}: brings no policy, so it was only replayed"
    started = time.perf_counter()
    result = reproduce(submission)
    verified.save(board, submission, "reproduced", result.replay.exact, near_ties=result.near_ties)
    episodes.keep(board, submission)
    ties = (
        f", {result.near_ties} near-{'tie' if result.near_ties == 1 else 'ties'}" if result.near_ties else ""
    )
    same = _same(result.replay)
    return (
        f"{submission.name}: {_episodes_in_words(result.replay)} reproduced, {same}{ties}, {_passed(started)}"
    )


def renewed(board: Path, submission: CheckedSubmission) -> str:
    """Verify a submission to the level that it had before; replay it if it had none."""
    due = verified.load(board, submission).due(provenance.simulator_hash(submission.task))
    return (reproduced if due == "reproduced" else replayed)(board, submission)


def due(board: Path, folders: Sequence[Path] | None = None) -> list[Path]:
    """Return the rows that were never verified, or with another hash than their task has now.

    By default of all of a board. A row that cannot be read is due: its check says what is wrong.
    """
    places.require(board)
    rows = [(folder, _load(board, folder)) for folder in folders or places.submissions(board)]
    return [folder for folder, names in rows if names is None or names[0].due(names[1]) is not None]


def unreproduced(board: Path) -> list[Path]:
    """Return the rows that bring a policy and were not reproduced with the physics of now.

    A row that cannot be read is among them: its check says what is wrong.
    """
    places.require(board)
    result = []
    for folder in places.submissions(board):
        known = _load(board, folder)
        if known is None or not known[0].holds("reproduced", known[1]):
            card = _card(folder)
            if card is None or card.policy is not None:
                result.append(folder)
    return result


def _card(folder: Path) -> Submission | None:
    try:
        return read_card({CARD: read_file(folder, CARD)})
    except AgBenchError:
        return None


def _load(board: Path, folder: Path) -> tuple[Verified, str] | None:
    """Return what was verified of a row and the hash of its task's physics now; None where it is unsound."""
    try:
        content = read_file(folder, CARD)
        card = read_card({CARD: content})
        result = verified.of_card(board, card, hashlib.sha256(content).hexdigest())
        return result, provenance.simulator_hash(catalog.task(card.task))
    except AgBenchError:
        return None


def verify_all(
    verify: Verify, board: Path, folders: Sequence[Path] | None = None, workers: int = 1, named: bool = True
) -> Iterator[Verdict]:
    """Check rows, by default all of a board, verify those that are good, and yield what was found.

    With several workers they come as they are done. What does not hold loses its levels. `named`: the
    folders were named by a person, so that they are newer than all others (see `judged`).
    """
    with contextlib.closing(judged(board, folders, named)) as result:
        if workers == 1:
            for folder, row in result:
                yield _refused(folder, row) if isinstance(row, RefusedError) else _verdict(verify, board, row)
        else:
            yield from _in_pool(partial(_verdict, verify, board), result, workers)


def _in_pool(
    work: Callable[[CheckedSubmission], Verdict], rows: Iterator[_Judged], workers: int
) -> Iterator[Verdict]:
    """Yield verdicts of a pool of processes as they come; an error or an interruption ends them all."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _obey)
    try:
        yield from _as_done(pool, work, rows, workers * _AHEAD)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    pool.shutdown()


def _as_done(
    pool: ProcessPoolExecutor,
    work: Callable[[CheckedSubmission], Verdict],
    rows: Iterator[_Judged],
    ahead: int,
) -> Iterator[Verdict]:
    """Yield verdicts as they come; rows are checked while others are verified."""
    running: set[Future[Verdict]] = set()
    for folder, row in rows:
        if isinstance(row, RefusedError):
            yield _refused(folder, row)
            continue
        running.add(pool.submit(work, row))
        done, running = wait(running, None if len(running) >= ahead else 0.0, FIRST_COMPLETED)
        yield from (future.result() for future in done)
    while running:
        done, running = wait(running, None, FIRST_COMPLETED)
        yield from (future.result() for future in done)


def _obey() -> None:
    """Leave Ctrl-C to the process that the user sees, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _verdict(verify: Verify, board: Path, submission: CheckedSubmission) -> Verdict:
    try:
        return Verdict(submission.folder, True, verify(submission))
    except RefusedError as error:
        verified.withdraw(board, submission)
        episodes.path(board, submission).unlink(missing_ok=True)
        return _refused(submission.folder, error)
    except ConfigError as error:  # what was written down of it cannot be read; a person must look
        return Verdict(submission.folder, False, f"{error} Repair that file, or delete it and verify again.")


def _refused(folder: Path, error: RefusedError) -> Verdict:
    return Verdict(folder, False, str(error))


def _episodes_in_words(result: Replay) -> str:
    return f"{result.episodes} episode{'' if result.episodes == 1 else 's'}"


def _same(result: Replay) -> str:
    return "equal to the last bit" if result.exact else f"within {result.largest_difference:.1g}"


def _passed(started: float) -> str:
    return f"{time.perf_counter() - started:.1f} s"
