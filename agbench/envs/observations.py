"""What all observers share: the entries of an observation, their bounds and their columns."""

from collections.abc import Mapping, Sequence

import numpy as np
from gymnasium import spaces

from agbench.errors import unknown
from agbench.variables import Variable


class Entries:
    """The entries of an observation, in order; `short` are further names of theirs."""

    def __init__(self, entries: Sequence[Variable], short: Mapping[str, str] | None = None) -> None:
        self.entries = list(entries)
        self.short = dict(short or {})
        self._columns = {entry.name: i for i, entry in enumerate(self.entries)}
        self._columns = {s: self._columns[name] for s, name in self.short.items()} | self._columns
        low = np.array([v.low for v in self.entries], dtype=np.float32)
        high = np.array([v.high for v in self.entries], dtype=np.float32)
        self.space: spaces.Box = spaces.Box(low, high, dtype=np.float32)

    def index(self, name: str) -> int:
        """Return the column of an entry; raises `UnknownNameError` with the nearest names."""
        if name not in self._columns:
            raise unknown("observed variable", name, self._columns)
        return self._columns[name]
