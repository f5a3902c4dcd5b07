"""The physics of a bathtub: what the tap gives, less what leaks, up to the rim."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from agbench.compiled import entry
from agbench.variables import Variable, VariableTable

RIM = 40.0  # cm
STATES = VariableTable(
    [
        Variable("LEVEL", "cm", "height of the water", 0.0, RIM),
        Variable("SPILT", "cm", "water that ran over the rim, as height", 0.0, 1e4),
    ]
)
INPUTS = VariableTable([Variable("TAP", "cm min-1", "what the tap gives", 0.0, 5.0)])


@dataclass(frozen=True)
class Tub:
    """The world of an episode."""

    leak: float
    """Share of the level that leaks in a minute."""
    minutes: int
    start: date = date(2024, 1, 1)


class Bathtub:
    """A batch of n tubs."""

    variables = STATES
    inputs = INPUTS
    weather_variables = VariableTable([])

    def __init__(self, n: int) -> None:
        self.n = n
        self.state = np.zeros((n, len(STATES)))
        self.finished = np.zeros(n, dtype=np.bool_)
        self.elapsed = np.zeros(n, dtype=np.int64)
        self.horizon = np.zeros(n, dtype=np.int64)
        self._leak = np.zeros(n)

    def reset(self, worlds: Sequence[Tub], mask: Any = None) -> None:
        rows = np.flatnonzero(np.ones(self.n, dtype=np.bool_) if mask is None else mask)
        self.state[rows], self.elapsed[rows], self.finished[rows] = 0.0, 0, False
        self.horizon[rows] = [world.minutes for world in worlds]
        self._leak[rows] = [world.leak for world in worlds]

    def advance(self, inputs: Any, steps: int, mask: Any = None) -> None:
        moving = np.ones(self.n, dtype=np.bool_) if mask is None else mask
        fill(self.state, inputs, self._leak, self.horizon - self.elapsed, moving, steps)
        self.elapsed += np.where(moving, np.minimum(steps, self.horizon - self.elapsed), 0)
        self.finished[:] = self.elapsed >= self.horizon

    def weather(self, days: int, columns: Any) -> Any:
        return np.zeros((self.n, days, len(columns)))

    def save(self, row: int) -> Any:
        return (
            self.state[row].copy(),
            self.elapsed[row],
            self.finished[row],
            self.horizon[row],
            self._leak[row],
        )

    def load(self, row: int, saved: Any) -> None:
        self.state[row], self.elapsed[row], self.finished[row], self.horizon[row], self._leak[row] = saved


@entry
def fill(state, inputs, leak, left, moving, minutes):
    """Let the tap run into every moving tub for some minutes, or those that are left."""
    for i in range(len(state)):
        for _ in range(min(minutes, left[i]) if moving[i] else 0):
            level = state[i, 0] * (1.0 - leak[i]) + inputs[i, 0]
            state[i, 1] += max(level - RIM, 0.0)
            state[i, 0] = min(level, RIM)
