"""From a network's outputs to actions: the same for every format of networks."""

import math
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.compiled.elementary import tanh
from agbench.envs.actions import menu_sizes
from agbench.variables import Floats

HEADS: Final = ("argmax", "clip", "squash")
ROUNDING: Final = {"float64": 1e-11, "float32": 1e-4}
"""By which part of themselves a network's outputs may differ between machines.

A sum of n products is off by n u of its terms' sizes at most, u being 1.1e-16 in double and 6e-8 in single
precision: with 1,024 inputs by 1.1e-13 and 6e-5. Products that cancel and the layers behind make more of
it, for which double has two digits more. Single precision has no such reserve, but roundings go either way,
so that a layer is off by some sqrt(n) u, 2e-6.
"""


def outputs(space: spaces.Space[Any]) -> int:
    """Return how many outputs a network for an action space has: one a choice, or one an amount."""
    return sum(menu_sizes(space)) or math.prod(space.shape or ())


def near_tie(values: Floats, choice: int, rounding: float) -> bool:
    """Return whether a choice's value is within rounding of the largest, but not equal to it.

    Equal values are none: of them the first is taken, on every machine. The bound is a part of the larger of
    the two, whatever other choices are worth.
    """
    best, other = float(values.max()), float(values[choice])
    if not (math.isfinite(best) and math.isfinite(other)):
        return False
    return 0.0 < best - other <= rounding * max(abs(best), abs(other))


def of_menus(out: Floats, space: spaces.Space[Any]) -> list[Floats]:
    """Return the outputs (..., outputs) of each menu of an action space, (..., choices)."""
    return np.split(out, np.cumsum(menu_sizes(space))[:-1], axis=-1)


def default_head(space: spaces.Space[Any]) -> str:
    """Return the head of a network that says none: `argmax` for menus, `clip` for amounts."""
    return "argmax" if menu_sizes(space) else "clip"


def actions(out: Floats, head: str, space: spaces.Space[Any]) -> NDArray[Any]:
    """Return the actions of outputs (n, outputs), of the action space's own type.

    Menus: the first of the largest outputs; where there are several, each has its own outputs, one after
    another. Amounts: clipped to the bounds, or, with `squash`, the hyperbolic tangent stretched from bound
    to bound.
    """
    if menu_sizes(space):
        chosen = [np.argmax(part, axis=-1).astype(np.int64) for part in of_menus(out, space)]
        start = int(space.start) if isinstance(space, spaces.Discrete) else 0
        return np.stack(chosen, axis=-1).reshape(len(out), *(space.shape or ())) + start
    assert isinstance(space, spaces.Box)
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    shaped = out.reshape(len(out), *low.shape)
    if head == "squash":
        shaped = low + 0.5 * (tanh(shaped) + 1.0) * (high - low)
    return np.clip(shaped, low, high).astype(np.float32)
