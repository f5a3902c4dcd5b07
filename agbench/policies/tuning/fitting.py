"""Tuning a policy's settings on the training scenarios: `agbench fit TASK POLICY`."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import read_data, read_file
from agbench.data.task import Task
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.files import write_text
from agbench.policies.field.rules import Rule, Rules, RulesSettings
from agbench.policies.field.schedule import PlannedDose, ScheduleSettings, as_plan, season_day
from agbench.policies.greenhouse.light_setpoints import LightSettings
from agbench.policies.greenhouse.tuning import tune_rules, tune_setpoints
from agbench.policies.registry import interface
from agbench.policies.tuning import search
from agbench.policies.tuning.cross_entropy import Search
from agbench.policies.tuning.playing import returns_of_policies
from agbench.variables import Floats

_ROWS = 2048  # seasons simulated together
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


def fit_file(task: Task, policy: str, search: Search | None = None) -> tuple[Path, float]:
    """Fit a policy's settings file in place and return its path and what it reaches in training.

    That is the mean objective of a greenhouse's grower, the mean return of others. `search` says how
    long to search for a grower's settings; others take none.
    """
    path = catalog.find_baseline(task.task, policy)
    if path is None:
        raise ConfigError(f"{task.task} has no settings for {policy!r} to start from.")
    baseline = read_file(Baseline, path)
    fitted, mean = _fitted(task, baseline, path, search)
    changed = baseline.model_copy(update={"settings": fitted})
    text = yaml.safe_dump(changed.model_dump(), sort_keys=False, indent=4, width=100)
    write_text(path, text)
    return path, mean


def fit_rules(task: FieldTask, settings: RulesSettings) -> tuple[RulesSettings, float]:
    """Return the rules with the best mean return over the training scenarios, and that mean.

    All combinations of `settings.tune` are tried, or as many of them as the budget allows, drawn by
    the settings' seed; the rules as they are always take part. `settings.scenarios` limits the
    training scenarios to the first ones.
    """
    parts = build(task, task.protocol.training_splits[0])
    keys = parts.scenarios.keys[: settings.scenarios]
    given = interface(task)
    changed = [_with_values(settings.rules, values) for values in _combinations(settings)]
    candidates = [settings, *(settings.model_copy(update={"rules": rules}) for rules in changed)]
    means = []
    at_once = max(1, _ROWS // len(keys))
    for first in range(0, len(candidates), at_once):
        chosen = candidates[first : first + at_once]
        policies = [Rules("candidate", candidate, given) for candidate in chosen for _ in keys]
        values = returns_of_policies(parts, policies, list(keys) * len(chosen))
        means += values.reshape(len(chosen), len(keys)).mean(axis=1).tolist()
    best = int(np.argmax(means))
    return candidates[best], means[best]


def _combinations(settings: RulesSettings) -> list[dict[str, Any]]:
    """Return the values to try, by path: all of them, or a seeded draw within the budget."""
    sizes = [len(values) for values in settings.tune.values()]
    count = math.prod(sizes)
    numbers = np.arange(count)
    if count > settings.budget:
        numbers = np.random.default_rng(settings.seed).choice(count, settings.budget, replace=False)
    places = np.unravel_index(numbers, sizes) if sizes else ()
    return [
        {path: values[int(p[i])] for (path, values), p in zip(settings.tune.items(), places, strict=True)}
        for i in range(len(numbers) if sizes else 0)
    ]


def _with_values(rules: Sequence[Rule], values: Mapping[str, Any]) -> list[Rule]:
    """Return the rules with values in place, named as `0.amount`."""
    changed = [rule.model_dump() for rule in rules]
    for path, value in values.items():
        number, _, key = path.partition(".")
        if not number.isdigit() or int(number) >= len(changed) or key not in changed[int(number)]:
            raise ConfigError(f"tune: {path!r} names no setting of a rule; write it as '0.amount'.")
        changed[int(number)][key] = value
    return [read_data(Rule, rule, "tune") for rule in changed]


def _fitted(
    task: Task, baseline: Baseline, path: Path, search: Search | None
) -> tuple[dict[str, Any], float]:
    """Return fitted settings and what they reach in training."""
    where = f"{path}: settings"
    if baseline.policy == "rule-based" and isinstance(task, GreenhouseTask):
        return tune_rules(task, baseline.settings, search or Search())
    if baseline.policy == "light-setpoints" and isinstance(task, GreenhouseTask):
        light = read_data(LightSettings, baseline.settings, where)
        setpoints, mean = tune_setpoints(task, light, search or Search())
        return setpoints.model_dump(), mean
    if search is not None:
        raise ConfigError(
            f"{path}: candidates and rounds are for greenhouse growers, not for a {baseline.policy}."
        )
    if baseline.policy == "rules" and isinstance(task, FieldTask):
        rules, mean = fit_rules(task, read_data(RulesSettings, baseline.settings, where))
        return rules.model_dump(exclude_defaults=True), mean
    if baseline.policy == "schedule" and isinstance(task, FieldTask):
        schedule, mean = fit_schedule(task, read_data(ScheduleSettings, baseline.settings, where))
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
