"""What was verified of a submission: its trust level, kept beside the submissions, never in them."""

from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import Field

import agbench
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import write_text
from agbench.leaderboard import board as places
from agbench.leaderboard.checking import CheckedSubmission
from agbench.spec.reading import Strict, read_file

Level = Literal["claimed", "replayed", "reproduced"]
LEVELS: Final[tuple[Level, ...]] = ("claimed", "replayed", "reproduced")


class Verified(Strict):
    """The highest level that a submission reached, and with what.

    `submission` is the SHA-256 of its card: it holds for these very files. `exact`: replayed states
    were equal to the last bit.
    """

    level: Level
    submission: str = Field(min_length=64, max_length=64)
    exact: bool = False
    agbench: str
    simulator_hash: str


def load(board: Path, submission: CheckedSubmission) -> Verified:
    """Return what was verified of a submission: `claimed` where nothing was, or of other files."""
    path = _path(board, submission)
    if path.is_file():
        found = read_file(Verified, path)
        if found.submission == submission.digest:
            return found
    return _made(submission, "claimed", exact=False)


def save(board: Path, submission: CheckedSubmission, level: Level, exact: bool) -> Verified:
    """Write down that a submission reached a level, unless it reached a higher one before."""
    before = load(board, submission)
    if LEVELS.index(before.level) > LEVELS.index(level):
        level = before.level
    found = _made(submission, level, exact or (before.exact and level != "replayed"))
    text = yaml.safe_dump(found.model_dump(), sort_keys=False)
    write_text(_path(board, submission), text)
    return found


def withdraw(board: Path, submission: CheckedSubmission) -> None:
    """Forget what was verified of a submission, because it does not hold."""
    _path(board, submission).unlink(missing_ok=True)


def _made(submission: CheckedSubmission, level: Level, exact: bool) -> Verified:
    return Verified(
        level=level,
        submission=submission.digest,
        exact=exact,
        agbench=agbench.__version__,
        simulator_hash=provenance.simulator_hash(),
    )


def _path(board: Path, submission: CheckedSubmission) -> Path:
    card: Any = submission.card
    folder = places.place(board, card.task, card.agent, card.version)
    relative = folder.relative_to(board / places.SUBMISSIONS)
    if ".." in relative.parts:
        raise ConfigError(f"{relative}: not a place on the board.")
    return board / places.VERIFIED / relative.parent / f"{card.version}.yaml"
