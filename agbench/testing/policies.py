"""The contract of policies: actions inside the space, determined by the seed."""

from typing import Any, get_args

import numpy as np

from agbench.envs import AgBenchEnv
from agbench.envs.registry import single_environment
from agbench.envs.rollout import decisions
from agbench.policies.base import Information, Planner, Policy
from agbench.policies.registry import load_policy
from agbench.testing.contract import Report, fail

_SEEDS = (11, 12)


def check_policy(policy: Policy | str, task: str, split: str = "train", **overrides: Any) -> Report:
    """Check a policy, or one loaded by name or path, on a task.

    It has a name and says which information it uses; its actions lie inside the action space;
    reset with the same seed it acts the same, whatever episode came before; it leaves the
    observation as it is. Raises `ContractError`.
    """
    env = single_environment(task, split, **overrides)
    result = load_policy(policy, env.task) if isinstance(policy, str) else policy
    _require_protocol(result)
    first, other = (_act(result, env, seed) for seed in _SEEDS)
    _require_same(result, first, _act(result, env, _SEEDS[0]), "after another episode")
    _require_same(result, other, _act(result, env, _SEEDS[1]), "played again")
    return Report(f"{result.name} on {task}", ("protocol", "actions inside", "reproducible"), {})


def _require_protocol(policy: Any) -> None:
    if not isinstance(policy, Policy):
        fail(f"{policy!r} is not a policy: it needs name, information, reset(seed) and a call.")
    if not isinstance(policy.name, str) or not policy.name:
        fail(f"{policy!r}: name {policy.name!r} is not a text.")
    kinds = get_args(Information)
    if policy.information not in kinds:
        fail(f"{policy.name}: information {policy.information!r} is not one of {', '.join(kinds)}.")
    if isinstance(policy, Planner) and policy.information == "observation":
        fail(f"{policy.name}: a policy that plans on the core uses more than the observation.")


def _act(policy: Policy, env: AgBenchEnv, seed: int) -> list[Any]:
    """Return the actions of an episode; all of them must lie inside the space."""
    observation, _ = env.reset(seed=seed)
    policy.reset(seed)
    if isinstance(policy, Planner):
        policy.plan(env.core, 0)
    actions: list[Any] = []

    def act(observation: Any) -> Any:
        shown = observation.copy()
        action = policy(shown)
        step = len(actions) + 1
        if shown.tobytes() != observation.tobytes():
            fail(f"{policy.name}: step {step}: it changed the observation that it was given.")
        if not env.action_space.contains(_as_sampled(action)):
            fail(f"{policy.name}: step {step}: action {action!r} lies outside {env.action_space}.")
        actions.append(np.array(action))
        return action

    for _ in decisions(env, act, observation):
        pass
    return actions


def _as_sampled(action: Any) -> Any:
    """Return an action as an evaluation records it: floating numbers as float32."""
    array = np.asarray(action)
    return array.astype(np.float32) if array.dtype.kind == "f" else action


def _require_same(policy: Policy, first: list[Any], second: list[Any], when: str) -> None:
    for step, (a, b) in enumerate(zip(first, second, strict=False), start=1):
        if a.tobytes() != b.tobytes():
            fail(f"{policy.name}: step {step}: the same seed gave {a} and, {when}, {b}.")
    if len(first) != len(second):
        fail(f"{policy.name}: the same seed gave {len(first)} and, {when}, {len(second)} actions.")
