"""The loops that step an environment: one for a batch, one for a single episode."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore
from agbench.envs.single import AgBenchEnv
from agbench.variables import Floats

Act = Callable[[NDArray[np.float32], int], Any]
"""From the observations of all rows and the number of the decision, from 0, to the actions of all rows."""


def steps(core: BatchCore, act: Act, most: int | None = None) -> Iterator[Floats]:
    """Step all rows to their episodes' ends, or `most` times, and yield the rewards of each step, (n,)."""
    for number in count() if most is None else range(most):
        if core.over.all():
            return
        yield core.step(act(core.observations, number), ~core.over)[0]


def play(core: BatchCore, act: Act, most: int | None = None) -> Floats:
    """Step all rows as `steps` does, and return the sums of their rewards, (n,)."""
    total = np.zeros(core.n)
    for rewards in steps(core, act, most):
        total += rewards
    return total


@dataclass(frozen=True)
class Decision:
    """An action, and what the environment answered."""

    action: Any
    observation: NDArray[np.float32]
    reward: float
    over: bool
    info: dict[str, Any]


def decisions(
    env: AgBenchEnv, act: Callable[[NDArray[np.float32]], Any], observation: NDArray[np.float32]
) -> Iterator[Decision]:
    """Step an episode from its present observation to its end, and yield each decision."""
    over = False
    while not over:
        action = act(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        yield Decision(action, observation, float(reward), over, info)
