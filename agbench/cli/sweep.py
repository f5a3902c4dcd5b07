"""`agbench sweep TASK --algo ppo`: search settings of an algorithm for a task, judged on validation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agbench.cli.options import (
    JsonOption,
    OnOption,
    TaskArgument,
    console,
    counted,
    print_json,
    read_overrides,
    titled,
)

if TYPE_CHECKING:
    from agbench.training.sweep import Swept


def sweep(
    task: TaskArgument,
    algo: Annotated[
        str, typer.Option(metavar="NAME", help="An algorithm: a file in baselines/sweeps/.")
    ] = "ppo",
    trials: Annotated[int, typer.Option(min=1, help="Settings to try, in all.")] = 30,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Environment steps an agent [the algorithm's].")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes; each runs a trial at a time.")] = 1,
    on: OnOption = None,
    space: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What is varied [baselines/sweeps/ALGO.yaml].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sampler and of a trial's first agent.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="Agents a trial; their mean is judged.")] = 1,
    pruner: Annotated[
        str, typer.Option(metavar="NAME", help="What ends poor trials early: median, or none.")
    ] = "median",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="[runs/TASK-ALGO-sweep]", show_default=False),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Override a key of the algorithm's file in all trials, such as `envs=16`; repeatable.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Search settings of an algorithm for a task; validation judges them, never test.

    A sweep that was cut off goes on where it stopped; with a larger number of trials, a finished one too.

    Example: `agbench sweep wheat-nitrogen-v1 --algo ppo --trials 30 --steps 100000 --workers 2`
    """
    import agbench

    result = agbench.sweep(
        task,
        algo,
        trials,
        steps,
        seed,
        out,
        workers=workers,
        on=on,
        seeds=seeds,
        space=space,
        pruner=pruner,
        settings=read_overrides(set_),
        progress=False if json else None,
    )
    if json:
        print_json(_content(result))
        return
    _print(result)


def _print(result: "Swept") -> None:
    """Print what the sweep chose, and how to train with it."""
    unit = result.task.protocol.objective_unit
    ended = ", ".join(
        f"{count} {state}"
        for state in ("done", "pruned", "failed")
        if (count := sum(trial.state == state for trial in result.trials))
    )
    made = f"{counted(len(result.trials), 'trial')} ({ended}), {result.steps:,} steps an agent"
    console.print(titled(result.task.task, f"{result.algorithm}  {made}"))
    console.print(f"    settings as they are: {result.default.objective:.1f} {unit} on validation")
    if result.best is None or result.best.mark is None or result.file is None:
        console.print("    no trial is better, so nothing is written.")
        return
    console.print(f"    trial {result.best.place}: {result.best.mark.objective:.1f} {unit} on validation")
    for key, value in result.best.changes.items():
        console.print(f"        {key}: {value}")
    console.print(f"    wrote {result.file}", soft_wrap=True)
    console.print(
        f"    train with it: copy it to baselines/{result.task.task}/train/, then "
        f"agbench train {result.task.task} --algo {result.algorithm}",
        soft_wrap=True,
    )


def _content(result: "Swept") -> dict[str, object]:
    return {
        "task": result.task.task,
        "algorithm": result.algorithm,
        "seeds": result.seeds,
        "steps": result.steps,
        "default": result.default._asdict(),
        "best": None if result.best is None else result.best._asdict(),
        "trials": [trial._asdict() for trial in result.trials],
        "settings": result.settings,
        "folder": str(result.folder),
        "file": None if result.file is None else str(result.file),
    }
