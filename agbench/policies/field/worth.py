"""What candidates of a search are worth: their mean return, unless they cost more than is feasible."""

from typing import Final

import numpy as np

from agbench.data.field_task import FieldTask
from agbench.variables import Floats

DEAR: Final = 1e6
"""What a unit of constraint cost beyond the limit takes off a return: no such candidate is the best."""


def worth(task: FieldTask, returns: Floats, costs: Floats) -> Floats:
    """Return what candidates are worth, (n,), by the returns and costs of their episodes, (n, episodes) each.

    Where a task neither limits inputs nor says what it tolerates, costs are only reported.
    """
    means: Floats = returns.mean(axis=1)
    if not (task.reward.limits or task.reward.tolerated):
        return means
    excess: Floats = np.maximum(costs.mean(axis=1) - task.tolerated_cost, 0.0)
    return means - DEAR * excess
