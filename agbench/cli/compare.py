"""`agbench compare DIR...`: results side by side."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json, titled

if TYPE_CHECKING:
    from agbench.evaluation.comparison import ComparedPolicy
    from agbench.evaluation.result import Result


def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Results, or a folder of results.")],
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the comparison (PNG, PDF, SVG).")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare the results of several policies on one task.

    Example: `agbench compare runs/zero runs/ceres --figure runs/compare.png`
    """
    from agbench.evaluation import comparison

    results = comparison.load_results(folders)
    rows = comparison.compare(results)
    if json:
        print_json([_plain(row) for row in rows])
    else:
        print_comparison(results[0], rows)
    if figure is not None:
        from agbench.evaluation.figures import compare_figure

        order = [row.policy for row in rows]
        compare_figure(sorted(results, key=lambda r: order.index(r.policy)), figure)
        if not json:
            console.print(f"wrote {figure}", soft_wrap=True)


def print_comparison(first: "Result", rows: "list[ComparedPolicy]") -> None:
    """Print the policies as a table with the best one last."""
    task, protocol = first.task, first.task.protocol
    count = first.episodes["scenario"].nunique()
    console.print(
        titled(task.task, f"{first.split}: {count} scenarios, {protocol.aggregate} [95 % interval]")
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("policy", no_wrap=True)
    table.add_column("return", justify="right", no_wrap=True)
    for name in task.metrics:
        table.add_column(name, justify="right")
    table.add_column("score", justify="right")
    table.add_column("P(worse)", justify="right")
    units = [protocol.objective_unit, *(metric.unit for metric in task.metrics.values())]
    table.add_row("", *units, "", "", style="dim")
    for row in rows:
        value, low, high = row.summary["return"]
        cells = [f"{value:.1f} [{low:.1f}, {high:.1f}]"]
        cells += [f"{row.summary[n].value:.{m.digits}f}" for n, m in task.metrics.items()]
        cells.append("" if row.score is None else f"{row.score:.0f}")
        cells.append("" if row.chance_worse is None else f"{row.chance_worse:.3f}")
        failed = f"  ({row.failed} failed)" if row.failed else ""
        mark = " *" if row.information == "model" else " +" if row.role == "blind" else ""
        table.add_row(f"{row.policy}{mark}{failed}", *cells)
    console.print(table)
    if any(row.information == "model" for row in rows):
        console.print("* knows the episode's weather: an upper bound")
    if any(row.role == "blind" for row in rows):
        console.print("+ observes nothing: what others score above it is what observing is worth")
    if rows[0].score is not None:
        expert = task.references.expert
        console.print("score: of the mean return, 0 = floor, 100 = expert")
        console.print(f"P(worse): share of bootstrap resamples that fall below {expert}")


def _plain(row: "ComparedPolicy") -> dict[str, object]:
    content = asdict(row)
    content["summary"] = {name: interval._asdict() for name, interval in row.summary.items()}
    return content
