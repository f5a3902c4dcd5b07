"""`agbench leaderboard check | replay | reproduce | score`: how far a submission can be believed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from agbench.cli.leaderboard_rows import first_rows_, merged_
from agbench.cli.options import BoardOption, JsonOption, console, print_json
from agbench.leaderboard import board as places
from agbench.leaderboard import scoring, verified
from agbench.leaderboard.checking import CheckedSubmission, check
from agbench.leaderboard.duplicates import Known
from agbench.leaderboard.making import described
from agbench.leaderboard.replaying import replay
from agbench.leaderboard.reproducing import reproduce
from agbench.untrusted import RefusedError, tables
from agbench.untrusted.confined import confined
from agbench.untrusted.refusal import shown

leaderboard = typer.Typer(
    name="leaderboard", help="Check, replay, reproduce and score submissions.", no_args_is_help=True
)
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FOLDER]...", help="Submissions; all of the board if none is named."),
]
Judged = Iterator[tuple[Path, CheckedSubmission | RefusedError]]
Verify = Callable[[CheckedSubmission], str]


@leaderboard.command("check")
def check_(folders: Folders = None, board: BoardOption = places.DEFAULT, json: JsonOption = False) -> None:
    """Check form, hashes, completeness and originality; simulates nothing. Exit code 1 if any is bad.

    Example: `agbench leaderboard check leaderboard/submissions/wheat-nitrogen-v1/mine/1.0`
    """
    _verify(folders, board, json, described)


@leaderboard.command("replay")
def replay_(folders: Folders = None, board: BoardOption = places.DEFAULT, json: JsonOption = False) -> None:
    """Simulate every recorded action again and write down which submissions hold.

    Example: `agbench leaderboard replay`
    """

    def verify(submission: CheckedSubmission) -> str:
        started = time.perf_counter()
        found = replay(submission)
        verified.save(board, submission, "replayed", found.exact)
        said = "equal to the last bit" if found.exact else f"within {found.largest_difference:.1g}"
        return f"{submission.name}: {found.episodes} episodes, {said}, {time.perf_counter() - started:.1f} s"

    _verify(folders, board, json, verify)


@leaderboard.command("reproduce")
def reproduce_(
    folders: Folders = None, board: BoardOption = places.DEFAULT, json: JsonOption = False
) -> None:
    """Replay, then run the submitted policies and compare what they do with what was recorded.

    A submission that brings no policy is only replayed.

    Example: `agbench leaderboard reproduce`
    """

    def verify(submission: CheckedSubmission) -> str:
        exact = replay(submission).exact
        if submission.card.policy is None:
            verified.save(board, submission, "replayed", exact)
            return f"{submission.name}: brings no policy, so it was only replayed"
        found = reproduce(submission)
        verified.save(board, submission, "reproduced", exact and found.exact)
        return f"{submission.name}: {found.episodes} episodes reproduced"

    _verify(folders, board, json, verify)


@leaderboard.command("score")
def score_(folders: Folders = None, board: BoardOption = places.DEFAULT, json: JsonOption = False) -> None:
    """Score submissions: 0 is the task's floor, 100 its expert; the best first.

    Beside the score: the chance to beat the expert, the mean objective of the worst tenth of scenarios,
    the mean constraint cost of an episode with the task's limit, and the share of episodes that violate.
    Beyond the limit a submission is infeasible, and what it scores above 0 does not count.

    Example: `agbench leaderboard score --json`
    """
    good = [found for _, found in _judged(folders, board) if isinstance(found, CheckedSubmission)]
    rows = [scoring.row(submission, verified.load(board, submission)) for submission in good]
    rows.sort(key=lambda row: (row.task, not row.ranked, -row.scores["test"].iqm.value))
    if json:
        print_json([asdict(row) for row in rows])
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("task", "agent", "level", "seeds"):
        table.add_column(heading, overflow="fold")
    for heading in ("score (IQM)", "beats expert", "worst tenth", "cost (limit)", "violating"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        found = row.scores["test"]
        value, low, high = found.iqm
        table.add_row(
            row.task,
            f"{row.agent} {row.version}{'' if row.ranked else ' (unranked)'}",
            f"{row.level}{', exact' if row.exact else ''}",
            str(len(found.seeds)),
            rf"{value:.1f} \[{low:.1f}, {high:.1f}]{'' if found.feasible else ' infeasible'}",
            f"{found.beats_expert.value:.2f}",
            f"{found.worst_tenth:.3g}",
            f"{found.cost:.3g} ({found.limit:.3g})",
            f"{found.violating:.0%}",
        )
    console.print(table)
    if not all(row.ranked for row in rows):
        console.print(
            f"unranked: a rank takes the level reproduced and, of a learned agent, {scoring.SEEDS_TO_RANK} "
            "training seeds or more."
        )


def _judged(folders: list[Path] | None, board: Path) -> Judged:
    """Yield every submission with what its check found, and what is no submission but lies there."""
    for path in [] if folders else places.strays(board):
        yield path, RefusedError(path.name, "", "does not belong among the submissions.")
    known = Known(board)
    with confined(tables.READER) as child:
        for folder in folders or places.submissions(board):
            try:
                submission = check(folder, child)
                known.refuse_copy(submission)
                yield folder, submission
            except RefusedError as error:
                yield folder, error


def _verify(folders: list[Path] | None, board: Path, json: bool, verify: Verify) -> None:
    """Verify submissions one by one and print what was found; exit code 1 if one does not hold."""
    lines = []
    for folder, found in _judged(folders, board):
        refusal = found if isinstance(found, RefusedError) else None
        said = ""
        if isinstance(found, CheckedSubmission):
            try:
                said = verify(found)
            except RefusedError as error:
                refusal = error
                verified.withdraw(board, found)
        lines.append({"folder": str(folder), "good": refusal is None, "said": said or str(refusal)})
        if not json:
            mark = "[green]good[/green]" if refusal is None else "[red]refused[/red]"
            console.print(f"{mark}  {escape(shown(str(folder), 400))}", soft_wrap=True)
            console.print(f"       {lines[-1]['said']}", markup=False, soft_wrap=True)
    if json:
        print_json(lines)
    if not all(line["good"] for line in lines):
        raise typer.Exit(1)


leaderboard.command("merged")(merged_)
leaderboard.command("first-rows")(first_rows_)
