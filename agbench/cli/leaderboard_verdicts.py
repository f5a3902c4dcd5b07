"""What `agbench leaderboard check | replay | reproduce | hidden` print for each row."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from agbench.cli.options import console, counted, messages, print_json, titled

if TYPE_CHECKING:
    from agbench.leaderboard.verify.verifying import Verdict


def report(verdicts: "Iterable[Verdict]", json: bool) -> None:
    """Print verdicts one by one; exit code 1 if a row does not pass."""
    from agbench.untrusted.refusal import shown

    result = []
    for verdict in verdicts:
        result.append(verdict)
        if not json:
            console.print(_marked(verdict, shown(str(verdict.folder), 400)), soft_wrap=True)
            console.print(f"       {verdict.message}", soft_wrap=True)
    if json:
        print_json([_plain(verdict) for verdict in sorted(result, key=lambda v: v.folder)])
    if not all(verdict.good for verdict in result):
        raise typer.Exit(1)


def renew(folders: list[Path] | None, board: Path, workers: int, json: bool) -> None:
    """Verify the rows that are due and print one line for each; exit code 1 if one does not pass.

    So does an interruption. What was verified before it stands: the same command goes on with the others.
    """
    from agbench.leaderboard.verify.verifying import Verdict, due, renewed, verify_all

    rows = due(board, folders)
    verdicts: list[Verdict] = []
    try:
        if rows:
            for verdict in verify_all(partial(renewed, board), board, rows, min(workers, len(rows)), False):
                verdicts.append(verdict)
                if not json:
                    _line(verdict, f"{len(verdicts)}/{len(rows)}")
    except KeyboardInterrupt:
        left = counted(len(rows) - len(verdicts), "row")
        messages.print(f"interrupted: {left} left; run the same command again.")
        raise typer.Exit(1) from None
    if json:
        print_json([_plain(verdict) for verdict in sorted(verdicts, key=lambda v: v.folder)])
    else:
        _summary(len(verdicts), board)
    if not all(verdict.good for verdict in verdicts):
        raise typer.Exit(1)


def _line(verdict: "Verdict", place: str) -> None:
    from agbench.untrusted.refusal import shown

    text = verdict.message if verdict.good else f"{shown(str(verdict.folder), 400)}: {verdict.message}"
    console.print(_marked(verdict, f"{place}  {text}"), soft_wrap=True)


def _summary(done: int, board: Path) -> None:
    """Print how many rows were due, and what else is due."""
    from agbench.leaderboard.verify.verifying import awaiting_hidden

    if not done:
        console.print("nothing is due: every row is verified with this version.")
    waiting = len(awaiting_hidden(board))
    if waiting:
        rows = counted(waiting, "hidden run")
        console.print(f"{rows} of an earlier version: agbench leaderboard hidden --secret FILE")


def _marked(verdict: "Verdict", text: str) -> Text:
    return titled("good", text, "green") if verdict.good else titled("refused", text, "red")


def _plain(verdict: "Verdict") -> dict[str, Any]:
    return {"folder": str(verdict.folder), "good": verdict.good, "message": verdict.message}
