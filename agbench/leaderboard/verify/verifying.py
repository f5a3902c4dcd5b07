"""Verifying rows and recording the results: one by one or in processes, all or only those that are due."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from agbench.data import catalog
from agbench.data.submission import Submission
from agbench.errors import AgBenchError, ConfigError
from agbench.evaluation import provenance
from agbench.leaderboard import board as places
from agbench.leaderboard import episodes
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission, read_card
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.replaying import Replay, replay
from agbench.leaderboard.verify.reproducing import Reproduction, reproduce
from agbench.leaderboard.verify.verified import Verified
from agbench.running import Engine, engine_of
from agbench.untrusted.folder import read_file
from agbench.untrusted.refusal import RefusedError

_Judged = tuple[Path, CheckedSubmission | RefusedError]


class Verification(Protocol):
    """Verifies submissions: the work may run anywhere; what it needs of the board is read here, and what
    is written down of it is written here."""

    def ask(self, submission: CheckedSubmission) -> Any:
        """Return what the work needs to know beside the submission."""

    def work(self, submission: CheckedSubmission, asked: Any) -> Any:
        """Return what was found; raises `RefusedError` where the submission does not hold."""

    def record(self, submission: CheckedSubmission, found: Any) -> str:
        """Write down what was found, and return a sentence about it."""


Verify = Callable[[CheckedSubmission], str] | Verification
"""A verification; or what verifies in one go, in this process, and returns a sentence."""


@dataclass(frozen=True)
class Verdict:
    """What was found of a row: whether it is good, and a sentence."""

    folder: Path
    good: bool
    message: str


@dataclass(frozen=True)
class _Found:
    """What verifying found, and the seconds that it took."""

    what: Replay | Reproduction
    seconds: float


@dataclass(frozen=True)
class To:
    """Verifies submissions to a level, and writes down on the board that they held.

    Those without a policy are only replayed; without a `level` each is verified to that which it had before.
    """

    board: Path
    level: Literal["replayed", "reproduced"] | None = None

    def ask(self, submission: CheckedSubmission) -> bool:
        """Return whether the policy is to run too."""
        level = self.level
        if level is None:
            now = provenance.simulator_hash(submission.task)
            level = verified.load(self.board, submission).due(now)  # type: ignore[assignment]
        return level == "reproduced" and submission.card.policy is not None

    def work(self, submission: CheckedSubmission, asked: bool) -> _Found:
        """Replay or reproduce a submission."""
        started = time.perf_counter()
        found = reproduce(submission) if asked else replay(submission)
        return _Found(found, time.perf_counter() - started)

    def record(self, submission: CheckedSubmission, found: _Found) -> str:
        """Write down that it held, and return a sentence."""
        text = _record(self.board, submission, found)
        if self.level == "reproduced" and submission.card.policy is None:
            return f"{submission.name}: brings no policy, so it was only replayed"
        return text


def replayed(board: Path, submission: CheckedSubmission) -> str:
    """Replay a submission here and write down that it held."""
    return _here(To(board, "replayed"), submission)


def reproduced(board: Path, submission: CheckedSubmission) -> str:
    """Reproduce a submission here, or replay one that brings no policy, and write down that it held."""
    return _here(To(board, "reproduced"), submission)


def _here(verify: Verification, submission: CheckedSubmission) -> str:
    return verify.record(submission, verify.work(submission, verify.ask(submission)))


def _record(board: Path, submission: CheckedSubmission, found: _Found) -> str:
    """Write down what was found, and return a sentence about it."""
    what = found.what
    again = what.replay if isinstance(what, Reproduction) else what
    episodes.keep(board, submission)  # first: a row whose level is written is not looked at again
    if isinstance(what, Reproduction):
        verified.save(board, submission, "reproduced", again.exact, near_ties=what.near_ties)
        word = "reproduced"
        ties = f", {what.near_ties} near-{'tie' if what.near_ties == 1 else 'ties'}" if what.near_ties else ""
    else:
        verified.save(board, submission, "replayed", again.exact)
        word, ties = "replayed", ""
    count = _episodes_in_words(again)
    return f"{submission.name}: {count} {word}, {_same(again)}{ties}, {found.seconds:.1f} s"


def due(board: Path, folders: Sequence[Path] | None = None) -> list[Path]:
    """Return the rows that were never verified, or with another hash than their task has now.

    By default of all of a board. A row that cannot be read is due: its check says what is wrong.
    """
    places.require(board)
    rows = [(folder, _load(board, folder)) for folder in folders or places.submissions(board)]
    return [folder for folder, names in rows if names is None or names[0].due(names[1]) is not None]


def unreproduced(board: Path) -> list[Path]:
    """Return the rows that bring a policy and were not reproduced with the physics of now.

    The tasks' own references that were replayed are not among them: an oracle runs for hours. A row that
    cannot be read is: its check says what is wrong.
    """
    places.require(board)
    result = []
    for folder in places.submissions(board):
        known = _load(board, folder)
        if known is None or not known[0].holds("reproduced", known[1]):
            card = _card(folder)
            if card is None or (card.policy is not None and not _stands(card, known)):
                result.append(folder)
    return result


def _stands(card: Submission, known: tuple[Verified, str] | None) -> bool:
    """Return whether a row is a task's own reference, replayed with the physics of now."""
    replayed = known is not None and known[0].holds("replayed", known[1])
    return replayed and is_reference(card, catalog.task(card.task))


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
    verify: Verify,
    board: Path,
    folders: Sequence[Path] | None = None,
    workers: int = 1,
    named: bool = True,
    on: str | Engine | None = None,
) -> Iterator[Verdict]:
    """Check rows, by default all of a board, verify those that are good, and yield what was found.

    With several workers, or on an engine (see `agbench.running`), they come as they are done. What does not
    hold loses its levels. `named`: the folders were named by a person, so that they are newer than all others
    (see `judged`).
    """
    engine = engine_of(on, workers)
    with contextlib.closing(judged(board, folders, named)) as result:
        if callable(verify):
            for folder, row in result:
                yield _refused(folder, row) if isinstance(row, RefusedError) else _said(verify, row)
        else:
            yield from _verdicts(verify, board, result, engine)


