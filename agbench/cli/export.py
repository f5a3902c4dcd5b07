"""`agbench export TASK MODEL -o policy.npz`: write a trained model as plain arrays."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import TaskArgument, console


def export(
    task: TaskArgument,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A zip of Stable-Baselines3.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")] = Path(
        "policy.npz"
    ),
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="PPO, A2C, DQN, SAC, TD3, DDPG, RecurrentPPO; default: from the zip."
        ),
    ] = None,
    normalisation: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File saved by VecNormalize, if it was used.")
    ] = None,
) -> None:
    """Write a trained model as policy.npz, after a comparison on 1,000 observations of the task.

    Example: `agbench export wheat-nitrogen-v1 ppo.zip -o policy.npz`
    """
    from agbench.training.export import export as write

    result = write(model, task, out, algorithm, normalisation)
    console.print(
        f"{task}  {result.observations} observations: {result.differing} choices between equal outputs "
        f"differ, amounts by at most {result.largest_difference:.1g}"
    )
    console.print(f"    wrote {out}", soft_wrap=True)
