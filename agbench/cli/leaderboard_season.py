"""`agbench leaderboard season open | close`: the promise of a secret, and its keeping."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import BoardOption, console
from agbench.files import BOARD

season = typer.Typer(
    name="season", help="Open and close a season, whose secret the hidden scenarios follow from."
)
SecretOption = Annotated[
    Path, typer.Option("--secret", metavar="FILE", help="The season's secret; keep it off the board.")
]


@season.command("open")
def open_(
    secret: SecretOption,
    scenarios: Annotated[int, typer.Option(min=1, max=1000, help="Hidden scenarios a task.")] = 50,
    board: BoardOption = BOARD,
) -> None:
    """Publish the SHA-256 of a secret; a file that is not there is written with a new one.

    Example: `agbench leaderboard season open --secret ../season-1.secret`
    """
    from agbench.leaderboard import rounds

    made = rounds.open_season(board, secret, scenarios)
    console.print(f"season {made.season} is open: {made.scenarios} hidden scenarios a task")
    console.print(f"    sha256 {made.sha256}", soft_wrap=True)
    console.print(f"    wrote {board / rounds.FILE}; keep {secret} secret until the season closes")


@season.command("close")
def close_(secret: SecretOption, board: BoardOption = BOARD) -> None:
    """Reveal the secret of the open season, so that anyone can repeat its hidden runs.

    Example: `agbench leaderboard season close --secret ../season-1.secret`
    """
    from agbench.leaderboard import rounds

    made = rounds.close_season(board, secret)
    console.print(f"season {made.season} is closed; its secret stands in {board / rounds.FILE}")
