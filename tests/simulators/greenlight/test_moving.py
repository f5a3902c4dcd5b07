"""Windows of tables that are made day by day: at the address of a row stands that row."""

import ctypes

import numpy as np
import pytest

from agbench.simulators.greenlight.moving import MovingTables
from agbench.weather.day_by_day import DayByDay

A_DAY = 12


class Counting(DayByDay):
    """A table of two columns whose row k holds k and 1000 + k."""

    def __init__(self, rows):
        super().__init__((rows, 2), A_DAY, 0, np.zeros(1), np.random.default_rng(0))

    def _make(self, day, taken_over, generator):
        number = A_DAY * day + np.arange(float(A_DAY))
        return np.column_stack([number, 1000.0 + number]), taken_over


def read(address, step):
    """Return a row of two numbers where a kernel finds it."""
    return list((ctypes.c_double * 2).from_address(int(address) + 16 * step))


@pytest.mark.parametrize("rows", [40, 41, 48])
def test_every_row_that_is_asked_for_is_there_to_the_last(rows):
    addresses = np.zeros(2, np.int64)
    tables = MovingTables(2, addresses)
    whole = np.column_stack([np.arange(float(rows)), 1000.0 + np.arange(float(rows))])
    tables.put(0, Counting(rows))
    tables.put(1, whole)
    for now in [*range(rows), 3, rows - 1, 0]:
        tables.cover(np.array([now, now]), -2, 3)
        for step in range(max(now - 2, 0), min(now + 4, rows)):
            assert read(addresses[0], step) == read(addresses[1], step) == whole[step].tolist()
