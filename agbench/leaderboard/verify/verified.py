"""The verified levels of a submission, stored beside the submissions, never in them.

A level is valid for the code that it was verified with, identified by its hash. When the task's hash changes,
the level is outdated until it is verified again.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import Field

import agbench
from agbench.data.plain import read_plain_file
from agbench.data.reading import Strict
from agbench.data.submission import Hash, Line
from agbench.errors import ConfigError
from agbench.evaluation import machine, provenance
from agbench.files import write_text
from agbench.leaderboard import board as places
from agbench.leaderboard.checks.submission import CheckedSubmission

Level = Literal["claimed", "replayed", "reproduced", "hidden"]
Verifiable = Literal["replayed", "reproduced", "hidden"]
LEVELS: Final[tuple[Level, ...]] = ("claimed", "replayed", "reproduced", "hidden")
EARLIER: Final = "verified with an earlier version"
"""The text for a level that was verified with other code."""


class Code(Strict):
    """What a level was verified with: the hash of the task's physics, the package, the kind of machine."""

    simulator_hash: Hash
    agbench: str
    machine: Line | None = None


class Verified(Strict):
    """The levels that a submission reached, each with the code it was verified with.

    `submission` is the SHA-256 of its card: all holds for these very files. `exact`: by kind of machine
    (see `agbench.evaluation.machine`), whether replayed states were equal to the last bit; it holds for
    the code of `replayed`. `near_ties`: how many decisions of the reproduced policy lay within rounding.
    """

    submission: Hash
    levels: dict[Verifiable, Code] = Field(default={})
    exact: dict[Line, bool] = Field(default={})
    near_ties: int = Field(default=0, ge=0)

    @property
    def level(self) -> Level:
        """The highest level that was reached, with whichever code."""
        return max(self.levels, key=LEVELS.index, default="claimed")

    def holds(self, level: Level, simulator_hash: str) -> bool:
        """Return whether a level was verified with the code of this hash."""
        return level == "claimed" or (
            level in self.levels and self.levels[level].simulator_hash == simulator_hash
        )

    def due(self, simulator_hash: str) -> Level | None:
        """Return the level that replaying or reproducing must verify again or first; None where all hold.

        Hidden runs are left out: they are a round's.
        """
        if self.levels.keys() <= {"hidden"}:
            return "replayed"
        outdated = [level for level in ("reproduced", "replayed") if level in self.levels]
        outdated = [level for level in outdated if not self.holds(level, simulator_hash)]
        return outdated[0] if outdated else None


@dataclass(frozen=True)
class Standing:
    """How far a submission is verified as of now: what is shown of it wherever it is shown."""

    level: Level
    stale: bool = False
    """Whether the level was verified with an earlier version of the task's physics."""
    exact: dict[str, bool] = field(default_factory=dict)
    """By kind of machine: whether states were equal to the last bit; with the code of now alone."""
    near_ties: int = 0

    @property
    def exact_kinds(self) -> int:
        """On how many kinds of machine states were equal to the last bit."""
        return sum(self.exact.values())

    @property
    def details(self) -> str:
        """The remarks beside the level; may be empty."""
        if self.stale:
            return EARLIER
        result = []
        if self.exact:
            kinds = "kind" if len(self.exact) == 1 else "kinds"
            result.append(f"bit-equal on {self.exact_kinds} of {len(self.exact)} {kinds}")
        if self.near_ties:
            result.append(f"{self.near_ties} near-{'tie' if self.near_ties == 1 else 'ties'}")
        return ", ".join(result)

    def __str__(self) -> str:
        """The level and its remarks in one line."""
        return ", ".join(filter(None, (self.level, self.details)))


def standing(record: Verified, simulator_hash: str) -> Standing:
    """Return how far a submission is verified, as what was found stands to the code of now."""
    exact = record.exact if record.holds("replayed", simulator_hash) else {}
    stale = not record.holds(record.level, simulator_hash)
    return Standing(record.level, stale, dict(exact), record.near_ties)


def load(board: Path, submission: CheckedSubmission) -> Verified:
    """Return what was verified of a submission: nothing where nothing was, or of other files."""
    return of_card(board, submission.card, submission.digest)


def of_card(board: Path, card: Any, digest: str) -> Verified:
    """Return what was verified of the submission with a card of this SHA-256."""
    path = _path(board, card)
    if path.is_file():
        result = read_plain_file(Verified, path)
        if result.submission == digest:
            return result
    return Verified(submission=digest)


def save(
    board: Path,
    submission: CheckedSubmission,
    level: Verifiable,
    exact: bool | None = None,
    *,
    near_ties: int = 0,
) -> Verified:
    """Write down that a submission reached a level with the code of now, beside what it reached before.

    Who reproduces has replayed. `exact` is what was found on this kind of machine; what was found on others
    with the same code stays.
    """
    before = load(board, submission)
    physics = provenance.simulator_hash(submission.task)
    now = Code(simulator_hash=physics, agbench=agbench.__version__, machine=machine.kind())
    reached: list[Verifiable] = ["replayed", "reproduced"] if level == "reproduced" else [level]
    kinds = before.exact
    if level != "hidden":
        kinds = kinds if before.holds("replayed", now.simulator_hash) else {}
        kinds = kinds if exact is None else {**kinds, machine.kind(): exact}
    result = Verified(
        submission=submission.digest,
        levels=dict(sorted((before.levels | dict.fromkeys(reached, now)).items(), key=_rank)),
        exact=dict(sorted(kinds.items())),
        near_ties=near_ties if level == "reproduced" else before.near_ties,
    )
    content = result.model_dump(exclude_none=True, exclude_defaults=True)
    write_text(_path(board, submission.card), yaml.safe_dump(content, sort_keys=False, width=200, indent=4))
    return result


def withdraw(board: Path, submission: CheckedSubmission) -> None:
    """Forget what was verified of a submission, because it does not hold."""
    _path(board, submission.card).unlink(missing_ok=True)


def _rank(item: tuple[Verifiable, Code]) -> int:
    return LEVELS.index(item[0])


def _path(board: Path, card: Any) -> Path:
    folder = places.place(board, card.task, card.agent, card.version)
    relative = folder.relative_to(board / places.SUBMISSIONS)
    if ".." in relative.parts:
        raise ConfigError(f"{relative}: not a place on the board.")
    return board / places.VERIFIED / relative.parent / f"{card.version}.yaml"
