"""How fast the environments of any task are, with random actions, and its first call in a new process."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import agbench
from agbench.errors import SimulationError

_ACTIONS: Final = 1024
_FIRST_CALL: Final = """
import time, sys
start = time.perf_counter()
import agbench
env = agbench.make({task!r})
env.reset(seed=0)
env.step(env.action_space.sample())
print(time.perf_counter() - start)
"""


@dataclass(frozen=True)
class Figure:
    """One measurement: what, how much, in which unit, and what is aimed at."""

    what: str
    value: float
    unit: str
    aim: str = ""


def measure(
    task: str, seconds: float = 2.0, num_envs: int | None = None, against: Path | None = None
) -> list[Figure]:
    """Return the figures of a task's environments, each measured for about `seconds`."""
    cold, warm = first_calls(task)
    return [
        *environments(task, seconds, num_envs or 256),
        Figure("first call, compiling", cold, "s"),
        Figure("first call, cached", warm, "s"),
    ]


def environments(task: str, seconds: float, num_envs: int, aims: tuple[str, str] = ("", "")) -> list[Figure]:
    """Return the speed of the single environment, bare and wrapped, and of the vector environment."""
    return [
        Figure("single environment", single_steps(task, seconds, wrapped=False), "steps/s", aims[0]),
        Figure("  as gymnasium.make wraps it", single_steps(task, seconds, True), "steps/s"),
        Figure(
            f"make_vec, {num_envs} environments", vector_steps(task, seconds, num_envs), "steps/s", aims[1]
        ),
    ]


def single_steps(task: str, seconds: float, wrapped: bool) -> float:
    """Return steps a second of the single environment with random actions, resets included."""
    env: Any = agbench.make(task)
    env = env if wrapped else env.unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(_ACTIONS)]

    def steps() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    return rate(steps, seconds)


def vector_steps(task: str, seconds: float, num_envs: int) -> float:
    """Return environment steps a second of the vector environment, resets included."""
    envs = agbench.make_vec(task, num_envs, autoreset_mode="same_step")
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions: list[Any] = [envs.action_space.sample() for _ in range(64)]

    def steps() -> int:
        for row in actions:
            envs.step(row)
        return len(actions) * num_envs

    return rate(steps, seconds)


def first_calls(task: str) -> tuple[float, float]:
    """Return the time from import to the first step in new processes: compiling, then cached [s]."""
    code = _FIRST_CALL.format(task=task)
    with tempfile.TemporaryDirectory() as folder:
        caches = {"NUMBA_CACHE_DIR": folder, "AGBENCH_CACHE_DIR": folder}
        times = [_in_new_process(code, caches) for _ in range(2)]
    return times[0], times[1]


def _in_new_process(code: str, variables: dict[str, str]) -> float:
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        text = done.stderr.strip().splitlines()
        raise SimulationError(
            f"the first call, timed in a new process, failed with exit code {done.returncode}:"
            f" {text[-1] if text else 'no message'}"
        )
    return float(done.stdout.split()[-1])


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return how much of `work` is done a second; one round first, uncounted."""
    work()
    done = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed
