"""Keeping the results of reference policies that the board has, so that nobody searches for them again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.evaluation import anchors, references
from agbench.evaluation.references import Part
from agbench.evaluation.runner import replay_in
from agbench.files import REFERENCES
from agbench.leaderboard import board as places
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import check
from agbench.leaderboard.first_rows import VERSION
from agbench.leaderboard.verify.replaying import as_result
from agbench.untrusted import tables
from agbench.untrusted.confined import Confined, confined


def keep(name: str, board: Path, kept: Path = REFERENCES) -> Iterator[Part]:
    """Simulate the actions of a task's first rows again, and keep what they give as its references' results.

    Yields the parts that were kept; those that are kept already are left out. After that a policy whose
    settings change is evaluated anew for anchors and rows, and the other policies are not.

    Raises `ConfigError` where the stored anchors do not fit, for then nothing says that the rows are what the
    policies do now, and where a row and the anchors differ; `RefusedError` or `ResultError` for a row that
    is damaged or gives something else now.
    """
    task = catalog.task(name)
    reason = anchors.outdated(task)
    if reason is not None:
        raise ConfigError(f"{reason} Rows can be kept only while anchors fit: before settings change.")
    missing = [part for part in references.parts(task) if references.kept(part, kept) is None]
    with confined(tables.READER) as child:
        for part in missing:
            row = _row(part, board, child)
            _require_anchored(part, row)
            replay_in(task, as_result(task, row), references.place(part, kept))
            yield part


def _row(part: Part, board: Path, child: Confined) -> CheckedResult:
    """Return what the first row of a reference holds of a split."""
    folder = places.place(board, part.task, part.role, VERSION)
    if folder.is_dir():
        for result in check(folder, child).results:
            if result.split == part.split:
                return result
    raise ConfigError(f"{part}: {board} has no such row. Make it: agbench leaderboard first-rows {part.task}")


def _require_anchored(part: Part, row: CheckedResult) -> None:
    """Raise `ConfigError` where a row reaches anything else than the anchors hold."""
    task = catalog.task(part.task)
    stored = getattr(anchors.of_split(task, part.split), part.role)
    if not np.array_equal(as_result(task, row).objective, stored):
        raise ConfigError(f"{part}: the row on the board and the stored anchors differ.")
