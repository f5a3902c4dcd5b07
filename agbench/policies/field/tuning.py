"""Tuning the growers of fields on training scenarios, by their mean return: schedules and rules."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.field_task import FieldTask
from agbench.data.reading import read_data
from agbench.envs.actions import Menu
from agbench.envs.core import Parts
from agbench.envs.family import build
from agbench.envs.threads import threaded
from agbench.errors import ConfigError
from agbench.policies.base import Interface
from agbench.policies.field.calendar import Calendar
from agbench.policies.field.grids import widened
from agbench.policies.field.rules import PlannedInput, Rule, Rules, RulesSettings
from agbench.policies.field.schedule import PlannedDose, ScheduleSettings, as_plan, season_day
from agbench.policies.field.worth import worth
from agbench.policies.playing import spread
from agbench.policies.registry import interface_of
from agbench.policies.tuning import search
from agbench.policies.tuning.trials import CandidateTrials, tried
from agbench.running import Engine, engine_of
from agbench.variables import Floats

_ROWS = 2048  # seasons simulated together
_OWN = -1  # in place of a value: that which the rules have
_PARENTS = 16  # of the rules that are bred
_CHILDREN = 64  # of a generation
_WIDENINGS = 8  # times, at most
_MOST = 8  # doses of the largest size on one growers' date


def fit_schedule(task: FieldTask, settings: ScheduleSettings) -> tuple[ScheduleSettings, float]:
    """Return the schedule with the best mean return over the training scenarios, and that mean.

    With `dates: free` any dose may fall on any decision (see `search.best_schedule`); with
    `dates: fixed` the amounts of the plan's dates are searched over all combinations of doses.
    """
    parts = threaded(build(task, task.protocol.training_splits[0]))
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


def fit_rules(
    task: FieldTask, settings: RulesSettings, engine: Engine | None = None
) -> tuple[RulesSettings, float]:
    """Return the rules with the best mean return over the training scenarios, and that mean.

    All combinations of `settings.tune` are tried. Where they are more than the budget, a part of it is drawn
    by the settings' seed and the rest bred from the best; then, from the best of all, the values of one
    setting after another are tried until none is better. The rules as they are always take part. Where the
    best value of a setting lies at an end of those tried, `tune` takes more beyond it
    (`agbench.policies.field.grids`), and all settings are tried once more, one after another.
    `settings.scenarios` limits the training scenarios to so many, evenly spread. Candidates play on `engine`,
    by default here, with the same result on any.
    """
    parts = build(task, task.protocol.training_splits[0])
    keys = spread(parts.scenarios.keys, settings.scenarios)
    settings = _with_plan(settings, interface_of(task))
    with tried(CandidateTrials(task, tuple(keys), Rules, worth), _ROWS, engine or engine_of()) as means:
        return best_rules(settings, means, doses_of(parts))


def doses_of(parts: Parts) -> dict[str, list[float]]:
    """Return the doses of a task's menu, of one field on a farm, by input; none where there is no menu."""
    menu = getattr(parts.actions, "of_a_field", parts.actions)
    return {name: menu.doses(name) for name in menu.names} if isinstance(menu, Menu) else {}


def best_rules(
    settings: RulesSettings,
    means: Callable[[Sequence[RulesSettings]], list[float]],
    doses: Mapping[str, Sequence[float]],
) -> tuple[RulesSettings, float]:
    """Return the rules of the best mean by `means`, and that mean; `fit_rules` says how."""
    best, most = _best_of_grids(settings, means)
    for _ in range(_WIDENINGS):
        wider = widened(best, doses)
        if wider == best.tune:
            break
        best, most = _one_by_one(best.model_copy(update={"tune": wider}), most, wider, means)
    return best, most


def _best_of_grids(
    settings: RulesSettings, means: Callable[[Sequence[RulesSettings]], list[float]]
) -> tuple[RulesSettings, float]:
    """Return the rules of the best mean among the values of `tune`, and that mean."""
    if math.prod(len(tried) for tried in settings.tune.values()) > settings.budget:
        return _one_by_one(*_bred(settings, means), settings.tune, means)
    candidates = candidate_rules(settings)
    values = means(candidates)
    number = int(np.argmax(values))
    return candidates[number], values[number]


def _with_plan(settings: RulesSettings, interface: Interface[FieldTask]) -> RulesSettings:
    """Return the rules with the plan of the calendar that they name."""
    if settings.calendar is None:
        return settings
    calendar = interface.load(settings.calendar)
    if not isinstance(calendar, Calendar):
        raise ConfigError(f"calendar: {settings.calendar} is no policy of the kind calendar.")
    return settings.model_copy(update={"plan": calendar.entries})


