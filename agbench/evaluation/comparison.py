"""Comparing results of one task: one row for each policy, with intervals, scores and probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agbench.errors import ConfigError, ResultError
from agbench.evaluation import aggregates, anchors
from agbench.evaluation.references import ROLES, Role, policy_name
from agbench.evaluation.result import Result
from agbench.evaluation.statistics import Interval, chance_not_better
from agbench.evaluation.statistics import score as points


@dataclass(frozen=True)
class ComparedPolicy:
    """One policy beside the others.

    `role` is what the task has it for (`floor`, `blind`, `expert`, `oracle`), None for all others.
    `score` is 0 for the task's floor and 100 for its expert, None where one of them is not among
    the results; `chance_worse` is the share of bootstrap resamples in which the policy's paired
    aggregate lies below the expert's.
    """

    policy: str
    role: Role | None
    information: str
    summary: dict[str, Interval]
    mean_objective: float
    score: float | None
    chance_worse: float | None
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


def score(result: Result) -> Interval | None:
    """Return the score of a result with its interval, as the leaderboard gives it to one training seed.

    None where the task has no anchors for just these scenarios, as with overrides or other years.
    """
    try:
        known = anchors.of_split(result.task, result.split)
    except ConfigError:
        return None
    if list(dict.fromkeys(result.episodes["scenario"])) != list(result.task.scenarios(result.split)):
        return None
    scores = known.scores(result.objective)[None]
    return aggregates.resample(scores, result.task.protocol.bootstrap).interval(aggregates.mean)


def _compared(result: Result, floor: Result | None, expert: Result | None) -> ComparedPolicy:
    protocol = result.task.protocol
    mean = float(result.objective.mean())
    scored = None
    if floor is not None and expert is not None:
        scored = points(mean, float(floor.objective.mean()), float(expert.objective.mean()))
    chance = None
    if expert is not None and expert is not result:
        chance = chance_not_better(result.objective, expert.objective, protocol.aggregate, protocol.bootstrap)
    role = next((role for role in ROLES if policy_name(result.task, role) == result.policy), None)
    return ComparedPolicy(
        result.policy, role, result.information, result.summary, mean, scored, chance, result.failed
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
