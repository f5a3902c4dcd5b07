"""A figure to judge a generator: observed and generated weather side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.plotting import BLACK, BLUE, MUTED, named, save, tidy
from agbench.variables import Floats
from agbench.weather.daily import DailySeries
from agbench.weather.generator.generate import OBSERVED_ORDER, Generator
from agbench.weather.generator.parameters import WET_DAY
from agbench.weather.generator.statistics import (
    GROWING_SEASON,
    RAIN,
    generated_years,
    spells,
    statistics,
    whole_years,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SEASONS = 1000
_SHOWN: Final = {
    "IRRAD": ("MJ m-2 d-1", 1e-6),
    "TMIN": ("degC", 1.0),
    "TMAX": ("degC", 1.0),
    "VAP": ("hPa", 1.0),
    "WIND": ("m s-1", 1.0),
    "RAIN": ("mm d-1", 10.0),
}
_MONTHS = "JFMAMJJASOND"


def draw(generator: Generator, series: DailySeries, path: Path) -> Path:
    """Draw monthly levels, spells, rain amounts and growing seasons, and return the file."""
    from matplotlib.figure import Figure

    observed, generated = whole_years(series), generated_years(generator, _SEASONS)
    figure = Figure(figsize=(10.5, 11.0), layout="constrained")
    panels = figure.subplots(4, 3)
    _draw_months(panels[:2].ravel(), observed, generated)
    _draw_spells(panels[2], observed, generated)
    _draw_between(panels[3], observed, generated)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, fontsize=9, frameon=False)
    count = len(observed)
    title = f"{generator.name}: {count} observed years, {_SEASONS} generated seasons"
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return save(figure, path, 130.0)


def _draw_months(panels: "list[Axes]", observed: Floats, generated: Floats) -> None:
    """Monthly mean as a line, one standard deviation of days above and below as a band."""
    have, result = statistics(observed), statistics(generated)
    months = np.arange(12)
    for v, (axes, name) in enumerate(zip(panels, OBSERVED_ORDER, strict=True)):
        unit, factor = _SHOWN[name]
        mean, sd = result.mean[v] * factor, result.sd[v] * factor
        low = np.maximum(mean - sd, 0.0) if name in ("RAIN", "WIND", "VAP", "IRRAD") else mean - sd
        axes.fill_between(months, low, mean + sd, color=BLUE, alpha=0.18, linewidth=0)
        axes.plot(months, mean, color=BLUE, linewidth=1.6, label="generated: mean, band of one sd")
        bars = have.sd[v] * factor
        points = have.mean[v] * factor
        lower = np.minimum(bars, points) if name in ("RAIN", "WIND", "VAP", "IRRAD") else bars
        axes.errorbar(
            months,
            points,
            np.stack([lower, bars]),
            fmt="o",
            color=BLACK,
            markersize=3.5,
            linewidth=0.8,
            label="observed: mean, one sd",
        )
        axes.set_xticks(months, list(_MONTHS))
        axes.set_title(named([name], unit), fontsize=9, loc="left")
        tidy(axes)


def _draw_spells(panels: "list[Axes]", observed: Floats, generated: Floats) -> None:
    """Share of wet spells, dry spells and wet days that exceed a length or an amount."""
    for axes, wet, title in ((panels[0], True, "wet spells"), (panels[1], False, "dry spells")):
        _exceedance(axes, spells(generated, wet), spells(observed, wet))
        axes.set_title(f"share of {title} of at least ... (d)", fontsize=9, loc="left")
    amounts = [years[:, :, RAIN][years[:, :, RAIN] >= WET_DAY] * 10.0 for years in (generated, observed)]
    _exceedance(panels[2], *amounts)
    panels[2].set_title("share of wet days with at least ... (mm)", fontsize=9, loc="left")


def _exceedance(axes: "Axes", generated: Floats, observed: Floats) -> None:
    """Draw the shares at or above each value on a logarithmic scale, to the rarest of the observed."""
    for values, style in ((generated, "-"), (observed, "o")):
        ordered = np.sort(values)
        shares = 1.0 - np.arange(ordered.size) / ordered.size
        levels, first = np.unique(ordered, return_index=True)
        kept = shares[first] >= 1.0 / observed.size
        colour, size = (BLUE, None) if style == "-" else (BLACK, 2.2)
        axes.plot(levels[kept], shares[first][kept], style, color=colour, markersize=size, linewidth=1.6)
    axes.set_yscale("log")
    tidy(axes)


def _draw_between(panels: "list[Axes]", observed: Floats, generated: Floats) -> None:
    """Growing seasons (April to September): generated as a histogram, observed years as ticks."""
    means = [years[:, GROWING_SEASON].mean(axis=1) for years in (generated, observed)]
    days = GROWING_SEASON.stop - GROWING_SEASON.start
    shown = (
        ("mean temperature", "degC", [(m[:, 1] + m[:, 2]) / 2.0 for m in means]),
        ("mean radiation", "MJ m-2 d-1", [m[:, 0] * 1e-6 for m in means]),
        ("rain", "mm", [m[:, RAIN] * 10.0 * days for m in means]),
    )
    for axes, (what, unit, (result, have)) in zip(panels, shown, strict=True):
        axes.hist(result, bins=30, density=True, color=BLUE, alpha=0.35)
        axes.plot(have, np.zeros(have.size), "|", color=BLACK, markersize=14, markeredgewidth=1.2)
        axes.set_ylim(top=1.2 * axes.get_ylim()[1])
        axes.set_yticks([])
        axes.set_title(f"April to September: {named([what], unit)}", fontsize=9, loc="left")
        spreads = f"sd observed {have.std(ddof=1):.3g}, generated {result.std(ddof=1):.3g}"
        axes.text(0.02, 0.93, spreads, transform=axes.transAxes, fontsize=8, color=MUTED)
        tidy(axes, grid=None)
