"""How fast a farm is: its fields a second, and a farm's cost beside that of one field in the same run."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.benchmarks.environments import Figure, environments, first_calls, rate
from agbench.data import catalog
from agbench.data.farm_task import FarmTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.farm.building import build as build_farm
from agbench.envs.field import building as field

_FARMS: Final = 64


def measure(
    task: str, seconds: float = 2.0, num_envs: int | None = None, against: Path | None = None
) -> list[Figure]:
    """Return all figures of a farm task, each measured for about `seconds`."""
    spec = catalog.task(task)
    assert isinstance(spec, FarmTask)
    farms = num_envs or _FARMS
    daily = spec.model_copy(update={"season": spec.season.model_copy(update={"step": "1 d"})})
    cold, warm = first_calls(task)
    return [
        *_beside_one_field(spec, farms, seconds),
        _field_steps(spec, farms, seconds, f"{spec.season.step} a step"),
        _field_steps(daily, farms, seconds, "1 d a step", "150,000"),
        *environments(task, seconds, farms),
        Figure("first call, compiling", cold, "s", "under 20"),
        Figure("first call, cached", warm, "s", "under 2"),
    ]


def _beside_one_field(task: FarmTask, farms: int, seconds: float) -> list[Figure]:
    """Return the time of a step of a farm over that of one of its fields alone: single, and in a batch."""
    alone = field.build(task.field(0), "train")
    farm = build_farm(task, "train")
    aim = f"under {len(task.fields) + 1}"
    return [
        Figure(
            f"{len(task.fields)} fields over one, {'single' if n == 1 else f'batch of {n}'}",
            rate(_seasons(alone, n), seconds) / rate(_seasons(farm, n), seconds),
            "x",
            aim,
        )
        for n in (1, farms)
    ]


def _field_steps(task: FarmTask, farms: int, seconds: float, step: str, aim: str = "") -> Figure:
    steps = rate(_seasons(build_farm(task, "train"), farms), seconds)
    what = f"{farms} farms of {len(task.fields)} fields, {step}"
    return Figure(what, steps * len(task.fields), "field-steps/s", aim)


def _seasons(parts: Parts, n: int) -> Any:
    """Return what plays a season of n rows with random actions, resets included; it returns the steps."""
    core = BatchCore(parts, n)
    space = parts.actions.space
    space.seed(0)
    actions = [np.array([space.sample() for _ in range(n)]) for _ in range(16)]
    keys = parts.scenarios.keys
    for row in range(n):
        core.seed(row, row)

    def season() -> int:
        core.reset(range(n), [keys[row % len(keys)] for row in range(n)])
        done = 0
        while not core.over.all():
            moving = ~core.over
            core.step(actions[done % len(actions)], moving)
            core.info()
            done += 1
        return done * n

    return season
