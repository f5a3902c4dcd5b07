"""Tuning the policies of a farm's fields on training scenarios, by the mean return of the whole farm."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np

from agbench.data.farm_task import FarmTask
from agbench.data.reading import read_data
from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.envs.threads import threaded
from agbench.errors import ConfigError
from agbench.policies.field.calendar import CalendarSettings
from agbench.policies.field.calendar_tuning import fit_calendar
from agbench.policies.field.fieldwise import Fieldwise, FieldwiseSettings
from agbench.policies.field.rules import RulesSettings
from agbench.policies.field.schedule import PlannedDose, ScheduleSettings
from agbench.policies.field.tuning import best_rules, candidate_rules, doses_of
from agbench.policies.playing import seeds_of, spread
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, maximise
from agbench.policies.tuning.trials import CandidateTrials, require_here, tried
from agbench.running import Engine, engine_of
from agbench.variables import Floats

_ROWS: Final = 512  # farms simulated together
_MOST: Final = 2  # doses of the largest size on one date


def fit(
    task: FarmTask, settings: FieldwiseSettings, search: Search, engine: Engine | None = None
) -> tuple[FieldwiseSettings, float]:
    """Return the settings with the best mean return over the training scenarios, and that mean.

    Rules that are the same for all fields are tuned as those of a field
    (`agbench.policies.field.tuning`). Where fields have rules of their own, each round of the search draws
    `search.candidates` changes of values of `tune` on one to three fields, and keeps the best. Schedules:
    the amounts on the dates of all plans within the budgets, by a cross-entropy search. Calendars are the
    same for all fields: that of the farm worked as one. Rules are tried on `engine`, by default here, with
    the same result on any.

    Raises `ConfigError` for another engine where no rules are fitted.
    """
    engine = engine or engine_of()
    if settings.policy != "rules":
        require_here(engine, f"{task.task}: a {settings.policy}")
    if settings.policy == "calendar":
        joint = task.model_copy(update={"farm": task.farm.model_copy(update={"control": "joint"})})
        own = read_data(CalendarSettings, settings.settings, "settings")
        calendar, mean = fit_calendar(joint, own)
        return _with(settings, {"": calendar.model_dump(exclude_defaults=True)}), mean
    if settings.policy == "rules" and settings.fields:
        return _fit_rules_of_fields(task, settings, search, engine)
    if settings.policy == "rules":
        rules = read_data(RulesSettings, settings.settings, "settings")

        with _tried(task, engine, rules.scenarios) as worth:

            def means(candidates: Sequence[RulesSettings]) -> list[float]:
                return worth([_with(settings, {"": chosen.model_dump()}) for chosen in candidates])

            best, mean = best_rules(rules, means, doses_of(build(task, task.protocol.training_splits[0])))
        return _with(settings, {"": best.model_dump(exclude_defaults=True)}), mean
    if settings.policy == "schedule":
        return _fit_schedules(task, settings, search)
    raise ConfigError(f"{task.task}: calendars, schedules and rules are fitted, not {settings.policy}.")


def _fit_rules_of_fields(
    task: FarmTask, settings: FieldwiseSettings, search: Search, engine: Engine
) -> tuple[FieldwiseSettings, float]:
    """Change values of up to three fields at once, as what one field gives up of a budget another needs."""
    generator = np.random.default_rng(search.seed)
    rules = {field: read_data(RulesSettings, own, field) for field, own in settings.fields.items()}
    tuned = [field for field, own in rules.items() if own.tune]
    if not tuned:
        raise ConfigError(f"{task.task}: no field has values to tune.")
    with _tried(task, engine) as worth:
        for _ in range(search.rounds):
            candidates = [rules]
            for _ in range(search.candidates):
                many = min(int(generator.integers(1, 4)), len(tuned))
                chosen = generator.choice(tuned, many, replace=False).tolist()
                candidates.append(rules | {field: _one_change(rules[field], generator) for field in chosen})
            means = worth([_of_fields(settings, own) for own in candidates])
            rules = candidates[int(np.argmax(means))]
        fitted = _of_fields(settings, rules)
        return fitted, worth([fitted])[0]


def _one_change(rules: RulesSettings, generator: np.random.Generator) -> RulesSettings:
    """Return the rules with one value of `tune` in place, drawn."""
    path = str(generator.choice(list(rules.tune)))
    value = rules.tune[path][int(generator.integers(len(rules.tune[path])))]
    alone = rules.model_copy(update={"tune": {path: [value]}})
    return candidate_rules(alone)[1].model_copy(update={"tune": rules.tune})


def _of_fields(settings: FieldwiseSettings, rules: Mapping[str, RulesSettings]) -> FieldwiseSettings:
    return _with(settings, {field: own.model_dump(exclude_defaults=True) for field, own in rules.items()})


def _fit_schedules(
    task: FarmTask, settings: FieldwiseSettings, search: Search
) -> tuple[FieldwiseSettings, float]:
    plans = {
        field: read_data(ScheduleSettings, content, field or "settings")
        for field, content in (settings.fields or {"": settings.settings}).items()
    }
    parts, interface = threaded(build(task, task.protocol.training_splits[0])), interface_of(task)
    menu = getattr(interface.actions, "of_a_field", interface.actions)
    if not isinstance(menu, Menu):
        raise ConfigError(f"{task.task}: a schedule is fitted to a menu, not to amounts.")
    doses = {field: menu.doses(plan.input) for field, plan in plans.items()}
    start = np.array([float(dose.amount) for plan in plans.values() for dose in plan.plan])
    high = np.array([_MOST * doses[field][-1] for field, plan in plans.items() for _ in plan.plan])

    least = np.array([doses[field][1] for field, plan in plans.items() for _ in plan.plan])
    areas = dict(zip(task.field_names, task.areas, strict=True))
    hectares = np.array([areas.get(f, sum(task.areas)) for f, plan in plans.items() for _ in plan.plan])
    inputs = np.array([plan.input for plan in plans.values() for _ in plan.plan])

    def of(point: Floats) -> FieldwiseSettings:
        within = point.copy()
        for name, most in task.farm.budgets.items():
            drawn = inputs == name
            within[drawn] *= min(1.0, float(most) / max(float((point * hectares)[drawn].sum()), float(most)))
        amounts, changed = iter((np.rint(within / least) * least).tolist()), {}
        for field, plan in plans.items():
            given = [PlannedDose(date=dose.date, amount=next(amounts)) for dose in plan.plan]
            changed[field] = plan.model_copy(update={"plan": given}).model_dump()
        return _with(settings, changed)

    def value(points: Floats) -> Floats:
        return _blind_means(parts, [Fieldwise("candidate", of(point), interface) for point in points])

    best, mean = maximise(value, start, np.zeros(len(start)), high, search)
    return of(best), mean


def _with(settings: FieldwiseSettings, changed: Mapping[str, dict[str, Any]]) -> FieldwiseSettings:
    """Return the settings with those of fields, or under `""` of all, replaced."""
    if "" in changed:
        return settings.model_copy(update={"settings": changed[""]})
    return settings.model_copy(update={"fields": {**settings.fields, **changed}})


def _tried(
    task: FarmTask, engine: Engine, scenarios: int | None = None
) -> AbstractContextManager[Callable[[Sequence[FieldwiseSettings]], list[float]]]:
    """Return what says the mean return of candidates over training scenarios, at most so many of them."""
    parts = build(task, task.protocol.training_splits[0])
    keys = tuple(spread(parts.scenarios.keys, scenarios))
    return tried(CandidateTrials(task, keys, Fieldwise, _mean_return), _ROWS, engine)


def _mean_return(task: FarmTask, returns: Floats, costs: Floats) -> Floats:
    means: Floats = returns.mean(axis=1)
    return means


def _blind_means(parts: Parts, policies: list[Fieldwise]) -> Floats:
    """Return the mean training return of policies that do not look: what one does is the same everywhere."""
    keys = parts.scenarios.keys
    core = BatchCore(parts, len(policies) * len(keys))
    core.start(list(keys) * len(policies), seeds_of(parts, keys) * len(policies))
    for policy in policies:
        policy.reset(parts.task.protocol.seed)

    def act(seen: Any, _: int) -> Any:
        actions = [policy(seen[i * len(keys)]) for i, policy in enumerate(policies)]
        return np.repeat(np.array(actions), len(keys), axis=0)

    means: Floats = play(core, act).reshape(len(policies), len(keys)).mean(axis=1)
    return means
