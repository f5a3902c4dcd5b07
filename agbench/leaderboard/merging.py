"""Merging rows: their digests go to the index, and what their checks found is kept for builds of the page."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agbench.leaderboard import board as places
from agbench.leaderboard.checks import checked, merged
from agbench.leaderboard.checks.judging import judged_alone
from agbench.leaderboard.checks.kept import KeptResults
from agbench.untrusted.refusal import RefusedError

if TYPE_CHECKING:
    from agbench.leaderboard.page.entries import Progress


@dataclass(frozen=True)
class Merge:
    """What a merge did: the rows, TASK/AGENT/VERSION, that it added, and those that it refused, with why."""

    new: list[str]
    refused: dict[str, str]


def merge(board: Path, again: Collection[str] = (), progress: "Progress | None" = None) -> Merge:
    """Add the rows that are on a board but not in its index, unless a check refuses them.

    `again` names unreleased rows whose digest is to be replaced. What the check of a row finds is kept in
    `BOARD/checked/`: a row that has nothing there, or what other code found, is checked now. `progress` is
    called for each row. Raises `ConfigError` where there is no board, where another merged row changed, or
    where anything else lies in `BOARD/checked/`.
    """
    places.require(board)
    folders = places.submissions(board)
    names = ["/".join(folder.parts[-3:]) for folder in folders]
    checked.sweep(board, names)
    refused = {}
    rows = judged_alone(folders, KeptResults(board=board, merging=True))
    for done, (name, found) in enumerate(zip(names, rows, strict=True)):
        if progress is not None:
            progress(done, len(names), name)
        if isinstance(found, RefusedError):
            refused[name] = str(found)
            checked.remove(board, name)
    new = merged.add(board, again, only=set(names) - set(refused))
    return Merge(new, refused)
