"""`agbench report RUN`: one HTML file of a result, a training run or a dataset."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import console


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a result, of a training run or of a dataset.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The .html file to write; default: RUN.html."),
    ] = None,
    seasons: Annotated[int, typer.Option(min=0, max=3, help="Seasons to draw: median, worst, best.")] = 3,
) -> None:
    """Write what a folder holds as one HTML file: seasons, metrics, references, learning curve.

    The file loads nothing from elsewhere and can be sent as it is.

    Example: `agbench report runs/ppo`
    """
    from agbench.reporting import report as write

    path = write(run, out, seasons)
    own = run.name == run.resolve().name  # not so of `.`
    console.print(f"wrote {run.with_name(path.name) if own and not out else path}", soft_wrap=True)
