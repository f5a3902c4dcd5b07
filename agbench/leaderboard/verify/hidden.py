"""Running policies in the hidden scenarios of a round, to which nobody could tune them."""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import Field

from agbench.data.field import Number
from agbench.data.reading import Strict
from agbench.data.task import Task
from agbench.envs.family import family
from agbench.envs.scenario_weather import read_secret, secret
from agbench.errors import ResultError
from agbench.evaluation.references import Role, policy_name
from agbench.evaluation.result import Result
from agbench.evaluation.runner import evaluate
from agbench.leaderboard import rounds
from agbench.leaderboard.checks import submitted_policy
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.untrusted.refusal import RefusedError

SPLIT: Final = "hidden"
MARKS: Final[tuple[Role, ...]] = ("floor", "blind", "expert")
"""The references that a round runs beside the agents; an oracle would take too long."""
_NUMBERS: Final = 1000  # of seasons, from one of which the scenarios begin


class HiddenRun(Strict):
    """What a policy reached in the hidden scenarios of a round.

    `objective`: that of each training seed in each scenario; `cost`: the constraint costs of each seed's
    episodes; `metrics`: means over seeds and scenarios. `refused` says why a policy was stopped, and the rest
    is empty then.
    """

    objective: dict[int, list[Number]] = Field(default={})
    cost: dict[int, list[Number]] = Field(default={})
    metrics: dict[str, Number] = Field(default={})
    failed: int = Field(default=0, ge=0)
    refused: str = ""


def with_hidden(task: Task, scenarios: int, salt: bytes = b"") -> Task:
    """Return a task with the split `hidden`; raises `ConfigError` where its family can make none.

    The salt gives the weather of the scenarios, as the environment reads it, and here all else that an
    episode draws: the protocol's seed, from which parameters, clouds and prices follow, and, where episodes
    begin on days that the number of a season gives, the first of these numbers.
    """
    make = family(task).hidden_split
    split = make(task, scenarios)
    first = _drawn(salt, b"first number") % _NUMBERS
    if "leaving_out" in type(split).model_fields:
        later = make(task, scenarios + first).model_copy(update={"leaving_out": list(range(first))})
        changed = task.model_copy(update={"splits": {**task.splits, SPLIT: later}})
        split = later if len(changed.scenarios(SPLIT)) == scenarios else split
    protocol = task.protocol.model_copy(update={"seed": _drawn(salt, b"episodes") >> 1})
    return task.model_copy(update={"splits": {**task.splits, SPLIT: split}, "protocol": protocol})


def _drawn(salt: bytes, what: bytes) -> int:
    """Return a whole number below 2**32 that follows from a salt."""
    return int.from_bytes(hmac.new(salt, what, hashlib.sha256).digest()[:4], "big")


def scenarios_of(task: Task, entry: LeaderboardRound, salt_file: Path) -> list[str]:
    """Return the keys of a round's scenarios."""
    return with_hidden(task, entry.scenarios, read_secret(salt_file)).scenarios(SPLIT)


def run_reference(task: Task, role: Role, entry: LeaderboardRound, salt_file: Path) -> HiddenRun:
    """Return what a reference of the task reaches; raises `ResultError` where one of its episodes fails."""
    name = policy_name(task, role)
    result = _run(task, {0: name}, entry, salt_file)
    if result.failed:
        raise ResultError(f"{entry.name}: {name} failed in hidden scenarios.")
    return result


def run_submission(submission: CheckedSubmission, entry: LeaderboardRound, salt_file: Path) -> HiddenRun:
    """Return what the submitted policies reach, one a distinct training seed.

    A policy that does what it must not, such as taking too long, is stopped; the run says so.
    """
    card, task = submission.card, submission.task
    try:
        policies = {
            seed: submitted_policy.load(card, task, submission.policies, seed)
            for seed in submission.distinct_seeds
        }
        return _run(task, policies, entry, salt_file)
    except RefusedError as error:
        return HiddenRun(refused=str(error))


def _run(task: Task, policies: Mapping[int, Any], entry: LeaderboardRound, salt_file: Path) -> HiddenRun:
    rounds.check_task(entry, task)
    hidden = with_hidden(task, entry.scenarios, read_secret(salt_file))
    with secret(salt_file):
        results = {seed: evaluate(hidden, policy, SPLIT, progress=False) for seed, policy in policies.items()}
    return HiddenRun(
        objective={seed: result.objective.tolist() for seed, result in results.items()},
        cost={seed: result.episodes["cost"].tolist() for seed, result in results.items()},
        metrics={name: _mean(results, name) for name in task.metrics},
        failed=sum(result.failed for result in results.values()),
    )


def _mean(results: Mapping[int, Result], name: str) -> float:
    return float(np.mean([result.episodes[name].mean() for result in results.values()]))
