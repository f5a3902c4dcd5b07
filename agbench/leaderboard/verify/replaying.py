"""Replaying: every recorded action is simulated again here, and must give the claimed results."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.data.task import Task
from agbench.evaluation import runner
from agbench.evaluation.result import Result
from agbench.leaderboard.checks.results import CheckedResult
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.untrusted.refusal import RefusedError

RTOL: Final = 1e-6
ATOL: Final = 1e-9


@dataclass(frozen=True)
class Replay:
    """What replaying found: `exact` where all final states, returns and metrics are equal to the last bit."""

    episodes: int
    exact: bool
    largest_difference: float
    """Of returns and metrics, relative to the claimed value."""


def replay(submission: CheckedSubmission) -> Replay:
    """Simulate all recorded actions of a submission; raises `RefusedError` where one claims else."""
    return together(_replay(submission.task, result) for result in submission.results)


def together(replays: Iterable[Replay]) -> Replay:
    """Return what replaying found of several results as one."""
    result = list(replays)
    return Replay(
        episodes=sum(r.episodes for r in result),
        exact=all(r.exact for r in result),
        largest_difference=max(r.largest_difference for r in result),
    )


def as_result(task: Task, checked: CheckedResult) -> Result:
    """Return a checked result as one of the evaluation's own."""
    import pandas as pd

    record: dict[str, Any] = {"overrides": {}}
    table = pd.DataFrame(checked.columns)
    name, information = checked.record.policy, checked.record.information
    return Result(task, checked.split, name, information, table, list(checked.actions), record)


def _replay(task: Task, checked: CheckedResult) -> Replay:
    return held(task, checked, runner.replay(as_result(task, checked)).episodes)


def held(task: Task, checked: CheckedResult, again: Any) -> Replay:
    """Return how a checked result stands to the table of its episodes simulated again.

    Raises `RefusedError` where the two are too far apart.
    """
    where = f"{checked.split}/seed-{checked.seed}/episodes.parquet"
    for name in ("failed", "steps"):
        compare(checked, again, name, where, exactly=True)
    largest = max(compare(checked, again, name, where) for name in ("return", "cost", *task.metrics))
    exact = largest == 0.0 and list(again["final_state"]) == checked.columns["final_state"]
    return Replay(len(again), exact, largest)


def compare(
    checked: CheckedResult, again: Any, name: str, where: str, exactly: bool = False, rtol: float = RTOL
) -> float:
    """Return the largest relative difference of a column; refuse one that is too large."""
    claimed = np.array(checked.columns[name], dtype=np.float64)
    result = np.array(again[name], dtype=np.float64)
    bad = claimed != result if exactly else ~np.isclose(result, claimed, rtol=rtol, atol=ATOL)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        scenario = checked.columns["scenario"][i]
        text = f"claims {claimed[i]:.9g}, simulating its actions again gives {result[i]:.9g}."
        if again["failed"][i] and not checked.columns["failed"][i]:
            text = f"its actions cannot be simulated again: {again['error'][i]}"
        raise RefusedError(where, f"{name} of {scenario}", text)
    scale = np.maximum(np.abs(claimed), ATOL)
    return float((np.abs(result - claimed) / scale).max())
