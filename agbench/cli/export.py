"""`agbench export TASK MODEL -o policy.npz`: write a trained model as plain arrays."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import SetOption, TaskArgument, console, read_overrides


def export(
    task: TaskArgument,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A zip of Stable-Baselines3.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write: .npz or .onnx.")
    ] = Path("policy.npz"),
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="PPO, A2C, DQN, SAC, TD3, DDPG, TRPO, QRDQN, RecurrentPPO; default: from the zip.",
        ),
    ] = None,
    normalisation: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|none",
            help="File saved by VecNormalize, if it was used; default: the one beside the zip or in it.",
        ),
    ] = None,
    set_: SetOption = None,
) -> None:
    """Write a trained model as policy.npz or .onnx, after a comparison on 10,000 observations of the task.

    Example: `agbench export wheat-nitrogen-v1 ppo.zip -o policy.npz`
    """
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.training.export import export as write

    spec = override(catalog.task(task), read_overrides(set_))
    result = write(model, spec, out, algorithm, normalisation)
    console.print(
        f"{task}  {result.observations:,} observations, which the model saw {result.saw}: {result.differing} "
        f"choices between equal outputs differ, amounts by at most {result.largest_difference:.1g}",
        soft_wrap=True,
    )
    console.print(f"    wrote {out}", soft_wrap=True)
