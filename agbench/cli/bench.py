"""`agbench bench`: speed, beside PCSE in the same run."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json


def bench(
    task: Annotated[str, typer.Argument(metavar="[TASK]", help="A field task.")] = "wheat-nitrogen-v1",
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for each figure [s].")] = 2.0,
    num_envs: Annotated[int, typer.Option(min=1, help="Size of the vector environment.")] = 256,
    json: JsonOption = False,
) -> None:
    """Measure speed on one core: kernel, environments, first call, and PCSE for comparison.

    Example: `agbench bench --seconds 5`
    """
    from agbench.benchmarks.fields import measure

    figures = measure(task, seconds, num_envs)
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
