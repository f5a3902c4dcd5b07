"""What `agbench leaderboard check | replay | reproduce | hidden` print for each row."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.text import Text

from agbench.cli.options import console, counted, literal_console, messages, print_json, titled

_EVERY: Final = 5.0  # s

if TYPE_CHECKING:
    from agbench.leaderboard.page.entries import Progress
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


@contextmanager
def shown_progress() -> "Iterator[Progress]":
    """Give what is told how far a build is: a line that changes in a terminal, else one every few seconds."""
    with literal_console(stderr=True).status("reading the board") as status:
        last = time.monotonic()

        def tell(done: int, total: int, name: str) -> None:
            nonlocal last
            text = f"{done} of {total}: {name}"
            status.update(Text(text))
            if not messages.is_terminal and time.monotonic() - last > _EVERY:
                last = time.monotonic()
                messages.print(text)

        yield tell


def renew(folders: list[Path] | None, board: Path, workers: int, on: str | None, json: bool) -> None:
    """Verify the rows that are due and print one line for each; exit code 1 if one does not pass.

    So does an interruption. What was verified before it stands: the same command goes on with the others.
    """
    from agbench.leaderboard.verify.verifying import To, Verdict, due, verify_all
    from agbench.running import engine_of

    engine_of(on, workers)  # a wrong engine is refused where nothing is due too
    rows = due(board, folders)
    verdicts: list[Verdict] = []
    try:
        if rows:
            for verdict in verify_all(To(board), board, rows, min(workers, len(rows)), False, on):
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
    """Print how many rows were due, and which rounds are outdated."""
    from agbench.leaderboard.verify.round_running import outdated

    if not done:
        console.print("nothing is due: every row is verified with this version.")
    for entry in outdated(board):
        console.print(f"{entry.name} was run with an earlier version: agbench leaderboard round run")


def _marked(verdict: "Verdict", text: str) -> Text:
    return titled("good", text, "green") if verdict.good else titled("refused", text, "red")


def _plain(verdict: "Verdict") -> dict[str, Any]:
    return {"folder": str(verdict.folder), "good": verdict.good, "message": verdict.message}
