"""The panels of a season's picture: each draws some quantities over time."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from agbench.envs.field.season_marks import FILL, curve_mark, in_key, input_colours, stacked, swatch
from agbench.plotting import BLACK, BLUE, MUTED, ORANGE, SKY_BLUE, VERMILLION, named, printed, signed, tidy
from agbench.variables import Floats, Variable, VariableTable

_SHOWN_IN = {"J m-2 d-1": (1e-6, "MJ m-2 d-1"), "cm d-1": (10.0, "mm d-1")}
_POINT = 100 / 72  # pixels, at the figure's own size
_DIGIT = 6.0  # pixels: width of a digit of a dose's label
_KEY = 0.19  # where the left keys begin, as a share of the panel's width: after all titles
_SMOOTH = 7  # days, of the running mean of radiation


@dataclass(frozen=True)
class PlotContext:
    """What does not change during an episode: tables, units, calendar."""

    variables: VariableTable
    weather: VariableTable
    inputs: Sequence[Variable]
    reward_unit: str
    start: date
    horizon: int


@dataclass(frozen=True)
class Season:
    """A season up to today. Days count from the start; nothing in here is later than `today`."""

    today: int
    days: Floats
    """The days of `states`, (k,)."""
    states: Mapping[str, Floats]
    weather: Mapping[str, Floats]
    """Daily, from the start to today, (today + 1,) each."""
    steps: Floats
    """First and last day of each step, (steps, 2)."""
    doses: Floats
    """What was applied on the first day of each step, (steps, inputs of the context)."""
    rewards: Floats
    title: str
    status: str
    summary: str


@dataclass(frozen=True)
class StateCurve:
    """A state to draw: the first of `names` that the model has."""

    names: tuple[str, ...]
    colour: str

    def variable_in(self, table: VariableTable) -> Variable | None:
        """Return the model's variable, or None where it has none of the names."""
        return next((table[name] for name in self.names if name in table), None)


MOISTURE = StateCurve(("SM", "WC"), BLACK)


class SeasonPanel(ABC):
    """Axes with a header line above them: a title, then the key of the left and right scale."""

    def __init__(self, axes: Axes, title: str) -> None:
        self.axes = axes
        self._drawn: list[Artist] = []
        tidy(axes)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.set_title(title, loc="left", fontsize=9, fontweight="bold", pad=4)

    def clear(self) -> None:
        """Take the data off the axes."""
        for artist in self._drawn:
            artist.remove()
        self._drawn = []

    @abstractmethod
    def draw(self, season: Season) -> None:
        """Draw the season so far."""

    def second_scale(self) -> Axes:
        """Return new axes on the same time, with their scale on the right."""
        twin = self.axes.twinx()
        tidy(twin, grid=None)
        twin.yaxis.set_major_locator(MaxNLocator(4))
        return twin

    def label(self, axes: Axes, shown: Sequence[tuple[Variable, Line2D]], remark: str = "") -> None:
        """Label a scale with names and units, and write its key into the header."""
        by_unit: dict[str, list[str]] = {}
        for variable, _ in shown:
            by_unit.setdefault(variable.unit, []).append(variable.name)
        text = "\n".join(stacked(named(names, unit), len(names)) for unit, names in by_unit.items())
        axes.set_ylabel(text, fontsize=8, color=MUTED)
        left = axes is self.axes
        axes.legend(
            [in_key(mark) for _, mark in shown],
            [variable.name + remark for variable, _ in shown],
            loc="lower left" if left else "lower right",
            bbox_to_anchor=(_KEY if left else 1.0, 1.0),
            borderaxespad=0.0,
            borderpad=0.2,
            ncols=len(shown),
            frameon=False,
            fontsize=8,
            handlelength=1.8,
            columnspacing=1.4,
        )

    def line(self, axes: Axes, x: Floats, y: Floats, mark: Line2D) -> None:
        """Draw a curve in the style of its mark, with a dot on its last point."""
        curve = Line2D(x, y)
        curve.update_from(mark)
        last = np.flatnonzero(np.isfinite(y))[-1:]
        dot = Line2D(x[last], y[last], color=mark.get_color(), marker="o", markersize=3.5)
        self.keep(axes.add_line(curve), axes.add_line(dot))

    def bars(self, axes: Axes, x: Floats, y: Floats, colour: str, width: float) -> None:
        """Draw thin bars from zero; `width` is in points."""
        self.keep(axes.vlines(x, 0.0, y, color=colour, linewidth=width, alpha=FILL))

    def keep(self, *artists: Artist) -> None:
        """Remember artists that the next picture replaces."""
        self._drawn += artists


