"""Whole episodes that are played before one is planned: the best of several, the controls of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore
from agbench.envs.rollout import play
from agbench.policies.base import Planner, Policy
from agbench.policies.playing import gain
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.variables import Floats


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


def controls_of(policy: Policy, core: BatchCore, row: int, seed: int, columns: NDArray[np.intp]) -> Floats:
    """Return the controls that a policy leads to from a row's present state to the end, step by step.

    They are (steps + 1, columns), of model steps, the present ones first.
    """
    own = BatchCore(core.parts, 1)
    own.load(0, core.save(row))
    policy.reset(seed)
    if isinstance(policy, Planner):
        policy.plan(own, 0)
    greenhouse, path = own.simulator, list[Floats]()
    assert isinstance(greenhouse, MeteredGreenhouse)

    def act(observations: NDArray[np.float32], _: int) -> Any:
        path.append(greenhouse.controls[0, columns].copy())
        return np.array([policy(observations[0].copy())])

    play(own, act)
    path.append(greenhouse.controls[0, columns].copy())
    steps = [1, *[core.task.step] * (len(path) - 1)]
    controls: Floats = np.repeat(np.array(path), steps, axis=0)
    return controls
