"""`agbench tasks`: list the tasks."""

from dataclasses import asdict
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final
from warnings import warn

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json
from agbench.errors import AgBenchError, AgBenchWarning

if TYPE_CHECKING:
    from agbench.data.task_list import TaskInfo

_HEADINGS: Final = ("task", "splits", "references (floor, blind, expert, oracle)", "summary")
_WIDE: Final = 100
"""Columns of a terminal that a table needs."""


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
    rows = [_row(info) for info in result]
    if not console.is_terminal:
        console.print(_one_line_each([_HEADINGS, *rows]), soft_wrap=True)
    elif console.width >= _WIDE:
        console.print(_table(rows))
    else:
        console.print(_one_block_each(rows, console.width), soft_wrap=True)


def _row(info: "TaskInfo") -> tuple[str, ...]:
    references = ", ".join(filter(None, (info.floor, info.blind, info.expert, info.oracle)))
    return info.id, ", ".join(info.split_names), references, info.summary


def _table(rows: list[tuple[str, ...]]) -> Table:
    """Return the list for a wide terminal; only names are never broken."""
    table = Table(box=None, pad_edge=False)
    for heading in _HEADINGS:
        table.add_column(heading, overflow="fold", no_wrap=heading == _HEADINGS[0])
    for row in rows:
        table.add_row(*row)
    return table


def _one_line_each(rows: list[tuple[str, ...]]) -> str:
    """Return the list for files and other commands, such as grep: a task a line, however long."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _one_block_each(rows: list[tuple[str, ...]], width: int) -> str:
    """Return the list for a narrow terminal: a task's name on a line of its own, the rest indented below."""
    wrapped = partial(wrap, width=width, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(
        "\n".join([name, *(line for cell in cells for line in wrapped(cell))]) for name, *cells in rows
    )


def _splits(info: "TaskInfo") -> dict[str, int | None]:
    """Return the number of scenarios of each split; None where the file cannot be read in full."""
    try:
        return {**info.splits}
    except AgBenchError as error:
        warn(str(error), AgBenchWarning, stacklevel=1)
        return dict.fromkeys(info.split_names)