class WeatherPanel(SeasonPanel):
    """The daily range of temperature, and radiation."""

    def __init__(self, axes: Axes, context: PlotContext) -> None:
        super().__init__(axes, "Weather")
        coldest = context.weather["TMIN"]
        temperature = Variable("TMIN to TMAX", coldest.unit, "daily range of temperature")
        self.label(axes, [(temperature, swatch(SKY_BLUE))])
        self._twin: Axes | None = None
        if "IRRAD" in context.weather:
            self._factor, radiation = shown_in(context.weather["IRRAD"])
            self._mark = curve_mark(ORANGE, dash=0)
            self._twin = self.second_scale()
            self.label(self._twin, [(radiation, self._mark)], f", {_SMOOTH}-day mean")

    def draw(self, season: Season) -> None:
        """Draw the weather up to today."""
        days = np.arange(season.today + 1.0)
        low, high = season.weather["TMIN"], season.weather["TMAX"]
        band = self.axes.fill_between(days, low, high, color=SKY_BLUE, alpha=FILL, linewidth=0)
        self.keep(band)
        if low.min() < 0 < high.max():
            self.keep(self.axes.axhline(0.0, color=MUTED, linewidth=0.6))
        self.axes.set_ylim(min(low.min(), 0.0) - 2.0, max(high.max(), 10.0) + 2.0)
        if self._twin is not None:
            radiation = running_mean(season.weather["IRRAD"] * self._factor)
            self.line(self._twin, days, radiation, self._mark)
            self._twin.set_ylim(*_limits([radiation], 10.0))


class WaterPanel(SeasonPanel):
    """Rain, and the moisture of the soil."""

    def __init__(self, axes: Axes, context: PlotContext) -> None:
        super().__init__(axes, "Water")
        self._factor, rain = shown_in(context.weather["RAIN"])
        self.label(axes, [(rain, swatch(BLUE))])
        self._width = 0.8 * _pixels_a_day(axes, context) / _POINT
        self._moisture = MOISTURE.variable_in(context.variables)
        if self._moisture is not None:
            self._mark = curve_mark(MOISTURE.colour, dash=0)
            self._twin = self.second_scale()
            self.label(self._twin, [(self._moisture, self._mark)])

    def draw(self, season: Season) -> None:
        """Draw rain day by day, moisture step by step."""
        rain = season.weather["RAIN"] * self._factor
        self.bars(self.axes, np.arange(season.today + 1.0), rain, BLUE, self._width)
        self.axes.set_ylim(*_limits([rain], 5.0))
        if self._moisture is not None:
            moisture = season.states[self._moisture.name]
            self.line(self._twin, season.days, moisture, self._mark)
            self._twin.set_ylim(*_limits([moisture], 0.1))


class StatePanel(SeasonPanel):
    """Curves of the model's states, solid on the left scale, dashed on the right one; NaN is a gap."""

    def __init__(
        self,
        axes: Axes,
        context: PlotContext,
        title: str,
        left: Sequence[StateCurve],
        right: Sequence[StateCurve],
    ) -> None:
        super().__init__(axes, title)
        self._scales: list[tuple[Axes, list[tuple[Variable, Line2D]]]] = []
        for curves in (left, right):
            there = [(v, c.colour) for c in curves if (v := c.variable_in(context.variables)) is not None]
            shown = [
                (variable, curve_mark(colour, dash=i if curves is right else None, of=len(there)))
                for i, (variable, colour) in enumerate(there)
            ]
            if shown:
                scale = axes if curves is left else self.second_scale()
                self.label(scale, shown)
                self._scales.append((scale, shown))

    def draw(self, season: Season) -> None:
        """Draw every curve up to today."""
        for axes, shown in self._scales:
            for variable, mark in shown:
                self.line(axes, season.days, season.states[variable.name], mark)
            values = [season.states[v.name] for v, _ in shown]
            if all(v.unit == "-" for v, _ in shown) and not any((part > 1.0).any() for part in values):
                axes.set_ylim(0.0, 1.08)
                axes.set_yticks([0.0, 0.5, 1.0])
            else:
                axes.set_ylim(*_limits(values, 2.0))


