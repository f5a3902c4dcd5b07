"""`agbench fit TASK POLICY`: tune a policy's settings on the training scenarios."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import OnOption, TaskArgument, ThreadsOption, WorkersOption, console


def fit(
    task: TaskArgument,
    policy: Annotated[
        str, typer.Argument(metavar="POLICY", help="A policy with a settings file in baselines/TASK/.")
    ],
    candidates: Annotated[
        int | None, typer.Option(min=4, help="Candidates in each round (greenhouses, farms); default: 24.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Kind of a policy without a settings file: start from its defaults.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="POLICY", help="Start from the settings of another policy.")
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Data folder to write to; default: that of the file, or of the task."
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of the search (greenhouses, farms); default: 20.")
    ] = None,
    workers: WorkersOption = 1,
    on: OnOption = None,
    threads: ThreadsOption = 1,
) -> None:
    """Tune the settings of a policy on the training scenarios and write them to its file.

    Rules are tried by --workers or --on; what is fitted in one batch, such as calendars, schedules and set
    points, runs in --threads.

    Example: `agbench fit wheat-nitrogen-v1 standard-practice`,
    `agbench fit rice-inputs-v1 blind-calendar --kind calendar`,
    `agbench fit greenhouse-setpoint-continuous-v1 phase-setpoints-tuned --start phase-setpoints`
    """
    from agbench.data import catalog
    from agbench.policies.tuning.cross_entropy import Search
    from agbench.policies.tuning.fitting import fit_file

    spec = catalog.task(task)
    budget = {k: v for k, v in {"candidates": candidates, "rounds": rounds}.items() if v is not None}
    limits = Search(**budget) if budget else None
    path, mean = fit_file(spec, policy, limits, kind, root, start, workers=workers, on=on, threads=threads)
    console.print(f"{task}  {policy}  mean in training {mean:.2f} {spec.protocol.objective_unit}")
    console.print(f"    wrote {path}", soft_wrap=True)
