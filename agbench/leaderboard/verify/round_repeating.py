"""Repeating a closed round: all of its runs again, from the salt that it revealed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.leaderboard import board as places
from agbench.leaderboard import rounds, standings
from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.standings import RoundRow
from agbench.leaderboard.verify import hidden
from agbench.leaderboard.verify.hidden import HiddenRun
from agbench.leaderboard.verify.replaying import ATOL
from agbench.untrusted import tables
from agbench.untrusted.confined import confined
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

_RTOL: Final = 1e-4  # as reproducing allows


@dataclass(frozen=True)
class Repeated:
    """What came out of a run again: `good` within the tolerance of reproducing, `exact` to the last bit."""

    name: str
    good: bool
    exact: bool
    values: int


def repeat(board: Path, entry: LeaderboardRound) -> list[Repeated]:
    """Run everything of a closed round again and compare it with the values that were shown.

    Raises `ConfigError` where the values or the table are missing, or a row is no longer on the board.
    """
    table = standings.load(board, entry.task, entry.round)
    if table is None or entry.salt is None:
        raise ConfigError(f"{entry.name}: has no table, or is not closed.")
    written = standings.read_values(board, entry.task, entry.round)
    result = []
    with rounds.salt_file(entry.salt) as salt, confined(tables.READER) as child:
        for row in table.rows:
            if row.refused:
                continue
            if row.name not in written:
                raise ConfigError(f"{entry.name}: {row.name} is in the table and not among the values.")
            again = _run(board, entry, row, salt, child)
            result.append(_compared(f"{entry.name}: {row.name}", written[row.name], again))
    return result


def _run(board: Path, entry: LeaderboardRound, row: RoundRow, salt: Path, child: object) -> HiddenRun:
    task = catalog.task(entry.task)
    if row.reference is not None:
        return hidden.run_reference(task, row.reference, entry, salt)
    return hidden.run_submission(_submission(board, entry, row, child), entry, salt)


def _submission(board: Path, entry: LeaderboardRound, row: RoundRow, child: object) -> CheckedSubmission:
    folder = places.place(board, entry.task, row.agent, row.version)
    try:
        result = check(folder, child)  # type: ignore[arg-type]
    except RefusedError as error:
        raise ConfigError(f"{entry.name}: {row.name}: {error}") from None
    if result.digest != row.submission:
        raise ConfigError(f"{entry.name}: {row.name} is not the submission that was run.")
    return result


def _compared(name: str, written: HiddenRun, again: HiddenRun) -> Repeated:
    ours, theirs = _values(again), _values(written)
    exact = ours.shape == theirs.shape and bool(np.array_equal(ours, theirs))
    good = exact or (ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=_RTOL, atol=ATOL))
    return Repeated(name, good, exact, ours.size)


def _values(run: HiddenRun) -> Floats:
    """Return objective and cost of each seed and scenario, (seeds, 2, scenarios), repeats averaged."""
    rows = []
    for seed, objective in run.objective.items():
        cost = np.array(run.cost[seed]).reshape(len(objective), -1).mean(axis=1)
        rows.append([objective, cost.tolist()])
    return np.array(rows, dtype=np.float64)
