"""`agbench fit TASK POLICY`: tune a schedule or rules on the training scenarios."""

from typing import Annotated

import typer

from agbench import data
from agbench.cli.options import TaskArgument, console
from agbench.policies.fitting import fit_file


def fit(
    task: TaskArgument,
    policy: Annotated[str, typer.Argument(help="A schedule or rules with settings in baselines/TASK/.")],
) -> None:
    """Tune doses, dates and thresholds on the training scenarios and write them to the settings file.

    Example: `agbench fit wheat-nitrogen-v1 standard-practice`
    """
    spec = data.task(task)
    path, mean = fit_file(spec, policy)
    console.print(f"{task}  {policy}  mean training return {mean:.2f} {spec.protocol.objective_unit}")
    console.print(f"    wrote {path}")
