"""The figure of a comparison: the return of each policy, and its inputs and yield."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from agbench.data.task import Task
from agbench.errors import ResultError
from agbench.plotting import MUTED, SERIES, named, printed, save, signed, tidy
from agbench.variables import Floats

_DPI: Final = 150
_WIDTH: Final = 10.0  # inches
_MARKERS: Final = "os^Dv"  # five beside seven colours: 35 policies before one comes again
_GOLDEN: Final = 0.618034  # spreads points evenly however many there are
_SPREAD: Final = 0.36  # of a policy's lane
_PALE: Final = 0.35  # opacity of single scenarios
_LABELS: Final = 14  # scenarios that fit as names under an axis


def compare_figure(results: Sequence[Any], path: str | os.PathLike[str]) -> Path:
    """Draw results of one task side by side into a file and return its path.

    Left, the task's objective, the last result on top: a point a scenario, and the aggregate with
    its 95 % interval. Right, the first metric that sums an input against the first that reads a state;
    for tasks without such a pair, the objective scenario by scenario. Raises `ResultError` where
    there is nothing to compare, or results are of different tasks.
    """
    if not results:
        raise ResultError("nothing to compare: no results were given.")
    tasks = sorted({str(result.task.task) for result in results})
    if len(tasks) > 1:
        raise ResultError(f"results of different tasks cannot share a figure: {', '.join(tasks)}.")
    task: Task = results[0].task
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = Figure(figsize=(_WIDTH, 2.4 + 0.55 * len(results)), dpi=_DPI, layout=layout)
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    scenarios = results[0].episodes["scenario"].nunique()
    figure.suptitle(
        f"{task.task} · {scenarios} scenario{'' if scenarios == 1 else 's'}",
        x=0.01,
        ha="left",
        fontsize=11,
        fontweight="bold",
    )
    _draw_objective(left, results, task)
    pair = _trade_off(task)
    if pair is not None:
        _draw_trade_off(right, results, task, *pair)
    else:
        _draw_scenarios(right, results, task)
    return save(figure, path, _DPI)


def _draw_objective(axes: Axes, results: Sequence[Any], task: Task) -> None:
    """Draw a lane a policy: its scenarios, and the aggregate with its interval."""
    name = task.protocol.objective
    for lane, result in enumerate(results):
        colour, _ = _style(lane)
        values = _by_scenario(result, name)
        offsets: Floats = ((np.arange(len(values), dtype=np.float64) * _GOLDEN) % 1.0 - 0.5) * _SPREAD
        _scatter(axes, values, lane + offsets, lane)
        middle, low, high = result.summary[name]
        axes.hlines(lane, low, high, color=colour, linewidth=2.2)
        _aggregate(axes, middle, lane, lane)
    axes.set_yticks(range(len(results)), [f"{r.policy}\n{_in_words(r.summary[name])}" for r in results])
    tidy(axes, grid="x")
    axes.tick_params(axis="y", length=0, labelcolor="black")
    axes.set_ylim(-0.5, len(results) - 0.5)
    axes.set_xlabel(named([name], task.protocol.objective_unit), fontsize=9, color=MUTED)
    axes.set_title(f"{_capital(name)}: {task.protocol.aggregate} and 95 % interval", fontsize=9, loc="left")


def _draw_trade_off(axes: Axes, results: Sequence[Any], task: Task, x: str, y: str) -> None:
    """Draw a point a scenario, input against state, and each policy's aggregate with intervals."""
    for lane, result in enumerate(results):
        _scatter(axes, _by_scenario(result, x), _by_scenario(result, y), lane)
    for lane, result in enumerate(results):
        colour, _ = _style(lane)
        (mid_x, low_x, high_x), (mid_y, low_y, high_y) = result.summary[x], result.summary[y]
        axes.hlines(mid_y, low_x, high_x, color=colour, linewidth=1.4, zorder=3)
        axes.vlines(mid_x, low_y, high_y, color=colour, linewidth=1.4, zorder=3)
        _aggregate(axes, mid_x, mid_y, lane)
    tidy(axes)
    axes.margins(0.08)
    for name, label in ((x, axes.set_xlabel), (y, axes.set_ylabel)):
        metric = task.metrics[name]
        label(f"{metric.meaning} ({printed(metric.unit)})", fontsize=9, color=MUTED)
    axes.set_title(f"{_capital(y)} against {x}; colours as on the left", fontsize=9, loc="left")


def _draw_scenarios(axes: Axes, results: Sequence[Any], task: Task) -> None:
    """Draw the objective scenario by scenario, a line a policy."""
    name = task.protocol.objective
    keys = list(dict.fromkeys(results[0].episodes["scenario"]))
    for lane, result in enumerate(results):
        colour, marker = _style(lane)
        means = result.episodes.groupby("scenario", sort=False)[name].mean().reindex(keys)
        axes.plot(range(len(keys)), means, color=colour, marker=marker, markersize=4, linewidth=1.2)
    tidy(axes)
    stride = -(-len(keys) // _LABELS)
    ticks = range(0, len(keys), stride)
    site = _shared_site(keys)
    names = [keys[i].removeprefix(f"{site}/") for i in ticks]
    axes.set_xticks(ticks, names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_xlabel(site or "scenario", fontsize=9, color=MUTED)
    axes.set_ylabel(named([name], task.protocol.objective_unit), fontsize=9, color=MUTED)
    axes.set_title(f"{_capital(name)} by scenario; colours as on the left", fontsize=9, loc="left")


def _scatter(axes: Axes, x: Floats, y: Floats, lane: int) -> None:
    """Draw a policy's single scenarios, pale."""
    colour, marker = _style(lane)
    axes.scatter(x, y, s=16, color=colour, marker=marker, alpha=_PALE, linewidths=0)


def _aggregate(axes: Axes, x: float, y: float, lane: int) -> None:
    """Draw a policy's aggregate: its marker, large and with a white edge."""
    colour, marker = _style(lane)
    axes.scatter(x, y, s=44, color=colour, marker=marker, edgecolors="white", linewidths=1.0, zorder=4)


def _by_scenario(result: Any, name: str) -> Floats:
    """Return a column averaged over repeats, a value a scenario."""
    means: Floats = result.episodes.groupby("scenario", sort=False)[name].mean().to_numpy(float)
    return means


def _shared_site(keys: Sequence[str]) -> str:
    """Return what stands before the slash in all scenario keys; empty where they differ."""
    sites = {key.partition("/")[0] for key in keys}
    return sites.pop() if len(sites) == 1 and all("/" in key for key in keys) else ""


def _trade_off(task: Task) -> tuple[str, str] | None:
    """Return the names of the first input metric and the first state metric, if there are both."""
    inputs = [name for name, metric in task.metrics.items() if metric.input is not None]
    states = [name for name, metric in task.metrics.items() if metric.state is not None]
    return (inputs[0], states[0]) if inputs and states else None


def _style(lane: int) -> tuple[str, str]:
    return SERIES[lane % len(SERIES)], _MARKERS[lane % len(_MARKERS)]


def _in_words(interval: Sequence[float]) -> str:
    value, low, high = interval
    return signed(f"{value:.1f} [{low:.1f}, {high:.1f}]")


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
