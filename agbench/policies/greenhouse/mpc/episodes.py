"""Whole episodes played by several planners, to follow the best of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore
from agbench.policies.base import Planner
from agbench.policies.playing import gain


def best_episode(
    planners: Sequence[Planner], core: BatchCore, row: int, seed: int
) -> tuple[int, list[NDArray[np.float32]]]:
    """Return whose episode, from that of a row on, the task's objective grows most in, and its actions."""
    now = core.save(row)
    gained: list[float] = []
    actions: list[list[Any]] = []
    for planner in planners:
        own, taken = BatchCore(core.parts, 1), list[Any]()
        own.load(0, now)
        planner.reset(seed)
        planner.plan(own, 0)

        def act(observations: NDArray[np.float32], _: int, one: Any = planner, to: Any = taken) -> Any:
            to.append(one(observations[0].copy()))
            return np.array(to[-1:])

        gained.append(float(gain(own, act)[0]))
        actions.append(taken)
    best = int(np.argmax(gained))
    return best, actions[best]
