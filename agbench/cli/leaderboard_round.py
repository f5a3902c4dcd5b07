"""`agbench leaderboard round open | close`: publish the hash of a secret, and reveal the secret later."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import BoardOption, console
from agbench.files import BOARD

round_ = typer.Typer(
    name="round",
    help="Open and close a round of hidden scenarios.\n\nExample: `agbench leaderboard round repeat 1`",
    no_args_is_help=True,
)
SecretOption = Annotated[
    Path, typer.Option("--secret", metavar="FILE", help="File of the secret; not on the board.")
]


@round_.command("open")
def open_(
    secret: SecretOption,
    scenarios: Annotated[int, typer.Option(min=1, max=1000, help="Hidden scenarios for each task.")] = 50,
    board: BoardOption = BOARD,
) -> None:
    """Publish the SHA-256 of a secret. If the file does not exist, a new secret is written to it.

    Example: `agbench leaderboard round open --secret ../round-1.secret`
    """
    from agbench.leaderboard import rounds

    made = rounds.open_round(board, secret, scenarios)
    console.print(f"round {made.round} is open: {made.scenarios} hidden scenarios a task")
    console.print(f"    sha256 {made.sha256}", soft_wrap=True)
    console.print(
        f"    wrote {board / rounds.FILE}; keep {secret} secret until the round closes", soft_wrap=True
    )


@round_.command("close")
def close_(secret: SecretOption, board: BoardOption = BOARD) -> None:
    """Reveal the secret of the open round, so that anyone can repeat its hidden runs.

    Example: `agbench leaderboard round close --secret ../round-1.secret`
    """
    from agbench.leaderboard import rounds

    made = rounds.close_round(board, secret)
    console.print(f"round {made.round} is closed; its secret is in {board / rounds.FILE}", soft_wrap=True)
