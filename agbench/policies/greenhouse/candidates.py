"""What candidates earn in training scenarios, played side by side with the same clouds.

All at the accuracy `COARSE`, whose error is far below the differences between candidates.

The climate of a greenhouse under set points swings within the hour. The least change of a set point shifts
the swings, and a season's profit by some tenths of a EUR m-2, by chance. A few seasons, the same in every
round of a search, show which candidate was lucky in them; pieces of many seasons, others in every round, do
not.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import build
from agbench.envs.greenhouse.building import make_simulator
from agbench.envs.threads import threaded
from agbench.policies.playing import gain
from agbench.simulators.greenlight.stepping import COARSE
from agbench.variables import Floats

SCENARIOS: Final = 8
"""Training scenarios that a candidate is tried on, evenly spread over the split."""

SCENARIOS_OF_CROPS: Final = 24
"""The same where each episode draws another crop: eight say more about their crops than about a candidate."""

PIECES: Final = 24
"""Training seasons whose beginning a round plays."""

PIECE: Final = 10
"""Days that it plays of each."""

JUDGES: Final = 32
"""Whole seasons that judge what a search in pieces has found: the last of the split."""

DIGITS: Final = 4
"""Decimals of a setting in the file."""

Actor = Callable[[Any], Any]
"""From the observations of all rows to their actions."""


def training_parts(task: GreenhouseTask) -> Parts:
    """Return the parts of a task on its first training split, at the accuracy `COARSE`."""
    split = task.protocol.training_splits[0]
    return threaded(replace(build(task, split), make_simulator=lambda n: make_simulator(task, n, COARSE)))


def mean_objective(
    task: GreenhouseTask,
    actor: Callable[[Floats], Actor],
    share: float,
    seed: int,
    scenarios: Sequence[str] = (),
) -> Callable[[Floats], Floats]:
    """Return the mean objective of candidates (n, k) over the first `share` of training scenarios, (n,).

    Without a choice of `scenarios` they are so many as `SCENARIOS`, spread evenly, or as `SCENARIOS_OF_CROPS`
    where the crop is uncertain.
    """
    parts = training_parts(task)
    keys = parts.scenarios.keys
    # The starts of generated seasons are spread evenly over any run of numbers, not over every thousandth.
    generated = task.splits[task.protocol.training_splits[0]].generated
    count = SCENARIOS_OF_CROPS if task.uncertainty.parameters else SCENARIOS
    chosen = scenarios or keys[:: 1 if generated else max(1, len(keys) // count)][:count]
    most = round(share * task.episode.intervals / task.step)
    seeds = [seed + i for i in range(len(chosen))]
    return lambda candidates: _means(parts, actor, candidates, chosen, seeds, most)


def pieces_objective(
    task: GreenhouseTask,
    actor: Callable[[Floats], Actor],
    scenarios: Sequence[str] = (),
    pieces: int = PIECES,
    days: int = PIECE,
) -> Callable[[Floats, int], Floats]:
    """Return the mean objective of candidates (n, k) in the pieces of a round, (n,).

    Rounds take their seasons one after the other from `scenarios`, by default those of the training split, in
    which starts of generated seasons are spread evenly over any run of numbers.
    """
    parts = training_parts(task)
    keys = scenarios or parts.scenarios.keys
    most = min(days * 86_400 // INTERVAL, task.episode.intervals) // task.step

    def value(candidates: Floats, number: int) -> Floats:
        places = np.arange(number * pieces, (number + 1) * pieces).tolist()
        chosen = [keys[place % len(keys)] for place in places]
        return _means(parts, actor, candidates, chosen, places, most)

    return value


def judged(task: GreenhouseTask, actor: Callable[[Floats], Actor], candidates: Floats) -> Floats:
    """Return the mean objective of candidates (n, k) in whole seasons that judge searches in pieces, (n,)."""
    parts = training_parts(task)
    chosen = parts.scenarios.keys[-JUDGES:]
    return _means(parts, actor, candidates, chosen, range(len(chosen)), task.episode.intervals // task.step)


def _means(
    parts: Parts,
    actor: Callable[[Floats], Actor],
    candidates: Floats,
    scenarios: Sequence[str],
    seeds: Sequence[int],
    most: int,
) -> Floats:
    """Return the mean objective of candidates (n, k) over the first decisions in scenarios, (n,)."""
    rounded = np.round(candidates, DIGITS)
    core = BatchCore(parts, len(candidates) * len(scenarios))
    core.start([*scenarios] * len(candidates), [*seeds] * len(candidates))
    act = actor(rounded.repeat(len(scenarios), axis=0))
    gained = gain(core, lambda seen, _: act(seen), most)
    means: Floats = gained.reshape(len(candidates), len(scenarios)).mean(axis=1)
    return means
