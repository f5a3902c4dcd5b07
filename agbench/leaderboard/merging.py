"""Merging rows: their digests go to the index, and what their checks found is kept for builds of the page."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from agbench.leaderboard import board as places
from agbench.leaderboard.checks import merged
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.kept import KeptResults, place

if TYPE_CHECKING:
    from agbench.leaderboard.page.entries import Progress


def merge(board: Path, again: Collection[str] = (), progress: "Progress | None" = None) -> list[str]:
    """Add the rows that are on a board but not in its index, and return their names.

    `again` names unreleased rows whose digest is to be replaced. What the check of a row finds is kept in
    `BOARD/checked/`: a row that has nothing there, or what other code found, is checked now. What a check
    refuses has nothing there. `progress` is called for each row. Raises `ConfigError` where another merged
    row changed.
    """
    new = merged.add(board, again)
    _sweep(board)
    total = len(places.submissions(board))
    rows = judged(board, kept=KeptResults(board=board, merging=True))
    for done, (folder, _) in enumerate(rows):  # to check them is to keep what is found
        if progress is not None:
            progress(done, total, "/".join(folder.parts[-3:]))
    return new


def _sweep(board: Path) -> None:
    """Delete what was kept of rows that are gone."""
    there = {place(board, "/".join(folder.parts[-3:])) for folder in places.submissions(board)}
    for path in (board / places.CHECKED).glob("*/*/*.json.gz"):
        if path not in there:
            path.unlink()
