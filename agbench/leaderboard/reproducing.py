"""Reproducing: the submitted policy runs here, and must do and reach what was recorded."""

from dataclasses import dataclass

import numpy as np

from agbench.evaluation.runner import evaluate
from agbench.leaderboard import submitted_policy
from agbench.leaderboard.checking import CARD, CheckedSubmission
from agbench.leaderboard.replaying import compare
from agbench.leaderboard.results import CheckedResult
from agbench.untrusted.refusal import RefusedError

_ACTION_ATOL = 1e-5  # of amounts in [-1, 1], for another mathematical library's last bits


@dataclass(frozen=True)
class Reproduction:
    """What reproducing found: `exact` where actions and final states are equal to the last bit."""

    episodes: int
    exact: bool


def reproduce(submission: CheckedSubmission) -> Reproduction:
    """Run the submitted policy on every split; raises `RefusedError` where it does otherwise."""
    if submission.card.policy is None:
        raise RefusedError(CARD, "policy", "none was submitted; replay is the most that can be verified.")
    found = [_reproduce(submission, result) for result in submission.results]
    return Reproduction(sum(r.episodes for r in found), all(r.exact for r in found))


def _reproduce(submission: CheckedSubmission, checked: CheckedResult) -> Reproduction:
    task = submission.task
    policy = submitted_policy.load(submission.card, task, submission.policies, checked.seed)
    again = evaluate(task, policy, checked.split, progress=False)
    folder = f"{checked.split}/seed-{checked.seed}"
    for i, (ours, theirs) in enumerate(zip(again.actions, checked.actions, strict=True)):
        same = ours.shape == theirs.shape and (
            np.array_equal(ours, theirs)
            if ours.dtype.kind == "i"
            else np.allclose(ours, theirs, rtol=0.0, atol=_ACTION_ATOL)
        )
        if not same:
            scenario = checked.columns["scenario"][i]
            raise RefusedError(
                f"{folder}/actions.npz", f"actions in {scenario}", "the submitted policy takes others."
            )
    for name in ("return", "cost", *task.metrics):
        compare(checked, again.episodes, name, f"{folder}/episodes.parquet", rtol=1e-4)
    exact = list(again.episodes["final_state"]) == checked.columns["final_state"]
    return Reproduction(len(again.actions), exact)
