"""Figures of greenhouse seasons: python docs/studies/greenhouse_figures.py FOLDER.

Draws the rules of GreenLight-Gym 2 beside what was published of them, and constant heating set points.
Takes half a minute.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agbench import plotting
from agbench.data import catalog
from agbench.data.greenhouse_task import INTERVAL
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import steps
from agbench.files import write
from agbench.plotting import BLACK, BLUE, GREEN, MUTED, ORANGE, SKY_BLUE, VERMILLION
from agbench.policies.registry import load_policy
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.variables import Floats

PUBLISHED: Final = -5.0
"""EUR m-2: about where van Laatum et al. 2025 draw the rules' economic performance at no uncertainty."""

_PER_DAY: Final = 86_400 // INTERVAL
_TOTALS: Final = ("profit", "income", "heat", "electricity", "co2", "harvest", "fruit")


def season(task_id: str, names: Sequence[str], scenarios: Sequence[str]) -> dict[str, Floats]:
    """Return daily courses of policies, each in its scenario: totals and air temperature, (days + 1, n)."""
    task = override(catalog.task(task_id), {"simulator.accuracy": "fast"})
    core = BatchCore(build(task, "test"), len(names))
    players = [load_policy(name, task) for name in names]
    for row, player in enumerate(players):
        core.seed(row, 0)
        player.reset(0)
    core.reset(range(core.n), list(scenarios))
    greenhouse = core.simulator
    assert isinstance(greenhouse, MeteredGreenhouse)
    rows: dict[str, list[Floats]] = {name: [np.zeros(core.n)] for name in _TOTALS}
    air: list[Floats] = []
    for _ in steps(core, lambda seen, _: _actions(players, seen)):
        air.append(greenhouse.climate()[:, 1].copy())
        if int(greenhouse.elapsed[0]) % _PER_DAY == 0:
            for name in _TOTALS:
                rows[name].append(core.reward.totals[name].copy())
    result = {name: np.array(values) for name, values in rows.items()}
    result["tAir"] = np.array(air).reshape(-1, _PER_DAY // task.step, core.n).mean(axis=1)
    return result


def _actions(players: Sequence[Callable[[Any], Any]], seen: Any) -> Any:
    return np.array([player(row.copy()) for player, row in zip(players, seen, strict=True)])


def rules(path: Path) -> None:
    """Draw the rule-based grower's test seasons of 60 days with the published level beside them."""
    task = catalog.task("greenhouse-tomato-v1")
    keys = task.scenarios("test")
    result = season(task.task, ["rule-based"] * len(keys), keys)
    figure, axes = _figure(2, "The rule-based grower, 60 days from 1 March, eleven springs in Wageningen")
    days = np.arange(len(result["profit"]))
    reached = result["profit"][-1]
    order = np.argsort(reached)
    for row in order:
        bold = row in (order[0], order[-1])
        axes[0].plot(
            days, result["profit"][:, row], color=BLUE if bold else SKY_BLUE, linewidth=1.4 if bold else 0.7
        )
        if bold:
            axes[0].annotate(keys[row].split("/")[1][:4], (days[-1], reached[row]), fontsize=8, color=BLUE)
    axes[0].axhline(PUBLISHED, color=BLACK, linewidth=1.0, linestyle="--")
    note = f"dashed: about {plotting.signed(f'{PUBLISHED:g}')} EUR m⁻², published for Schiphol 2010"
    axes[0].text(0.03, 0.05, note, fontsize=8, color=BLACK, transform=axes[0].transAxes)
    _label(axes[0], "profit so far (EUR m⁻²)")
    prices = task.content()["reward"]
    parts = {
        "fruit": (result["income"][-1], GREEN),
        "electricity": (-prices["electricity"] * result["electricity"][-1], ORANGE),
        "heat": (-prices["heat"] * result["heat"][-1], VERMILLION),
        "CO₂": (-prices["co2"] * result["co2"][-1], MUTED),
    }
    below = np.zeros(len(keys))
    places = np.arange(len(keys))
    for name, (values, colour) in parts.items():
        axes[1].bar(places, values, 0.7, 0.0 if name == "fruit" else below, color=colour, label=name)
        below = below if name == "fruit" else below + values
    axes[1].plot(places, reached, "o", color=BLUE, markersize=4, label="profit")
    axes[1].set_xticks(places, [key.split("/")[1][2:4] for key in keys])
    axes[1].set_xlabel("year, 19..", fontsize=8, color=MUTED)
    _label(axes[1], "the season (EUR m⁻²)")
    axes[1].legend(fontsize=7, frameon=False, ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.14))
    axes[0].set_xlabel("days", fontsize=8, color=MUTED)
    _save(figure, path)


def setpoints(path: Path, scenario: str = "wageningen/1984-03-01") -> None:
    """Draw a season of the set-point task with heating to 18, 22 and 26 degC, day and night."""
    names = ["constant-18", "constant-22", "constant-26"]
    result = season("greenhouse-setpoint-v1", names, [scenario] * len(names))
    figure, axes = _figure(4, f"Constant heating set points, {scenario}")
    for name, row, colour in zip(names, range(len(names)), (BLUE, GREEN, VERMILLION), strict=True):
        label = f"{name.split('-')[1]} °C"
        axes[0].plot(result["tAir"][:, row], color=colour, linewidth=1.2, label=label)
        for ax, total in zip(axes[1:], ("harvest", "heat", "profit"), strict=True):
            ax.plot(result[total][:, row], color=colour, linewidth=1.2)
    labels = (
        "air, mean of the day (°C)",
        "harvest so far (kg m⁻²)",
        "heat so far (kWh m⁻²)",
        "profit so far (EUR m⁻²)",
    )
    for ax, label in zip(axes, labels, strict=True):
        _label(ax, label)
        ax.set_xlabel("days", fontsize=8, color=MUTED)
    axes[0].legend(fontsize=8, frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    _save(figure, path)


def _figure(panels: int, title: str) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of panels side by side, two a row, under a title."""
    rows = panels // 2
    figure = Figure(figsize=(9.0, 0.8 + 3.0 * rows), dpi=90, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=11, fontweight="bold")
    axes = list(np.atleast_1d(figure.subplots(rows, 2)).ravel())
    for ax in axes:
        plotting.tidy(ax)
    return figure, axes


def _label(ax: Axes, label: str) -> None:
    ax.set_ylabel(label, fontsize=8, color=MUTED)


def _save(figure: Figure, path: Path) -> None:
    write(path, lambda temporary: figure.savefig(temporary))


def main(folder: str) -> None:
    """Draw all figures into a folder."""
    rules(Path(folder) / "greenhouse-rules.png")
    setpoints(Path(folder) / "greenhouse-setpoints.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="FOLDER", help="where the figures are written")
    main(parser.parse_args().folder)
