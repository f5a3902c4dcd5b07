"""The relations between rows of a board: which one came first, and who made it."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from agbench.data.submission import Submission
from agbench.leaderboard import board as places
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks import merged
from agbench.leaderboard.checks.submission import CheckedSubmission, read_card
from agbench.untrusted.folder import read_file
from agbench.untrusted.refusal import RefusedError

MERGED, PRESENT, NEW = range(3)
"""How a row stands: in the index of merged rows, on the board, or just brought."""


@dataclass(frozen=True)
class BoardRow:
    """A folder of a board that should hold a submission."""

    folder: Path
    task: str
    agent: str
    version: str
    standing: int

    @property
    def name(self) -> str:
        """TASK/AGENT/VERSION."""
        return f"{self.task}/{self.agent}/{self.version}"


class Rows:
    """The rows of a board; `new` are the folders among them that were just brought."""

    def __init__(self, board: Path, new: Collection[Path] = ()) -> None:
        brought = {folder.absolute() for folder in new}
        index = merged.read(board)
        self.all = [_row(folder, index, brought) for folder in places.submissions(board)]
        self._cards: dict[Path, Submission | None] = {}
        self._standing = {row.name: row.standing for row in self.all}

    def standing(self, submission: CheckedSubmission) -> int:
        """Return how a submission stands; one that is not on the board is new."""
        card = submission.card
        return self._standing.get(f"{card.task}/{card.agent}/{card.version}", NEW)

    def others(self, submission: CheckedSubmission) -> list[BoardRow]:
        """Return the rows that stand against a submission: all others that are not newer than it."""
        card, own = submission.card, self.standing(submission)
        name = f"{card.task}/{card.agent}/{card.version}"
        return [row for row in self.all if row.name != name and row.standing <= own]

    def card(self, row: BoardRow) -> Submission | None:
        """Return the card of a row; None where it is unsound, which is refused elsewhere."""
        if row.folder not in self._cards:
            try:
                result = read_card({CARD: read_file(row.folder, CARD)})
            except RefusedError:
                result = None
            self._cards[row.folder] = result
        return self._cards[row.folder]


def _row(folder: Path, index: Mapping[str, str], brought: Collection[Path]) -> BoardRow:
    task, agent, version = folder.parts[-3:]
    merged_digest = index.get(f"{task}/{agent}/{version}")
    standing = NEW if folder.absolute() in brought else PRESENT
    if merged_digest is not None and _digest(folder) == merged_digest:
        standing = MERGED
    return BoardRow(folder, task, agent, version, standing)


def _digest(folder: Path) -> str:
    try:
        return hashlib.sha256(read_file(folder, CARD)).hexdigest()
    except RefusedError:
        return ""
