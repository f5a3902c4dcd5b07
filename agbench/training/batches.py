"""Batches of a dataset's transitions, for learners that play no environment."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.training.learner import Lesson

Columns = NDArray[np.float32]


class DrawnBatch(NamedTuple):
    """n transitions, each array (n, columns) of float32; the choice of a menu is its number."""

    observations: Columns
    actions: Columns
    rewards: Columns
    next_observations: Columns
    next_actions: Columns
    terminals: Columns


class Batches:
    """Draws batches of a lesson's demonstrations; observations and rewards are scaled.

    An episode that was cut off by an outer limit has a next observation, its final one, and is no end.
    """

    def __init__(self, lesson: Lesson) -> None:
        data, scaling = lesson.data, lesson.scaling
        actions = data.actions.reshape(len(data), -1).astype(np.float32)
        following = np.roll(actions, -1, axis=0)
        following[data.ends] = actions[data.ends]  # beyond the end nothing is chosen: read by no one
        self._all = DrawnBatch(
            scaling.observations(data.observations),
            actions,
            scaling.rewards(data.rewards).astype(np.float32)[:, None],
            scaling.observations(data.next_observations),
            following,
            data.terminations.astype(np.float32)[:, None],
        )
        self._generator = np.random.default_rng(lesson.seed)

    def draw(self, size: int) -> DrawnBatch:
        """Return so many transitions, drawn with replacement."""
        rows = self._generator.integers(len(self._all.rewards), size=size)
        return DrawnBatch(*(values[rows] for values in self._all))
