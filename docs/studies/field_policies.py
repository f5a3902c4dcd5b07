"""Policies of field tasks on `test`: their seasons, as a table, as a figure, and all tasks on a page.

`policies.py` prints and writes them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import agbench
from agbench import plotting
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.overrides import override
from agbench.evaluation import references
from agbench.evaluation.references import ROLES, Part
from agbench.files import write_text
from agbench.plotting import BLACK, BLUE, GREEN, MUTED, ORANGE, VERMILLION
from agbench.policies.registry import policies
from agbench.variables import Floats

_BOUND: Final = "potential (bound)"
_ROLE_COLOURS: Final = {"floor": VERMILLION, "expert": GREEN, "oracle": ORANGE}
_LEFT: Final = -0.15
"""Left end of a figure as a fraction of its largest return; medians beyond it are written as text."""

INTRODUCTION: Final = """\
# Field tasks: every policy, every test season

Made by `python docs/studies/policies.py --page docs/field-policies.md`. Metrics are means over the
test split; returns have the unit of the task's objective. In the figures each dot is a season and each bar a
median; floor, expert and oracle are in colour. Penalties for violated limits can be far outside the scale:
such medians are written at the left edge.

*Potential (bound)* is the yield of potential production, without limits of water or nutrients, on the days
of the floor. It has no penalties. It is not a proven maximum. A crop with slightly fewer nutrients at the
start grows fewer leaves, which respire less and leave more for storage organs (the first test season of
chickpea: largest LAI 7.5 and 3,092 kg ha-1 with the oracle, 9.2 and 2,805 kg ha-1 in potential production).
Earlier sowing can also increase the yield.
"""


@dataclass(frozen=True)
class Played:
    """A task and its test seasons: by policy, in the order of their medians, and the bound's returns.

    A model that cannot be freed of its limits has no bound.
    """

    task: FieldTask
    results: dict[str, agbench.Result]
    bound: Floats | None

    def role(self, policy: str) -> str | None:
        """Return what a policy is to the task: floor, expert, oracle, or nothing."""
        return next((role for role in ROLES if getattr(self.task.references, role) == policy), None)

    def label(self, policy: str) -> str:
        """Return a policy's name, and what it is to the task."""
        role = self.role(policy)
        return policy if role is None else f"{policy} ({role})"


def play(name: str) -> Played:
    """Play every policy of a task on `test`; the references' seasons are kept, and used where kept."""
    task = catalog.task(name)
    if not isinstance(task, FieldTask):
        raise TypeError(f"{name} is no field task.")
    result = {policy: agbench.evaluate(task, policy, progress=False) for policy in _others(task)}
    for role in ROLES:
        policy = references.policy_name(task, role)
        if policy is not None:
            result[policy] = agbench.Result.load(references.run(Part(name, role, "test"))[0])
    ordered = dict(sorted(result.items(), key=lambda item: -float(np.median(item[1].by_scenario("return")))))
    return Played(task, ordered, _bound(task))


def _bound(task: FieldTask) -> Floats | None:
    """Return the returns of potential production, on the days of the task's floor."""
    if task.simulator.model != "wofost-npk":
        return None
    potential = override(task, {"simulator.limitation": "pp"})
    returns: Floats = agbench.evaluate(potential, task.references.floor, progress=False).by_scenario("return")
    return returns


def _others(task: FieldTask) -> list[str]:
    names = {references.policy_name(task, role) for role in ROLES}
    return [policy for policy in policies(task) if policy not in names]


def table(played: Played) -> Iterator[str]:
    """Return the lines of a task's table in Markdown: median and mean return, mean metrics."""
    task = played.task
    yield f"| {task.task} | median return | mean | {' | '.join(task.metrics)} |"
    yield "|---" * (3 + len(task.metrics)) + "|"
    if played.bound is not None:
        means = f"{np.median(played.bound):,.0f} | {played.bound.mean():,.0f}"
        yield f"| {_BOUND} | {means} {'| ' * len(task.metrics)}|"
    for policy, result in played.results.items():
        returns = result.by_scenario("return")
        metrics = [f"{result.by_scenario(m).mean():.{spec.digits}f}" for m, spec in task.metrics.items()]
        means = f"{np.median(returns):,.0f} | {returns.mean():,.0f} | {' | '.join(metrics)}"
        yield f"| {played.label(policy)} | {means} |"


def figure(played: Played, path: Path) -> None:
    """Draw a task's test seasons: a row a policy, a dot a season, a bar at the median."""
    rows = [
        (played.label(name), result.by_scenario("return"), _ROLE_COLOURS.get(played.role(name) or "", MUTED))
        for name, result in reversed(played.results.items())
    ]
    if played.bound is not None:
        rows.append((_BOUND, played.bound, BLUE))
    drawn = Figure(figsize=(7.5, 0.9 + 0.24 * len(rows)), dpi=90, layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots()
    plotting.tidy(axes, grid="x")
    largest = max(float(np.max(returns)) for _, returns, _ in rows)
    for place, (_, returns, colour) in enumerate(rows):
        _row(axes, place, returns, colour, _LEFT * largest)
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(_LEFT * largest, 1.04 * largest)
    label = plotting.named(["return of a season"], played.task.protocol.objective_unit)
    axes.set_xlabel(label, fontsize=8, color=MUTED)
    axes.set_title(played.task.task, fontsize=10, fontweight="bold", loc="left", color=BLACK)
    plotting.save(drawn, path, 90)


def _row(axes: Axes, place: int, returns: Floats, colour: str, left: float) -> None:
    """Draw the seasons of one policy; a note gives the median of those left of the axis."""
    seen = returns >= left
    axes.plot(returns[seen], np.full(seen.sum(), place), "o", markersize=3, alpha=0.45, color=colour, mew=0)
    median = float(np.median(returns))
    if median >= left:
        axes.plot([median, median], [place - 0.32, place + 0.32], color=colour, linewidth=2.0)
    else:
        text = plotting.signed(f"◂ {median:,.0f}")
        axes.text(left, place, f" {text}", fontsize=7, color=colour, va="center")


def page(path: Path, names: Sequence[str]) -> None:
    """Write the tables and figures of tasks to a Markdown page and to `figures/policies/` beside it."""
    parts = [INTRODUCTION]
    for name in names:
        played = play(name)
        drawn = Path("figures") / "policies" / f"{name}.png"
        figure(played, path.parent / drawn)
        lines = "\n".join(table(played))
        parts.append(f"## {name}\n\n{played.task.summary}\n\n![Test seasons of {name}]({drawn})\n\n{lines}\n")
    write_text(path, "\n".join(parts))
