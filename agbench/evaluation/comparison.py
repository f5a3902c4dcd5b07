"""Comparing results of one task: one row for each policy, with its score, and paired with the expert."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agbench.data.anchors import Anchors
from agbench.errors import ConfigError, ResultError
from agbench.evaluation import aggregates, anchors, paired
from agbench.evaluation.paired import Paired
from agbench.evaluation.references import ROLES, Role, policy_name
from agbench.evaluation.result import Result
from agbench.evaluation.scores import scores
from agbench.evaluation.statistics import Interval
from agbench.variables import Floats


@dataclass(frozen=True)
class ComparedPolicy:
    """One policy beside the others.

    `role` is what the task has it for (`floor`, `blind`, `expert`, `oracle`), None for all others.
    `score` is 0 for the task's floor and 100 for its oracle on test, with the interval that resamples policy
    and floor together; None where the task has no anchors for these scenarios. `to_expert` is the difference
    to the expert, in the objective's unit, and the probability of improvement over it; None for the expert
    itself, and where it is not among the results.
    """

    policy: str
    role: Role | None
    information: str
    summary: dict[str, Interval]
    mean_objective: float
    score: Interval | None
    to_expert: Paired | None
    failed: int


def load_results(folders: Sequence[str | Path]) -> list[Result]:
    """Return the results in the folders, or in the folders' own subfolders."""
    result = []
    for folder in map(Path, folders):
        if (folder / "result.yaml").is_file() or not folder.is_dir():
            result.append(Result.load(folder))
            continue
        inside = sorted(p.parent for p in folder.glob("*/result.yaml"))
        if not inside:
            raise ResultError(f"{folder}: neither this folder nor its folders hold a result.")
        result += [Result.load(path) for path in inside]
    return result


def compare(results: Sequence[Result]) -> list[ComparedPolicy]:
    """Return the policies from the lowest mean objective to the highest.

    Raises `ResultError` where results are of different tasks, splits or scenarios.
    """
    _check_comparable(results)
    task = results[0].task
    by_name = {result.policy: result for result in results}
    floor = by_name.get(task.references.floor)
    expert = by_name.get(task.references.expert)
    rows = [_compared(result, floor, expert) for result in results]
    return sorted(rows, key=lambda row: row.mean_objective)


def score(result: Result, floor: Result | None = None) -> Interval | None:
    """Return the score of a result with its interval; None where there are no anchors that fit.

    The floor in the same scenarios is that of the task's anchors, unless its own result is given.
    """
    try:
        known = anchors.load(result.task)
        gain = anchors.gain(known)
    except ConfigError:  # a task that is new or has overrides
        return None
    floors = _anchored_floor(result, known) if floor is None else floor.objective
    if floors is None:
        return None
    points = scores(result.objective, floors, gain)
    return _runs(points, result).interval


def _anchored_floor(result: Result, known: Anchors) -> Floats | None:
    """Return the anchored floor in a result's scenarios; None where one of them has none."""
    values = known.splits.get(result.split, {})
    keys = list(dict.fromkeys(result.episodes["scenario"]))
    return np.array([values[key].floor for key in keys]) if set(keys) <= set(values) else None


def _runs(values: Floats, result: Result) -> paired.Runs:
    return paired.runs(values[None], result.task.protocol.bootstrap, aggregates.mean)


def _compared(result: Result, floor: Result | None, expert: Result | None) -> ComparedPolicy:
    to_expert = None
    if expert is not None and expert is not result:
        ours, theirs = (_runs(one.objective, one) for one in (result, expert))
        to_expert = paired.compare(ours, theirs, result.task.protocol.bootstrap)
    return ComparedPolicy(
        policy=result.policy,
        role=next((role for role in ROLES if policy_name(result.task, role) == result.policy), None),
        information=result.information,
        summary=result.summary,
        mean_objective=float(result.objective.mean()),
        score=score(result, floor),
        to_expert=to_expert,
        failed=result.failed,
    )


def _check_comparable(results: Sequence[Result]) -> None:
    if not results:
        raise ResultError("nothing to compare.")
    first = results[0]
    for other in results[1:]:
        for what, ours, theirs in (
            ("task", first.task.task, other.task.task),
            ("version of the task", first.record["task_hash"], other.record["task_hash"]),
            ("split", first.split, other.split),
        ):
            if ours != theirs:
                raise ResultError(
                    f"{first.policy} and {other.policy} differ in their {what}: {ours} and {theirs}."
                )
        if not np.array_equal(first.episodes["scenario"], other.episodes["scenario"]):
            raise ResultError(f"{first.policy} and {other.policy} ran different scenarios.")
    names = [result.policy for result in results]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ResultError(f"more than one result of {', '.join(twice)}.")
