"""The data of the charts, which the page's scripts draw: plain numbers and names, no markup.

A chart is a `scatter` of points, of which each may have an interval and a page, or `steps`: lines that go
down or up in steps. The scripts are in `static/plots.js`.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import numpy as np

from agbench.evaluation import anchors
from agbench.evaluation.aggregates import performance_profile
from agbench.leaderboard import scoring
from agbench.leaderboard.page.entries import PUBLIC, Entry
from agbench.leaderboard.page.views import PublicRow, TaskView
from agbench.plotting import printed
from agbench.variables import Floats

Plot = dict[str, Any]
"""The data of one chart."""

_PROFILES: Final = 5  # rows beside expert and oracle: each line has a style of its own
_INPUTS: Final = ("heat", "electricity", "co2", "water")  # totals that are inputs
_YIELDS: Final = ("yield", "fruit", "harvest")
_PLANES: Final = 4
_FEWEST: Final = 2  # points that are worth a chart
_DIGITS: Final = 4


class CaptionedPlot(NamedTuple):
    """A chart with what stands above it."""

    caption: str
    plot: Plot


def rounded(value: float) -> float:
    """Return a number with as many digits as a chart can show."""
    return float(f"{value:.{_DIGITS}g}")


def of_task(view: TaskView) -> list[CaptionedPlot]:
    """Return the charts of a task's page."""
    result = [
        CaptionedPlot("Performance profiles: share of seeds and scenarios above a score", profiles(view))
    ]
    result += [plot for plot in (_against_budget(view), _over_time(view)) if plot is not None]
    return [*result, *_planes(view)]


def of_submission(entry: Entry) -> CaptionedPlot:
    """Return the chart of a submission's page: each scenario of test, the agent against the expert."""
    unit = printed(entry.task.protocol.objective_unit)
    expert = anchors.of_split(entry.task, PUBLIC).expert
    own = expert + np.array(entry.score.difference)
    points = [
        {"name": key, "x": rounded(x), "y": rounded(y)}
        for key, x, y in zip(entry.task.scenarios(PUBLIC), expert.tolist(), own.tolist(), strict=True)
    ]
    plot = scatter(points, f"expert ({unit})", f"{entry.card.agent} ({unit})", diagonal=True)
    return CaptionedPlot("Each scenario: above the line where it does better than the expert", plot)


def profiles(view: TaskView) -> Plot:
    """Return the performance profiles of expert, oracle and the best rows.

    A row that is the expert or the oracle itself is not drawn twice.
    """
    split_anchors = anchors.of_split(view.task, PUBLIC)
    returns = {
        "expert": split_anchors.expert,
        **({} if split_anchors.oracle is None else {"oracle": split_anchors.oracle}),
    }
    lines = {role: split_anchors.scores(values)[None] for role, values in returns.items()}
    references = list(lines.values())
    for row in view.rows:
        scores = scoring.counted(row.entry.submission, PUBLIC)
        same = any(len(scores) == 1 and np.allclose(scores, reference) for reference in references)
        if not same and len(lines) < len(references) + _PROFILES:
            lines[row.entry.name] = scores
    return {
        "kind": "steps",
        "x": "score",
        "y": "share of seeds and scenarios",
        "lines": [profile(name, scores) for name, scores in lines.items()],
    }


def profile(name: str, scores: Floats) -> dict[str, Any]:
    """Return the share of scores (seeds, scenarios) above each score where it steps down."""
    values = np.round(scores, 1)
    steps = np.unique(values)
    shares = performance_profile(values, steps)
    return {"name": name, "x": steps.tolist(), "y": [rounded(share) for share in shares.tolist()]}


def _point(row: PublicRow, x: float, y: float) -> dict[str, Any]:
    card = row.entry.card
    return {
        "name": row.entry.name,
        "group": card.method,
        "page": f"../{row.address}",
        "x": rounded(x),
        "y": rounded(y),
    }


def _scored(row: PublicRow, x: float) -> dict[str, Any]:
    """Return a row at its score on test, with the interval."""
    found = row.entry.score.iqm
    ends = {"low": rounded(found.low), "high": rounded(found.high)}
    return {**_point(row, 0.0, found.value), "x": x, **ends}


def scatter(points: Sequence[dict[str, Any]], x: str, y: str, **options: bool) -> Plot:
    """Return a chart of points; options are `log`, `time`, `best` and `diagonal`."""
    return {"kind": "scatter", "x": x, "y": y, "points": list(points), **options}


def _against_budget(view: TaskView) -> CaptionedPlot | None:
    points = [
        _scored(row, row.entry.card.training.steps) for row in view.rows if row.entry.card.training.steps
    ]
    if len(points) < _FEWEST:
        return None
    plot = scatter(points, "environment steps of a training seed", "score on public test", log=True)
    return CaptionedPlot("Score against training budget", plot)


def _over_time(view: TaskView) -> CaptionedPlot | None:
    dated = [(row, row.entry.card.submitted) for row in view.rows]
    points = [_scored(row, date.fromisoformat(day).toordinal()) for row, day in dated if day]
    if len(points) < _FEWEST:
        return None
    plot = scatter(points, "day of submission", "score on public test", time=True, best=True)
    return CaptionedPlot("Score over time; the line is the best so far", plot)


def _planes(view: TaskView) -> list[CaptionedPlot]:
    """Return what is harvested against what is put in, a chart an input."""
    metrics = view.task.metrics
    states = [n for n, m in metrics.items() if n in _YIELDS] + [n for n, m in metrics.items() if m.state]
    inputs = [n for n, m in metrics.items() if m.input or (m.total and n in _INPUTS)]
    if not states:
        return []
    outcome = states[0]

    def plane(name: str) -> Plot:
        reached = [(row, row.entry.score.metrics) for row in view.rows]
        points = [_point(row, values[name], values[outcome]) for row, values in reached]
        axes = (f"{n} ({printed(metrics[n].unit)})" for n in (name, outcome))
        return scatter(points, *axes)

    return [
        CaptionedPlot(f"{outcome} against {name}, a mark a submission".capitalize(), plane(name))
        for name in inputs[:_PLANES]
    ]
