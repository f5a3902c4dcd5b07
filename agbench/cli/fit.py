"""`agbench fit TASK POLICY`: tune a policy's settings on the training scenarios."""

from typing import Annotated

import typer

from agbench import data
from agbench.cli.options import TaskArgument, console
from agbench.policies.fitting import fit_file


def fit(
    task: TaskArgument,
    policy: Annotated[str, typer.Argument(help="A schedule or rules with settings in baselines/TASK/.")],
) -> None:
    """Tune a schedule's doses and dates, or a grower's rules, on the training scenarios, in its file.

    Example: `agbench fit wheat-nitrogen-v1 standard-practice`
    """
    spec = data.task(task)
    path, mean = fit_file(spec, policy)
    console.print(f"{task}  {policy}  mean training return {mean:.2f} {spec.protocol.objective_unit}")
    console.print(f"    wrote {path}")
