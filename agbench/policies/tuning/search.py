"""Searching for the best schedule of doses: what oracles and tuned experts share."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import family
from agbench.envs.rollout import play
from agbench.envs.scenarios import episode_seed
from agbench.variables import Floats

Schedules = NDArray[np.float64]
"""(m, steps): the amount of the input at each decision."""

_ROWS = 4096  # simulated together
_STARTS = 8  # improved, the best of each date
_SMALL_GAIN = 1e-9


def number_of_decisions(parts: Parts) -> int:
    """Return how many decisions the longest episode of the task can have."""
    left = family(parts.task).longest(parts.task) - parts.task.warmup
    return -(-left // parts.task.step)


def returns(parts: Parts, name: str, schedules: Schedules, keys: Sequence[str]) -> Floats:
    """Return the return of each schedule in each scenario, (m, len(keys)), all through the actions.

    `name` is the input that the schedules give.
    """
    jobs = [(i, j) for i in range(len(schedules)) for j in range(len(keys))]
    result = np.zeros((len(schedules), len(keys)))
    for first in range(0, len(jobs), _ROWS):
        part = jobs[first : first + _ROWS]
        chosen = schedules[[i for i, _ in part]]
        totals = _simulate(parts, name, chosen, [keys[j] for _, j in part])
        for (i, j), total in zip(part, totals, strict=True):
            result[i, j] = total
    return result


def _simulate(parts: Parts, name: str, schedules: Schedules, keys: Sequence[str]) -> Floats:
    """Return the return of one schedule a row, each in its own scenario."""
    core = BatchCore(parts, len(schedules))
    core.start(keys, [episode_seed(parts.task.protocol.seed, key, 0) for key in keys])
    codes = {a: parts.actions.encode(name, a)[0] for a in np.unique(schedules)}
    return play(
        core, lambda _, number: np.array([codes[a] for a in schedules[:, number]]), schedules.shape[1]
    )


def early(total: float, largest: float, steps: int, first: int = 0) -> Floats:
    """Return the schedule that gives `total` from decision `first` on, as early as possible."""
    schedule = np.zeros(steps)
    for i in range(first, steps):
        schedule[i] = min(total, largest)
        total -= schedule[i]
    return schedule


def doses(parts: Parts, name: str) -> list[float]:
    """Return the menu's doses of an input, ascending from 0; none for continuous amounts."""
    if not isinstance(parts.actions, Menu):
        return []
    return parts.actions.doses(name)


def best_schedule(
    parts: Parts, name: str, keys: Sequence[str], largest_total: float = np.inf
) -> tuple[Floats, float]:
    """Return the menu schedule with the best mean return over scenarios, and that mean.

    Every total from every decision on, given as early as possible, is tried; the best starts are
    improved by single changes until none helps.
    """
    menu = doses(parts, name)
    steps = number_of_decisions(parts)

    def value(schedules: Schedules) -> Floats:
        means: Floats = returns(parts, name, schedules, keys).mean(axis=1)
        return means

    candidates = _starts(menu, steps, largest_total)
    order = np.argsort(-value(candidates), kind="stable")
    first = [int(np.argmax(c > 0.0)) for c in candidates[order]]
    best_of_each = [order[first.index(f)] for f in dict.fromkeys(first)][:_STARTS]
    improved = [improve(candidates[i], menu, value) for i in best_of_each]
    return max(improved, key=lambda pair: pair[1])


def _starts(menu: Sequence[float], steps: int, largest_total: float) -> Schedules:
    """Return every total from every decision on, given as early as possible."""
    largest = min(largest_total, 0.5 * steps * menu[-1])
    totals = np.arange(0.0, largest + 0.5 * menu[1], menu[1])
    return np.unique([early(t, menu[-1], steps, first) for t in totals for first in range(steps)], axis=0)


def improve(
    schedule: Floats, menu: Sequence[float], value: Callable[[Schedules], Floats]
) -> tuple[Floats, float]:
    """Return a schedule of menu doses that no single change betters, and its value.

    A change sets one decision to another dose, or moves the difference of two neighbouring doses
    from one decision to another. `value` maps schedules to what is maximised.
    """
    best = schedule
    best_value = float(value(best[None])[0])
    while True:
        candidates = _neighbours(best, menu)
        values = value(candidates)
        i = int(np.argmax(values))
        if values[i] <= best_value + _SMALL_GAIN:
            return best, best_value
        best, best_value = candidates[i], float(values[i])


def _neighbours(schedule: Floats, menu: Sequence[float]) -> Schedules:
    """Return all schedules one change away."""
    level = [int(np.argmin(np.abs(np.array(menu) - a))) for a in schedule]
    steps, last = len(schedule), len(menu) - 1
    result = []
    for i in range(steps):
        for k in range(len(menu)):
            if k != level[i]:
                result.append(_with(schedule, {i: menu[k]}))
        for j in range(steps):
            if j != i and level[i] > 0 and level[j] < last:
                result.append(_with(schedule, {i: menu[level[i] - 1], j: menu[level[j] + 1]}))
    return np.array(result)


def _with(schedule: Floats, changes: dict[int, float]) -> Floats:
    changed = schedule.copy()
    for i, amount in changes.items():
        changed[i] = amount
    return changed
