"""`agbench tasks`: list them."""

from dataclasses import asdict

from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json


def tasks(json: JsonOption = False) -> None:
    """List all tasks.

    Example: `agbench tasks --json`
    """
    from agbench.envs.registry import tasks as all_tasks

    found = all_tasks()
    if json:
        print_json([asdict(info) for info in found])
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("task", "scenarios", "references (floor, expert, oracle)", "summary"):
        table.add_column(heading, overflow="fold")
    for info in found:
        splits = ", ".join(f"{count} {split}" for split, count in info.splits.items())
        references = ", ".join(filter(None, (info.floor, info.expert, info.oracle)))
        table.add_row(info.id, splits, references, info.summary)
    console.print(table)
