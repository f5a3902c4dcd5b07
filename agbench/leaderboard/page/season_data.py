"""The data of a season's pictures, small enough to stand in the page: panels of curves over common days."""

import base64
import gzip
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.plotting import printed

_LEVEL: Final = 6  # of compression: 9 takes three times as long for 1 %
_DAILY: Final = 100  # points, from which on a curve has fewer digits
_WHOLE: Final = re.compile(r"(?<=\d)\.0(?=[],])")
"""What ends whole numbers, which are the same without it."""
_DIGITS: Final = 3  # of its largest value: finer than a picture shows


def packed(records: Iterable[EpisodeRecord]) -> str:
    """Return episodes as compressed JSON in Base64, [{first, days, panels}]; what they share stands once."""
    content = [
        {"first": record.first_day, "days": record.days, "panels": [_panel(panel) for panel in record.panels]}
        for record in records
    ]
    text = _WHOLE.sub("", json.dumps(content, separators=(",", ":")))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _panel(panel: PanelData) -> dict[str, Any]:
    """Return a panel: days in order, each after the one before; curves with a value, or nothing, for each."""
    days = sorted(set().union(*(curve.x for curve in panel.curves)))
    curves = []
    for curve in panel.curves:
        one: dict[str, Any] = {"name": curve.name, "unit": printed(curve.unit), "form": curve.form}
        if curve.right:
            one["right"] = True
        one["y"] = _spread(curve, curve.y, days)
        if curve.top:
            one["top"] = _spread(curve, curve.top, days)
        curves.append(one)
    gaps = np.round(np.diff([0.0, *days]), 6).tolist()
    return {"title": panel.title, "x": gaps, "curves": curves}


def _spread(curve: CurveData, values: Sequence[float], days: Sequence[float]) -> Sequence[float | None]:
    """Return a curve's values on the days of its panel, nothing where it has none."""
    rounded = _rounded(values)
    if len(rounded) == len(days):
        return rounded
    own = dict(zip(curve.x, rounded, strict=True))
    return [own.get(day) for day in days]


def _rounded(values: Sequence[float]) -> Sequence[float]:
    """Return a long curve's values with as many decimals as its largest one has in so many digits."""
    largest = max(map(abs, values), default=0.0)
    if len(values) <= _DAILY or not largest:
        return values
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(largest)))
    result: list[float] = np.round(values, decimals).tolist()
    return result
