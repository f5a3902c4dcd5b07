"""Actions that try an environment hard: valid ones at the edges of the space, and wrong ones."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.errors import NotApplicableError
from agbench.testing.spaces import outside

Draw = Callable[[spaces.Space[Any], int, np.random.Generator], NDArray[Any]]
"""Draws actions (rows, ...) of a single environment's space."""


def _random(space: spaces.Space[Any], rows: int, generator: np.random.Generator) -> NDArray[Any]:
    """Any action."""
    low, high = _bounds(space)
    if isinstance(space, spaces.Box):
        drawn = generator.uniform(low, high, (rows, *low.shape))
        inside: NDArray[Any] = np.clip(drawn.astype(space.dtype), space.low, space.high)
        return inside
    result: NDArray[Any] = generator.integers(low, high + 1, (rows, *low.shape))
    return result


def _extreme(space: spaces.Space[Any], rows: int, generator: np.random.Generator) -> NDArray[Any]:
    """Each component at its lower or upper end."""
    low, high = _bounds(space)
    upper = generator.random((rows, *low.shape)) < 0.5
    result: NDArray[Any] = np.where(upper, high, low).astype(space.dtype)
    return result


def _alike(space: spaces.Space[Any], rows: int, generator: np.random.Generator) -> NDArray[Any]:
    """All components of a row at one end: everything or nothing at once."""
    low, high = _bounds(space)
    upper = generator.random((rows, *(1 for _ in low.shape))) < 0.5
    result: NDArray[Any] = np.where(upper, high, low).astype(space.dtype)
    return result


def _edge(space: spaces.Space[Any], rows: int, generator: np.random.Generator) -> NDArray[Any]:
    """Numbers that arithmetic stumbles over: both zeros, the smallest, and next to the ends."""
    if not isinstance(space, spaces.Box):
        return _extreme(space, rows, generator)
    tiny = np.finfo(space.dtype).smallest_subnormal
    centre = np.zeros_like(space.low)
    inner = np.nextafter(space.low, space.high), np.nextafter(space.high, space.low)
    some = np.stack([space.low, space.high, *inner, centre, -centre, centre + tiny, centre - tiny])
    some = np.clip(some, space.low, space.high)
    picked = generator.integers(len(some), size=(rows, *space.shape))
    result: NDArray[Any] = np.take_along_axis(some, picked, axis=0)
    return result


DRAWS: Final[dict[str, Draw]] = {"random": _random, "extreme": _extreme, "alike": _alike, "edge": _edge}
"""Kinds of valid actions, by name."""


def _bounds(space: spaces.Space[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the greatest action of a space."""
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.Discrete):
        return np.array(space.start), np.array(space.start + space.n - 1)
    if isinstance(space, spaces.MultiDiscrete):
        return space.start, space.start + space.nvec - 1
    raise NotApplicableError(f"cannot draw actions of {space}.")


def wrong_actions(space: spaces.Space[Any]) -> list[Any]:
    """Return actions that must be refused: outside the space, of another shape or type, no numbers."""
    low, high = _bounds(space)
    more: list[Any] = [{}, object(), b"", np.array("0"), complex(0.0, 1.0), [[]], 2**70]
    if isinstance(space, spaces.Box):
        one_bad = [low.astype(np.float64) for _ in range(3)]
        for array, value in zip(one_bad, (np.nan, -np.inf, 1e30), strict=True):
            array.flat[-1] = value
        return [*outside(space), *one_bad, low[..., None], *more]
    return [*outside(space), np.nan, np.inf, high.astype(np.float64) + 1e9, *more]


def with_wrong(good: NDArray[Any], wrong: Any, row: int) -> list[Any]:
    """Return the actions of a batch as a list, one of them wrong."""
    return [wrong if i == row else action for i, action in enumerate(good)]
