"""Running policies: one in an episode, or many policies and action sequences in one batch."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.envs.rollout import Act, Decision, decisions, play, steps
from agbench.envs.scenarios import episode_seed
from agbench.envs.single import AgBenchEnv
from agbench.policies.base import Planner, Policy
from agbench.variables import Floats


def episode(env: AgBenchEnv, policy: Policy, seed: int, scenario: str | None = None) -> Iterator[Decision]:
    """Reset environment and policy, and yield the episode's start (action None), then each decision.

    Without a `scenario` the seed draws one. What environment or policy raise comes through.
    """
    observation, info = env.reset(seed=seed, options={"scenario": scenario})
    yield Decision(None, observation, 0.0, False, info)
    policy.reset(seed)
    if isinstance(policy, Planner):
        policy.plan(env.core, 0)
    yield from decisions(env, policy, observation)


def returns_of_policies(parts: Parts, policies: Sequence[Policy], keys: Sequence[str]) -> Floats:
    """Return the return of each policy in its own scenario, (len(policies),)."""
    return totals_of_policies(parts, policies, keys)[0]


def totals_of_policies(
    parts: Parts, policies: Sequence[Policy], keys: Sequence[str]
) -> tuple[Floats, Floats]:
    """Return the return and the constraint cost of each policy in its own scenario, (len(policies),) each."""
    core = BatchCore(parts, len(policies))
    for policy in policies:
        policy.reset(parts.task.protocol.seed)
    core.start(keys, seeds_of(parts, keys))
    return _totals(core, lambda seen, _: np.array([p(row) for p, row in zip(policies, seen, strict=True)]))


def spread(keys: Sequence[str], count: int | None) -> list[str]:
    """Return so many of the keys, evenly spread and in order; all of them if they are fewer, or for None."""
    if count is None or count >= len(keys):
        return list(keys)
    return [keys[i * len(keys) // count] for i in range(count)]


def seeds_of(parts: Parts, keys: Sequence[str]) -> list[int]:
    """Return the seeds of episodes in scenarios, as an evaluation has them: each draws its own field."""
    return [episode_seed(parts.task.protocol.seed, key, 0) for key in keys]


def gain(core: BatchCore, act: Act, most: int | None = None) -> Floats:
    """Play all rows as `play` does; return by how much the task's objective grew, (n,)."""
    name = core.task.protocol.objective
    before = 0.0 if name == "return" else core.info()[name].copy()
    total = play(core, act, most)
    gained: Floats = total if name == "return" else core.info()[name] - before
    return gained


def actions_of(parts: Parts, policy: Policy, start: SavedEpisode, most: int | None = None) -> NDArray[Any]:
    """Return the actions of a policy from a saved episode to its end, or `most` of them."""
    core = BatchCore(parts, 1)
    core.load(0, start)
    policy.reset(parts.task.protocol.seed)
    taken: list[Any] = []

    def act(seen: NDArray[np.float32], _: int) -> NDArray[Any]:
        taken.append(policy(seen[0].copy()))
        return np.array([taken[-1]])

    play(core, act, most)
    return np.array(taken)


def totals(core: BatchCore, sequences: NDArray[Any]) -> tuple[Floats, Floats]:
    """Play each row's own sequence of actions (n, steps, ...); return the sums of rewards and costs, (n,).

    A sequence that is too short goes on with its last action.
    """
    last = sequences.shape[1] - 1
    return _totals(core, lambda _, number: sequences[:, min(number, last)])


def _totals(core: BatchCore, act: Act) -> tuple[Floats, Floats]:
    """Play all rows as `play` does; return the sums of rewards and of constraint costs, (n,) each."""
    total, cost = np.zeros(core.n), np.zeros(core.n)
    for rewards in steps(core, act):
        total += rewards
        cost += core.reward.cost
    return total, cost


def padded(actions: NDArray[Any], steps: int, nothing: Any) -> NDArray[Any]:
    """Return a sequence of actions to the last step: nothing is done after an episode's early end."""
    result = np.repeat(np.asarray(nothing)[None], steps, axis=0).astype(actions.dtype)
    result[: len(actions)] = actions
    return result


def returns_of_actions(core: BatchCore, start: SavedEpisode, actions: NDArray[Any]) -> Floats:
    """Return the return of each action sequence (n, steps, ...) from one start, (n,).

    `core` has n rows; a sequence that is too short goes on with its last action.
    """
    if core.parts.scenarios.random:
        core.load(range(core.n), start)
    else:
        core.reset(range(core.n), [start.scenario] * core.n)
    return play(core, lambda _, number: actions[:, min(number, actions.shape[1] - 1)])
