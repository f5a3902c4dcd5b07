"""`agbench leaderboard round open | run | close | repeat`: competitions on hidden scenarios."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import BoardOption, OnOption, WorkersOption, console, counted
from agbench.files import BOARD

round_ = typer.Typer(
    name="round",
    help="Open, run, close and repeat rounds of hidden scenarios.\n\n"
    "Example: `agbench leaderboard round repeat wheat-nitrogen-v1`",
    no_args_is_help=True,
)
SecretOption = Annotated[
    Path | None,
    typer.Option("--secret", metavar="FILE", help="File of the maintainers' secret; not on the board."),
]
PulseOption = Annotated[
    Path | None,
    typer.Option("--pulse", metavar="FILE", help="File of the pulse that gives the salts, for such rounds."),
]
Tasks = Annotated[
    list[str] | None, typer.Argument(metavar="[TASK]...", help="Ids; default: all that it can be done for.")
]


def _key(secret: Path | None, pulse: Path | None) -> Path:
    """Return the file that gives the salts; raises where not one of both was named."""
    if secret is not None and pulse is not None:
        raise typer.BadParameter("give --secret or --pulse, not both.")
    if secret is None and pulse is None:
        raise typer.BadParameter("give --secret FILE, or --pulse FILE for rounds whose salts a beacon gives.")
    return secret or pulse  # type: ignore[return-value]


@round_.command("open")
def open_(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="Ids of the tasks.")],
    secret: SecretOption = None,
    beacon: Annotated[
        bool,
        typer.Option("--beacon", help="Salts from a public beacon after the last day, without a secret."),
    ] = False,
    scenarios: Annotated[int, typer.Option(min=2, max=1000, help="Hidden scenarios of each task.")] = 50,
    versions: Annotated[int, typer.Option(min=1, max=1000, help="Most versions of an author's agents.")] = 3,
    closes: Annotated[
        str | None, typer.Option(metavar="DATE", help="Day from which on it may be closed [in 30 days].")
    ] = None,
    board: BoardOption = BOARD,
) -> None:
    """Open a round of each task: publish the SHA-256 of its salt, which follows from the secret.

    If the file of the secret does not exist, a new secret is written to it. Keep it: it runs and closes the
    rounds, and no salt reveals it. With --beacon nobody keeps anything: a pulse of the drand network gives
    the salts after the last day, and any maintainer can run and close the rounds then.

    Example: `agbench leaderboard round open wheat-nitrogen-v1 --secret ../rounds.secret`
    """
    from agbench.data import catalog
    from agbench.leaderboard import rounds
    from agbench.leaderboard.beacon import NETWORK, address
    from agbench.leaderboard.verify import hidden

    if beacon == (secret is not None):
        raise typer.BadParameter("give --secret FILE or --beacon: what the salts come from.")
    for name in tasks:
        hidden.with_hidden(catalog.task(name), scenarios)
    for made in rounds.open_round(board, tasks, secret, scenarios, versions, closes):
        console.print(
            f"{made.name} is open: {made.scenarios} hidden scenarios, closes {made.closes} or later"
        )
        promise = (
            f"sha256 of the salt {made.sha256}" if made.sha256 else f"salt from {NETWORK} {made.promise}"
        )
        console.print(f"    {promise}", soft_wrap=True)
    on = "" if board == BOARD else f" --board {board}"
    if made.pulse is None:
        console.print(f"    wrote {board / rounds.FILE}; keep {secret} secret", soft_wrap=True)
        console.print(f"next: agbench leaderboard round run --secret {secret}{on}", soft_wrap=True)
    else:
        console.print(f"    wrote {board / rounds.FILE}", soft_wrap=True)
        console.print(f"after {made.closes}: save {address(made.pulse)} as FILE", soft_wrap=True)
        console.print(f"next: agbench leaderboard round run --pulse FILE{on}", soft_wrap=True)


@round_.command("run")
def run_(
    tasks: Tasks = None,
    secret: SecretOption = None,
    pulse: PulseOption = None,
    workers: WorkersOption = 1,
    on: OnOption = None,
    board: BoardOption = BOARD,
) -> None:
    """Run floor, blind calendar, expert and all eligible rows in the hidden scenarios of open rounds.

    A task's table is written when all of them have run, or stays as it was. What was run before is not run
    again: the command goes on where it was cut off, and takes in rows that are new.

    Example: `agbench leaderboard round run --secret ../rounds.secret --workers 4`
    """
    from agbench.leaderboard import rounds
    from agbench.leaderboard.verify import round_running

    key = _key(secret, pulse)
    entries = rounds.open_rounds(board, tasks, by_pulse=pulse is not None)
    round_running.run(board, entries, key, workers, lambda text: console.print(text, soft_wrap=True), on)


@round_.command("close")
def close_(
    tasks: Tasks = None,
    secret: SecretOption = None,
    pulse: PulseOption = None,
    early: Annotated[bool, typer.Option("--early", help="Close before the day that was announced.")] = False,
    board: BoardOption = BOARD,
) -> None:
    """Close open rounds: reveal their salts and every value, so that anyone can repeat them.

    Example: `agbench leaderboard round close wheat-nitrogen-v1 --secret ../rounds.secret`
    """
    from agbench.leaderboard import rounds
    from agbench.leaderboard.verify import round_running

    key = _key(secret, pulse)
    entries = rounds.open_rounds(board, tasks, by_pulse=pulse is not None)
    for made in round_running.close(board, entries, key, early):
        console.print(f"{made.name} is closed; its salt is in {board / rounds.FILE}", soft_wrap=True)


@round_.command("repeat")
def repeat_(
    tasks: Tasks = None,
    number: Annotated[
        int | None, typer.Option("--round", min=1, help="Number of the round [all closed ones].")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--record", help="Write into each table that was right with what it was repeated.")
    ] = False,
    workers: WorkersOption = 1,
    on: OnOption = None,
    board: BoardOption = BOARD,
) -> None:
    """Run closed rounds again and compare every value, and what their tables say with what follows from it.

    Exit code 1 if a value is not what was published, or a rank, an interval or another number of the table
    does not follow from the values. With --record a table that is right names the code of now, so that the
    page no longer calls it verified with an earlier version. Each row of each round is a piece of work for
    --workers or --on.

    Example: `agbench leaderboard round repeat wheat-nitrogen-v1 --round 1`
    """
    from agbench.leaderboard import rounds
    from agbench.leaderboard.verify.round_repeating import record, repeats
    from agbench.running import engine_of

    bad = exact = total = wrong = 0
    closed = rounds.closed_rounds(board, tasks, number)
    for entry, results in repeats(board, closed, engine_of(on, workers)):
        for result in results:
            same = "equal to the last bit" if result.exact else "within rounding"
            text = f"{counted(result.values, 'value')} {same}" if result.good else "gives different values"
            console.print(f"{result.name}: {text}", soft_wrap=True)
            for statement in result.wrong:
                console.print(f"{result.name}: {statement}", soft_wrap=True)
            bad, exact, total = bad + (not result.good), exact + result.exact, total + 1
            wrong += len(result.wrong)
        if keep and (file := record(board, entry, results)):
            console.print(f"{entry.name}: recorded in {file}", soft_wrap=True)
    console.print(f"{total} policies run again: {exact} equal to the last bit, {bad} different")
    does = "does" if wrong == 1 else "do"
    console.print(f"{counted(wrong, 'number')} of the tables {does} not follow from the values")
    if bad or wrong:
        raise typer.Exit(1)
