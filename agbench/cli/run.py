"""`agbench run TASK --policy P`: one episode, step by step, plotted."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from agbench.cli.options import (
    JsonOption,
    OtherTaskOption,
    PolicyOption,
    SetOption,
    SplitOption,
    TaskArgument,
    console,
    plain,
    print_json,
    read_overrides,
    titled,
)

if TYPE_CHECKING:
    from agbench.evaluation.episode import EpisodeReport, Step


def run(
    task: TaskArgument,
    policy: PolicyOption,
    scenario: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Such as `wageningen/1984`; default: the first of the split."),
    ] = None,
    split: SplitOption = "test",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Picture file; default: runs/POLICY-SCENARIO.png."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, help="Seed of what the episode and the policy draw; evaluations have their own."),
    ] = 0,
    all_steps: Annotated[
        bool, typer.Option("--all-steps", help="Print every step of a greenhouse, not one line for each day.")
    ] = False,
    other_task: OtherTaskOption = False,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Run one episode, print its steps and draw it. Greenhouse steps are printed as daily means.

    Example: `agbench run wheat-nitrogen-v1 --policy ceres --scenario wageningen/1984`
    """
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.evaluation.episode import run_episode

    spec = override(catalog.task(task), read_overrides(set_))
    episode = run_episode(spec, policy, split, scenario, seed, out, other_task)
    if json:
        print_json(episode.content())
        return
    _print_steps(episode, episode.steps if all_steps else episode.by_day())
    console.print(f"    wrote {episode.picture}", soft_wrap=True)


def _print_steps(episode: "EpisodeReport", steps: "Sequence[Step]") -> None:
    console.print(titled(episode.task.task, f"{episode.policy}  {episode.scenario}"))
    table = Table(box=None, pad_edge=False)
    reading = list(episode.steps[0].commands)
    columns = [name for name in episode.columns if name not in reading]
    for heading in ("    day", *(reading or ["action"]), *columns, "reward"):
        table.add_column(heading, justify="left" if heading == "action" else "right", no_wrap=bool(reading))
    digits = 2 if reading else 1
    for step in steps:
        commands = [plain(step.commands[name]) for name in reading] or [step.action]
        values = [plain(step.observation[name]) for name in columns]
        table.add_row(f"    {step.date}", *commands, *values, f"{step.reward:.{digits}f}")
    console.print(table)
    protocol = episode.task.protocol
    unit = f" {protocol.objective_unit}" if protocol.objective == "return" else ""
    metrics = ", ".join(
        f"{name} {episode.metrics[name]:.{m.digits}f} {m.unit}" for name, m in episode.task.metrics.items()
    )
    console.print(f"    return {episode.total:.{digits}f}{unit}; {metrics}")
