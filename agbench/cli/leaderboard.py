"""`agbench leaderboard ...`: check, verify and score submissions, and build the page."""

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.leaderboard_round import round_
from agbench.cli.leaderboard_rows import first_rows_, keep_, merged_
from agbench.cli.leaderboard_score import score_
from agbench.cli.leaderboard_verdicts import renew, report, shown_progress
from agbench.cli.options import (
    BoardOption,
    JsonOption,
    OnOption,
    WorkersOption,
    console,
    counted,
    print_json,
    titled,
)
from agbench.files import BOARD

leaderboard = typer.Typer(
    name="leaderboard",
    help="Check, replay, reproduce, score and show submissions.\n\nExample: `agbench leaderboard score`",
    no_args_is_help=True,
)
leaderboard.add_typer(round_)
Folders = Annotated[list[Path] | None, typer.Argument(metavar="[FOLDER]...", help="Submission folders.")]
All = Annotated[bool, typer.Option("--all", help="All rows of the board, verified or not.")]

Stale = Annotated[
    bool,
    typer.Option(
        "--stale", help="Only rows that were never verified, or with an earlier version of the physics."
    ),
]


@leaderboard.command("check")
def check_(folders: Folders = None, board: BoardOption = BOARD, json: JsonOption = False) -> None:
    """Check form, hashes, completeness and originality, without simulation. Exit code 1 if a row is bad.

    Example: `agbench leaderboard check leaderboard/submissions/wheat-nitrogen-v1/mine/1.0`
    """
    from agbench.leaderboard.submitting import described
    from agbench.leaderboard.verify.verifying import verify_all

    report(verify_all(described, board, folders or None), json)


@leaderboard.command("replay")
def replay_(
    folders: Folders = None,
    board: BoardOption = BOARD,
    every: All = False,
    stale: Stale = False,
    workers: WorkersOption = 1,
    on: OnOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate every recorded action again and record which submissions pass.

    Without folders those whose verification is due: never verified, or with an earlier version of the
    physics; each as far as it was verified before, so that what had been reproduced is reproduced again.
    Rows are written down one by one: a run that was cut off goes on where it stopped.

    Example: `agbench leaderboard replay --workers 4`
    """
    from agbench.leaderboard.verify.verifying import To, verify_all

    if not every and (stale or not folders):
        renew(folders or None, board, workers, on, json)
    else:
        report(verify_all(To(board, "replayed"), board, folders or None, workers, on=on), json)


@leaderboard.command("reproduce")
def reproduce_(
    folders: Folders = None,
    board: BoardOption = BOARD,
    every: All = False,
    workers: WorkersOption = 1,
    on: OnOption = None,
    json: JsonOption = False,
) -> None:
    """Replay, and run the submitted policies too: they must take the recorded actions.

    Without folders those that bring a policy and were not reproduced with this version, but for the tasks'
    own references, of which an oracle takes hours: name them, or give --all. Decisions that differ where two
    values lie within rounding are replayed as recorded and counted as near-ties. A submission that brings no
    policy is only replayed.

    Example: `agbench leaderboard reproduce`
    """
    from agbench.leaderboard.verify.verifying import To, unreproduced, verify_all
    from agbench.running import engine_of

    engine_of(on, workers)  # a wrong engine is refused where nothing is due too
    rows = folders or (None if every else unreproduced(board))
    if rows == []:
        console.print(
            "nothing is due: every row that brings a policy is reproduced with this version or a reference."
        )
        return
    work = To(board, "reproduced")
    report(verify_all(work, board, rows, workers, bool(folders), on), json)


@leaderboard.command("build")
def build_(
    board: BoardOption = BOARD,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", file_okay=False, help="Folder of the site [BOARD/site]."),
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=0, max=3, help="Episodes to draw for each submission: median, worst, best.")
    ] = 3,
    files: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where readers find the board's submissions [on the board; a site elsewhere has copies].",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check all submissions and write the page and README.md. Exit code 1 if one is left out.

    Example: `agbench leaderboard build`
    """
    from agbench.leaderboard.page.building import README, build
    from agbench.untrusted.refusal import shown

    with shown_progress() as progress:
        built = build(board, out, episodes, progress=progress, files=files)
    if json:
        print_json(asdict(built))
    else:
        for refused in built.refused:
            console.print(titled("left out", shown(str(refused.folder), 400), "red"), soft_wrap=True)
            console.print(f"          {refused.reason}", soft_wrap=True)
        console.print(f"{counted(built.submissions, 'submission')} to {counted(built.tasks, 'task')}")
        console.print(f"    wrote {built.site}/index.html and {board / README}", soft_wrap=True)
    if built.refused:
        raise typer.Exit(1)


@leaderboard.command("serve")
def serve_(
    board: BoardOption = BOARD,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0: any free port.")] = 8000,
) -> None:
    """Serve the page that `build` wrote on this machine, until Ctrl-C.

    Example: `agbench leaderboard serve --port 8080`
    """
    from agbench.leaderboard.page.building import SITE
    from agbench.leaderboard.page.serving import ADDRESS, server

    with server(board / SITE, port) as running:
        console.print(f"http://{ADDRESS}:{running.server_port}/ shows {board / SITE}; Ctrl-C ends it.")
        with contextlib.suppress(KeyboardInterrupt):
            running.serve_forever()


leaderboard.command("score")(score_)
leaderboard.command("merged")(merged_)
leaderboard.command("first-rows")(first_rows_)
leaderboard.command("keep")(keep_)
