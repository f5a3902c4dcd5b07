"""`agbench scale TASK...`: what learners scale a task's observations and rewards by, measured and stored."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import SetOption, console, counted, messages, read_overrides
from agbench.errors import ConfigError


def scale(
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK]...", help="Ids of tasks.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All tasks that have no scaling yet.")] = False,
    episodes: Annotated[
        int | None, typer.Option(min=4, help="Episodes of the train split; default: 100, fewer of long ones.")
    ] = None,
    set_: SetOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="For one task: the file to write, for scaled=FILE."),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Data folder to write to; default: that of the task file."),
    ] = None,
) -> None:
    """Measure typical centres and spreads of what tasks show and pay; store them for `scaled=True`.

    Example: `agbench scale wheat-nitrogen-v1`
    """
    from agbench.data import catalog, places
    from agbench.data.overrides import override
    from agbench.policies.tuning import scales

    if bool(tasks) == all_:
        raise ConfigError("name the tasks, or use --all.")
    changes = read_overrides(set_)
    if (changes or out) and len(tasks or ()) != 1:
        raise ConfigError("--set and --out are for one task.")
    if changes and out is None:
        raise ConfigError("values for an overridden task go to a file of their own: add --out FILE.")
    if out is not None:
        scales.require_file(out)
    for name in tasks or [n for n in catalog.names("task") if places.find_scaling(n) is None]:
        task = override(catalog.task(name), changes)
        count = episodes or scales.usual_episodes(task)
        messages.print(f"{name}: {counted(count, 'episode')} ...")
        table = scales.measure(task, count, lambda way: messages.print(f"    played {way}"))
        path = out or scales.place(table, root or catalog.find("task", name).parents[1])
        scales.save(table, path)
        console.print(f"{name}  {counted(len(table.observations), 'variable')}, reward {table.reward:g}")
        console.print(f"    wrote {path}", soft_wrap=True)
