"""`agbench anchors TASK...`: what the reference policies reach, stored as the task's constants."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agbench.cli.options import KeptOption, OnOption, WorkersOption, console
from agbench.errors import ConfigError
from agbench.files import REFERENCES

if TYPE_CHECKING:
    from agbench.data.anchors import Anchors


def anchors(
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK]...", help="Ids of tasks.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All tasks.")] = False,
    again: Annotated[bool, typer.Option(help="Also compute anchors that are up to date.")] = False,
    workers: WorkersOption = 1,
    on: OnOption = None,
    results: KeptOption = REFERENCES,
    root: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Data folder to write to; default: that of the task file."),
    ] = None,
) -> None:
    """Evaluate floor, blind calendar, expert and oracle of tasks on `test` and `shift`; store their values.

    Tasks whose stored anchors fit are left out, and results that are kept are used again: a run that was
    cut off goes on where it stopped.

    Example: `agbench anchors --all --workers 2`
    """
    from agbench.data import catalog
    from agbench.evaluation import anchors as library
    from agbench.evaluation import references

    if bool(tasks) == all_:
        raise ConfigError("name the tasks, or use --all.")
    names = [
        n for n in tasks or catalog.names("task") if again or library.outdated(catalog.task(n)) is not None
    ]
    todo = [part for name in names for part in references.parts(catalog.task(name))]
    waiting = Counter(part.task for part in todo)

    def done(part: references.Part, seconds: float) -> None:
        waiting[part.task] -= 1
        console.print(f"{part}  {seconds:.1f} s; {waiting.total()} evaluations left")
        if not waiting[part.task]:
            _store(part.task, results, root)

    references.run_all(sorted(todo, key=references.effort, reverse=True), results, workers, done, on)
    left = len(tasks or catalog.names("task")) - len(names)
    if left:
        console.print(f"{left} of the tasks had anchors that fit.")


def _store(name: str, results: Path, root: Path | None) -> None:
    """Compute the anchors of a task from stored results and write them."""
    from agbench.data import catalog
    from agbench.evaluation import anchors as library

    result = library.of_kept(name, results)
    path = library.save(result, root or catalog.find("task", name).parents[1])
    _print(result)
    console.print(f"    wrote {path}", soft_wrap=True)


def _print(result: "Anchors") -> None:
    """Print the means of the anchors, one line for each split."""
    import numpy as np

    from agbench.evaluation import anchors, references
    from agbench.evaluation.scores import scores

    gain = anchors.gain(result) if "test" in result.splits else None
    for split, values in result.splits.items():
        rows = [scenario.model_dump(exclude_none=True) for scenario in values.values()]
        means = {role: np.mean([row[role] for row in rows]) for role in rows[0]}
        text = ", ".join(
            f"{role} {means[role]:.3g}"
            + (f" (score {float(scores(means[role], means['floor'], gain)):.0f})" if gain else "")
            for role in references.ROLES
            if role in means
        )
        limit = f", constraint cost at most {result.limits[split]:.3g}" if result.limits[split] else ""
        console.print(f"{result.task}  {split}: mean {result.objective} of {text} {result.unit}{limit}")
