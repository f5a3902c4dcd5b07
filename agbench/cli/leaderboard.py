"""`agbench leaderboard ...`: check, verify and score submissions, and build the page."""

import contextlib
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from agbench.cli.leaderboard_round import SecretOption, round_
from agbench.cli.leaderboard_rows import first_rows_, merged_
from agbench.cli.leaderboard_score import score_
from agbench.cli.leaderboard_verdicts import renew, report
from agbench.cli.options import (
    BoardOption,
    JsonOption,
    WorkersOption,
    console,
    counted,
    literal_console,
    print_json,
    titled,
)
from agbench.errors import ResultError
from agbench.files import BOARD

leaderboard = typer.Typer(
    name="leaderboard",
    help="Check, replay, reproduce, score and show submissions.\n\nExample: `agbench leaderboard score`",
    no_args_is_help=True,
)
leaderboard.add_typer(round_)
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FOLDER]...", help="Submission folders; default: all on the board."),
]


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
    stale: Stale = False,
    workers: WorkersOption = 1,
    json: JsonOption = False,
) -> None:
    """Simulate every recorded action again and record which submissions pass.

    With `--stale` only those whose verification is due, each as far as it was verified before: what had been
    reproduced is reproduced again. Rows are written down one by one, so that a run that was cut off goes
    on where it stopped.

    Example: `agbench leaderboard replay --stale --workers 4`
    """
    from agbench.leaderboard.verify.verifying import replayed, verify_all

    if stale:
        renew(folders or None, board, workers, json)
    else:
        report(verify_all(partial(replayed, board), board, folders or None, workers), json)


@leaderboard.command("reproduce")
def reproduce_(
    folders: Folders = None, board: BoardOption = BOARD, workers: WorkersOption = 1, json: JsonOption = False
) -> None:
    """Replay, and run the submitted policies too: they must take the recorded actions.

    Decisions that differ where two values lie within rounding are replayed as recorded and counted as
    near-ties. A submission that brings no policy is only replayed.

    Example: `agbench leaderboard reproduce`
    """
    from agbench.leaderboard.verify.verifying import reproduced, verify_all

    report(verify_all(partial(reproduced, board), board, folders or None, workers), json)


@leaderboard.command("hidden")
def hidden_(
    secret: SecretOption, folders: Folders = None, board: BoardOption = BOARD, json: JsonOption = False
) -> None:
    """Run the submitted policies in the hidden scenarios of the open round, which decide the ranks.

    Those not reproduced with this version are reproduced first. The secret must be the one promised.

    Example: `agbench leaderboard hidden --secret ../round-1.secret`
    """
    from agbench.evaluation import provenance
    from agbench.leaderboard import rounds, scoring
    from agbench.leaderboard.checks.submission import CheckedSubmission
    from agbench.leaderboard.verify import verified
    from agbench.leaderboard.verify.hidden import HiddenRuns, obstacle
    from agbench.leaderboard.verify.verifying import reproduced, verify_all

    runs = HiddenRuns(rounds.current(board), secret)

    def verify(submission: CheckedSubmission) -> str:
        why_not = obstacle(submission)
        if why_not is not None:
            return f"{submission.name}: stays {verified.load(board, submission).level}: {why_not}"
        now = provenance.simulator_hash(submission.task)
        if not verified.load(board, submission).holds("reproduced", now):
            reproduced(board, submission)
        try:
            result = runs.run(submission)
        except ResultError as error:
            return f"{submission.name}: stays {verified.load(board, submission).level}: {error}"
        verified.save(board, submission, "hidden", hidden=result)
        value, low, high = scoring.hidden_score(submission.task, result).iqm
        return (
            f"{submission.name}: round {result.round}, {len(result.floor)} hidden scenarios, "
            f"score {value:.1f} [{low:.1f}, {high:.1f}]"
        )

    report(verify_all(verify, board, folders or None), json)


@round_.command("repeat")
def repeat_(
    number: Annotated[int, typer.Argument(metavar="ROUND", help="Number of a closed round.")],
    folders: Folders = None,
    board: BoardOption = BOARD,
    json: JsonOption = False,
) -> None:
    """Run the hidden scenarios of a closed round again and compare with the recorded results.

    Example: `agbench leaderboard round repeat 1`
    """
    from agbench.leaderboard import rounds
    from agbench.leaderboard.checks.submission import CheckedSubmission
    from agbench.leaderboard.verify import verified
    from agbench.leaderboard.verify.hidden import HiddenRuns, compare
    from agbench.leaderboard.verify.verifying import verify_all

    with rounds.revealed(board, number) as (closed, secret):
        runs = HiddenRuns(closed, secret)

        def verify(submission: CheckedSubmission) -> str:
            written = verified.load(board, submission).hidden
            if written is None or written.round != number:
                return f"{submission.name}: did not take part in round {number}"
            compare(written, runs.run(submission))
            return f"{submission.name}: round {number} again, {len(written.floor)} scenarios as written"

        report(verify_all(verify, board, folders or None), json)


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
    json: JsonOption = False,
) -> None:
    """Check all submissions and write the page and README.md. Exit code 1 if one is left out.

    Example: `agbench leaderboard build`
    """
    from agbench.leaderboard.page.building import README, build
    from agbench.untrusted.refusal import shown

    with literal_console(stderr=True).status("reading the board") as status:
        built = build(
            board,
            out,
            episodes,
            progress=lambda done, total, name: status.update(Text(f"{done} of {total}: {name}")),
        )
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
