"""The data of a season's pictures, small enough to stand in the page: panels of curves over common days."""

import base64
import gzip
import json
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.plotting import printed

_LEVEL: Final = 6  # of compression: 9 takes three times as long for 1 %
_DAILY: Final = 100  # points, from which on a curve has fewer digits
_DIGITS: Final = 3  # of its largest value: finer than a picture shows


def packed(records: Iterable[EpisodeRecord]) -> str:
    """Return episodes as compressed JSON in Base64, [{first, days, panels}]; what they share stands once."""
    content = [
        {"first": record.first_day, "days": record.days, "panels": [_panel(panel) for panel in record.panels]}
        for record in records
    ]
    text = json.dumps(content, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _panel(panel: PanelData) -> dict[str, Any]:
    """Return a panel: days in order, each after the one before; curves with a value, or nothing, for each."""
    days = sorted({day for curve in panel.curves for day in curve.x})
    places = {day: i for i, day in enumerate(days)}
    curves = []
    for curve in panel.curves:
        one: dict[str, Any] = {"name": curve.name, "unit": printed(curve.unit), "form": curve.form}
        if curve.right:
            one["right"] = True
        one["y"] = _spread(curve, curve.y, places)
        if curve.top:
            one["top"] = _spread(curve, curve.top, places)
        curves.append(one)
    gaps = [round(day - before, 6) for before, day in pairwise([0.0, *days])]
    return {"title": panel.title, "x": [_short(gap) for gap in gaps], "curves": curves}


def _spread(curve: CurveData, values: Sequence[float], places: dict[float, int]) -> Sequence[float | None]:
    short = [_short(value) for value in _rounded(values)]
    if len(short) == len(places):
        return short
    result: list[float | None] = [None] * len(places)
    for day, value in zip(curve.x, short, strict=True):
        result[places[day]] = value
    return result


def _rounded(values: Sequence[float]) -> Sequence[float]:
    """Return a long curve's values with as many decimals as its largest one has in so many digits."""
    largest = max(map(abs, values), default=0.0)
    if len(values) <= _DAILY or not largest:
        return values
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(largest)))
    return [round(value, decimals) for value in values]


def _short(value: float) -> float:
    """Return a whole number as one, which is written without .0."""
    return int(value) if value.is_integer() else value
