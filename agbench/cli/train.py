"""`agbench train TASK --algo ppo`: train an agent, export it and evaluate it."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agbench.cli.evaluate import print_result
from agbench.cli.options import (
    JsonOption,
    OnOption,
    TaskArgument,
    ThreadsOption,
    WorkersOption,
    console,
    print_json,
    read_overrides,
    titled,
)
from agbench.errors import ConfigError

if TYPE_CHECKING:
    from agbench.training.run import Trained


def train(
    task: TaskArgument,
    algo: Annotated[
        str, typer.Option(metavar="NAME", help="An algorithm: a file in baselines/algorithms/.")
    ] = "ppo",
    steps: Annotated[int | None, typer.Option(min=1, help="Environment steps [the algorithm's].")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of networks, exploration and scenarios.")] = 0,
    seeds: Annotated[
        str | None,
        typer.Option(metavar="SEEDS", help="Several seeds, an agent each, such as 0-4; in place of --seed."),
    ] = None,
    workers: WorkersOption = 1,
    on: OnOption = None,
    threads: ThreadsOption = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="[runs/TASK-ALGO-SEED; of --seeds DIR-SEED]",
            show_default=False,
        ),
    ] = None,
    demos: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY|DIR", help="To imitate: a policy, by name or file, or the folder of a dataset."
        ),
    ] = None,
    dataset: Annotated[
        Path | None, typer.Option(metavar="DIR", help="To learn offline: the folder of a dataset.")
    ] = None,
    demo_episodes: Annotated[
        int | None,
        typer.Option(min=1, help="Episodes of the demonstrations [the algorithm's; of a folder all]."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Override a key of the algorithm's file, such as `gamma=1.0` or `envs=16`; repeatable.",
        ),
    ] = None,
    tensorboard: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for TensorBoard's files.")
    ] = None,
    wandb: Annotated[str | None, typer.Option(metavar="PROJECT", help="Log to Weights & Biases.")] = None,
    json: JsonOption = False,
) -> None:
    """Train an agent, keep the best of its validations, export it, and evaluate it on test.

    A run that was cut off goes on where it stopped, to the same agent. Algorithms that imitate, and those
    that learn from a dataset alone, start again.

    Example: `agbench train wheat-nitrogen-v1 --algo ppo`

    Example: `agbench train wheat-nitrogen-v1 --algo bc --demos advisor`

    Example: `agbench train wheat-nitrogen-v1 --algo ppo --seeds 0-4 --on processes:4`
    """
    from agbench.training.run import run

    if seeds is not None:
        if seed or tensorboard or wandb:
            raise ConfigError("--seeds goes without --seed, --tensorboard and --wandb.")
        options = {"steps": steps, "settings": read_overrides(set_), "demos": demos, "dataset": dataset}
        options |= {"demo_episodes": demo_episodes, "threads": threads}
        _train_seeds(task, algo, seeds, out, workers, on, options, json)
        return
    if workers != 1 or on is not None:
        raise ConfigError("--workers and --on are for several agents: --seeds 0-4.")
    folder = out or Path("runs") / f"{task}-{algo}-{seed}"
    result = run(
        task,
        algo,
        steps,
        seed,
        folder,
        read_overrides(set_),
        demos=demos,
        dataset=dataset,
        demo_episodes=demo_episodes,
        tensorboard=tensorboard,
        wandb=wandb,
        threads=threads,
        progress=False if json else None,
    )
    if json:
        print_json(_content(result))
        return
    _print(result, algo)


def _train_seeds(
    task: str,
    algo: str,
    seeds: str,
    out: Path | None,
    workers: int,
    on: str | None,
    options: dict[str, Any],
    json: bool,
) -> None:
    """Train an agent with each seed; print a line for each and their mean."""
    from agbench.training.seeds import read_seeds, train_seeds

    runs = []
    for one in train_seeds(task, algo, read_seeds(seeds), out, workers=workers, on=on, **options):
        runs.append(one)
        if not json:
            score = "" if one.score is None else f", score {one.score:.1f}"
            reached = f"validation {one.validation:.1f}, test {one.test:.1f}{score}"
            console.print(titled(f"seed {one.seed}", f"{reached}  {one.folder}/"), soft_wrap=True)
    if json:
        print_json([one._asdict() for one in sorted(runs)])
        return
    tests = [one.test for one in runs]
    console.print(
        f"{len(runs)} seeds: mean return on test {mean(tests):.1f}, {min(tests):.1f} to {max(tests):.1f}"
    )
    folders = [one.folder for one in sorted(runs)]
    console.print(f"    submit them: {_submission(folders, algo)}", soft_wrap=True)


def _print(result: "Trained", algo: str) -> None:
    """Print what was trained, what it reaches, and how to submit it."""
    best = result.best
    unit = result.task.protocol.objective_unit
    steps = f"{result.steps:,} steps, {result.seconds:.0f} s of CPU"
    reached = f"{best.objective:.1f} {unit} on validation after {best.steps:,}"
    console.print(titled(result.task.task, f"{algo}  seed {result.seed}: {steps}; best {reached}"))
    print_result(result.result)
    folders = ", ".join(f"{folder.name}/" for folder in result.results)
    console.print(f"    wrote {result.folder}/: policy.npz, training.yaml, {folders}", soft_wrap=True)
    console.print(f"    submit it: {_submission([result.folder], algo)}", soft_wrap=True)


def _submission(folders: Sequence[Path], algo: str) -> str:
    """Return the command that submits an agent's seeds."""
    named = " ".join(map(str, folders))
    return f"agbench submit {named} --agent {algo} --version 1.0 --author NAME --contact ADDRESS"


def _content(result: "Trained") -> dict[str, object]:
    return {
        "task": result.task.task,
        "algorithm": result.settings.algorithm,
        "seed": result.seed,
        "steps": result.steps,
        "environment_steps": result.environment_steps,
        "cpu_seconds": result.seconds,
        "best": result.best._asdict(),
        "summary": {name: interval._asdict() for name, interval in result.result.summary.items()},
        "score": result.score,
        "folder": str(result.folder),
        "submit": _submission([result.folder], result.settings.algorithm),
    }
