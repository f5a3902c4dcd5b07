"""Scores: a submission against the task's anchors, and agents over the suite.

The score of a training seed is 100 * (J - floor) / (expert - floor), each the mean objective over the
split's scenarios. Over training seeds: interquartile mean, median and mean, with 95 % intervals that
resample seeds and scenarios. Raw metrics stand beside the score, never inside it, and so do constraint
costs, with one exception that is shown: a submission whose mean cost is beyond the task's limit is
infeasible, and what it scores above 0 does not count.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.evaluation import aggregates, anchors
from agbench.evaluation.statistics import Interval
from agbench.leaderboard.checking import CheckedSubmission
from agbench.leaderboard.verified import HiddenRun, Level, Verified
from agbench.simulators.base import Floats
from agbench.spec.submission import LEARNED
from agbench.spec.task import Task

RESAMPLES: Final = 2000
SEEDS_TO_RANK: Final = 5  # of a learned agent
_NOTICED: Final = 1e-9  # of a constraint cost; what is less is rounding
PROFILE: Final = np.linspace(-100.0, 300.0, 41)  # scores at which a performance profile is read


@dataclass(frozen=True)
class Score:
    """A submission on one split. Scores are 0 at the task's floor and 100 at its expert.

    `difference` (to the expert) and `regret` (to the oracle) are in the objective's unit, a value a
    scenario, averaged over seeds; `worst_tenth` is the mean objective in the worst tenth of scenarios;
    `beats_expert` is the probability of improvement over scenarios; `profile` the share of seeds and
    scenarios above the scores `PROFILE`; `metrics` their means over seeds and scenarios.

    `cost` is the mean constraint cost of an episode, in the task's own unit of it, `limit` the largest
    that is feasible, `violating` the share of episodes that violate at all. Where it is not `feasible`,
    `seeds`, `iqm`, `median`, `mean` and `profile` are cut at 0; `iqm_without_limit` never is.
    """

    split: str
    seeds: tuple[float, ...]
    iqm: Interval
    median: Interval
    mean: Interval
    beats_expert: Interval
    difference: tuple[float, ...]
    regret: tuple[float, ...] | None
    worst_tenth: float
    profile: tuple[float, ...]
    metrics: dict[str, float]
    failed: int
    cost: float
    limit: float
    violating: float
    feasible: bool
    iqm_without_limit: Interval


@dataclass(frozen=True)
class Row:
    """A row of a task's table: who, how far verified, and the scores by split."""

    task: str
    agent: str
    version: str
    method: str
    information: str
    level: Level
    exact: bool
    ranked: bool
    """Whether it has a rank: reproduced, without the model or the weather to come, and enough training
    seeds if it was learned."""
    scores: dict[str, Score]
    hidden: Score | None = None
    """The score in hidden scenarios, by which those that have one are ranked."""
    season: int | None = None
    """The season of the leaderboard whose hidden scenarios those were."""

    @property
    def order(self) -> tuple[str, bool, bool, float]:
        """What rows are sorted by: task, ranked or not, hidden or not, and the score, best first."""
        return (
            self.task,
            not self.ranked,
            self.hidden is None,
            -(self.hidden or self.scores["test"]).iqm.value,
        )


def row(submission: CheckedSubmission, verified: Verified) -> Row:
    """Return the row of a submission."""
    card = submission.card
    enough = card.method not in LEARNED or len(card.training.seeds) >= SEEDS_TO_RANK
    return Row(
        task=card.task,
        agent=card.agent,
        version=card.version,
        method=card.method,
        information=card.information,
        level=verified.level,
        exact=verified.exact,
        ranked=enough and card.information != "model" and verified.level in ("reproduced", "hidden"),
        scores={split: score(submission, split) for split in submission.splits},
        hidden=None if verified.hidden is None else hidden_score(submission.task, verified.hidden),
        season=None if verified.hidden is None else verified.hidden.season,
    )


