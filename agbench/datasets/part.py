"""A part of a dataset: some episodes one after the other, as plain arrays."""

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from agbench.errors import DatasetError
from agbench.files import write
from agbench.variables import Booleans, Floats

PER_STEP: Final = (
    *("observations", "actions", "rewards", "costs", "terminations", "truncations", "behaviours", "states"),
)
"""The arrays with a row a transition; all others have one an episode."""


@dataclass(frozen=True)
class PlayedPart:
    """E episodes with N transitions in all, in the order of their numbers.

    `observations` (N, d) are those that the actions answered, `final_observations` (E, d) those after the
    last one. `costs` (N,) is by how much each step violated constraints, `behaviours` (N,) the number of
    the behaviour that acted, -1 where the action was drawn from the action space. `states` (N, k) and
    `final_states` (E, k) are the simulator's whole state, k being 0 where it was not asked for. `metrics`
    (E, m) are those of the task at the episode's end.
    """

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    rewards: Floats
    costs: Floats
    terminations: Booleans
    truncations: Booleans
    behaviours: NDArray[np.int8]
    states: Floats
    episode_lengths: NDArray[np.int64]
    final_observations: NDArray[np.float32]
    final_states: Floats
    seeds: NDArray[np.int64]
    scenarios: NDArray[np.str_]
    metrics: Floats

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return len(self.episode_lengths)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The number of the transition after the last one of each episode, (E,)."""
        return np.cumsum(self.episode_lengths)

    @property
    def slices(self) -> Iterator[slice]:
        """The transitions of each episode."""
        start = 0
        for end in self.ends.tolist():
            yield slice(start, end)
            start = end

    def sums(self, values: Floats) -> Floats:
        """Return the sum of one number a transition in each episode, (E,), added in their order."""
        return np.array([sum(values[one].tolist()) for one in self.slices])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def save(self, path: Path) -> None:
        """Write the part; a killed run leaves no half file."""

        def fill(temporary: Path) -> None:
            with temporary.open("wb") as file:
                np.savez(file, allow_pickle=False, **self.arrays())

        write(path, fill)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a part; raises `DatasetError` for one that is damaged."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                return cls(**{field.name: stored[field.name] for field in fields(cls)})
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise DatasetError(f"{path}: cannot be read ({error}). Remove it and run again.") from None


class ContentHash:
    """The SHA-256 of what a dataset holds, whatever its format and however it was cut into parts."""

    def __init__(self) -> None:
        self._sums = {field.name: hashlib.sha256() for field in fields(PlayedPart)}
        self._kinds: dict[str, str] = {}

    def add(self, part: PlayedPart) -> None:
        """Take in the next episodes."""
        for name, array in part.arrays().items():
            if name == "scenarios":
                content = "".join(f"{key}\n" for key in array.tolist()).encode()
                kind = "text"
            else:
                kind = f"{array.dtype.newbyteorder('<').str}{array.shape[1:]}"
                content = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
            self._kinds[name] = kind
            self._sums[name].update(content)

    def hexdigest(self) -> str:
        """Return the hash."""
        lines = [f"{name} {self._kinds[name]} {total.hexdigest()}\n" for name, total in self._sums.items()]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
