"""How fast a field task is: kernel, environments, and PCSE in the same run on the same core."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agbench.benchmarks.environments import Figure, environments, first_calls, rate
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import build
from agbench.errors import ConfigError, UnknownNameError

_KERNEL_ROWS: Final = 256


@dataclass(frozen=True)
class _Aims:
    """What is aimed at: days a second, times PCSE, steps a second of the vector environment."""

    kernel: str
    ratio: str
    vector: str


_LINTUL3_AIMS: Final = _Aims("1,000,000", "2,000", "200,000")
_WOFOST_AIMS: Final = _Aims("500,000", "1,000", "150,000")
_AIMS: Final = {"lintul3": _LINTUL3_AIMS, "lintul3-wheat": _LINTUL3_AIMS}


def measure(
    task: str, seconds: float = 2.0, num_envs: int | None = None, against: Path | None = None
) -> list[Figure]:
    """Return all figures of a field task, each measured for about `seconds`."""
    aims = _AIMS.get(catalog.task(task).content()["simulator"]["model"], _WOFOST_AIMS)
    kernel = kernel_days(task, seconds)
    cold, warm = first_calls(task)
    return [
        Figure("bare kernel", kernel, "days/s", aims.kernel),
        *_beside_pcse(task, seconds, kernel, aims.ratio),
        *environments(task, seconds, num_envs or 256, ("15,000", aims.vector)),
        Figure("first call, compiling", cold, "s", "under 20"),
        Figure("first call, cached", warm, "s", "under 2"),
    ]


def _beside_pcse(task: str, seconds: float, kernel: float, aim: str) -> list[Figure]:
    """Return the speed of PCSE and the ratio to it; nothing where it lacks the model or its crops."""
    try:
        pcse = pcse_days(task, seconds)
    except (UnknownNameError, ConfigError):
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
