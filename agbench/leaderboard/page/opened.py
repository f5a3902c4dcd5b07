"""The open rounds of a board as the first page tells them: those that close alike stand together."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from agbench.leaderboard import beacon, rounds
from agbench.leaderboard.rounds import LeaderboardRound


class OpenRounds(NamedTuple):
    """Open rounds with the same last day, quota and pulse; without a pulse each has a promise of its own."""

    closes: str
    versions: int
    pulse: int | None
    entries: list[LeaderboardRound]
    """By number of the round, then by task."""

    @property
    def address(self) -> str:
        """Where the pulse can be read when its time has come."""
        return beacon.address(self.pulse) if self.pulse is not None else ""

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Numbers of hidden scenarios, each with how many tasks have so many; those of most tasks first."""
        return Counter(entry.scenarios for entry in self.entries).most_common()

    @property
    def by_round(self) -> list[tuple[int, list[str]]]:
        """The tasks of each number of a round."""
        return [(number, [e.task for e in own]) for number, own in groupby(self.entries, lambda e: e.round)]


def opened(board: Path) -> Sequence[OpenRounds]:
    """Return the open rounds of a board, those that close first before the others."""
    by_terms: dict[tuple[str, int, int | None], list[LeaderboardRound]] = {}
    for entry in rounds.load(board):
        if entry.closed is None:
            by_terms.setdefault((entry.closes, entry.versions, entry.pulse), []).append(entry)
    return [
        OpenRounds(*terms, sorted(entries, key=lambda e: (e.round, e.task)))
        for terms, entries in sorted(by_terms.items(), key=lambda item: item[0][0])
    ]
