"""`agbench leaderboard score`: the scores of submissions as a table or as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from agbench.cli.options import (
    BoardOption,
    JsonOption,
    console,
    counted,
    literal_console,
    messages,
    plain,
    print_json,
)
from agbench.errors import AgBenchError
from agbench.files import BOARD

if TYPE_CHECKING:
    from agbench.leaderboard.scoring import ScoredRow

_LEFT: Final = ("agent", "level")  # columns of words; all others are numbers
_GAP: Final = 1  # between columns


def score_(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER]...", help="Submission folders; default: all on the board."),
    ] = None,
    board: BoardOption = BOARD,
    json: JsonOption = False,
) -> None:
    """Score submissions on the public test split, best first. 0 is the task's floor, 100 its oracle.

    These scores give no rank: a policy can have learned the public weather by heart. Ranks are those of the
    task's last round, in the column `rank`; `-` where a row was not in it. Beside the score: the chance to
    beat the expert, the mean objective of the worst tenth of scenarios, the mean constraint cost of an
    episode with the task's limit, and the share of episodes that violate.
    Beside the level: `exact` where final states were equal to the last bit on every kind of machine that
    replayed them, `exact 1/2` where on one of two; `earlier` where the level was verified with an earlier
    version of the physics.
    Beyond the limit a submission is infeasible, and what it scores above 0 does not count. What is no
    good submission is left out and named on standard error; the exit code is 1 then.

    Example: `agbench leaderboard score --json`
    """
    from agbench.leaderboard import scoring, standings
    from agbench.leaderboard.checks.judging import judged
    from agbench.leaderboard.scoring import ScoredRow
    from agbench.leaderboard.verify import verified
    from agbench.untrusted.refusal import shown

    rows: list[ScoredRow] = []
    ranks: dict[str, int | None] = {}
    errors = 0
    for folder, result in judged(board, folders):
        try:
            if isinstance(result, AgBenchError):
                raise result
            rows.append(scoring.row(result, verified.load(board, result)))
            ranks[result.name] = standings.last_rank(board, result)
        except AgBenchError as error:
            errors += 1
            messages.print(f"left out  {shown(str(folder), 400)}: {error}")
    rows.sort(key=lambda row: row.order)
    if json:
        print_json([asdict(row) | {"rank": ranks[_name(row)]} for row in rows])
    else:
        _print(rows, ranks)
    if errors:
        raise typer.Exit(1)


def _name(row: "ScoredRow") -> str:
    return f"{row.task} {row.agent} {row.version}"


def _print(rows: "Sequence[ScoredRow]", ranks: "Mapping[str, int | None]") -> None:
    """Print the rows under their tasks, without breaking words in a narrow terminal."""
    from agbench.leaderboard.verify import verified

    headings = ["agent", "level", "seeds", "test (IQM)", "rank"]
    headings += ["beats expert", "worst tenth", "cost (limit)", "violating"]
    lines = [list(_cells(row, ranks[_name(row)])) for row in rows]
    columns = list(zip(headings, *lines, strict=True))
    widths = [max(len(word) for text in column for word in text.split(" ")) for column in columns]
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(heading, justify="left" if heading in _LEFT else "right", min_width=width)
    for task, group in groupby(zip(rows, lines, strict=True), key=lambda pair: pair[0].task):
        table.add_section()
        table.add_row(Text(task, "bold"))
        for _, cells in group:
            table.add_row(*cells)
    needed = sum(widths) + _GAP * len(widths)
    literal_console(width=max(console.width, needed)).print(table)
    console.print("test: public scenarios, which can be overfitted; rank: in the last round, - if not in it")
    for reason in sorted({row.not_eligible for row in rows if row.not_eligible}):
        count = sum(row.not_eligible == reason for row in rows)
        console.print(f"{counted(count, 'row')} a round would not run: {reason}")
    if any(row.stale for row in rows):
        console.print(f"earlier: {verified.EARLIER} of the task's physics. Renew: agbench leaderboard replay")


def _cells(row: "ScoredRow", rank: int | None) -> Iterator[str]:
    """Yield the cells of a row, in the order of the headings."""
    result = row.scores["test"]
    value, low, high = result.iqm
    yield f"{row.agent} {row.version}"
    yield _level(row)
    yield str(row.distinct_seeds)
    yield f"{value:z.1f} [{low:z.1f}, {high:z.1f}]{'' if result.feasible else ' infeasible'}"
    yield "-" if rank is None else str(rank)
    yield f"{result.beats_expert.value:.2f}"
    yield plain(result.worst_tenth)
    yield f"{plain(result.cost)} ({plain(result.limit)})"
    yield f"{result.violating:.0%}"


def _level(row: "ScoredRow") -> str:
    """Return the level as short text; `exact 1/2`: equal to the last bit on one of two kinds of machine."""
    equal, kinds = row.standing.exact_kinds, len(row.exact)
    if row.stale:
        return f"{row.level}, earlier"
    exact = "" if not kinds else "exact" if equal == kinds else f"exact {equal}/{kinds}"
    ties = f"{row.near_ties} near-tie{'' if row.near_ties == 1 else 's'}" if row.near_ties else ""
    return ", ".join(filter(None, (row.level, exact, ties)))
