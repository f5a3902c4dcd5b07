"""A season on one page: which panels a model gets, one above the other on the calendar."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agbench.envs.field.season_marks import NITROGEN, PHOSPHORUS, POTASSIUM, WATER
from agbench.envs.field.season_panels import (
    MOISTURE,
    DosePanel,
    PlotContext,
    RewardPanel,
    Season,
    SeasonPanel,
    StateCurve,
    StatePanel,
    WaterPanel,
    WeatherPanel,
)
from agbench.plotting import BLACK, BLUE, GREEN, MUTED, ORANGE
from agbench.variables import VariableTable

SKY: Final = ("TMIN", "TMAX", "IRRAD", "RAIN")
"""The columns of daily weather that are shown, where a model has them."""

_CROP_LEFT = (StateCurve(("LAI",), GREEN), StateCurve(("DVS",), BLACK))
_CROP_RIGHT = (StateCurve(("TAGBM", "TAGP"), BLUE), StateCurve(("WSO", "TWSO"), ORANGE))
_SOIL_LEFT = (
    StateCurve(("TNSOIL", "NAVAIL"), NITROGEN),
    StateCurve(("PAVAIL",), PHOSPHORUS),
    StateCurve(("KAVAIL",), POTASSIUM),
    StateCurve(("NUPTT", "NuptakeTotal"), GREEN),
)
_SOIL_RIGHT = (
    StateCurve(("NNI",), NITROGEN),
    StateCurve(("PNI",), PHOSPHORUS),
    StateCurve(("KNI",), POTASSIUM),
    StateCurve(("TRANRF", "RFTRA"), WATER),
)
STATE_PANELS: Final = (("Crop", _CROP_LEFT, _CROP_RIGHT), ("Nutrients and stress", _SOIL_LEFT, _SOIL_RIGHT))
"""Title of each panel of states, its curves on the left and on the right scale."""


def states_shown(table: VariableTable) -> list[str]:
    """Return the names of a model's variables that the panels draw."""
    curves = (MOISTURE, *(curve for _, left, right in STATE_PANELS for curve in (*left, *right)))
    return _names(curves, table)


def stress_shown(table: VariableTable) -> list[str]:
    """Return the names of a model's indices of stress, which only a growing crop has."""
    return _names(_SOIL_RIGHT, table)


def _names(curves: Sequence[StateCurve], table: VariableTable) -> list[str]:
    return [v.name for v in (c.variable_in(table) for c in curves) if v is not None]


class SeasonFigure:
    """A season's panels on a figure: laid out once an episode, drawn anew whenever asked."""

    def __init__(self, figure: Figure, context: PlotContext) -> None:
        makers = _panels(context)
        grid = figure.add_gridspec(
            len(makers),
            1,
            height_ratios=[height for height, _ in makers],
            left=0.075,
            right=0.925,
            top=0.895,
            bottom=0.035,
            hspace=0.27,
        )
        axes = [figure.add_subplot(grid[i]) for i in range(len(makers))]
        self._panels = [make(ax) for ax, (_, make) in zip(axes, makers, strict=True)]
        ticks, labels = _months(context.start, context.horizon)
        for ax in axes:
            ax.set_xlim(-0.5, context.horizon + 0.5)
            ax.set_xticks(ticks, labels if ax is axes[-1] else [""] * len(ticks))
        self._title = figure.text(0.075, 0.965, "", fontsize=12, fontweight="bold")
        self._status = figure.text(0.925, 0.965, "", fontsize=9, color=MUTED, ha="right")
        self._summary = figure.text(0.075, 0.955, "", fontsize=9, color=MUTED, va="top")

    def draw(self, season: Season) -> None:
        """Replace what is drawn by the season so far."""
        self._title.set_text(season.title)
        self._status.set_text(season.status)
        self._summary.set_text(season.summary)
        for panel in self._panels:
            panel.clear()
            panel.draw(season)


def _panels(context: PlotContext) -> list[tuple[float, Callable[[Axes], SeasonPanel]]]:
    """Return height and maker of each panel for which the model has variables."""
    table, sky = context.variables, context.weather
    makers: list[tuple[float, Callable[[Axes], SeasonPanel]]] = []
    if "TMIN" in sky and "TMAX" in sky:
        makers.append((1.15, lambda ax: WeatherPanel(ax, context)))
    if "RAIN" in sky:
        makers.append((0.9, lambda ax: WaterPanel(ax, context)))
    for title, left, right in STATE_PANELS:
        if any(curve.variable_in(table) for curve in (*left, *right)):
            makers.append((1.4, _state_panel(context, title, left, right)))
    makers.append((0.4 + 0.3 * (len(context.inputs) - 1), lambda ax: DosePanel(ax, context)))
    makers.append((1.15, lambda ax: RewardPanel(ax, context)))
    return makers


def _state_panel(
    context: PlotContext, title: str, left: Sequence[StateCurve], right: Sequence[StateCurve]
) -> Callable[[Axes], SeasonPanel]:
    return lambda ax: StatePanel(ax, context, title, left, right)


def _months(start: date, horizon: int) -> tuple[list[int], list[str]]:
    """Return ticks on first days of months, at most 14, and their labels; years at the turn."""
    firsts = [day for day in (start + timedelta(days=i) for i in range(horizon + 1)) if day.day == 1]
    stride = next((s for s in (1, 2, 3, 6, 12) if len(firsts) <= 14 * s), 12)
    chosen = [day for day in firsts if (day.month - 1) % stride == 0]
    labels = [
        f"{day:%b}\n{day.year}" if i == 0 or day.month == 1 else f"{day:%b}" for i, day in enumerate(chosen)
    ]
    return [(day - start).days for day in chosen], labels