def hidden_score(task: Task, run: HiddenRun) -> Score:
    """Return the score in hidden scenarios; floor and expert are those of the same run."""
    cost = np.array(run.expert_cost)
    given = anchors.SplitAnchors(
        np.array(run.floor), np.array(run.expert), None, cost, anchors.limit_of(task, cost.mean())
    )
    objective, costs = (np.array(list(by_seed.values())) for by_seed in (run.objective, run.cost))
    return _score("hidden", objective, given, run.metrics, run.failed, costs)


def score(submission: CheckedSubmission, split: str) -> Score:
    """Return the scores of a submission on a split."""
    found = submission.of_split(split)
    metrics = {name: float(np.mean([r.by_scenario(name) for r in found])) for name in submission.task.metrics}
    failed = sum(sum(r.columns["failed"]) for r in found)
    costs = submission.cost(split)
    given = anchors.of_split(submission.task, split)
    return _score(split, submission.objective(split), given, metrics, failed, costs)


def _score(
    split: str,
    objective: Floats,
    given: anchors.SplitAnchors,
    metrics: dict[str, float],
    failed: int,
    costs: Floats,
) -> Score:
    """Return the scores of an objective (seeds, scenarios) at constraint costs (seeds, episodes)."""
    scores = given.scores(objective)
    intervals = {
        name: aggregates.crossed_interval(scores, statistic, RESAMPLES)
        for name, statistic in aggregates.AGGREGATES.items()
    }
    feasible = _feasible(costs, given.limit)
    counted = scores if feasible else np.minimum(scores, 0.0)
    by_seed, by_scenario = scores.mean(axis=1), objective.mean(axis=0)
    return Score(
        split=split,
        seeds=_plain(by_seed if feasible else np.minimum(by_seed, 0.0)),
        **{name: value if feasible else _cut(value) for name, value in intervals.items()},
        beats_expert=_beats(objective, given.expert),
        difference=_plain(by_scenario - given.expert),
        regret=None if given.oracle is None else _plain(given.oracle - by_scenario),
        worst_tenth=float(aggregates.worst_tenth(objective).mean()),
        profile=_plain(aggregates.performance_profile(counted, PROFILE)),
        metrics=metrics,
        failed=failed,
        cost=float(costs.mean()),
        limit=given.limit,
        violating=float((costs > _NOTICED).mean()),
        feasible=feasible,
        iqm_without_limit=intervals["iqm"],
    )


def _feasible(costs: Floats, limit: float) -> bool:
    """Return whether the mean constraint cost of an episode is within the task's limit."""
    return bool(costs.mean() <= limit * (1.0 + _NOTICED) + _NOTICED)


def _cut(value: Interval) -> Interval:
    return Interval(*(min(part, 0.0) for part in value))


def _cut_iqm(scores: Floats) -> Floats:
    found: Floats = np.minimum(aggregates.interquartile_mean(scores), 0.0)
    return found


def suite(submissions: Sequence[CheckedSubmission], split: str = "test") -> dict[str, Interval]:
    """Return each agent's mean over tasks of the per-task interquartile mean.

    Only agents that have a submission to every task among those given; of several versions the last
    one given counts.
    """
    by_agent: dict[str, dict[str, tuple[Floats, aggregates.Statistic]]] = defaultdict(dict)
    for submission in submissions:
        if split in submission.splits:
            given = anchors.of_split(submission.task, split)
            kept = _feasible(submission.cost(split), given.limit)
            statistic = aggregates.interquartile_mean if kept else _cut_iqm
            scores = given.scores(submission.objective(split))
            by_agent[submission.card.agent][submission.card.task] = scores, statistic
    tasks = sorted({task for found in by_agent.values() for task in found})
    return {
        agent: aggregates.suite_interval(
            [found[task][0] for task in tasks], [found[task][1] for task in tasks], RESAMPLES
        )
        for agent, found in sorted(by_agent.items())
        if set(found) == set(tasks)
    }


def _beats(objective: Floats, expert: Floats) -> Interval:
    """Return the probability of improvement over the expert, runs and scenarios resampled."""
    chance = (objective > expert) + 0.5 * (objective == expert)
    return aggregates.crossed_interval(chance, aggregates.mean, RESAMPLES)


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
