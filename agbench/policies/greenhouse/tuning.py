"""Tuning the rule-based grower on the training scenarios: a seeded evolution strategy.

A cross-entropy search (Rubinstein 1999, Methodology and Computing in Applied Probability 1, 127-190):
candidates are drawn about the best found so far, with a spread that follows the better ones.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.building import build
from agbench.envs.core import BatchCore, Parts
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.simulators.base import Floats
from agbench.simulators.greenlight.climate_computer import SETTINGS, settings_vector
from agbench.spec.greenhouse_task import GreenhouseTask

RANGES: Final[dict[str, tuple[float, float]]] = {
    "tSpDay": (15.0, 24.0),
    "tSpNight": (14.0, 22.0),
    "heatDeadZone": (1.0, 8.0),
    "rhMax": (70.0, 95.0),
    "thScrSpDay": (-5.0, 15.0),
    "thScrSpNight": (0.0, 25.0),
    "lampOn": (0.0, 12.0),
    "lampOff": (12.0, 24.0),
    "lampsOffSun": (0.0, 600.0),
    "lampRadSumLimit": (0.0, 20.0),
    "co2SpDay": (300.0, 1500.0),
}
"""The settings that are tuned, and between which values."""


@dataclass(frozen=True)
class Search:
    """How long to search: candidates a round, rounds, training scenarios, seed."""

    candidates: int = 12
    rounds: int = 8
    scenarios: int = 4
    seed: int = 0


def tune(task: GreenhouseTask, settings: dict[str, float], search: Search) -> tuple[dict[str, float], float]:
    """Return the settings with the best mean return over training scenarios, and that mean.

    The first candidate of each round is the best so far, so that a round never loses it.
    """
    parts = build(task, task.protocol.training_splits[0])
    keys = parts.scenarios.keys
    chosen = keys[:: max(1, len(keys) // search.scenarios)][: search.scenarios]
    names = list(RANGES)
    low, high = (np.array([ends[i] for ends in RANGES.values()]) for i in (0, 1))
    columns = SETTINGS.columns(names)
    best = settings_vector(settings)
    spread = 0.25 * (high - low)
    value = -np.inf
    generator = np.random.default_rng(search.seed)
    for _ in range(search.rounds):
        drawn = np.tile(best, (search.candidates, 1))
        noise = generator.standard_normal((search.candidates - 1, len(names)))
        drawn[1:, columns] = np.clip(best[columns] + spread * noise, low, high)
        values = mean_returns(parts, task, drawn, chosen, search.seed)
        order = np.argsort(-values, kind="stable")
        elite = drawn[order[: max(2, search.candidates // 4)]][:, columns]
        spread = 0.5 * spread + 0.5 * np.maximum(elite.std(axis=0), 0.02 * (high - low))
        best, value = drawn[order[0]].copy(), float(values[order[0]])
    rounded = {name: round(float(v), 4) for name, v in zip(SETTINGS.names, best, strict=True)}
    return rounded, value


def mean_returns(
    parts: Parts, task: GreenhouseTask, candidates: Floats, keys: tuple[str, ...], seed: int
) -> Floats:
    """Return the mean return of each candidate (n, 30) over scenarios, all side by side."""
    many = len(keys)
    core = BatchCore(parts, len(candidates) * many)
    for row in range(core.n):
        core.seed(row, seed + row % many)
    core.reset(range(core.n), [*keys] * len(candidates))
    policy = RuleBased("rule-based", candidates[0], task)
    settings = np.ascontiguousarray(candidates.repeat(many, axis=0))
    returns = np.zeros(core.n)
    moving: NDArray[np.bool_] = np.ones(core.n, dtype=np.bool_)
    while not core.over.any():
        rewards, _, _ = core.step(policy.actions(core.observations, settings), moving)
        returns += rewards
    found: Floats = returns.reshape(len(candidates), many).mean(axis=1)
    return found
