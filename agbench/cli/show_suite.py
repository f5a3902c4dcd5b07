"""`agbench show suite NAME`: a suite and its tasks; without a name all suites."""

from rich.table import Table

from agbench.cli.options import console, print_json, titled


def show_suite(name: str | None, json: bool) -> None:
    """Print a suite with its tasks, those that count as one in a line; or the names of all suites."""
    from agbench.data import suites

    shown = suites.suites() if name is None else {name: suites.suite(name)}
    if json:
        return print_json({key: {**one.model_dump(), "groups": one.groups} for key, one in shown.items()})
    if name is None:
        table = Table(box=None, pad_edge=False)
        for heading in ("suite", "tasks", "what it is"):
            table.add_column(heading, justify="right" if heading == "tasks" else "left")
        for key, one in shown.items():
            table.add_row(key, str(len(one.groups)), one.summary)
        return console.print(table)
    one = shown[name]
    console.print(titled(name, one.summary))
    for first, *views in one.groups:
        text = f", and as one with it {', '.join(views)}" if views else ""
        console.print(f"  {first}{text}", soft_wrap=True)
    return None
