"""`agbench anchors TASK`: what floor, expert and oracle reach, stored as the task's constants."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from agbench import data
from agbench.cli.options import TaskArgument, console
from agbench.evaluation import anchors as library


def anchors(
    task: TaskArgument,
    root: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Root of data folders; by default that of the task's file."),
    ] = None,
) -> None:
    """Run the task's floor, expert and oracle on every split and store what they reach.

    Example: `agbench anchors wheat-nitrogen-v1`
    """
    found = library.compute(data.task(task))
    path = library.save(found, root or data.find("task", task).parents[1])
    for split, values in found.splits.items():
        rows = [scenario.model_dump(exclude_none=True) for scenario in values.values()]
        said = ", ".join(f"{role} {np.mean([row[role] for row in rows]):.3g}" for role in rows[0])
        console.print(f"{task}  {split}: mean {found.objective} of {said} {found.unit}")
    console.print(f"    wrote {path}")
