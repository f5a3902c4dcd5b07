"""Reproducing: the submitted policy runs here, and must give the recorded actions and results.

The policy is called at every step, and each episode continues with the recorded action, so that differences
within the tolerance never add up. A policy that takes the largest of several values may take another choice
than the recorded one. If the two values differ only by rounding, this is a near-tie: the last bits differ
between machines. Near-ties are counted and limited. Otherwise any recorded actions would fit a policy whose
values are all equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map
from agbench.errors import SimulationError
from agbench.evaluation import batches, runner
from agbench.evaluation.batches import Together
from agbench.evaluation.rollout import Acting
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks import submitted_policy
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.verify.replaying import Replay, as_result, held, together
from agbench.policies.base import Planner, Policy, Valuing
from agbench.policies.networks import heads
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Booleans

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore

NEAR_TIES: Final = 0.001  # of a result's decisions at most, but one always
_ACTION_ATOL: Final = 1e-5  # of amounts in [-1, 1], for another mathematical library's last bits


@dataclass(frozen=True)
class Reproduction:
    """What reproducing found: `replay` of the recorded actions, and how the policy's own stand to them."""

    replay: Replay
    near_ties: int
    same_actions: bool
    """Whether all of the policy's actions were the recorded ones to the last bit."""

    @property
    def episodes(self) -> int:
        """How many episodes there were."""
        return self.replay.episodes

    @property
    def exact(self) -> bool:
        """Whether actions and final states are equal to the last bit."""
        return self.same_actions and self.replay.exact


def reproduce(submission: CheckedSubmission) -> Reproduction:
    """Run the submitted policy on every split; raises `RefusedError` where it does otherwise.

    All recorded actions are replayed by it, so that what it reproduces it has replayed too.
    """
    if submission.card.policy is None:
        raise RefusedError(CARD, "policy", "none was submitted; the highest level is replayed.")
    results = [_reproduce(submission, result) for result in submission.results]
    return Reproduction(
        replay=together(r.replay for r in results),
        near_ties=sum(r.near_ties for r in results),
        same_actions=all(r.same_actions for r in results),
    )


def _reproduce(submission: CheckedSubmission, checked: CheckedResult) -> Reproduction:
    task = submission.task
    policy = submitted_policy.load(submission.card, task, submission.policies, checked.seed)
    tally = _Tally(checked, action_map(task).space)
    again = runner.run_again(as_result(task, checked), tally.follower(policy), tally.followers(policy))
    return Reproduction(held(task, checked, again.episodes), tally.near_ties, tally.same_actions)


class _Tally:
    """Holds a policy's own actions against the recorded ones of a result, and counts its near-ties."""

    def __init__(self, checked: CheckedResult, space: spaces.Space[Any]) -> None:
        self.near_ties, self.same_actions = 0, True
        self._checked, self._space = checked, space
        self._decisions = sum(checked.columns["steps"])
        self._file = f"{checked.split}/seed-{checked.seed}/actions.npz"

    def follower(self, policy: Policy) -> Callable[[int], Policy]:
        """Return the policy following what was recorded, by the place of the episode."""
        kind = _FollowingPlanner if isinstance(policy, Planner) else _Following
        scenarios, recorded = self._checked.columns["scenario"], self._checked.actions
        return lambda place: kind(policy, recorded[place], scenarios[place], self)

    def followers(self, policy: Policy) -> Together | None:
        """Return the same for several episodes at once, as long as all is equal to the last bit.

        What is not raises, so that each episode is followed by itself, where its decisions are judged.
        """
        acts = batches.of_policy(policy)
        if acts is None:
            return None

        def begin(first: int, rows: int) -> Acting:
            own = acts(first, rows)
            expected = batches.of_recording(self._checked.actions[first : first + rows])(0, rows)

            def act(core: "BatchCore", step: int, moving: Booleans) -> NDArray[Any]:
                recorded = expected(core, step, moving)
                taken = np.asarray(own(core, step, moving), dtype=recorded.dtype)
                if taken.shape != recorded.shape or not np.array_equal(taken[moving], recorded[moving]):
                    raise SimulationError("another action than the recorded one.")
                return recorded

            return act

        return begin

    def take(self, own: Any, values: Any, rounding: float, recorded: NDArray[Any], where: str) -> None:
        """Take note of a decision; raises `RefusedError` where it is not what was recorded."""
        result = np.asarray(own, dtype=recorded.dtype)
        if result.shape == recorded.shape and np.array_equal(result, recorded):
            return
        self.same_actions = False
        if menu_sizes(self._space):
            near = values is not None and self._near_ties(values, recorded, rounding)
            self.near_ties += near
        else:
            near = result.shape == recorded.shape and np.allclose(
                result, recorded, rtol=0.0, atol=_ACTION_ATOL
            )
        if not near:
            text = f"the submitted policy takes others: {result.tolist()}, not {recorded.tolist()}."
            raise RefusedError(self._file, f"actions in {where}", text)
        most = max(1, int(NEAR_TIES * self._decisions))
        if self.near_ties > most:
            text = f"more than {most} of {self._decisions:,} decisions are near-ties taken otherwise."
            raise RefusedError(self._file, "actions", text)

    def _near_ties(self, values: Any, recorded: NDArray[Any], rounding: float) -> bool:
        """Return whether each menu's recorded choice is its best one, or within rounding of it."""
        start = int(self._space.start) if isinstance(self._space, spaces.Discrete) else 0
        menus = heads.of_menus(np.asarray(values), self._space)
        return all(
            choice == int(np.argmax(of_menu)) or heads.near_tie(of_menu, choice, rounding)
            for choice, of_menu in zip((recorded.ravel() - start).tolist(), menus, strict=True)
        )


class _Following:
    """A policy that chooses each action, while the episode continues with the recorded one."""

    def __init__(self, policy: Policy, recorded: NDArray[Any], scenario: str, tally: _Tally) -> None:
        self.name, self.information = policy.name, policy.information
        self._policy, self._recorded = policy, recorded
        self._valuing = policy if isinstance(policy, Valuing) else None
        self._scenario, self._tally = scenario, tally
        self._next = 0

    def reset(self, seed: int) -> None:
        """Start the episode."""
        self._policy.reset(seed)

    def __call__(self, observation: Any) -> Any:
        """Return the recorded action; the policy's own where the recording ends: there it has to fail."""
        values, rounding = None, 0.0
        if self._valuing is None:
            own = self._policy(observation)
        else:
            own, values = self._valuing.decide(observation)
            rounding = self._valuing.rounding
        place, self._next = self._next, self._next + 1
        if place >= len(self._recorded):
            return own
        recorded = self._recorded[place]
        self._tally.take(own, values, rounding, recorded, f"{self._scenario}, decision {place + 1}")
        return recorded


class _FollowingPlanner(_Following):
    """The same of a policy that may look at more than observations."""

    def plan(self, core: "BatchCore", row: int) -> None:
        """Prepare for the episode that has just started."""
        assert isinstance(self._policy, Planner)
        self._policy.plan(core, row)
