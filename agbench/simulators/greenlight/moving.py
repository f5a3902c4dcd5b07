"""Tables that rows read at their step: whole in memory, or as a window that moves along with a row.

A kernel finds row k of a table at its address plus k times its width. Of a table that is made a day at a time
(`DayByDay`) only some rows are there; its address is such that these are found in the same way.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.variables import Floats
from agbench.weather.day_by_day import DayByDay

Integers = NDArray[np.int64]

_PARTS: Final = 6
"""A window moves on by this part of a day: it is that much longer than what is read, and each day is made as
often."""
_RECENT: Final = 4
"""Days kept for rows that read the same table, as those of planners do."""


class MovingTables:
    """One table for each of n rows of a simulator."""

    def __init__(self, n: int, addresses: Integers) -> None:
        """Let `addresses`, (n,), follow the tables."""
        self._addresses = addresses
        self._tables: list[DayByDay | None] = [None] * n
        self._lengths: Integers = np.zeros(n, dtype=np.int64)
        """(n,): 0 for tables that are whole in memory."""
        self._begin: Integers = np.zeros(n, dtype=np.int64)
        self._end: Integers = np.zeros(n, dtype=np.int64)
        self._low, self._high = -1, 0
        self._values: Floats = np.empty((n, 0, 0))
        self._recent: dict[tuple[int, int], tuple[DayByDay, Floats]] = {}
        self._any = False

    def put(self, row: int, table: "Floats | DayByDay") -> None:
        """Give a row a table."""
        if not isinstance(table, DayByDay):
            self._tables[row] = None
            self._lengths[row] = 0
            self._addresses[row] = table.ctypes.data
            return
        if table is self._tables[row]:
            self._addresses[row] = self._address(row)
            return
        self._tables[row] = table
        self._lengths[row] = len(table)
        self._begin[row] = self._end[row] = 0
        self._any = True

    def cover(self, elapsed: Integers, low: int, high: int) -> None:
        """Have the rows from `low` to `high` steps after `elapsed`, (n,), of every table at hand."""
        if not self._any:
            return
        first = first_uncovered(self._begin, self._end, self._lengths, elapsed, low, high)
        if first < 0:
            return
        self._widen(low, high)
        for row in range(first, len(elapsed)):
            table = self._tables[row]
            if table is None:
                continue
            now, last = int(elapsed[row]), len(table) - 1
            begin, end = min(max(now + low, 0), last), min(now + high, last)
            if begin < self._begin[row] or end >= self._end[row]:
                self._move(row, table, now)

    def _widen(self, low: int, high: int) -> None:
        """Make all windows as wide as is read, with what they move by."""
        self._low, self._high = min(self._low, low), max(self._high, high)
        tables = [table for table in self._tables if table is not None]
        wanted = self._high - self._low + max(_hop(table) for table in tables)
        if wanted > self._values.shape[1]:
            self._values = np.empty((len(self._tables), wanted, tables[0].shape[1]))
            self._begin[:] = self._end[:] = 0

    def _move(self, row: int, table: DayByDay, now: int) -> None:
        """Move a row's window to the step `now`; what it had already stays."""
        values, hop = self._values[row], _hop(table)
        last = min(now + self._high, len(table) - 1)
        end = min(-(-(last + 1) // hop) * hop, len(table))
        begin = max(end - len(values), 0)
        old, old_end = int(self._begin[row]), int(self._end[row])
        kept, kept_end = max(old, begin), min(old_end, end)
        if kept < kept_end:
            values[kept - begin : kept_end - begin] = values[kept - old : kept_end - old].copy()
        else:
            kept = kept_end = end
        for first, stop in ((begin, kept), (kept_end, end)):
            self._fill(table, first, stop, values[first - begin : stop - begin])
        self._begin[row], self._end[row] = begin, end
        self._addresses[row] = self._address(row)

    def _fill(self, table: DayByDay, first: int, stop: int, out: Floats) -> None:
        """Write the rows of a table from `first` to `stop` (not included)."""
        for day in range(first // table.a_day, -(-stop // table.a_day) if first < stop else 0):
            rows, begin = self._day(table, day), day * table.a_day
            low, high = max(first, begin), min(stop, begin + table.a_day)
            out[low - first : high - first] = rows[low - begin : high - begin]

    def _day(self, table: DayByDay, day: int) -> Floats:
        key = id(table), day
        if key not in self._recent:
            while len(self._recent) >= _RECENT:
                del self._recent[next(iter(self._recent))]
            self._recent[key] = table, table.day(day)
        return self._recent[key][1]

    def _address(self, row: int) -> int:
        """Return where row 0 of a table would lie."""
        return int(self._values[row].ctypes.data) - int(self._begin[row]) * self._values.strides[1]


def _hop(table: DayByDay) -> int:
    return max(table.a_day // _PARTS, 1)


@entry
def first_uncovered(
    begin: Integers, end: Integers, lengths: Integers, elapsed: Integers, low: int, high: int
) -> int:
    """Return the first row whose window lacks some of what lies `low` to `high` steps after `elapsed`, or -1.

    Rows of `lengths` 0 lack nothing.
    """
    for i in range(len(lengths)):
        if lengths[i] == 0:
            continue
        last = lengths[i] - 1
        if min(max(elapsed[i] + low, 0), last) < begin[i] or min(elapsed[i] + high, last) >= end[i]:
            return i
    return -1
