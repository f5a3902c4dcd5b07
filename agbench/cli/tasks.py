"""`agbench tasks`: list the tasks."""

from dataclasses import asdict
from typing import TYPE_CHECKING
from warnings import warn

from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json
from agbench.errors import AgBenchError, AgBenchWarning

if TYPE_CHECKING:
    from agbench.data.task_list import TaskInfo


def tasks(json: JsonOption = False) -> None:
    """List all tasks.

    Example: `agbench tasks --json`
    """
    from agbench.data.task_list import tasks as all_tasks

    result = all_tasks()
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