def _bred(
    settings: RulesSettings, means: Callable[[Sequence[RulesSettings]], list[float]]
) -> tuple[RulesSettings, float]:
    """Return the best rules of an evolution within the budget, and their mean.

    A quarter of the budget is drawn, but for the rules as they are. Each later generation takes every
    setting from one of two of the best, or draws it anew (Beyer and Schwefel 2002, Natural Computing 1).
    """
    generator = np.random.default_rng(settings.seed)
    sizes = np.array([len(values) for values in settings.tune.values()])

    def played(points: NDArray[np.int64]) -> Floats:
        return np.array(means([_at(settings, point) for point in points]))

    points = generator.integers(sizes, size=(max(1, settings.budget // 4), len(sizes)))
    points[0] = _OWN
    values = played(points)
    left = settings.budget - len(points)
    while left > 0:
        best = np.argsort(-values, kind="stable")[:_PARENTS]
        count = min(_CHILDREN, left)
        parents = best[generator.integers(len(best), size=(2, count))]
        one, other = points[parents]
        children = np.where(generator.random(one.shape) < 0.5, one, other)
        anew = generator.random(one.shape) < 1.0 / len(sizes)
        children = np.where(anew, generator.integers(sizes, size=one.shape), children)
        points, values = np.concatenate([points, children]), np.concatenate([values, played(children)])
        left -= count
    most = int(np.argmax(values))
    return _at(settings, points[most]), float(values[most])


def _at(settings: RulesSettings, point: NDArray[np.int64]) -> RulesSettings:
    """Return the rules at a point: of each setting the place of its value, or `_OWN` for that it has."""
    places = zip(settings.tune.items(), point, strict=True)
    return _with_values(settings, {path: values[i] for (path, values), i in places if i != _OWN})


def _one_by_one(
    best: RulesSettings,
    most: float,
    tune: Mapping[str, Sequence[Any]],
    means: Callable[[Sequence[RulesSettings]], list[float]],
) -> tuple[RulesSettings, float]:
    """Return the rules after each setting took its best value in turn, and their mean.

    It ends with a round that changes none.
    """
    changed = True
    while changed:
        changed = False
        for path, values_tried in tune.items():
            others = [_with_values(best, {path: value}) for value in values_tried]
            values = means(others)
            number = int(np.argmax(values))
            if values[number] > most:
                best, most, changed = others[number], values[number], True
    return best, most


def candidate_rules(settings: RulesSettings) -> list[RulesSettings]:
    """Return the rules as they are, then with the values to try."""
    return [settings, *(_with_values(settings, values) for values in _combinations(settings))]


def _combinations(settings: RulesSettings) -> list[dict[str, Any]]:
    """Return the values to try, by path: all of them, or a seeded draw within the budget."""
    sizes = [len(values) for values in settings.tune.values()]
    count = math.prod(sizes)
    if count > settings.budget:
        numbers = np.random.default_rng(settings.seed).choice(count, settings.budget, replace=False)
    else:
        numbers = np.arange(count)
    places = np.unravel_index(numbers, sizes) if sizes else ()
    return [
        {path: values[int(p[i])] for (path, values), p in zip(settings.tune.items(), places, strict=True)}
        for i in range(len(numbers) if sizes else 0)
    ]


def _with_values(settings: RulesSettings, values: Mapping[str, Any]) -> RulesSettings:
    """Return the rules with values in place, named as `0.amount`, or `N.below` for planned doses."""
    rules = [rule.model_dump() for rule in settings.rules]
    planned = {input: own.model_dump() for input, own in settings.planned.items()}
    for path, value in values.items():
        number, _, key = path.partition(".")
        own = rules[int(number)] if number.isdigit() and int(number) < len(rules) else planned.get(number, {})
        if key not in own:
            raise ConfigError(
                f"tune: {path!r} names no setting of a rule; write it as '0.amount', or as 'N.below' for "
                "planned doses of N."
            )
        own[key] = value
    changed = {
        "rules": [read_data(Rule, rule, "tune") for rule in rules],
        "planned": {input: read_data(PlannedInput, own, "tune") for input, own in planned.items()},
    }
    return settings.model_copy(update=changed)


def _amounts_on_dates(plan: Sequence[PlannedDose], menu: Sequence[float]) -> list[list[PlannedDose]]:
    """Return the plan with every combination of amounts."""
    amounts = np.arange(0.0, _MOST * menu[1], menu[1]).tolist()
    return [
        [PlannedDose(date=p.date, amount=a) for p, a in zip(plan, chosen, strict=True)]
        for chosen in product(amounts, repeat=len(plan))
    ]


def _delivered(task: FieldTask, plan: Sequence[PlannedDose], menu: Sequence[float], steps: int) -> Floats:
    """Return what a `Schedule` of this plan gives at each decision."""
    applied = np.zeros(steps)
    for i in range(steps):
        day = task.season.warmup_days + i * task.season.step_days
        due = sum(p.amount for p in plan if season_day(task.season, p.date) <= day) - applied.sum()
        applied[i] = max(dose for dose in menu if dose <= max(due, 0.0) + 1e-9)
    return applied
