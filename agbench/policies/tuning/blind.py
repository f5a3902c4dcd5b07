"""Random blind calendars of any action space: what somebody could plan who never looks.

A family may draw its own (`Family.calendars`). Those of any action space are here: where decisions are
shorter than a day, what is repeated every day at its hours; else one amount every so many decisions.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.packages import load_place
from agbench.envs.actions import menu_sizes
from agbench.envs.core import Parts
from agbench.envs.family import family

Actions = NDArray[Any]

_DAY: Final = 86_400  # s
_GIVEN: Final = 0.7  # the chance of each component
_KNOTS: Final = 4  # of a day's profile, at most
_LOWEST: Final = 0.4  # the chance that a level is the lowest: equipment is mostly off


def calendars(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> Actions:
    """Return action sequences (count, steps, ...) of a task's action space, drawn by a generator."""
    drawn: Actions = load_place(family(parts.task).calendars)(parts, count, steps, generator)
    return drawn


def of_any_space(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> Actions:
    """Return action sequences (count, steps, ...) whose components are drawn each by itself."""
    sizes, levels = menu_sizes(parts.actions.space), shares(parts, count, steps, generator)
    if not sizes:
        actions: Actions = np.clip(2.0 * levels - 1.0, -1.0, 1.0).astype(np.float32)
        return actions
    numbers: Actions = np.minimum((levels * np.array(sizes)).astype(np.int64), np.array(sizes) - 1)
    return numbers[..., 0] if len(sizes) == 1 else numbers


def shares(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return shares of the ranges of all components of an action, (count, steps, components)."""
    space = parts.actions.space
    width = len(menu_sizes(space)) or (space.shape or (1,))[0]
    a_day = _DAY // (family(parts.task).step_seconds * parts.task.step)
    draw = _profile if a_day > 1 else _every_so_often
    return np.stack([_stacked(draw, width, steps, a_day, generator) for _ in range(count)])


def log_uniform(low: int, high: int, generator: np.random.Generator) -> int:
    """Return a whole number from `low` to `high`, small ones as often as large ones."""
    return int(np.exp(generator.uniform(np.log(low), np.log(high + 1))))


def _stacked(
    draw: Callable[[int, int, np.random.Generator], NDArray[np.float32]],
    width: int,
    steps: int,
    a_day: int,
    generator: np.random.Generator,
) -> NDArray[np.float32]:
    """Return shares of the ranges of all components, (steps, width)."""
    return np.stack([draw(steps, a_day, generator) for _ in range(width)], axis=1)


def _profile(steps: int, a_day: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return a share of a range, (steps,), repeated every day: up to four levels with hours between them."""
    knots = int(generator.integers(1, _KNOTS + 1))
    hours = np.sort(generator.integers(0, a_day, size=knots))
    levels = np.where(generator.random(knots) < _LOWEST, 0.0, generator.random(knots))
    day = levels[np.searchsorted(hours, np.arange(a_day), side="right") - 1]
    return np.resize(day, steps).astype(np.float32)


def _every_so_often(steps: int, a_day: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return a share of a range, (steps,): one amount every so many decisions in a part of the episode."""
    result = np.zeros(steps, dtype=np.float32)
    first = int(generator.integers(0, steps))
    last = int(generator.integers(first + 1, steps + 1))
    if generator.random() < _GIVEN:
        result[first : last : log_uniform(1, max(1, steps // 4), generator)] = generator.random()
    return result
