"""How fast a field task is: kernel, environments, and PCSE in the same run on the same core."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import build
from agbench.errors import SimulationError, UnknownNameError

_KERNEL_ROWS: Final = 256
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


@dataclass(frozen=True)
class _Aims:
    """What is aimed at: days a second, times PCSE, steps a second of the vector environment."""

    kernel: str
    ratio: str
    vector: str


_LINTUL3_AIMS: Final = _Aims("1,000,000", "2,000", "200,000")
_WOFOST_AIMS: Final = _Aims("500,000", "1,000", "150,000")
_AIMS: Final = {"lintul3": _LINTUL3_AIMS, "lintul3-wheat": _LINTUL3_AIMS}


def measure(task: str, seconds: float = 2.0, num_envs: int = 256) -> list[Figure]:
    """Return all figures of a field task, each measured for about `seconds`."""
    aims = _AIMS.get(catalog.task(task).content()["simulator"]["model"], _WOFOST_AIMS)
    kernel = kernel_days(task, seconds)
    cold, warm = first_calls(task)
    return [
        Figure("bare kernel", kernel, "days/s", aims.kernel),
        *_beside_pcse(task, seconds, kernel, aims.ratio),
        Figure("single environment", single_steps(task, seconds, wrapped=False), "steps/s", "15,000"),
        Figure("  as gymnasium.make wraps it", single_steps(task, seconds, True), "steps/s"),
        Figure(
            f"make_vec, {num_envs} environments",
            vector_steps(task, seconds, num_envs),
            "steps/s",
            aims.vector,
        ),
        Figure("first call, compiling", cold, "s", "under 20"),
        Figure("first call, cached", warm, "s", "under 2"),
    ]


def _beside_pcse(task: str, seconds: float, kernel: float, aim: str) -> list[Figure]:
    """Return PCSE's speed and the ratio to it; nothing where PCSE does not have the model."""
    try:
        pcse = pcse_days(task, seconds)
    except UnknownNameError:
        return []
    return [
        Figure("PCSE, the same seasons", pcse, "days/s"),
        Figure("kernel over PCSE", kernel / pcse, "x", aim),
    ]


def kernel_days(task: str, seconds: float) -> float:
    """Return simulated days a second of the compiled model, whole seasons, one core."""
    parts = build(catalog.task(task), "train")
    simulator = parts.make_simulator(_KERNEL_ROWS)
    keys = parts.scenarios.keys
    worlds = [parts.scenarios.world(keys[i % len(keys)]) for i in range(_KERNEL_ROWS)]
    nothing = np.zeros((_KERNEL_ROWS, len(simulator.inputs)))

    def seasons() -> int:
        simulator.reset(worlds)
        simulator.advance(nothing, int(simulator.horizon.max()))
        return int(simulator.elapsed.sum()) + _KERNEL_ROWS

    return rate(seasons, seconds)


def pcse_days(task: str, seconds: float) -> float:
    """Return simulated days a second of PCSE's own model, one season after another."""
    parts = build(override(catalog.task(task), {"engine": "pcse"}), "train")
    simulator = parts.make_simulator(1)
    nothing = np.zeros((1, len(simulator.inputs)))
    keys = list(parts.scenarios.keys)

    def season() -> int:
        key = keys.pop(0)
        keys.append(key)
        simulator.reset([parts.scenarios.world(key)])
        simulator.advance(nothing, int(simulator.horizon[0]))
        return int(simulator.elapsed[0]) + 1

    return rate(season, seconds)


def single_steps(task: str, seconds: float, wrapped: bool) -> float:
    """Return steps a second of the single environment with random actions, resets included."""
    env: Any = agbench.make(task)
    env = env if wrapped else env.unwrapped
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(env.action_space.n, size=1024).tolist()

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
    menu = int(envs.single_action_space.n)  # type: ignore[attr-defined]
    actions = np.random.default_rng(0).integers(menu, size=(64, num_envs))

    def steps() -> int:
        for row in actions:
            envs.step(row)
        return int(actions.size)

    return rate(steps, seconds)


def first_calls(task: str) -> tuple[float, float]:
    """Return the time from import to the first step in new processes: compiling, then cached [s]."""
    code = _FIRST_CALL.format(task=task)
    with tempfile.TemporaryDirectory() as folder:
        caches = {"NUMBA_CACHE_DIR": folder, "AGBENCH_CACHE_DIR": folder}
        times = [_in_new_process(code, caches) for _ in range(2)]
    return times[0], times[1]


def _in_new_process(code: str, variables: dict[str, str]) -> float:
    import os

    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise SimulationError(
            f"the first call, timed in a new process, failed with exit code {done.returncode}:"
            f" {said[-1] if said else 'it said nothing'}"
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
