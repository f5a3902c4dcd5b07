"""How fast a greenhouse task is: environments, the bare stepper and CVODES in the same run."""

from typing import Any

import numpy as np

import agbench
from agbench.benchmarks.fields import Figure, first_calls, rate
from agbench.benchmarks.greenlight import controls, cvodes, ours, synthetic_weather
from agbench.simulators.greenlight.stepping import SETTINGS

_STEPS = 288


def measure(task: str, seconds: float = 2.0, num_envs: int = 64) -> list[Figure]:
    """Return all figures of a greenhouse task, each measured for about `seconds`."""
    weather, jumps = synthetic_weather()[:_STEPS], controls("on/off")[:_STEPS]

    def steps_of(run: Any, rows: int) -> float:
        return rate(lambda: rows * (len(run(weather, jumps)) - 1), seconds)

    name, reference = cvodes()
    slow = steps_of(reference, 1)
    alone, batch = (steps_of(ours(n, SETTINGS["accurate"]), n) for n in (1, num_envs))
    cold, warm = first_calls(task)
    return [
        Figure(name, slow, "steps/s"),
        Figure("bare stepper, one row", alone, "steps/s"),
        Figure(f"bare stepper, {num_envs} rows", batch, "steps/s"),
        Figure("stepper over CVODES, one row", alone / slow, "x", "6"),
        Figure(f"stepper over CVODES, {num_envs} rows", batch / slow, "x"),
        Figure("single environment", single_steps(task, seconds, wrapped=False), "steps/s", "6,000"),
        Figure("  as gymnasium.make wraps it", single_steps(task, seconds, wrapped=True), "steps/s"),
        Figure(
            f"make_vec, {num_envs} environments", vector_steps(task, seconds, num_envs), "steps/s", "20,000"
        ),
        Figure("first call, compiling", cold, "s"),
        Figure("first call, cached", warm, "s"),
    ]


def single_steps(task: str, seconds: float, wrapped: bool) -> float:
    """Return steps a second of the single environment with random actions, resets included."""
    env: Any = agbench.make(task)
    env = env if wrapped else env.unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(512)]

    def steps() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    return rate(steps, seconds)


def vector_steps(task: str, seconds: float, num_envs: int) -> float:
    """Return environment steps a second of the vector environment, resets included."""
    envs = agbench.make_vec(task, num_envs)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions: list[Any] = [envs.action_space.sample() for _ in range(32)]

    def steps() -> int:
        for action in actions:
            envs.step(np.asarray(action))
        return len(actions) * num_envs

    return rate(steps, seconds)