class DosePanel(SeasonPanel):
    """What was applied and when: a lane an input, every stem labelled with its amount."""

    def __init__(self, axes: Axes, context: PlotContext) -> None:
        super().__init__(axes, "Applied")
        self._inputs = context.inputs
        self._colours = input_colours([v.name for v in self._inputs])
        self._pixels = _pixels_a_day(axes, context)
        lanes = len(self._inputs)
        axes.set_ylim(-0.05, lanes)
        axes.grid(False, axis="y")
        names = [v.name if v.unit == "-" else f"{v.name} ({printed(v.unit)})" for v in reversed(self._inputs)]
        axes.set_yticks(np.arange(lanes) + 0.3, [])
        axes.tick_params(axis="y", length=0)
        axes.spines[["left", "right"]].set_visible(False)
        for lane, name in enumerate(names):
            axes.text(
                -0.008,
                lane + 0.3,
                name,
                transform=axes.get_yaxis_transform(),
                ha="right",
                va="center",
                fontsize=8,
                color=MUTED,
            )

    def draw(self, season: Season) -> None:
        """Draw the stems; where labels would touch, the larger dose keeps its own."""
        for i, variable in enumerate(self._inputs):
            self._lane(season, i, variable, len(self._inputs) - 1.0 - i)

    def _lane(self, season: Season, i: int, variable: Variable, floor: float) -> None:
        applied = season.doses[:, i] > 0
        days, amounts = season.steps[applied, 0], season.doses[applied, i]
        if not len(days):
            return
        colour = self._colours[i]
        heights = floor + 0.55 * amounts / amounts.max()
        self.keep(self.axes.vlines(days, floor, heights, color=colour, linewidth=2.2))
        texts = [f"{a:.0f}" if a >= 10 else f"{a:.2g}" for a in amounts]
        for k in _readable(days * self._pixels, amounts, [len(t) * _DIGIT for t in texts]):
            self.keep(
                self.axes.text(days[k], heights[k] + 0.04, texts[k], fontsize=7, ha="center", va="bottom")
            )


class RewardPanel(SeasonPanel):
    """The reward of each step, and their sum so far."""

    def __init__(self, axes: Axes, context: PlotContext) -> None:
        super().__init__(axes, "Reward")
        unit = context.reward_unit
        self._mark = curve_mark(BLACK)
        self.label(
            axes,
            [
                (Variable("gain", unit, ""), swatch(BLUE)),
                (Variable("loss", unit, ""), swatch(VERMILLION)),
                (Variable("sum so far", unit, ""), self._mark),
            ],
        )
        axes.set_ylabel(named(["reward"], unit), fontsize=8, color=MUTED)
        axes.axhline(0.0, color=MUTED, linewidth=0.6)

    def draw(self, season: Season) -> None:
        """Draw a box a step and the running sum, its value written beside it."""
        rewards = season.rewards
        boxes = [_box(a - 1.0, b, r) for (a, b), r in zip(season.steps, rewards, strict=True)]
        colours = [BLUE if r >= 0 else VERMILLION for r in rewards]
        self.keep(self.axes.add_collection(PolyCollection(boxes, facecolors=colours, alpha=FILL)))
        total = np.concatenate([[0.0], np.cumsum(rewards)])
        ends = np.concatenate([season.days[:1], season.steps[:, 1]])
        self.line(self.axes, ends, total, self._mark)
        self.keep(
            self.axes.annotate(
                signed(f"{total[-1]:.1f}"),
                (ends[-1], total[-1]),
                xytext=(6, 1),
                textcoords="offset points",
                va="bottom",
                fontsize=8,
            )
        )
        low, high = _limits([total, rewards], 1.0)
        self.axes.set_ylim(low - 0.05 * (high - low), high)


def shown_in(variable: Variable) -> tuple[float, Variable]:
    """Return a weather variable in the unit that people read it in, and the factor to it."""
    factor, unit = _SHOWN_IN.get(variable.unit, (1.0, variable.unit))
    return factor, Variable(variable.name, unit, variable.meaning)


def _pixels_a_day(axes: Axes, context: PlotContext) -> float:
    return float(axes.bbox.width) / (context.horizon + 1)


def _limits(values: Iterable[Floats], least: float) -> tuple[float, float]:
    """Return the ends of a scale that holds zero, all values and at least `least` above zero."""
    numbers = np.concatenate([np.zeros(1), *values])
    low, high = float(np.nanmin(numbers)), max(float(np.nanmax(numbers)), least)
    margin = 0.08 * (high - low)
    return (low - margin if low < 0 else 0.0), high + margin


def running_mean(values: Floats) -> Floats:
    """Return the mean of each day and the days before it, `_SMOOTH` in all; fewer at the start."""
    total = np.concatenate([np.zeros(1), np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - _SMOOTH, 0)
    mean: Floats = (total[ends] - total[starts]) / (ends - starts)
    return mean


def _box(first: float, last: float, height: float) -> list[tuple[float, float]]:
    return [(first, 0.0), (first, height), (last, height), (last, 0.0)]


def _readable(x: Floats, importance: Floats, widths: Sequence[float]) -> list[int]:
    """Return which labels fit side by side at pixels `x`, the most important ones first.

    A label neither touches another nor lies across the stem of something larger.
    """
    chosen: list[int] = []
    for k in np.argsort(-importance, kind="stable").tolist():
        apart = np.abs(x - x[k])
        free = (apart[importance > importance[k]] >= 0.5 * widths[k] + 2.0).all()
        if free and all(apart[j] >= 0.5 * (widths[k] + widths[j]) + 2.0 for j in chosen):
            chosen.append(k)
    return chosen
