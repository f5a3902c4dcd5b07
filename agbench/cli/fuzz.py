"""`agbench fuzz`: any action on every task, any damage to data files; each failure with its command."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.table import Table
from typer.core import TyperGroup

from agbench.cli.options import JsonOption, SetOption, console, print_json, read_overrides
from agbench.errors import ConfigError

if TYPE_CHECKING:
    from agbench.testing.fuzzing.tasks import TaskReport


class _TasksFirst(TyperGroup):
    """A group whose command `tasks` needs no name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first, else `tasks` with all arguments."""
        if args and args[0] not in self.commands:
            args = ["tasks", *args]
        return super().resolve_command(ctx, args)


fuzz = typer.Typer(
    name="fuzz",
    cls=_TasksFirst,
    help="Try tasks with any action, and data files with any damage.\n\n"
    "`agbench fuzz TASK` is short for `agbench fuzz tasks TASK`. Exit code 1 if something was found.\n\n"
    "Example: `agbench fuzz wheat-nitrogen-v1 --steps 10000`",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
MOST_ROWS: Final = 100_000
"""Of one case; many more would be about memory, not about a task."""
SeedOption = Annotated[int, typer.Option(min=0, help="Of all that is drawn.")]


@fuzz.command("tasks")
def fuzz_tasks(
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK...]", help="Ids; default: all.")] = None,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps at least, all rows of all tasks together.")
    ] = 100_000,
    seed: SeedOption = 0,
    actions: Annotated[
        str | None, typer.Option(help="Play one case as stated: random, extreme, alike or edge actions.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Of the one case; default: train.")] = None,
    rows: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROWS, help="Of the one case; default: 64.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="Autoreset mode of the one case: next_step, same_step or disabled; default: next_step."
        ),
    ] = None,
    scaled: Annotated[bool, typer.Option("--scaled", help="Scale observations of the one case.")] = False,
    changes: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Play tasks in drawn splits, changes and batches, under valid and wrong actions.

    Every observation and reward must be a number inside its space, valid actions must run, and wrong ones
    must be refused without a trace. Without `--actions` cases are drawn from the seed, and steps are shared
    equally among the tasks.

    Example: `agbench fuzz wheat-nitrogen-v1 --steps 10000`
    """
    from agbench.data import catalog
    from agbench.testing.fuzzing.cases import FuzzCase
    from agbench.testing.fuzzing.tasks import fuzz_task, play_cases

    names = list(dict.fromkeys(tasks or ())) or catalog.names("task")
    given = {"--split": split, "--rows": rows, "--mode": mode, "--scaled": scaled, "--set": changes}
    if actions is None and (odd := [option for option, value in given.items() if value]):
        raise ConfigError(f"{odd[0]} is of one case; name its kind of --actions too.")
    split, rows, mode = split or "train", rows or 64, mode or "next_step"
    reports = []
    for name in names:
        share = max(1, steps // len(names))
        if actions is None:
            reports.append(fuzz_task(name, share, seed))
        else:
            own = read_overrides(changes)
            case = FuzzCase(name, split, actions, rows, max(1, share // rows), seed, mode, scaled, own)
            reports.append(play_cases(catalog.task(name), [case], share, strict=True))
    if json:
        print_json([vars(report) | {"failures": [vars(f) for f in report.failures]} for report in reports])
    else:
        console.print(_table_of_tasks(reports))
    _finish([(failure.found, failure.command) for report in reports for failure in report.failures], json)


def _table_of_tasks(reports: "list[TaskReport]") -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("task")
    for heading in ("cases", "refused", "steps", "wrong actions", "seconds", "failures"):
        table.add_column(heading, justify="right")
    for one in reports:
        counts = (one.cases, one.refused, one.steps, one.wrong)
        table.add_row(one.task, *(f"{n:,}" for n in counts), f"{one.seconds:.0f}", str(len(one.failures)))
    if len(reports) > 1:
        columns = [[r.cases for r in reports], [r.refused for r in reports]]
        columns += [[r.steps for r in reports], [r.wrong for r in reports]]
        seconds = sum(r.seconds for r in reports)
        found = sum(len(r.failures) for r in reports)
        table.add_row("all", *(f"{sum(c):,}" for c in columns), f"{seconds:.0f}", str(found))
    return table


@fuzz.command("files")
def fuzz_data_files(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE...]", help="Data files; default: all that ship.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Damaged copies of each kind of file.")] = 100,
    number: Annotated[
        int | None, typer.Option(min=0, help="Make this one copy of the files, and no other.")
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Damage copies of data files, in their bytes or in what they say, and check them.

    A copy is refused with a sentence or is good; a task that is good is played. The files themselves stay.

    Example: `agbench fuzz files tasks/wheat-nitrogen-v1.yaml --count 50`
    """
    from agbench.testing.fuzzing import files as library

    kinds = {kind: library.files_of(kind) for kind in library.KINDS}
    if files:
        if missing := [path for path in files if not path.is_file()]:
            raise ConfigError(f"{missing[0]}: there is no such file.")
        kinds = {}
        for path in files:
            kinds.setdefault(library.kind_of(path), []).append(path)
    reports = []
    for kind, paths in kinds.items():
        if number is None:
            reports.append(library.fuzz_files(kind, paths, count, seed))
        else:
            reports.append(library.FilesReport(kind, len(paths)))
            for path in paths:
                library.fuzz_file(reports[-1], path, [number], seed)
    if json:
        print_json([vars(report) | {"failures": [vars(f) for f in report.failures]} for report in reports])
    else:
        table = Table(box=None, pad_edge=False)
        table.add_column("kind")
        for heading in ("files", "copies", "refused", "seconds", "failures"):
            table.add_column(heading, justify="right")
        for one in reports:
            own = (one.files, one.tried, one.refused)
            table.add_row(one.kind, *(f"{n:,}" for n in own), f"{one.seconds:.0f}", str(len(one.failures)))
        console.print(table)
    found = [(f"{f.found} ({f.done})", f.command) for report in reports for f in report.failures]
    _finish(found, json)


def _finish(found: list[tuple[str, str]], silent: bool) -> None:
    """Print what was found with its commands, and end with code 1 if there is any."""
    if not silent:
        for what, command in found:
            console.print(f"\n{what}\n    {command}", soft_wrap=True)
    if found:
        raise typer.Exit(1)
