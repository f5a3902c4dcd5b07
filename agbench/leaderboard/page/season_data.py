"""The data of a season's pictures, small enough to stand in the page: panels of curves over common days."""

import base64
import gzip
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

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


class _Whole(NamedTuple):
    """A curve in whole numbers, so many `decimals` of each; nothing for what is no finite number."""

    decimals: int
    y: list[int | None]
    top: list[int | None]


def packed(records: Iterable[EpisodeRecord]) -> str:
    """Return episodes as compressed JSON in Base64, [{first, days, panels}]; what they share stands once."""
    shown = list(records)
    whole = iter(_whole([curve for record in shown for panel in record.panels for curve in panel.curves]))
    content = [
        {
            "first": record.first_day,
            "days": _short(record.days),
            "panels": [_panel(panel, whole) for panel in record.panels],
        }
        for record in shown
    ]
    text = json.dumps(content, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _panel(panel: PanelData, whole: Iterator[_Whole]) -> dict[str, Any]:
    """Return a panel: days in order, each after the one before; curves with a value, or nothing, for each.

    `whole` gives its curves in whole numbers, which are written and read sooner.
    """
    days = _days(panel.curves)
    curves = []
    for curve in panel.curves:
        own = next(whole)
        one: dict[str, Any] = {"name": curve.name, "unit": printed(curve.unit), "form": curve.form}
        if curve.right:
            one["right"] = True
        if own.decimals:
            one["decimals"] = own.decimals
        one["y"] = _spread(curve, own.y, days)
        if own.top:
            one["top"] = _spread(curve, own.top, days)
        curves.append(one)
    return {"title": panel.title, "x": _gaps(days), "curves": curves}


def _days(curves: Sequence[CurveData]) -> tuple[float, ...]:
    """Return the days on which any of the curves has a value, in order; most panels' curves share theirs."""
    first = curves[0].x if curves else []
    shared = tuple(first)
    if all(curve.x == first for curve in curves) and _in_order(shared):
        return shared
    return tuple(sorted(set().union(*(curve.x for curve in curves))))


@lru_cache(maxsize=32)  # most panels of a season have the same days
def _in_order(days: tuple[float, ...]) -> bool:
    """Return whether each day is after the one before."""
    return bool((np.diff(days) > 0.0).all())


@lru_cache(maxsize=32)
def _gaps(days: tuple[float, ...]) -> list[float]:
    """Return how many days each is after the one before, the first after the season's begin."""
    gaps = np.round(np.diff([0.0, *days]), 6)
    whole = bool(((gaps == np.rint(gaps)) & (np.abs(gaps) < _HUGE)).all())
    return gaps.astype(np.int64).tolist() if whole else list(map(_short, gaps.tolist()))


def _short(days: float) -> float:
    """Return days that are whole as such: `1` is shorter than `1.0`."""
    return int(days) if days.is_integer() else days


def _spread(curve: CurveData, values: list[int | None], days: Sequence[float]) -> list[int | None]:
    """Return a curve's values on the days of its panel, nothing where it has none."""
    if len(values) == len(days):
        return values
    own = dict(zip(curve.x, values, strict=True))
    return [own.get(day) for day in days]


def _whole(curves: Sequence[CurveData]) -> list[_Whole]:
    """Return curves in whole numbers: those of one length together, since a season has many short ones."""
    by_length: dict[tuple[int, int], list[int]] = {}
    for place, curve in enumerate(curves):
        by_length.setdefault((len(curve.y), len(curve.top)), []).append(place)
    result: dict[int, _Whole] = {}
    for (length, _), places in by_length.items():
        values = np.array([curves[place].y + curves[place].top for place in places], dtype=np.float64)
        decimals = [_decimals(largest, length) for largest in _largest(values)]
        scaled = np.rint(values * np.array([10.0**each for each in decimals])[:, None])
        for place, each, row in zip(places, decimals, _integers(scaled), strict=True):
            result[place] = _Whole(each, row[:length], row[length:])
    return [result[place] for place in range(len(curves))]


def _integers(scaled: Floats) -> list[list[int | None]]:
    """Return rows of whole numbers as such, nothing for what is not finite."""
    if np.isfinite(scaled).all():
        result: list[list[int | None]] = scaled.astype(np.int64).tolist()
        return result
    return [[int(value) if math.isfinite(value) else None for value in row] for row in scaled.tolist()]


def _largest(values: Floats) -> list[float]:
    """Return the largest finite size in each row of values."""
    sizes = np.abs(values)
    largest: list[float] = np.max(sizes, axis=1, initial=0.0, where=np.isfinite(sizes)).tolist()
    return largest


def _decimals(largest: float, points: int) -> int:
    """Return how many decimals the largest of a curve's values has; negative for a huge one."""
    if largest <= _TINY:
        return 0
    digits = _DIGITS if points > _DAILY else _DIGITS_OF_FEW
    decimals = digits - 1 - math.floor(math.log10(largest))
    return decimals if largest > _HUGE else max(0, decimals)
