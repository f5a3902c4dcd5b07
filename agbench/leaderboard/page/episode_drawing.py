"""Drawing an episode's record: one small picture for each panel, to place side by side or stacked."""

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from markupsafe import Markup

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.leaderboard.page import svg
from agbench.plotting import printed

_WIDTH: Final = 380
_HEIGHT: Final = 194
_LEFT: Final = 40
_RIGHT: Final = 38
_BOTTOM: Final = 20
_LINE: Final = 14  # pixels of a line of the key
_LETTER: Final = 6.2  # pixels


class DrawnPanel(NamedTuple):
    """A panel's title and picture."""

    title: str
    picture: Markup


def drawn(record: EpisodeRecord) -> list[DrawnPanel]:
    """Return the pictures of an episode."""
    return [DrawnPanel(panel.title, _panel(panel, record)) for panel in record.panels]


def _panel(panel: PanelData, record: EpisodeRecord) -> Markup:
    key, top = _key(panel.curves)
    x = svg.Scale(0.0, max(record.days, 1.0), _LEFT, _WIDTH - _RIGHT)
    left = [c for c in panel.curves if not c.right]
    right = [c for c in panel.curves if c.right]
    ends = (float(_HEIGHT - _BOTTOM), float(top + 11))
    scale = _scale(left, *ends)
    other = _scale(right, *ends) if right else None
    ticks = svg.months(date.fromisoformat(record.first_day), record.days, 9)
    parts = [key, svg.frame(x, scale, ticks, other)]
    capped = _capped(panel.curves)
    for i, curve in enumerate(panel.curves):
        y = other if curve.right and other is not None else scale
        parts.append(_curve(curve, x, y, i, capped))
    names = ", ".join(f"{c.name} in {printed(c.unit)}" for c in panel.curves)
    return svg.drawing(_WIDTH, _HEIGHT, f"{panel.title}: {names}, over the days of the episode", parts)


def _scale(curves: Sequence[CurveData], first: float, last: float) -> svg.Scale:
    values = [v for c in curves for v in (*c.y, *c.top)]
    return svg.around(values, first, last, zero=any(c.form == "bars" for c in curves) or _near_zero(values))


def _near_zero(values: Sequence[float]) -> bool:
    """Return whether a scale should begin at zero: where values reach down to it anyway."""
    return bool(values) and 0.0 <= min(values) <= 0.3 * max(values)


def _capped(curves: Sequence[CurveData]) -> bool:
    """Return whether bars need caps to be distinguishable without colour."""
    return sum(curve.form == "bars" for curve in curves) > 1


def _curve(curve: CurveData, x: svg.Scale, y: svg.Scale, place: int, capped: bool) -> Markup:
    across = [x(value) for value in curve.x]
    up = [y(value) for value in curve.y]
    style = f"s{place % svg.STYLES}"
    if curve.form == "band":
        return svg.area(across, up, [y(value) for value in curve.top], style)
    if curve.form == "bars":
        parts = [svg.rule(round(x.first), y(0.0), round(x.last), y(0.0), "zero")]
        parts.append(svg.bars(across, up, y(0.0), f"bar {style}"))
        if capped:
            parts += [svg.marker(*tip, _shape(place), style, 3) for tip in zip(across, up, strict=True)]
        return Markup("").join(parts)
    return svg.curve(across, up, f"line {style}")


def _shape(place: int) -> str:
    return svg.MARKERS[place % len(svg.MARKERS)]


def _key(curves: Sequence[CurveData]) -> tuple[Markup, int]:
    """Return the key above a panel and the height it takes: a sample and a name for each curve."""
    parts: list[Markup] = []
    line = 0
    ends = {False: _LEFT - 30, True: _WIDTH - 4}
    for i, curve in enumerate(curves):
        words = f"{curve.name} ({printed(curve.unit)})"
        width = round(len(words) * _LETTER) + 26
        if ends[True] - ends[False] < width:
            line, ends = line + 1, {False: _LEFT - 30, True: _WIDTH - 4}
        start = ends[True] - width if curve.right else ends[False]
        ends[curve.right] = start - 8 if curve.right else start + width + 8
        y = 10 + line * _LINE
        style = f"s{i % svg.STYLES}"
        sample = {
            "band": svg.area([start, start + 18], [y - 7, y - 7], [y, y], style),
            "bars": svg.bars([start + 4, start + 9, start + 14], [y - 6, y - 9, y - 4], y, f"bar {style}"),
            "line": svg.curve([start, start + 18], [y - 3, y - 3], f"line {style}"),
        }[curve.form]
        if curve.form == "bars" and _capped(curves):
            sample += svg.marker(start + 9, y - 9, _shape(i), style, 3)
        parts += [sample, svg.text(start + 22, y, words)]
    return Markup("").join(parts), 10 + line * _LINE
