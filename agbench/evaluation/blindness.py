"""Whether a blind calendar is blind: it may know the clock and the calendar, and nothing else."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.envs.family import build
from agbench.envs.single import AgBenchEnv
from agbench.errors import ConfigError
from agbench.evaluation.result import Result
from agbench.policies.base import Policy
from agbench.policies.registry import load_policy

CLOCK: Final = ("day", "hour", "sin_day", "cos_day", "sin_hour", "cos_hour")
"""What a calendar may read of an observation."""

_WATCHED: Final = 300  # decisions of each episode but the first, in which it sees the clock alone


def check_blind(task: Task, result: Result) -> None:
    """Raise `ConfigError` for a calendar that looks at more than a clock: it is not blind.

    It does the same in every episode, or, where they begin on other days, does so whatever it
    observes beside the clock.
    """
    longest = max(result.actions, key=len)
    alike = all(len(_other(actions, longest)) == 0 for actions in result.actions)
    if alike:
        return
    env = AgBenchEnv(build(task, result.split))
    policy = load_policy(str(task.references.blind), task)
    columns = ("scenario", "seed")
    for scenario, seed, actions in zip(*(result.episodes[c] for c in columns), result.actions, strict=True):
        steps = len(actions) if actions is result.actions[0] else min(len(actions), _WATCHED)
        by_clock = _blindfolded(env, policy, str(scenario), int(seed), steps)
        other = _other(by_clock, actions)
        if len(other):
            raise ConfigError(
                f"{task.task}: references.blind: {task.references.blind} is not blind: in {scenario} its "
                f"decision {other[0]} is not what it decides by the clock alone. Name a policy that looks at "
                "nothing else, such as one of the kind calendar or daily."
            )


def _other(actions: NDArray[Any], than: NDArray[Any]) -> NDArray[np.intp]:
    """Return which actions (steps, ...) differ from others, which are as many or more."""
    return np.flatnonzero((actions != than[: len(actions)]).reshape(len(actions), -1).any(axis=1))


def _blindfolded(env: AgBenchEnv, policy: Policy, scenario: str, seed: int, steps: int) -> NDArray[Any]:
    """Return the first actions of a policy that sees the clock, and noise in place of all else, (steps, ...).

    Its own seed is another one too.
    """
    generator = np.random.default_rng(seed)
    clock = [entry.name in CLOCK for entry in env.core.parts.observer.entries]
    observation, _ = env.reset(seed=seed, options={"scenario": scenario})
    policy.reset(seed + 1)
    taken = []
    for _ in range(steps):
        noise = generator.uniform(0.0, 100.0, len(observation)).astype(np.float32)
        taken.append(policy(np.where(clock, observation, noise)))
        observation, _, terminated, truncated, _ = env.step(taken[-1])
        if terminated or truncated:
            break
    return np.array(taken)
