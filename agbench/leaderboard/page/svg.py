"""Small drawings as SVG text: scales, curves, marks. Every text that is not ours is escaped.

Colours and dashes come from the page's style sheet by class (`s0` .. `s6`), so that a drawing follows
the light or dark scheme; whole numbers keep it small.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from markupsafe import Markup, escape

from agbench.plotting import signed

STYLES: Final = 7
MARKERS: Final = ("circle", "square", "triangle", "diamond", "cross")
_PATHS: Final = {
    "square": "M{l} {t}h{d}v{d}h-{d}z",
    "triangle": "M{x} {t}L{r} {b}L{l} {b}z",
    "diamond": "M{x} {t}L{r} {y}L{x} {b}L{l} {y}z",
    "cross": "M{l} {t}L{r} {b}M{l} {b}L{r} {t}",
}


@dataclass(frozen=True)
class Scale:
    """Maps numbers from `low` .. `high` to pixels `first` .. `last`; what lies outside is clipped."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> int:
        """Return the pixel of a number."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.first + share * (self.last - self.first))

    def ticks(self, count: int) -> list[float]:
        """Return some `count` round numbers within the scale."""
        step = _round_step((self.high - self.low) / count)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [i * step for i in range(first, last + 1)]


def around(values: Sequence[float], first: float, last: float, zero: bool = False) -> Scale:
    """Return the scale that holds all values with a small margin, and zero if `zero` is set."""
    numbers = [v for v in values if math.isfinite(v)] + ([0.0] if zero or not values else [])
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = (low - 0.5, high + 0.5) if low or not zero else (0.0, 1.0)
    margin = 0.06 * (high - low)
    return Scale(
        low - margin if low < 0 or not zero else 0.0,
        high + margin if high > 0 or not zero else 0.0,
        first,
        last,
    )


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next((m * power for m in (1, 2, 2.5, 5) if m * power >= rough * 0.999), 10 * power))


def number(value: float, digits: int = 4) -> str:
    """Return a number as an axis says it."""
    text = f"{value:.{digits}g}" if abs(value) < 10.0**digits else f"{value:.0f}"
    return signed("0" if text == "-0" else text)


def months(first: date, days: float, most: int) -> list[tuple[float, str]]:
    """Return day and name of at most some `most` first days of months."""
    starts = [i for i in range(int(days) + 1) if (first + timedelta(days=i)).day == 1]
    stride = next((s for s in (1, 2, 3, 6, 12) if len(starts) <= most * s), 24)
    named = [(i, first + timedelta(days=i)) for i in starts]
    return [(float(i), f"{day:%b}") for i, day in named if (day.month - 1) % stride == 0]


def curve(x: Sequence[int], y: Sequence[int], style: str) -> Markup:
    """Return a line through points; steps are relative, which keeps them short."""
    steps = zip(zip(x, y, strict=True), zip(x[1:], y[1:], strict=True), strict=False)
    path = "".join(f"l{c - a} {d - b}" for (a, b), (c, d) in steps)
    return Markup(f'<path class="{style}" d="M{x[0]} {y[0]}{path}"/>') if x else Markup()


def area(x: Sequence[int], low: Sequence[int], high: Sequence[int], style: str) -> Markup:
    """Return the filled area between two lines over the same points."""
    points = [*zip(x, low, strict=True), *reversed(list(zip(x, high, strict=True)))]
    path = "L".join(f"{a} {b}" for a, b in points)
    return Markup(f'<path class="area {style}" d="M{path}z"/>') if points else Markup()


def bars(x: Sequence[int], y: Sequence[int], zero: int, style: str) -> Markup:
    """Return thin upright bars from a zero line."""
    path = "".join(f"M{a} {zero}V{b}" for a, b in zip(x, y, strict=True))
    return Markup(f'<path class="{style}" d="{path}"/>') if path else Markup()


def rule(x1: int, y1: int, x2: int, y2: int, style: str) -> Markup:
    """Return a straight line."""
    return Markup(f'<path class="{style}" d="M{x1} {y1}L{x2} {y2}"/>')


def text(x: int, y: int, words: str, anchor: str = "start", style: str = "") -> Markup:
    """Return a text; `anchor` is start, middle or end."""
    return Markup(f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{style}">{escape(words)}</text>')


def marker(x: int, y: int, shape: str, style: str, size: int = 4, title: str = "") -> Markup:
    """Return a mark of one of the shapes `MARKERS`; a title shows where a pointer rests on it."""
    inner = Markup("<title>{}</title>").format(title) if title else ""
    if shape == "circle":
        return Markup('<circle class="mark {}" cx="{}" cy="{}" r="{}">{}</circle>').format(
            style, x, y, size, inner
        )
    path = _PATHS[shape].format(x=x, y=y, l=x - size, r=x + size, t=y - size, b=y + size, d=2 * size)
    return Markup('<path class="mark {} {}" d="{}">{}</path>').format(style, shape, path, inner)


def link(address: str, content: Markup) -> Markup:
    """Return a drawing that leads to another page."""
    return Markup('<a href="{}">{}</a>').format(address, content)


def frame(x: Scale, y: Scale, ticks: Sequence[tuple[float, str]], right: Scale | None = None) -> Markup:
    """Return grid and labels of a pair of scales; `ticks` are those of x, with their names."""
    parts = []
    left_edge, right_edge, bottom, top = round(x.first), round(x.last), round(y.first), round(y.last)
    for value in y.ticks(4):
        parts.append(rule(left_edge, y(value), right_edge, y(value), "grid"))
        parts.append(text(left_edge - 4, y(value) + 3, number(value), "end"))
    for value in right.ticks(4) if right is not None else ():
        assert right is not None
        parts.append(text(right_edge + 4, right(value) + 3, number(value)))
    for value, name in ticks:
        parts.append(rule(x(value), top, x(value), bottom, "grid"))
        parts.append(text(x(value), bottom + 13, name, "middle"))
    return Markup("").join(parts)


def drawing(width: int, height: int, title: str, parts: Sequence[Markup], style: str = "chart") -> Markup:
    """Return the whole drawing; the title is what a screen reader says."""
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(style, width, height, width, height, title, Markup("").join(parts))
