"""Tuning growers on training scenarios, by the task's objective: a seeded cross-entropy search.

The rounds play only the beginning of each episode. The best of the last rounds and the start then play all
of it, and the best of these is the result. Both at the accuracy `COARSE`, whose error is far below the
differences between candidates.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.policies.greenhouse.candidates import DIGITS, Actor, mean_objective
from agbench.policies.greenhouse.light_setpoints import LightSetpoints, LightSettings
from agbench.policies.greenhouse.price_rules import PriceRules, PriceRulesSettings
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, maximise
from agbench.simulators.greenlight.climate_computer import SETTINGS, settings_vector
from agbench.variables import Floats

BEGINNING: Final = 0.3
"""Of an episode's decisions, which the rounds of a search play."""

FINALISTS: Final = 6
"""The best of so many last rounds play whole episodes."""

RANGES: Final[dict[str, tuple[float, float]]] = {
    "tSpDay": (15.0, 28.0),
    "tSpNight": (14.0, 22.0),
    "heatDeadZone": (1.0, 8.0),
    "rhMax": (70.0, 95.0),
    "ventRhPband": (1.0, 20.0),
    "thScrSpDay": (-15.0, 15.0),
    "thScrSpNight": (0.0, 25.0),
    "thScrRh": (-10.0, 5.0),
    "lampOn": (0.0, 12.0),
    "lampOff": (12.0, 24.0),
    "lampsOffSun": (0.0, 600.0),
    "lampRadSumLimit": (0.0, 20.0),
    "co2SpDay": (300.0, 1500.0),
}
"""The rules' settings that are tuned, and between which values."""

LAMP_PRICES: Final = (0.0, 0.4)
"""EUR kWh-1; between which values the highest price for lamps is tuned."""


def tune_rules(task: GreenhouseTask, usual: Floats, search: Search) -> tuple[dict[str, float], float]:
    """Return the rules' settings with the best mean objective over training scenarios, and that mean."""
    columns = SETTINGS.columns(list(RANGES))
    policy = RuleBased("rule-based", usual, interface_of(task))

    def actor(chosen: Floats) -> Actor:
        rows = np.tile(usual, (len(chosen), 1))
        rows[:, columns] = chosen
        return lambda observations: policy.actions(observations, rows)

    best, mean = search_settings(task, actor, usual[columns], list(RANGES.values()), search)
    result = usual.copy()
    result[columns] = best
    return {name: float(v) for name, v in zip(SETTINGS.names, result, strict=True)}, mean


def tune_price_rules(
    task: GreenhouseTask, settings: PriceRulesSettings, search: Search
) -> tuple[PriceRulesSettings, float]:
    """Return the rules' settings and the highest price for lamps that are best on training scenarios.

    The second value is their mean objective.
    """
    usual = settings_vector(settings.rules)
    columns = SETTINGS.columns(list(RANGES))
    policy = PriceRules("candidate", settings, interface_of(task))

    def actor(chosen: Floats) -> Actor:
        rows = np.tile(usual, (len(chosen), 1))
        rows[:, columns] = chosen[:, 1:]
        return lambda observations: policy.priced(observations, rows, chosen[:, 0])

    start = np.append(settings.lamp_price, usual[columns])
    best, mean = search_settings(task, actor, start, [LAMP_PRICES, *RANGES.values()], search)
    result = usual.copy()
    result[columns] = best[1:]
    rules = {name: float(v) for name, v in zip(SETTINGS.names, result, strict=True)}
    return PriceRulesSettings(lamp_price=float(best[0]), rules=rules), mean


def tune_setpoints(
    task: GreenhouseTask, settings: LightSettings, search: Search
) -> tuple[LightSettings, float]:
    """Return the set points and gains with the best mean objective over training scenarios, and that mean.

    Everything that the settings name is tuned, within what the task's action can say.
    """
    interface = interface_of(task)
    names, gains = list(settings.values), list(settings.gains)

    def made(chosen: Floats) -> LightSettings:
        numbers = chosen.tolist()
        values = dict(zip(names, numbers[: len(names)], strict=True))
        return LightSettings(values=values, gains=dict(zip(gains, numbers[len(names) :], strict=True)))

    def actor(chosen: Floats) -> Actor:
        policies = [LightSetpoints("candidate", made(row), interface) for row in chosen]
        return lambda seen: np.array([p(row) for p, row in zip(policies, seen, strict=True)])

    ranges = [setpoint_range(task, name) for name in names]
    ranges += [gain_range(setpoint_range(task, name)) for name in gains]
    start = np.array([*settings.values.values(), *settings.gains.values()])
    best, mean = search_settings(task, actor, start, ranges, search)
    return made(best), mean


def search_settings(
    task: GreenhouseTask,
    actor: Callable[[Floats], Actor],
    start: Floats,
    ranges: Sequence[tuple[float, float]],
    search: Search,
) -> tuple[Floats, float]:
    """Return the best vector of settings, rounded, and its mean objective over training scenarios.

    What was best in the last rounds plays whole episodes, beside `start`.
    """
    low, high = np.array(ranges).T
    rounds, beginning = [start], mean_objective(task, actor, BEGINNING, search.seed)

    def value(candidates: Floats) -> Floats:
        values = beginning(candidates)
        rounds.append(candidates[np.argmax(values)])
        return values

    maximise(value, start, low, high, search)
    finalists = np.unique(np.round([start, *rounds[-FINALISTS:]], DIGITS), axis=0)
    means = mean_objective(task, actor, 1.0, search.seed)(finalists)
    best = int(np.argmax(means))
    return finalists[best], float(means[best])


def setpoint_range(task: GreenhouseTask, name: str) -> tuple[float, float]:
    """Return the ends of what the action can say of a set point."""
    spec = task.action
    if spec.kind == "temperature":
        return min(spec.temperatures), max(spec.temperatures)
    low, high = spec.ranges[name]
    return low, high


def gain_range(ends: tuple[float, float]) -> tuple[float, float]:
    """Return the gains tried: up to a quarter of the range with 100 W m-2, up or down."""
    width = 0.25 * (ends[1] - ends[0])
    return -width, width
