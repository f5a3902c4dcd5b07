"""Long tables whose days are made when they are read, from random numbers that are drawn again each time.

An episode in a season with clouds of its own would else keep a megabyte of them. What is kept is where each
day's random numbers begin, and what the day takes over from the one before, so that any day can be made
again, in any order, with the same bits.
"""

import threading
from abc import ABC, abstractmethod
from typing import Any, Final

import numpy as np

from agbench.variables import Floats

_MASK: Final = 2**64 - 1
_local = threading.local()


class DayByDay(ABC):
    """A table (rows, width), made a day at a time; it reads as an array does.

    `a_day` rows are one day. The first row is row 0 of day 0; days before it have negative numbers.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        a_day: int,
        first_day: int,
        taken_over: Floats,
        generator: np.random.Generator,
    ) -> None:
        """Begin with day `first_day`, which takes over `taken_over`, (k,), and draws where `generator` is."""
        self.shape = shape
        self.a_day = a_day
        self._first_day = first_day
        days = -(-shape[0] // a_day) - first_day + 1
        self._places = np.zeros((days, 2), dtype=np.uint64)
        self._taken_over: Floats = np.zeros((days, len(taken_over)))
        self._taken_over[0] = taken_over
        self._state: dict[str, Any] = dict(generator.bit_generator.state)
        self._places[0] = _words(self._state["state"]["state"])
        self._increment: int = self._state["state"]["inc"]
        self._known = 0

    @abstractmethod
    def _make(self, day: int, taken_over: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the rows (a_day, width) of a day, and what the next day takes over."""

    def _restart(self, taken_over: Floats) -> None:
        """Let the first day take over something else."""
        self._taken_over[0] = taken_over
        self._known = 0

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        """Return what an array would return; a slice of rows makes no other days than its own."""
        if isinstance(index, (int, np.integer)):
            return self[: len(self)][index] if index < 0 else self.rows(int(index), int(index) + 1)[0]
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step == 1:
                return self.rows(first, max(first, last))
        return self.rows(0, len(self))[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the whole table."""
        return np.asarray(self.rows(0, len(self)), dtype=dtype)

    def copy(self) -> Floats:
        """Return the whole table as an array."""
        return self.rows(0, len(self))

    def rows(self, first: int, last: int) -> Floats:
        """Return rows `first` to `last` (not included), (last - first, width)."""
        result = np.empty((last - first, self.shape[1]))
        for day in range(first // self.a_day, -(-last // self.a_day) if first < last else 0):
            begin = day * self.a_day
            low, high = max(first, begin), min(last, begin + self.a_day)
            result[low - first : high - first] = self.day(day)[low - begin : high - begin]
        return result

    def day(self, number: int) -> Floats:
        """Return the rows of a day, (a_day, width); those of the last may reach beyond the table."""
        place = number - self._first_day
        while self._known < place:
            self._at(self._known)
        return self._at(place)

    def _at(self, place: int) -> Floats:
        generator = self._generator(place)
        rows, left = self._make(place + self._first_day, self._taken_over[place], generator)
        if place == self._known and place + 1 < len(self._places):
            self._places[place + 1] = _words(generator.bit_generator.state["state"]["state"])
            self._taken_over[place + 1] = left
            self._known += 1
        return rows

    def _generator(self, place: int) -> np.random.Generator:
        """Return a generator at the beginning of a day's numbers; the next call in this thread moves it."""
        generator: np.random.Generator | None = getattr(_local, "generator", None)
        if generator is None:
            generator = _local.generator = np.random.Generator(np.random.PCG64(0))
        high, low = self._places[place].tolist()
        inner = {"state": high << 64 | low, "inc": self._increment}
        generator.bit_generator.state = {**self._state, "state": inner}
        return generator


def can_draw_again(generator: np.random.Generator | None) -> bool:
    """Return whether a table can draw a generator's numbers again, which is so of NumPy's usual kind."""
    return generator is not None and type(generator.bit_generator) is np.random.PCG64


def _words(state: int) -> tuple[int, int]:
    return state >> 64, state & _MASK
