"""The data of a season's pictures, small enough to stand in the page: panels of curves over common days."""

import base64
import gzip
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.plotting import printed
from agbench.variables import Floats

_LEVEL: Final = 6  # of compression: 9 takes three times as long for 1 %
_DAILY: Final = 100  # points, from which on a curve has fewer digits
_DIGITS: Final = 3  # of its largest value: finer than a picture shows
_DIGITS_OF_FEW: Final = 10
_TINY: Final = 1e-200
_HUGE: Final = 1e15  # whole numbers beyond have no place in 64 bits


def packed(records: Iterable[EpisodeRecord]) -> str:
    """Return episodes as compressed JSON in Base64, [{first, days, panels}]; what they share stands once."""
    content = [
        {"first": record.first_day, "days": _short(record.days), "panels": list(map(_panel, record.panels))}
        for record in records
    ]
    text = json.dumps(content, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _panel(panel: PanelData) -> dict[str, Any]:
    """Return a panel: days in order, each after the one before; curves with a value, or nothing, for each.

    Values are whole numbers, which are written and read sooner: the last digits of so many `decimals`.
    """
    days = _days(panel.curves)
    curves = []
    for curve in panel.curves:
        values, tops = np.array(curve.y, dtype=np.float64), np.array(curve.top, dtype=np.float64)
        one: dict[str, Any] = {"name": curve.name, "unit": printed(curve.unit), "form": curve.form}
        if curve.right:
            one["right"] = True
        if decimals := _decimals(values, tops):
            one["decimals"] = decimals
        one["y"] = _spread(curve, values, days, decimals)
        if len(tops):
            one["top"] = _spread(curve, tops, days, decimals)
        curves.append(one)
    gaps = np.round(np.diff([0.0, *days]), 6)
    whole = bool(((gaps == np.rint(gaps)) & (np.abs(gaps) < _HUGE)).all())
    x = gaps.astype(np.int64).tolist() if whole else list(map(_short, gaps.tolist()))
    return {"title": panel.title, "x": x, "curves": curves}


def _days(curves: Sequence[CurveData]) -> Sequence[float]:
    """Return the days on which any of the curves has a value, in order; most panels' curves share theirs."""
    first = curves[0].x if curves else []
    if all(curve.x == first for curve in curves) and (np.diff(first) > 0.0).all():
        return first
    return sorted(set().union(*(curve.x for curve in curves)))


def _short(days: float) -> float:
    """Return days that are whole as such: `1` is shorter than `1.0`."""
    return int(days) if days.is_integer() else days


def _spread(curve: CurveData, values: Floats, days: Sequence[float], decimals: int) -> Sequence[int | None]:
    """Return a curve's values on the days of its panel, nothing where it has none."""
    scaled = np.rint(values * 10.0**decimals)
    rounded: list[int | None] = (
        scaled.astype(np.int64).tolist()
        if np.isfinite(scaled).all()
        else [int(value) if math.isfinite(value) else None for value in scaled.tolist()]
    )
    if len(rounded) == len(days):
        return rounded
    own = dict(zip(curve.x, rounded, strict=True))
    return [own.get(day) for day in days]


def _decimals(values: Floats, tops: Floats) -> int:
    """Return how many decimals a curve's largest value has in so many digits; negative for a huge one."""
    sizes = np.abs(np.concatenate([values, tops]) if len(tops) else values)
    largest = float(np.max(sizes, initial=0.0))
    if not math.isfinite(largest):
        largest = float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
    if largest <= _TINY:
        return 0
    digits = _DIGITS if len(values) > _DAILY else _DIGITS_OF_FEW
    decimals = digits - 1 - math.floor(math.log10(largest))
    return decimals if largest > _HUGE else max(0, decimals)
