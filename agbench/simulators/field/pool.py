"""Worlds side by side in memory: rows of a batch point at theirs by slot."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_KEPT = 1024  # worlds; beyond it those that no row uses are replaced


class World(Protocol):
    """All that fixes a simulation apart from management, as named arrays for the kernels."""

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays; every world of a model has the same names, types and ranks."""


class WorldPool:
    """Stacked arrays of worlds: `pool["weather"][slot]` is one world's weather.

    Where worlds differ in length the shorter ones repeat their last entry.
    """

    def __init__(self) -> None:
        self.worlds: list[World | None] = []
        self._slot_of: dict[int, int] = {}
        self._stacks: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._stacks[name]

    def slot(self, world: World, in_use: NDArray[np.int64]) -> int:
        """Return the slot of a world, put into the pool if new; slots `in_use` are not reused."""
        present = self._slot_of.get(id(world))
        if present is not None:
            return present
        slot = self._free_slot(in_use)
        for name, array in world.arrays.items():
            stack = self._grown_stack(name, array, slot)
            _fill(stack[slot, ...], array)
        self.worlds[slot] = world
        self._slot_of[id(world)] = slot
        return slot

    def _free_slot(self, in_use: NDArray[np.int64]) -> int:
        """Return a new slot, or that of a world which no row uses once the pool is full."""
        if len(self.worlds) >= max(_KEPT, 2 * len(in_use)):
            used = set(in_use.tolist())
            for slot, old in enumerate(self.worlds):
                if slot not in used:
                    del self._slot_of[id(old)]
                    return slot
        self.worlds.append(None)
        return len(self.worlds) - 1

    def _grown_stack(self, name: str, array: NDArray[Any], slot: int) -> NDArray[Any]:
        """Return the stack of a name, grown so that `array` fits into `slot`."""
        stack = self._stacks.get(name)
        if stack is not None and slot < len(stack) and array.shape == stack.shape[1:]:
            return stack
        if stack is None:
            stack = np.zeros((4, *array.shape), dtype=array.dtype)
        shape = tuple(max(a, b) for a, b in zip(stack.shape[1:], array.shape, strict=True))
        if slot >= len(stack) or shape != stack.shape[1:]:
            grown = np.zeros((max(len(stack), 2 * slot), *shape), dtype=stack.dtype)
            for i in range(len(stack)):
                _fill(grown[i, ...], stack[i, ...])
            stack = grown
        self._stacks[name] = stack
        return stack


def _fill(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy `source` into the corner of `target` and repeat its last entries up to the edges."""
    if target.shape == source.shape:
        target[...] = source
        return
    target[tuple(slice(0, k) for k in source.shape)] = source
    for axis, k in enumerate(source.shape):
        before = (slice(None),) * axis
        target[(*before, slice(k, None))] = target[(*before, slice(k - 1, k))]
