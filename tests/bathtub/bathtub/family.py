"""Bathtubs as a family of tasks."""

from typing import Any

import numpy as np

from agbench.envs.actions import Amounts
from agbench.envs.core import Parts
from agbench.envs.family import Family
from agbench.envs.observations import Entries
from agbench.envs.scenarios import ScenarioSet
from bathtub.simulator import INPUTS, STATES, Bathtub, Tub
from bathtub.task import BathtubTask


class Eyes(Entries):
    """Sees the level, not what was spilt."""

    def write(self, simulator: Bathtub, out: Any) -> None:
        out[:, 0] = simulator.state[:, 0]


class Comfort:
    """Minus the distance to the wanted level; water on the floor violates a constraint."""

    def __init__(self, level: float, n: int) -> None:
        self._level = level
        self.cost = np.zeros(n)
        self.totals = {"discomfort": np.zeros(n)}

    def reset(self, row: int, world: Any) -> None:
        self.cost[row] = self.totals["discomfort"][row] = 0.0

    def before(self, simulator: Bathtub) -> None:
        self._spilt = simulator.state[:, 1].copy()

    def after(self, simulator: Bathtub, inputs: Any, moved: Any) -> Any:
        missing = np.where(moved, np.abs(simulator.state[:, 0] - self._level), 0.0)
        self.totals["discomfort"] += missing
        self.cost[:] = np.where(moved, simulator.state[:, 1] - self._spilt, 0.0)
        return -missing

    def save(self, row: int) -> Any:
        return self.cost[row], self.totals["discomfort"][row]

    def load(self, row: int, saved: Any, world: Any) -> None:
        self.cost[row], self.totals["discomfort"][row] = saved


def action_map(task: BathtubTask) -> Amounts:
    return Amounts(INPUTS, {"TAP": INPUTS["TAP"].high})


def observer(task: BathtubTask) -> Eyes:
    return Eyes([STATES["LEVEL"]])


def build(task: BathtubTask, split: str, weather: Any = None, years: Any = None) -> Parts:
    def world(key: str, generator: Any) -> Tub:
        return Tub(0.01 * int(key.removeprefix("leak/")), task.bath.minutes)

    names = [key for name in task.splits for key in task.scenarios(name)]
    return Parts(
        task=task,
        scenarios=ScenarioSet(split, task.scenarios(split), names, world),
        actions=action_map(task),
        observer=observer(task),
        make_simulator=Bathtub,
        make_reward=lambda n: Comfort(task.bath.level, n),
        hashes=dict,
    )


def longest(task: BathtubTask) -> int:
    return task.bath.minutes


BATHTUB = Family(
    name="bathtub",
    schema=BathtubTask,
    build=build,
    action_map=action_map,
    observer=observer,
    step_seconds=60,
    longest=longest,
)
