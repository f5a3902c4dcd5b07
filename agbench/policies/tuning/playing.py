"""Playing many policies, or many action sequences, through seasons at once, in one batch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.policies.base import Policy
from agbench.variables import Floats


def returns_of_policies(parts: Parts, policies: Sequence[Policy], keys: Sequence[str]) -> Floats:
    """Return the return of each policy in its own scenario, (len(policies),)."""
    core = BatchCore(parts, len(policies))
    for row, policy in enumerate(policies):
        core.seed(row, parts.task.protocol.seed)
        policy.reset(parts.task.protocol.seed)
    core.reset(range(core.n), list(keys))
    total = np.zeros(core.n)
    while not core.over.all():
        actions = np.array([policy(seen) for policy, seen in zip(policies, core.observations, strict=True)])
        total += core.step(actions, ~core.over)[0]
    return total


def play(core: BatchCore, act: Callable[[NDArray[np.float32]], Any], steps: int | None = None) -> Floats:
    """Step all rows to their episodes' ends, or `steps` at most; return what the objective gained, (n,).

    `act` maps the observations of all rows to their actions.
    """
    name = core.task.protocol.objective
    before = 0.0 if name == "return" else core.info()[name].copy()
    total = np.zeros(core.n)
    for _ in range(int(core.simulator.horizon.max()) if steps is None else steps):
        total += core.step(act(core.observations), ~core.over)[0]
        if core.over.all():
            break
    gained: Floats = total if name == "return" else core.info()[name] - before
    return gained


def actions_of(parts: Parts, policy: Policy, start: SavedEpisode) -> NDArray[Any]:
    """Return the actions of a policy from a saved start of an episode to its end."""
    core = BatchCore(parts, 1)
    core.load(0, start)
    policy.reset(parts.task.protocol.seed)
    taken = []
    while not core.over[0]:
        taken.append(policy(core.observations[0].copy()))
        core.step(np.array([taken[-1]]), ~core.over)
    return np.array(taken)


def returns_of_actions(core: BatchCore, start: SavedEpisode, actions: NDArray[Any]) -> Floats:
    """Return the return of each action sequence (n, steps, ...) from one start, (n,).

    `core` has n rows; a sequence that is too short goes on with its last action.
    """
    if core.parts.scenarios.random:
        for row in range(core.n):
            core.load(row, start)
    else:
        core.reset(range(core.n), [start.scenario] * core.n)
    total = np.zeros(core.n)
    for step in range(int(core.simulator.horizon.max())):
        total += core.step(actions[:, min(step, actions.shape[1] - 1)], ~core.over)[0]
        if core.over.all():
            break
    return total
