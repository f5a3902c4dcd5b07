"""How good an agent is while it trains: the validation split, played in one batch."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.data.training import ValidationSettings
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.scenarios import episode_seed
from agbench.errors import ConfigError
from agbench.evaluation import anchors

Predict = Callable[..., tuple[NDArray[Any], Any]]
"""The method `predict` of a model of Stable-Baselines3."""


class Mark(NamedTuple):
    """What an agent reached on the validation split, after so many steps: means over its scenarios."""

    steps: int
    objective: float
    cost: float
    feasible: bool

    @property
    def order(self) -> tuple[bool, float]:
        """The greater, the better: feasible ones first, by the objective, then those that cost least."""
        return self.feasible, self.objective if self.feasible else -self.cost


class Validation:
    """Plays scenarios of a split, with the protocol's seeds of so many repeats, all at once."""

    def __init__(
        self, task: Task, checks: ValidationSettings, scaled: Callable[[Any], NDArray[np.float32]]
    ) -> None:
        """Make the batch; `scaled` returns observations as the agent sees them."""
        self.split = split_of(task)
        self.limit = limit_of(task)
        parts = build(task, self.split)
        played = [(key, i) for i in range(checks.repeats) for key in parts.scenarios.keys[: checks.episodes]]
        self._keys = [key for key, _ in played]
        self._seeds = [episode_seed(task.protocol.seed, key, repeat) for key, repeat in played]
        self._core = BatchCore(parts, len(self._keys))
        self._scaled = scaled
        self._objective = task.protocol.objective

    def mark(self, predict: Predict, steps: int) -> Mark:
        """Return what a model reaches after so many steps of training, acting without chance."""
        core = self._core
        core.start(self._keys, self._seeds)
        memory, first = None, np.ones(core.n, np.bool_)
        returns, costs = np.zeros(core.n), np.zeros(core.n)
        while not core.over.all():
            moving = ~core.over
            actions, memory = predict(self._scaled(core.observations), memory, first, deterministic=True)
            returns += core.step(actions, moving)[0]
            costs += np.where(moving, core.reward.cost, 0.0)
            first = np.zeros(core.n, np.bool_)
        objective = returns if self._objective == "return" else core.info()[self._objective]
        cost = float(costs.mean())
        return Mark(steps, float(np.mean(objective)), cost, self.limit is None or cost <= self.limit)


def split_of(task: Task) -> str:
    """Return the split that agents are validated on: `validation`, or, without one, the first to train on."""
    return "validation" if "validation" in task.splits else task.protocol.training_splits[0]


def limit_of(task: Task) -> float | None:
    """Return the largest mean cost of an episode that counts as feasible; None without a limit."""
    try:
        return anchors.of_split(task, "test").limit
    except ConfigError:  # no anchors yet, or no split of that name
        return task.tolerated_cost or None
