"""`agbench leaderboard first-rows | merged`: commands for maintainers."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.leaderboard_verdicts import shown_progress
from agbench.cli.options import BoardOption, KeptOption, WorkersOption, console, titled
from agbench.files import BOARD, REFERENCES


def first_rows_(
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK]...", help="Ids; default: all.")] = None,
    board: BoardOption = BOARD,
    workers: WorkersOption = 1,
    results: KeptOption = REFERENCES,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace outdated first rows; only before a release.")
    ] = False,
    reproducing: Annotated[
        bool, typer.Option("--reproduce/--replay-only", help="Whether to run the policies again.")
    ] = True,
) -> None:
    """Submit the reference policies of tasks, replay them, and reproduce all but the oracles.

    Rows that stand are left out: a run that was cut off goes on where it stopped.

    Example: `agbench leaderboard first-rows --workers 2`
    """
    from agbench.data import catalog
    from agbench.leaderboard import first_rows

    names = tasks or catalog.names("task")
    chosen = [(name, role) for name in names for role in first_rows.roles(name)]
    bad = first_rows.make_all(chosen, board, results, overwrite, reproducing, workers, _say)
    made = {first_rows.name_of(*row) for row in chosen}
    bad += _merged(board, made if overwrite else (), only=made)[1]
    if bad:
        raise typer.Exit(1)


def keep_(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="Ids of tasks.")],
    board: BoardOption = BOARD,
    results: KeptOption = REFERENCES,
) -> None:
    """Keep the results of reference policies that the board has, their actions simulated again.

    `agbench anchors` and `first-rows` then run only what changes afterwards, such as a blind calendar that
    is fitted anew, and search for no other reference again. The stored anchors must fit: call it before a
    policy's settings change.

    Example: `agbench leaderboard keep wheat-inputs-v1`
    """
    from agbench.leaderboard.keeping import keep

    for name in tasks:
        parts = list(keep(name, board, results))
        _say(f"{name}: {len(parts)} results kept in {results}")


def _merged(board: Path, again: Collection[str] = (), only: Collection[str] | None = None) -> tuple[int, int]:
    """Add new rows to the index, say which are refused, and return how many were added and refused.

    `only`: those of whose refusal is spoken; by default all.
    """
    from agbench.leaderboard.merging import merge

    with shown_progress() as progress:
        result = merge(board, again, progress)
    refused = {name: why for name, why in result.refused.items() if only is None or name in only}
    for name, reason in refused.items():
        console.print(titled("refused", name, "red"), soft_wrap=True)
        console.print(f"         {reason}", soft_wrap=True)
    return len(result.new), len(refused)


def _say(text: str) -> None:
    console.print(text, soft_wrap=True)


def merged_(
    board: BoardOption = BOARD,
    add: Annotated[
        bool, typer.Option("--add", help="Add rows that are new to the index, and keep what checks found.")
    ] = False,
) -> None:
    """Check that no merged row has changed. Exit code 1 if one changed, or was refused.

    `--add` checks each row, adds none that is refused, and keeps what it found (BOARD/checked/), so that
    builds need not check it again; after a change of the code that checks, call it once more.

    Example: `agbench leaderboard merged --add`
    """
    from agbench.leaderboard.checks import merged

    changed = merged.changes(board)
    for text in changed:
        console.print(f"changed  {text}", soft_wrap=True, style="red")
    if changed:
        raise typer.Exit(1)
    new, bad = _merged(board) if add else (0, 0)
    console.print(f"{len(merged.read(board))} merged rows, none changed; {new} of them new.")
    if bad:
        raise typer.Exit(1)
