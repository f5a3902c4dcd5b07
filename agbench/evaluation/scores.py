"""The score: what a policy earns above the floor in the same scenarios, in points of the task's own constant.

0 is the floor, 100 as much above it as the best that was found with the weather known, on test. The
constant, oracle less floor on test, is one number for all splits and rounds, so that a point is the same
amount of money or grain everywhere, no oracle has to be run beside an agent, and the difference of two agents
is their difference in the objective. Expert and blind calendar are marks on this scale. They are no
divisors: where an expert is hardly above the floor, a score over their difference would explode.
"""

from typing import Final

import numpy as np

from agbench.variables import Floats

POINTS: Final = 100.0
"""The score of the best that was found with the weather known."""
LOWEST: Final = -100.0
"""What a task counts in a suite at least, so that one disaster does not decide all."""


def scores(objective: Floats, floor: Floats, gain: float) -> Floats:
    """Return the scores of objectives (..., scenarios), of which the mean over scenarios is the score.

    `floor` is that of the floor in the same scenarios, (scenarios,); `gain` the task's constant, in the unit
    of the objective. One scenario's value alone is no score: the constant is a mean over scenarios.
    """
    result: Floats = POINTS * (np.asarray(objective) - floor) / gain
    return result
