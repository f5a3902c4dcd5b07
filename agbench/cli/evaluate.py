"""`agbench evaluate TASK --policy P -o DIR`: the protocol, from start to end."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agbench.cli.options import (
    JsonOption,
    OnOption,
    OtherTaskOption,
    PolicyOption,
    SetOption,
    SplitOption,
    TaskArgument,
    WorkersOption,
    console,
    print_json,
    read_overrides,
    titled,
)
from agbench.errors import one_line

if TYPE_CHECKING:
    from agbench.evaluation.result import Result


def evaluate(
    task: TaskArgument,
    policy: PolicyOption,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the result.")
    ] = None,
    split: SplitOption = "test",
    workers: WorkersOption = 1,
    on: OnOption = None,
    other_task: OtherTaskOption = False,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Run a policy in all scenarios of a split and write the result.

    A run that was cut off goes on where it stopped. Exits with 1 where every episode failed.

    Example: `agbench evaluate wheat-nitrogen-v1 --policy ceres -o runs/ceres`
    """
    from agbench import evaluation

    result = evaluation.evaluate(
        task,
        policy,
        split,
        out,
        workers,
        on=on,
        progress=False if json else None,
        other_task=other_task,
        **read_overrides(set_),
    )
    if json:
        print_json(_content(result, out))
    else:
        print_result(result)
        if out is not None:
            console.print(f"    wrote {out}/", soft_wrap=True)
    if result.failed == len(result.episodes):
        raise typer.Exit(1)


def print_result(result: "Result") -> None:
    """Print one result: the aggregate of return and metrics with 95 % intervals."""
    count = result.episodes["scenario"].nunique()
    console.print(
        titled(
            result.task.task,
            f"{result.policy}  {result.split}: {count} scenarios, "
            f"{result.task.protocol.aggregate} [95 % interval]",
        )
    )
    rows = {"return": (result.task.protocol.objective_unit, 1)}
    rows |= {name: (m.unit, m.digits) for name, m in result.task.metrics.items()}
    for name, (unit, digits) in rows.items():
        value, low, high = result.summary[name]
        text = f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
        console.print(f"    {name:<10} {text:<24} {unit}")
    if (points := result.score) is not None:
        text = f"{points.value:z.1f} [{points.low:z.1f}, {points.high:z.1f}]"
        console.print(f"    {'score':<10} {text:<24} 0 = floor, 100 = oracle on test")
        _print_limit(result)
    if result.failed:
        first = result.episodes.loc[result.episodes["failed"], "error"].iloc[0]
        many = "all" if result.failed == len(result.episodes) else f"{result.failed} of"
        text = f"{many} {len(result.episodes)} episodes failed, the first with {one_line(str(first))}"
        console.print(f"    {text}", style="red", soft_wrap=True)


def _print_limit(result: "Result") -> None:
    """Say that a result breaks the limits, where its costs are beyond what counts as feasible."""
    cost, limit = _cost_and_limit(result)
    if not _feasible(cost, limit):
        allowed = f"{limit:.4g} are" if limit else "none is"
        text = f"infeasible: {cost:.4g} of violations in the mean, where {allowed} allowed; the leaderboard"
        console.print(f"    {text} counts no point above 0", style="red", soft_wrap=True)


def _cost_and_limit(result: "Result") -> tuple[float, float | None]:
    """Return the mean cost of constraints, and the largest that is feasible; None without anchors."""
    from agbench.evaluation import anchors

    known = None if result.score is None else anchors.of_split(result.task, result.split)
    return float(result.by_scenario("cost").mean()), None if known is None else known.limit


def _feasible(cost: float, limit: float | None) -> bool:
    """Return whether a mean cost is within a limit, but for what sums in another order differ by."""
    return limit is None or cost <= limit * (1.0 + 1e-9) + 1e-9


def _content(result: "Result", out: Path | None) -> dict[str, object]:
    cost, limit = _cost_and_limit(result)
    return {
        **{key: result.record[key] for key in ("task", "split", "policy", "episodes", "failed")},
        "summary": {name: i._asdict() for name, i in result.summary.items()},
        "score": None if result.score is None else result.score._asdict(),
        "cost": cost,
        "limit": limit,
        "feasible": None if limit is None else _feasible(cost, limit),
        "folder": None if out is None else str(out),
    }
