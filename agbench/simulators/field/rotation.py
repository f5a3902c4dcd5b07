"""The crops of a rotation: what is needed of each, and the days on which it may be sown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from agbench.variables import Booleans


@dataclass(frozen=True)
class RotationCrop:
    """A crop of a rotation: all its parameters, when it may be sown, and whether it is incorporated.

    `sowing` are the first and the last day of the year such as `("10-01", "11-30")`, which may lie in the
    year after; None is any day. A crop that is `incorporated` yields nothing and stays on the field whole.
    """

    parameters: Mapping[str, Any]
    sowing: tuple[str, str] | None = None
    incorporated: bool = False


@dataclass(frozen=True)
class RotationSeason:
    """A season of a rotation: its crop's number, from 1, the day of sowing, and that of its end, if any."""

    crop: int
    sown: date
    ended: date | None = None


def sowable(crops: Sequence[RotationCrop], start: date, end: date) -> Booleans:
    """Return on which days from `start` to `end` each crop may be sown, (crops, days)."""
    days = np.arange(np.datetime64(start), np.datetime64(end) + np.timedelta64(1, "D"))
    months = days.astype("datetime64[M]")
    of_year = (months.astype(np.int64) % 12 + 1) * 100 + (days - months).astype(np.int64) + 1
    result = np.ones((len(crops), len(days)), dtype=np.bool_)
    for row, crop in zip(result, crops, strict=True):
        if crop.sowing is not None:
            first, last = (int(day.replace("-", "")) for day in crop.sowing)
            inside = (of_year >= first) & (of_year <= last)
            row[:] = inside if first <= last else (of_year >= first) | (of_year <= last)
    return result
