"""The hidden level: submitted policies in scenarios to which nobody could tune them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from agbench.data.task import Task
from agbench.envs.family import family
from agbench.envs.scenario_weather import secret
from agbench.errors import ConfigError, ResultError
from agbench.evaluation.result import Result
from agbench.evaluation.runner import evaluate
from agbench.leaderboard import rounds
from agbench.leaderboard.checks import submitted_policy
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.verify.replaying import ATOL
from agbench.leaderboard.verify.verified import HiddenRun
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

SPLIT: Final = "hidden"
_RTOL: Final = 1e-4  # as reproducing allows


def obstacle(submission: CheckedSubmission) -> str | None:
    """Return why a submission cannot be run in hidden scenarios, or None."""
    if submission.card.policy is None:
        return "it has no policy that could be run."
    try:
        with_hidden(submission.task, 1)
    except ConfigError as error:
        return str(error)
    return None


def with_hidden(task: Task, scenarios: int) -> Task:
    """Return a task with the split `hidden`; raises `ConfigError` where its family can make none."""
    split = family(task).hidden_split(task, scenarios)
    return task.model_copy(update={"splits": {**task.splits, SPLIT: split}})


def compare(written: HiddenRun, again: HiddenRun) -> None:
    """Raise `RefusedError` where a hidden run that was written down does not come out again."""
    ours, theirs = _by_name(again), _by_name(written)
    for name in sorted(ours.keys() | theirs.keys()):
        one, two = np.array(ours.get(name, [])), np.array(theirs.get(name, []))
        if one.shape != two.shape or not np.allclose(one, two, rtol=_RTOL, atol=ATOL):
            raise RefusedError("verified", f"hidden of {name}", "running it again gives different values.")


def _by_name(run: HiddenRun) -> dict[str, list[float]]:
    """Return objectives and costs in each scenario: of floor, expert and every training seed."""
    result = {"floor": run.floor, "expert": run.expert, "the expert's costs": run.expert_cost}
    result |= {f"seed {seed}": values for seed, values in run.objective.items()}
    return result | {f"the costs of seed {seed}": values for seed, values in run.cost.items()}


class HiddenRuns:
    """Runs policies in a round's hidden scenarios; floor and expert of a task only once.

    Raises `ConfigError` for a secret that is not the round's.
    """

    def __init__(self, entry: LeaderboardRound, secret_file: Path) -> None:
        rounds.check_secret(entry, secret_file)
        self._round, self._secret = entry, secret_file
        self._anchors: dict[str, tuple[Floats, Floats, Floats]] = {}

    def run(self, submission: CheckedSubmission) -> HiddenRun:
        """Return what the submitted policies reach, one a training seed.

        Raises `RefusedError` for a policy that does what it must not, `ConfigError` for a task without
        hidden scenarios.
        """
        task = with_hidden(submission.task, self._round.scenarios)
        card, files = submission.card, submission.policies
        assert card.policy is not None
        with secret(self._secret):
            floor, expert, expert_cost = self._anchors_of(task)
            results = {
                seed: evaluate(task, submitted_policy.load(card, task, files, seed), SPLIT, progress=False)
                for seed in card.training.seeds
            }
        return HiddenRun(
            round=self._round.round,
            sha256=self._round.sha256,
            floor=floor.tolist(),
            expert=expert.tolist(),
            expert_cost=expert_cost.tolist(),
            objective={seed: result.objective.tolist() for seed, result in results.items()},
            cost={seed: result.episodes["cost"].tolist() for seed, result in results.items()},
            metrics={name: _mean(results.values(), name) for name in task.metrics},
            failed=sum(result.failed for result in results.values()),
        )

    def _anchors_of(self, task: Task) -> tuple[Floats, Floats, Floats]:
        """Return the objective of the task's floor and expert in each scenario, and the expert's cost."""
        if task.task not in self._anchors:
            results = []
            for name in (task.references.floor, task.references.expert):
                result = evaluate(task, name, SPLIT, progress=False)
                if result.failed:
                    raise ResultError(f"{task.task}: {name} failed in hidden scenarios.")
                results.append(np.array(result.objective, dtype=np.float64))
            if results[1].mean() <= results[0].mean():
                raise ResultError(f"{task.task}: the expert does not beat the floor in hidden scenarios.")
            self._anchors[task.task] = results[0], results[1], result.by_scenario("cost")
        return self._anchors[task.task]


def _mean(results: Iterable[Result], name: str) -> float:
    return float(np.mean([result.episodes[name].mean() for result in results]))
