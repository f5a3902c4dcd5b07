"""Greenhouse weather of an episode with clouds of its own, made a day at a time (see `DayByDay`)."""

import numpy as np

from agbench.variables import Floats
from agbench.weather.day_by_day import DayByDay
from agbench.weather.draws import standard_normal
from agbench.weather.greenhouse.disaggregation import DAY, Days
from agbench.weather.greenhouse.past_sums import DLI, SUN, past_energy, running

_CLOUD, _SUM = 0, 1  # what a day takes over: the state of the clouds, and the radiation so far [W m-2]


class CloudyDays(DayByDay):
    """The rows of some days whose clouds a generator draws, with the bits of all made at once.

    With `before` the first of `days` is the one before the table. With `past` the column `dli` is the sum of
    the 24 hours before a row; where there is no day before, the first stands for it.
    """

    def __init__(
        self, days: Days, rows: int, before: bool, past: bool, generator: np.random.Generator
    ) -> None:
        """Begin where `generator` is; the caller draws all days' numbers from it."""
        super().__init__((rows, 10), DAY // days.interval, -1 if before else 0, np.zeros(2), generator)
        self._days = days
        self._past = past
        self._sums: dict[
            int, Floats
        ] = {}  # the radiation before each row of the last two days that were made
        self._first_sums: Floats | None = None
        if past and not before:
            self._first_sums = running(super().day(0)[:, SUN], 0.0)
            self._restart(np.array([0.0, self._first_sums[-1]]))

    def day(self, number: int) -> Floats:
        """Return the rows of a day, (a_day, 10)."""
        if not self._past:
            return super().day(number)
        before = self._sums_of(number - 1)
        rows = super().day(number)
        rows[:, DLI] = past_energy(self._sums[number][:-1], before[:-1], self._days.interval)
        return rows

    def _sums_of(self, day: int) -> Floats:
        if day < self._first_day:
            assert self._first_sums is not None
            return self._first_sums
        if day not in self._sums:
            super().day(day)
        return self._sums[day]

    def _make(self, day: int, taken_over: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
        noise = standard_normal(generator, self.a_day)
        rows, cloud = self._days.rows(day - self._first_day, 1, noise, float(taken_over[_CLOUD]))
        sums = running(rows[:, SUN], float(taken_over[_SUM]))
        self._sums.pop(day, None)
        while len(self._sums) > 1:
            del self._sums[next(iter(self._sums))]
        self._sums[day] = sums
        return rows, np.array([cloud, sums[-1]])
