"""Fitting how far a calendar is followed, by the season: `agbench fit TASK POLICY`.

Every share of a grid plays whole training seasons. What a day earned counts for the days of the year near it;
each of them takes the share that earned most there. Other whole seasons judge between the shares found and
either part alone.
"""

from typing import Any, Final

import numpy as np

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.envs.core import BatchCore
from agbench.envs.rollout import steps
from agbench.policies.greenhouse.blended_setpoints import BlendedSetpoints, BlendedSettings
from agbench.policies.greenhouse.candidates import Actor, judged, training_parts
from agbench.policies.registry import interface_of
from agbench.variables import Floats

GRID: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The calendar's shares that are tried."""

SEASONS: Final = 96
"""Training seasons that each of them plays: the first of the split."""

_YEAR: Final = 365.0  # d


def tune_shares(task: GreenhouseTask, settings: BlendedSettings) -> tuple[BlendedSettings, float]:
    """Return the shares with the best mean objective over whole training seasons, and that mean.

    Tuned are those of the days that the settings name.
    """
    earned = _by_day(task, settings)
    found = np.array(GRID)[earned.argmax(axis=0)]
    none = np.zeros(len(found))
    tables = np.stack([none, none + 1.0, found])
    means = judged(task, lambda chosen: actor(task, settings, chosen), tables)
    best = int(np.argmax(means))
    return settings.model_copy(update={"shares": tables[best].tolist()}), float(means[best])


def _by_day(task: GreenhouseTask, settings: BlendedSettings) -> Floats:
    """Return the mean reward of a step under each share of the grid around each day, (shares, days)."""
    parts = training_parts(task)
    keys = parts.scenarios.keys[:SEASONS]
    policy = BlendedSetpoints("candidate", settings, interface_of(task))
    core = BatchCore(parts, len(GRID) * len(keys))
    core.start([*keys] * len(GRID), [*range(len(keys))] * len(GRID))
    shares = np.repeat(np.array(GRID), len(keys))
    day = parts.observer.index("day")
    knots = np.array(settings.days)
    sums, counts = np.zeros((len(GRID), len(knots))), np.zeros(len(knots))
    near: Any = None

    def act(seen: Any, number: int) -> Any:
        nonlocal near
        near = _nearest(seen[: len(keys), day].astype(np.float64), knots)
        return policy.actions(number, seen, shares)

    for rewards in steps(core, act, task.episode.intervals // task.step):
        for i, row in enumerate(rewards.reshape(len(GRID), -1)):
            np.add.at(sums[i], near, row)
        np.add.at(counts, near, 1.0)
    means: Floats = sums / np.maximum(counts, 1.0)
    return means


def _nearest(days: Floats, knots: Floats) -> Any:
    """Return which of the knots of a year each day is nearest to, (n,)."""
    away = np.abs((days[:, None] - knots + _YEAR / 2) % _YEAR - _YEAR / 2)
    return away.argmin(axis=1)


def actor(task: GreenhouseTask, settings: BlendedSettings, chosen: Floats) -> Actor:
    """Return what makes candidates, rows of shares (n, days), act."""
    policy, step = BlendedSetpoints("candidate", settings, interface_of(task)), 0
    day = interface_of(task).columns(["day"])[0]

    def act(seen: Any) -> Any:
        nonlocal step
        now = seen[:, day].astype(np.float64)
        share = [np.interp(at, settings.days, row, period=_YEAR) for at, row in zip(now, chosen, strict=True)]
        actions = policy.actions(step, seen, np.array(share))
        step += 1
        return actions

    return act
