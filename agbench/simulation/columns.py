"""Cases as columns: a list a key, which is read at once and not a case at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError
from agbench.variables import Floats

_SPARSE: Final = 8  # numbers of which fewer than one in so many are there are sorted, not counted
_NUMBERS: Final = frozenset((float, int, np.float64, np.int64, type(None)))


@dataclass(frozen=True)
class Columns:
    """Cases by what they say: `values` has a list a key, in which None is as good as no key."""

    count: int
    values: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return self.count

    def pieces(self, size: int) -> Iterator["Columns"]:
        """Yield so many cases after the other; the last piece may have fewer."""
        for first in range(0, self.count, size):
            last = min(first + size, self.count)
            yield Columns(last - first, {name: one[first:last] for name, one in self.values.items()})

    def filled(self, shared: Mapping[str, Any]) -> "Columns":
        """Return columns in which a case has the values that all cases share, unless it has its own."""
        values = dict(self.values)
        for name, value in shared.items():
            own = values.get(name, [None] * self.count)
            values[name] = _without_missing([value if one is None else one for one in own])
        return Columns(self.count, values)

    def row(self, number: int) -> dict[str, Any]:
        """Return what a case says, without what it leaves out."""
        own = {name: column[number] for name, column in self.values.items()}
        return {name: value for name, value in own.items() if value is not None}

    def numbers(self, name: str) -> Floats | None:
        """Return a column of plain numbers as an array, NaN where there is none; None for other columns."""
        column = self.values[name]
        if not set(map(type, column)) <= _NUMBERS:
            return None
        return np.array(column, dtype=np.float64)

    def codes(self, name: str, key: Callable[[Any], Any], otherwise: Any) -> NDArray[np.int64]:
        """Return a number a case, equal for values with equal keys; `otherwise` is the value of none."""
        by_place: dict[int, int] = {}
        by_key: dict[Any, int] = {}
        codes = []
        for value in self.values[name]:
            code = by_place.get(id(value))
            if code is None:
                of = key(otherwise if value is None else value)
                code = by_place[id(value)] = by_key.setdefault(of, len(by_key))
            codes.append(code)
        return np.array(codes, dtype=np.int64)


def read_columns(cases: Any) -> Columns:
    """Return cases, a DataFrame or a list of mappings, as columns; raises `ConfigError` for others."""
    import pandas as pd

    if isinstance(cases, pd.DataFrame):
        if not cases.columns.is_unique:
            raise ConfigError("cases: two columns of the DataFrame have the same name.")
        values = {str(name): cases[name].tolist() for name in cases}
    elif isinstance(cases, (list, tuple)) and all(isinstance(one, Mapping) for one in cases):
        names = dict.fromkeys(chain.from_iterable(cases))
        values = {name: [one.get(name) for one in cases] for name in names}
    else:
        raise ConfigError("cases: give a list of mappings such as [{'start': '1984-01-01'}], or a DataFrame.")
    if not len(cases):
        raise ConfigError("cases: there is none.")
    return Columns(len(cases), {name: _without_missing(column) for name, column in values.items()})


def _without_missing(column: list[Any]) -> list[Any]:
    """Return a column with None for what is missing: NaN, NaT."""
    import pandas as pd

    missing = (pd.NaT, pd.NA)
    kinds = set(map(type, column))
    if kinds == {float} and not np.isnan(np.array(column)).any():
        return column
    if not any(issubclass(kind, (float, np.floating)) or kind in map(type, missing) for kind in kinds):
        return column
    return [
        None if value is missing[0] or value is missing[1] or _is_nan(value) else value for value in column
    ]


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(value != value)


def together(columns: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
    """Return a number a case, from 0 on, equal where all columns of numbers are; 0 without a column."""
    result = np.zeros(count, dtype=np.int64)
    for column in columns:
        codes = _ranks(column)
        result = _ranks(result * (int(codes.max(initial=0)) + 1) + codes)
    return result


def _ranks(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which of the different numbers, in their order, each is, (n,)."""
    if numbers.min(initial=0) < 0 or numbers.max(initial=0) > _SPARSE * len(numbers):
        ranks: NDArray[np.int64] = np.unique(numbers, return_inverse=True)[1]
        return ranks
    there = np.bincount(numbers) > 0  # without sorting
    ranks = (np.cumsum(there) - 1)[numbers]
    return ranks


def firsts(codes: NDArray[np.int64]) -> list[int]:
    """Return the first case of each number, in the order of the numbers, which count from 0."""
    _, places = np.unique(codes, return_index=True)
    return list(map(int, places))
