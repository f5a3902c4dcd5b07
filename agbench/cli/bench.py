"""`agbench bench`: speed, compared with the reference engine in the same run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json


def bench(
    task: Annotated[str, typer.Argument(metavar="[TASK]", help="Id of a task.")] = "wheat-nitrogen-v1",
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for each measurement [s].")] = 2.0,
    num_envs: Annotated[
        int | None, typer.Option(min=1, help="Rows of the vector environment; default: 256 (fields) or 64.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            envvar="AGBENCH_GL_GYM",
            metavar="PYTHON",
            help="For greenhouses: a Python with gl-gym 0.3.2, to compare with.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure speed on one core: model, environments, first call, and reference engine (PCSE, CVODES).

    Example: `agbench bench --seconds 5`
    """
    from agbench.data import catalog
    from agbench.data.packages import load_place
    from agbench.envs.family import family

    figures = load_place(family(catalog.task(task)).benchmark)(task, seconds, num_envs, against)
    if json:
        print_json([asdict(figure) for figure in figures])
        return
    table = Table(box=None, pad_edge=False)
    for heading, side in (("", "left"), ("measured", "right"), ("", "left"), ("aim", "right")):
        table.add_column(heading, justify="right" if side == "right" else "left")
    for figure in figures:
        digits = 2 if figure.value < 100 else 0
        table.add_row(figure.what, f"{figure.value:,.{digits}f}", figure.unit, figure.aim)
    console.print(table)
