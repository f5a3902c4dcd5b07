"""Whether a column of daily sums of radiation is what it should be: the sum of the radiation beside it.

`dli` is the sum of iGlob [MJ m-2], not of PAR in mol: over the 24 hours before a row, or over the row's whole
day. Tables from elsewhere may have it run through the day, or hold it for the day after; both are known by
their course too. Each form says exactly what a row should be, so that a factor, even of 1.2, is seen.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from agbench.variables import Booleans, Floats
from agbench.weather.greenhouse.sunlight import DAY, whole_days

_CLOSE: Final = 0.1  # of a sum: instruments and gaps that were filled
_DIM: Final = 0.1  # MJ m-2; differences below say nothing
_MOST_ROWS: Final = 0.7  # that fit; days on which clocks change are shorter or longer
_ANY: Final = 20.0  # factor between the sum of a single day and that of its neighbour, which is not there


def other_sum(sun: Floats, sums: Floats, interval: float, midnight: int = 0) -> Booleans:
    """Return which rows of sums of radiation [MJ m-2] are not those of `sun` [W m-2], whatever their form.

    `midnight` is the first row of a day by the clock. A column of zeros is one that was left out; without a
    whole day nothing is said.
    """
    result = np.zeros(len(sun), dtype=np.bool_)
    rows = round(DAY / interval) if interval > 0.0 else 0
    days = whole_days(sun, interval)
    if days is None or not sums.any():
        return result
    energy = 1e-6 * interval * sun
    starts = {midnight % rows, 0, _first_change(sums) % rows}
    forms = [
        _past(energy, rows),
        *(form for start in sorted(starts) for form in _of_days(energy, rows, start)),
    ]
    if any(_fits(sums, form) for form in forms):
        return result
    own = next(_of_days(energy, rows, 0))
    if len(days) == 1:
        low, high = np.fmin(sums, own), np.fmax(sums, own)
        return high > _ANY * np.maximum(low, _DIM)
    return ~_close(sums, own) & ~np.isnan(sums + own)


def _past(energy: Floats, rows: int) -> Floats:
    """Return the sum of the 24 hours before each row; NaN for the first day."""
    result = np.full(len(energy), np.nan)
    there = np.nan_to_num(energy)
    gaps = np.concatenate([[0], np.isnan(energy).cumsum()])
    total = np.concatenate([[0.0], there.cumsum()])
    result[rows:] = np.where(gaps[rows:-1] == gaps[: -rows - 1], total[rows:-1] - total[: -rows - 1], np.nan)
    return result


def _of_days(energy: Floats, rows: int, start: int) -> Iterator[Floats]:
    """Yield the sum of each row's day, the sum so far, and, of three days or more, that of the day before.

    Days begin at row `start`. What is not known is NaN.
    """
    days = whole_days(energy, DAY / rows, start)
    if days is None:
        return
    totals = days.sum(axis=1)
    before = np.append(np.nan, totals[:-1])
    forms = [totals.repeat(rows), days.cumsum(axis=1).ravel()]
    if len(days) > 2:
        forms.append(before.repeat(rows))
    for form in forms:
        result = np.full(len(energy), np.nan)
        result[start : start + form.size] = form
        yield result


def _first_change(sums: Floats) -> int:
    """Return the first row whose sum differs from that of the row before; 0 where none does."""
    changes = np.flatnonzero(np.diff(sums) != 0.0)
    return int(changes[0]) + 1 if len(changes) else 0


def _fits(sums: Floats, expected: Floats) -> bool:
    """Return whether most rows of which both are known agree."""
    known = ~np.isnan(sums + expected)
    return bool(known.any() and _close(sums, expected)[known].mean() >= _MOST_ROWS)


def _close(sums: Floats, expected: Floats) -> Booleans:
    with np.errstate(invalid="ignore"):
        result: Booleans = np.abs(sums - expected) <= np.maximum(_CLOSE * expected, _DIM)
    return result
