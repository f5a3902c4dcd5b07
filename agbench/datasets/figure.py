"""The picture of a dataset: returns, actions, and where its states lie."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.data import catalog
from agbench.datasets.sample import Sample
from agbench.envs.scaling import scaling_of
from agbench.errors import AgBenchError
from agbench.plotting import MUTED, SERIES, printed, save, tidy
from agbench.variables import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI: Final = 110
_BINS: Final = 40
_MOST_BEHAVIOURS: Final = 6  # with a colour of their own
_REACH: Final = 4.0  # usual spreads around the usual centre that the panel of states shows
_CELLS: Final = 32


def draw(told: Mapping[str, Any], sample: Sample, path: Path) -> Path:
    """Draw the returns by behaviour, the actions, and the density of each observed variable."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height = max(3.4, 0.16 * len(told["observations"]) + 1.2)
    figure = Figure(figsize=(12.0, height), layout="constrained")
    FigureCanvasAgg(figure)
    returns, actions, states = figure.subplots(1, 3, width_ratios=[1.0, 1.0, 1.3])
    _returns(returns, told, sample)
    _actions(actions, told, sample)
    _states(states, told, sample)
    figure.suptitle(str(told["id"]), fontsize=10)
    return save(figure, path, _DPI)


def _returns(axes: "Axes", told: Mapping[str, Any], sample: Sample) -> None:
    """Draw how returns are distributed, a colour a behaviour, and the references' means on test."""
    totals, who = sample.totals, sample.behaviours
    edges = np.histogram_bin_edges(totals, _BINS)
    shown = [(named(b), who == i) for i, b in enumerate(told["behaviour"])][:_MOST_BEHAVIOURS]
    rest = ~np.any([mask for _, mask in shown], axis=0)
    groups = [*shown, ("others" if len(told["behaviour"]) > 1 else "drawn", rest)]
    present = [(name, totals[mask]) for name, mask in groups if mask.any()]
    colours = SERIES[: len(present)]
    axes.hist(
        [v for _, v in present], bins=list(edges), stacked=True, color=colours, label=[n for n, _ in present]
    )
    references = told["references"] or {}
    if told["objective"] == "return":
        for role, style in (("floor", ":"), ("expert", "--")):
            if role in references:
                axes.axvline(
                    references[role]["mean"], color=MUTED, linestyle=style, linewidth=1.0, label=role
                )
    tidy(axes, "y")
    axes.legend(fontsize=7, frameon=False)
    axes.set_xlabel(f"return ({printed(told['reward_unit'])})", fontsize=8, color=MUTED)
    axes.set_ylabel("episodes", fontsize=8, color=MUTED)


def named(behaviour: Mapping[str, Any]) -> str:
    """Return a behaviour's policy and how it is disturbed, such as `advisor, epsilon 1 to 0.1`."""
    disturbed = [f"{key} {line(behaviour[key])}" for key in ("epsilon", "noise") if behaviour[key]]
    return ", ".join([str(behaviour["policy"]), *disturbed])


def line(value: Any) -> str:
    """Return a strength as the card writes it: a number, or the ends of a line over the episodes."""
    return f"{value['start']:g} to {value['end']:g}" if isinstance(value, Mapping) else f"{value:g}"


def _actions(axes: "Axes", told: Mapping[str, Any], sample: Sample) -> None:
    """Draw the share of each choice of a menu, or the spread of each amount."""
    table = sample.actions.reshape(len(sample.actions), -1)
    labels = [str(label) for label in told["actions"]["labels"]]
    if told["actions"]["kind"] == "menu":
        sizes = told["actions"]["menus"]
        counts = np.sum([np.bincount(menu, minlength=max(sizes)) for menu in table.T], axis=0)
        names = labels if len(labels) == len(counts) else [str(i) for i in range(len(counts))]
        axes.barh(np.arange(len(counts)), 100.0 * counts / counts.sum(), color=SERIES[0])
        axes.set_xlabel("share of decisions (%)", fontsize=8, color=MUTED)
        tidy(axes, "x")
    else:
        names = labels if len(labels) == table.shape[1] else [str(i) for i in range(table.shape[1])]
        axes.boxplot(
            list(table.T.astype(np.float64)),
            orientation="horizontal",
            whis=(5, 95),
            showfliers=False,
            positions=np.arange(table.shape[1]),
        )
        axes.set_xlim(-1.05, 1.05)
        axes.set_xlabel("action, from -1 to 1 (box: half of all, whiskers: 90 %)", fontsize=8, color=MUTED)
        tidy(axes, "x")
    axes.set_yticks(np.arange(len(names)), names)
    axes.tick_params(axis="y", labelsize=6)
    axes.invert_yaxis()


def _states(axes: "Axes", told: Mapping[str, Any], sample: Sample) -> None:
    """Draw the density of each variable in units of its usual spread in the task's train split."""
    names = [entry["name"] for entry in told["observations"]]
    values = sample.observations.astype(np.float64)
    centre, spread, usual = _usual(told, values)
    scaled = np.clip((values - centre) / spread, -_REACH, _REACH)
    edges = np.linspace(-_REACH, _REACH, _CELLS + 1)
    density = np.stack([np.histogram(column, edges)[0] for column in scaled.T]) / len(values)
    axes.imshow(
        np.sqrt(density),
        aspect="auto",
        cmap="Blues",
        interpolation="nearest",
        extent=(-_REACH, _REACH, len(names) - 0.5, -0.5),
    )
    axes.set_yticks(np.arange(len(names)), names)
    tidy(axes, None)
    axes.tick_params(axis="y", labelsize=6)
    axes.set_xlabel(f"states, in spreads around the centre of {usual}", fontsize=8, color=MUTED)


def _usual(told: Mapping[str, Any], values: Floats) -> tuple[Floats, Floats, str]:
    """Return centre and spread of each variable: the task's scaling, else those of the dataset."""
    try:
        scaling = scaling_of(catalog.task(told["task"]))
        if len(scaling.centre) == values.shape[1]:
            return scaling.centre, scaling.spread, "the task's scaling"
    except AgBenchError:  # no scaling yet
        pass
    spread = values.std(axis=0)
    return values.mean(axis=0), np.where(spread > 0.0, spread, 1.0), "the dataset"
