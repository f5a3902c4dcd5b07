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
from agbench.spec.field import Number
from agbench.spec.reading import Strict, read_file
from agbench.spec.submission import Hash

Level = Literal["claimed", "replayed", "reproduced", "hidden"]
LEVELS: Final[tuple[Level, ...]] = ("claimed", "replayed", "reproduced", "hidden")


class HiddenRun(Strict):
    """What a submitted policy reached in the hidden scenarios of a season of the leaderboard.

    `floor`, `expert`: the objective of the task's own in the same scenarios, in the same run;
    `objective`: that of each training seed; `expert_cost` and `cost`: the constraint costs, of each
    scenario and of each training seed's episodes; `metrics`: means over seeds and scenarios.
    """

    season: int = Field(ge=1)
    sha256: Hash
    floor: list[Number] = Field(min_length=1)
    expert: list[Number] = Field(min_length=1)
    expert_cost: list[Number] = Field(min_length=1)
    objective: dict[int, list[Number]] = Field(min_length=1)
    cost: dict[int, list[Number]] = Field(min_length=1)
    metrics: dict[str, Number]
    failed: int = Field(ge=0)


class Verified(Strict):
    """The highest level that a submission reached, and with what.

    `submission` is the SHA-256 of its card: it holds for these very files. `exact`: replayed states
    were equal to the last bit.
    """

    level: Level
    submission: str = Field(min_length=64, max_length=64)
    exact: bool = False
    hidden: HiddenRun | None = None
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


def save(
    board: Path,
    submission: CheckedSubmission,
    level: Level,
    exact: bool,
    hidden: HiddenRun | None = None,
) -> Verified:
    """Write down that a submission reached a level, unless it reached a higher one before.

    `hidden` replaces what it reached in hidden scenarios before, of an earlier season perhaps.
    """
    before = load(board, submission)
    if LEVELS.index(before.level) > LEVELS.index(level):
        level = before.level
    exact = exact or (before.exact and level != "replayed")
    found = _made(submission, level, exact, hidden or before.hidden)
    text = yaml.safe_dump(found.model_dump(exclude_none=True), sort_keys=False)
    write_text(_path(board, submission), text)
    return found


def withdraw(board: Path, submission: CheckedSubmission) -> None:
    """Forget what was verified of a submission, because it does not hold."""
    _path(board, submission).unlink(missing_ok=True)


def _made(
    submission: CheckedSubmission, level: Level, exact: bool, hidden: HiddenRun | None = None
) -> Verified:
    return Verified(
        level=level,
        submission=submission.digest,
        exact=exact,
        hidden=hidden,
        agbench=agbench.__version__,
        simulator_hash=provenance.simulator_hash(submission.task),
    )


def _path(board: Path, submission: CheckedSubmission) -> Path:
    card: Any = submission.card
    folder = places.place(board, card.task, card.agent, card.version)
    relative = folder.relative_to(board / places.SUBMISSIONS)
    if ".." in relative.parts:
        raise ConfigError(f"{relative}: not a place on the board.")
    return board / places.VERIFIED / relative.parent / f"{card.version}.yaml"