def _verdicts(
    verify: Verification, board: Path, rows: Iterator[_Judged], engine: Engine
) -> Iterator[Verdict]:
    """Yield verdicts as they come; rows are checked while others are verified."""
    refused: list[Verdict] = []
    under_way: dict[int, CheckedSubmission] = {}

    def sound() -> Iterator[tuple[CheckedSubmission, Any]]:
        number = 0
        for folder, row in rows:
            if isinstance(row, RefusedError):
                refused.append(_refused(folder, row))
            else:
                try:
                    asked = verify.ask(row)
                except ConfigError as error:
                    refused.append(_unreadable(folder, error))
                    continue
                under_way[number] = row
                number += 1
                yield row, asked

    with contextlib.closing(engine.run(_Rows(verify), sound())) as found:
        for number, answer in found:
            yield _verdict(verify, board, under_way.pop(number), answer)
            while refused:
                yield refused.pop(0)
    yield from refused


@dataclass(frozen=True)
class _Rows:
    """The work of a verification; its items are submissions."""

    verify: Verification

    def files(self) -> list[str]:
        """Return none: a submission holds all of its files."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Callable[[tuple[CheckedSubmission, Any]], Any]:
        """Return the function that verifies a submission; it returns what does not hold too."""

        def work(item: tuple[CheckedSubmission, Any]) -> Any:
            try:
                return self.verify.work(*item)
            except (RefusedError, ConfigError) as error:
                return error

        return work


def _said(verify: Callable[[CheckedSubmission], str], submission: CheckedSubmission) -> Verdict:
    return Verdict(submission.folder, True, verify(submission))


def _verdict(verify: Verification, board: Path, submission: CheckedSubmission, found: Any) -> Verdict:
    """Write down what was found of a row; what does not hold loses its levels."""
    try:
        if isinstance(found, Exception):
            raise found
        return Verdict(submission.folder, True, verify.record(submission, found))
    except RefusedError as error:
        verified.withdraw(board, submission)
        episodes.path(board, submission).unlink(missing_ok=True)
        return _refused(submission.folder, error)
    except ConfigError as error:
        return _unreadable(submission.folder, error)


def _unreadable(folder: Path, error: ConfigError) -> Verdict:
    """Return the verdict where what was written down of a row cannot be read: a person must look."""
    return Verdict(folder, False, f"{error} Repair that file, or delete it and verify again.")


def _refused(folder: Path, error: RefusedError) -> Verdict:
    return Verdict(folder, False, str(error))


def _episodes_in_words(result: Replay) -> str:
    return f"{result.episodes} episode{'' if result.episodes == 1 else 's'}"


def _same(result: Replay) -> str:
    return "equal to the last bit" if result.exact else f"within {result.largest_difference:.1g}"
