"""Tuning a policy's settings on the training scenarios: `agbench fit TASK POLICY`."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from agbench import data
from agbench.building import build
from agbench.errors import ConfigError
from agbench.files import write_text
from agbench.policies import search
from agbench.policies.greenhouse.tuning import Search, tune
from agbench.policies.schedule import PlannedDose, ScheduleSettings, as_plan, season_day
from agbench.simulators.base import Floats
from agbench.spec.baseline import Baseline
from agbench.spec.field_task import FieldTask
from agbench.spec.greenhouse_task import GreenhouseTask
from agbench.spec.reading import read_data, read_file
from agbench.spec.task import Task

_MOST = 8  # doses of the largest size on one growers' date


def fit_schedule(task: FieldTask, settings: ScheduleSettings) -> tuple[ScheduleSettings, float]:
    """Return the schedule with the best mean return over the training scenarios, and that mean.

    With `dates: free` any dose may fall on any decision (see `search.best_schedule`); with
    `dates: fixed` the amounts of the plan's dates are searched over all combinations of doses.
    """
    parts = build(task, task.protocol.training_splits[0])
    menu = search.doses(parts, settings.input)
    if not menu:
        raise ConfigError(f"{task.task}: a schedule is fitted to a menu, not to amounts.")
    steps = search.number_of_decisions(parts)

    keys = parts.scenarios.keys
    if settings.dates == "free":
        best, mean = search.best_schedule(parts, settings.input, keys)
        plan = as_plan(task.season, best.tolist())
    else:
        plans = _amounts_on_dates(settings.plan, menu)
        schedules = np.array([_delivered(task, plan, menu, steps) for plan in plans])
        values = search.returns(parts, settings.input, schedules, keys).mean(axis=1)
        mean = float(values.max())
        plan = plans[int(np.argmax(values))]
    return settings.model_copy(update={"plan": plan}), mean


def fit_file(task: Task, policy: str) -> tuple[Path, float]:
    """Fit a policy's settings file in place and return its path and the mean training return."""
    path = data.find_baseline(task.task, policy)
    if path is None:
        raise ConfigError(f"{task.task} has no settings for {policy!r} to start from.")
    baseline = read_file(Baseline, path)
    fitted, mean = _fitted(task, baseline, path)
    changed = baseline.model_copy(update={"settings": fitted})
    text = yaml.safe_dump(changed.model_dump(), sort_keys=False, indent=4, width=100)
    write_text(path, text)
    return path, mean


def _fitted(task: Task, baseline: Baseline, path: Path) -> tuple[dict[str, Any], float]:
    """Return fitted settings and their mean training return."""
    if baseline.policy == "rule-based" and isinstance(task, GreenhouseTask):
        return tune(task, baseline.settings, Search())
    if baseline.policy == "schedule" and isinstance(task, FieldTask):
        settings = read_data(ScheduleSettings, baseline.settings, f"{path}: settings")
        schedule, mean = fit_schedule(task, settings)
        return schedule.model_dump(), mean
    raise ConfigError(f"{path}: a {baseline.policy} has nothing to fit.")


def _amounts_on_dates(plan: Sequence[PlannedDose], menu: Sequence[float]) -> list[list[PlannedDose]]:
    """Return the plan with every combination of amounts."""
    amounts = np.arange(0.0, _MOST * menu[1], menu[1]).tolist()
    return [
        [PlannedDose(date=p.date, amount=a) for p, a in zip(plan, chosen, strict=True)]
        for chosen in product(amounts, repeat=len(plan))
    ]


def _delivered(task: FieldTask, plan: Sequence[PlannedDose], menu: Sequence[float], steps: int) -> Floats:
    """Return what a `Schedule` of this plan gives at each decision."""
    given = np.zeros(steps)
    for i in range(steps):
        day = task.season.warmup_days + i * task.season.step_days
        due = sum(p.amount for p in plan if season_day(task.season, p.date) <= day) - given.sum()
        given[i] = max(dose for dose in menu if dose <= max(due, 0.0) + 1e-9)
    return given
