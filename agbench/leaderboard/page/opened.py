"""The open rounds of a board as the first page tells them: those that close alike stand together."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agbench.leaderboard import beacon, rounds
from agbench.leaderboard.rounds import LeaderboardRound


class OpenRounds(NamedTuple):
    """Open rounds with the same number, days, scenarios and quota; each has a promise of its own.

    Where a beacon gives their salts, `pulse` and its `address` are the promise of all.
    """

    round: int
    opened: str
    closes: str
    scenarios: int
    versions: int
    pulse: int | None
    entries: list[LeaderboardRound]

    @property
    def address(self) -> str:
        """Where the pulse can be read when its time has come."""
        return beacon.address(self.pulse) if self.pulse is not None else ""


def opened(board: Path) -> Sequence[OpenRounds]:
    """Return the open rounds of a board, those that close first before the others."""
    by_terms: dict[tuple[int, str, str, int, int, int | None], list[LeaderboardRound]] = {}
    for entry in rounds.load(board):
        if entry.closed is None:
            terms = (entry.round, entry.opened, entry.closes, entry.scenarios, entry.versions, entry.pulse)
            by_terms.setdefault(terms, []).append(entry)
    return [
        OpenRounds(*terms, sorted(entries, key=lambda e: e.task))
        for terms, entries in sorted(by_terms.items(), key=lambda item: item[0][2])
    ]
