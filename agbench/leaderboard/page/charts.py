"""The drawings of a task's and a submission's page: intervals, profiles, yield against inputs."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from agbench.evaluation.statistics import Interval
from agbench.leaderboard.page import svg
from agbench.plotting import printed

_WIDTH: Final = 460
_HEIGHT: Final = 300
_FAMILIES: Final = ("rule", "rl", "il", "offline-rl", "mpc", "oracle")
_WHISKER: Final = 110  # pixels
_PROFILE_ENDS: Final = (-200.0, 1000.0)  # scores beyond are at the edge


class Point(NamedTuple):
    """A submission in a plane: what it is called, its page, its method, where it lies."""

    name: str
    address: str
    method: str
    x: float
    y: float


class Profile(NamedTuple):
    """The share of seeds and scenarios above each score, at the scores where it changes, in order."""

    name: str
    scores: Sequence[float]
    shares: Sequence[float]


def method_mark(method: str) -> tuple[str, str]:
    """Return shape and style of a method family: distinguishable with or without colour."""
    place = _FAMILIES.index(method) if method in _FAMILIES else len(_FAMILIES)
    return svg.MARKERS[place % len(svg.MARKERS)], f"s{place % svg.STYLES}{' hollow' if place >= 5 else ''}"


def method_sample(method: str) -> Markup:
    """Return the mark of a method family for a key."""
    shape, style = method_mark(method)
    return svg.drawing(12, 12, "", [svg.marker(6, 6, shape, style)], "sample")


def whisker_scale(intervals: Sequence[Interval]) -> svg.Scale:
    """Return the common scale of a table's intervals: 0 and 100 are on it, far outliers are clipped."""
    low = max(min((i.low for i in intervals), default=0.0), -60.0)
    high = min(max((i.high for i in intervals), default=100.0), 220.0)
    return svg.Scale(min(low, -5.0), max(high, 105.0), 3, _WHISKER - 3)


def whisker(interval: Interval, scale: svg.Scale) -> Markup:
    """Return an interval as a line with a dot, over marks at 0 and 100."""
    parts = [svg.rule(scale(v), 1, scale(v), 15, "zero") for v in (0.0, 100.0)]
    if interval.high > interval.low:
        parts.append(svg.rule(scale(interval.low), 8, scale(interval.high), 8, "interval"))
    parts.append(svg.marker(scale(interval.value), 8, "circle", "s0", 3))
    return svg.drawing(_WHISKER, 16, "", parts, "whisker")


def profiles(profiles: Sequence[Profile]) -> Markup:
    """Return performance profiles: how many seeds and scenarios are above a score; they go down in steps."""
    reached = [score for profile in profiles for score in profile.scores]
    low = max(min([*reached, 0.0]), _PROFILE_ENDS[0]) - 15.0
    high = min(max([*reached, 100.0]), _PROFILE_ENDS[1]) + 15.0
    x = svg.Scale(low, high, 40, _WIDTH - 12)
    y = svg.Scale(0.0, 1.02, _HEIGHT - 34 - 0.0, 12)
    parts = [svg.frame(x, y, [(v, svg.number(v)) for v in x.ticks(6)])]
    parts.append(svg.text((40 + _WIDTH) // 2, _HEIGHT - 4, "score", "middle"))
    for i, profile in enumerate(profiles):
        across, up = [x(low)], [y(1.0)]
        for score, share in zip(profile.scores, profile.shares, strict=True):
            across += [x(score), x(score)]
            up += [up[-1], y(share)]
        parts.append(svg.curve([*across, x(high)], [*up, up[-1]], f"line s{i % svg.STYLES}"))
    return svg.drawing(
        _WIDTH, _HEIGHT, "Performance profiles: share of seeds and scenarios above a score", parts
    )


def line_sample(place: int) -> Markup:
    """Return the sample of the `place`-th line for a key."""
    return svg.drawing(26, 8, "", [svg.curve([0, 26], [4, 4], f"line s{place % svg.STYLES}")], "sample")


def plane(points: Sequence[Point], x_name: str, y_name: str) -> Markup:
    """Return submissions as marks in a plane; each leads to its page."""
    x = svg.around([p.x for p in points], 46, _WIDTH - 12, zero=True)
    y = svg.around([p.y for p in points], _HEIGHT - 34, 22)
    parts = [svg.frame(x, y, [(v, svg.number(v)) for v in x.ticks(6)])]
    parts.append(svg.text((46 + _WIDTH) // 2, _HEIGHT - 4, x_name, "middle"))
    parts.append(svg.text(4, 12, y_name))
    for p in points:
        shape, style = method_mark(p.method)
        text = f"{p.name}: {svg.number(p.x)}, {svg.number(p.y)}"
        parts.append(svg.link(p.address, svg.marker(x(p.x), y(p.y), shape, style, 4, text)))
    return svg.drawing(_WIDTH, _HEIGHT, f"{y_name} against {x_name}, a mark a submission", parts)


def differences(scenarios: Sequence[str], values: Sequence[float], unit: str) -> Markup:
    """Return a bar a scenario: by how much a submission is above or below the expert."""
    row, left = 18, 150
    height = row * len(scenarios) + 30
    x = svg.around(values, left + 36, _WIDTH - 46, zero=True)
    bottom = row * len(scenarios) + 6
    parts = []
    for value in x.ticks(5):
        parts.append(svg.rule(x(value), 4, x(value), bottom, "grid"))
        parts.append(svg.text(x(value), bottom + 13, svg.number(value), "middle"))
    parts.append(svg.rule(x(0.0), 4, x(0.0), bottom, "zero"))
    for i, (name, value) in enumerate(zip(scenarios, values, strict=True)):
        y = 6 + row * i + row // 2
        style = "wide s0" if value >= 0 else "wide s3"
        parts.append(svg.text(left - 8, y + 4, name if len(name) <= 24 else f"…{name[-23:]}", "end"))
        parts.append(svg.rule(x(0.0), y, x(value), y, style))
        side = "end" if value < 0 else "start"
        parts.append(svg.text(x(value) + (-4 if value < 0 else 4), y + 4, svg.number(value, 3), side))
    return svg.drawing(_WIDTH, height, f"Difference to the expert by scenario in {printed(unit)}", parts)
