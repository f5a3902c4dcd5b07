"""`agbench tasks`: list the tasks."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated
from warnings import warn

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json
from agbench.errors import AgBenchError, AgBenchWarning

if TYPE_CHECKING:
    from agbench.data.task_list import TaskInfo


def tasks(
    suite: Annotated[
        str | None, typer.Option(metavar="SUITE", help="List the tasks of a suite, in its order.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List all tasks, or those of a suite. `agbench show suite` lists the suites.

    Example: `agbench tasks --suite core`, `agbench tasks --json`
    """
    from agbench.data.task_list import tasks as listed

    result = listed(suite)
    if json:
        print_json([asdict(info) | {"splits": _splits(info)} for info in result])
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("task", "splits", "references (floor, blind, expert, oracle)", "summary"):
        table.add_column(heading, overflow="fold")
    for info in result:
        references = ", ".join(filter(None, (info.floor, info.blind, info.expert, info.oracle)))
        table.add_row(info.id, ", ".join(info.split_names), references, info.summary)
    console.print(table)


def _splits(info: "TaskInfo") -> dict[str, int | None]:
    """Return the number of scenarios of each split; None where the file cannot be read in full."""
    try:
        return {**info.splits}
    except AgBenchError as error:
        warn(str(error), AgBenchWarning, stacklevel=1)
        return dict.fromkeys(info.split_names)
