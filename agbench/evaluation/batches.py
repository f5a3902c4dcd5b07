"""Episodes of a batch, each recorded as if it had been played alone: a row has the same bits in any batch."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import BatchCore, Parts
from agbench.errors import SimulationError
from agbench.evaluation.protocol import Episode
from agbench.evaluation.rollout import Acting, Rollout, roll_out_together
from agbench.policies.base import Batching, Planner, Policy
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Booleans

ROWS: Final = 16
"""Episodes that are played at a time."""


Alone = Callable[[int, Episode], Rollout]
"""Plays the episode of a place by itself."""


Together = Callable[[int, int], Acting]
"""From the place of the first episode of a group, and their number, to what acts for them."""


def of_policy(policy: Policy) -> Together | None:
    """Return what acts as a policy does, in each row as it does alone; None for one that acts alone only."""
    if not isinstance(policy, Batching) or isinstance(policy, Planner):
        return None

    def begin(first: int, rows: int) -> Acting:
        memory = policy.start(rows)

        def act(core: BatchCore, step: int, moving: Booleans) -> NDArray[Any]:
            nonlocal memory
            actions, memory = policy.act(core.observations, memory)
            return actions

        return act

    return begin


def of_recording(actions: Sequence[NDArray[Any]]) -> Together:
    """Return what plays recorded actions, (decisions, ...) of each place; raises where an episode goes on."""

    def begin(first: int, rows: int) -> Acting:
        own = actions[first : first + rows]
        whole = np.stack([_lengthened(one, max(map(len, own))) for one in own])
        ends = np.array([len(one) for one in own])

        def act(core: BatchCore, step: int, moving: Booleans) -> NDArray[Any]:
            if (moving & (step >= ends)).any():
                raise SimulationError("a recording is over before its episode.")
            return np.asarray(whole[:, min(step, whole.shape[1] - 1)])

        return act

    return begin


def _lengthened(actions: NDArray[Any], steps: int) -> NDArray[Any]:
    """Return actions with the last one repeated to so many steps."""
    return np.concatenate([actions, np.repeat(actions[-1:], steps - len(actions), axis=0)])


def played(
    parts: Parts, episodes: Sequence[Episode], alone: Alone, together: Together | None
) -> Iterator[Rollout]:
    """Yield the rollouts of episodes: so many at a time where there is what acts for them together.

    A group in which something raises is played again, each episode by itself: what fails is recorded there.
    """
    for first in range(0, len(episodes), ROWS):
        group = episodes[first : first + ROWS]
        found = None
        if together is not None and len(group) > 1:
            try:
                found = roll_out_together(parts, together(first, len(group)), group)
            except RefusedError:
                raise
            except (Exception, SystemExit):
                found = None
        yield from found or (alone(first + i, episode) for i, episode in enumerate(group))
