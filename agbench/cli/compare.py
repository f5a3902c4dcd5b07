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
    from agbench.evaluation.statistics import Interval


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

    if figure is not None:
        from agbench.plotting import require_place

        require_place(figure)
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
    scored, expert = rows[0].score is not None, any(row.to_expert for row in rows)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("policy", no_wrap=True)
    table.add_column("return", justify="right", no_wrap=True)
    for name in task.metrics:
        table.add_column(name, justify="right")
    for shown, name in ((scored, "score"), (expert, "less expert"), (expert, "P(>)")):
        if shown:
            table.add_column(name, justify="right", no_wrap=True)
    units = [protocol.objective_unit, *(metric.unit for metric in task.metrics.values())]
    units += ["points"] * scored + [protocol.objective_unit, ""] * expert
    table.add_row("", *units, style="dim")
    for row in rows:
        value = row.summary["return"]
        cells = [f"{value.value:.1f}" if scored else _range(value, 1)]
        cells += [f"{row.summary[n].value:.{m.digits}f}" for n, m in task.metrics.items()]
        cells += [_range(row.score, 0) if row.score else ""] * scored + _to_expert(row) * expert
        failed = f"  ({row.failed} failed)" if row.failed else ""
        mark = " *" if row.information == "model" else " +" if row.role == "blind" else ""
        table.add_row(f"{row.policy}{mark}{failed}", *cells)
    console.print(table)
    if any(row.information == "model" for row in rows):
        console.print("* knows the episode's weather: an upper bound")
    if any(row.role == "blind" for row in rows):
        console.print("+ observes nothing: what others score above it is what observing is worth")
    if scored:
        console.print("score: what is earned above the floor in the same scenarios; 100 = the oracle on test")
    if expert:
        console.print(
            f"less expert, P(>): paired with {task.references.expert} by scenario; =: the interval holds 0"
        )


def _range(value: "Interval", digits: int) -> str:
    return f"{value.value:z.{digits}f} [{value.low:z.{digits}f}, {value.high:z.{digits}f}]"


def _to_expert(row: "ComparedPolicy") -> list[str]:
    """Return the cells of a policy's difference to the expert and of its probability of improvement."""
    if row.to_expert is None:
        return ["", ""]
    tie = " =" if row.to_expert.tie else ""
    return [f"{_range(row.to_expert.difference, 1)}{tie}", f"{row.to_expert.improvement.value:.2f}"]


def _plain(row: "ComparedPolicy") -> dict[str, object]:
    content = asdict(row)
    content["summary"] = {name: interval._asdict() for name, interval in row.summary.items()}
    content["score"] = row.score and row.score._asdict()
    content["to_expert"] = row.to_expert and {
        "difference": row.to_expert.difference._asdict(),
        "improvement": row.to_expert.improvement._asdict(),
        "tie": row.to_expert.tie,
    }
    return content
