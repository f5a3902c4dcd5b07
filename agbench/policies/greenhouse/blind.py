"""Random blind calendars of greenhouses: equipment that does the same at the same hours of every day."""

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import Parts
from agbench.envs.greenhouse.actions import Controls
from agbench.policies.tuning.blind import Actions, of_any_space, shares


def calendars(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> Actions:
    """Return action sequences (count, steps, ...) of a greenhouse's action space."""
    if isinstance(parts.actions, Controls) and parts.actions.rate is not None:
        return _towards(parts.actions, shares(parts, count, steps, generator))
    return of_any_space(parts, count, steps, generator)


def _towards(actions: Controls, levels: NDArray[np.float32]) -> Actions:
    """Return the actions (n, steps, controls) that bring controls to their levels; all are 0 at the start."""
    present = np.zeros((len(levels), len(actions.names)))
    result = np.empty_like(levels)
    for step in range(levels.shape[1]):
        result[:, step] = actions.actions_of(levels[:, step].astype(np.float64), present)
        present = actions.moved(result[:, step].astype(np.float64), present)
    return result
