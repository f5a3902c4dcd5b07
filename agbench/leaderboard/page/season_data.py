"""The data of a season's pictures, small enough to stand in the page: panels of curves over common days."""

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any, Final

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.plotting import printed

_LEVEL: Final = 6  # of compression: 9 takes three times as long for 1 %


def packed(record: EpisodeRecord) -> str:
    """Return an episode as compressed JSON in Base64: {first, days, panels}."""
    content = {
        "first": record.first_day,
        "days": record.days,
        "panels": [_panel(panel) for panel in record.panels],
    }
    text = json.dumps(content, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _panel(panel: PanelData) -> dict[str, Any]:
    """Return a panel: its days in order, and curves with a value or nothing for each of them."""
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
    return {"title": panel.title, "x": days, "curves": curves}


def _spread(curve: CurveData, values: Sequence[float], places: dict[float, int]) -> list[float | None]:
    if len(values) == len(places):
        return list(values)
    result: list[float | None] = [None] * len(places)
    for day, value in zip(curve.x, values, strict=True):
        result[places[day]] = value
    return result
