"""Scores: a submission against the task's anchors, and agents over a suite.

The score of a training seed is 100 * (J - floor) / (expert - floor), each the mean objective over the
split's scenarios. Over training seeds: interquartile mean, median and mean, with 95 % intervals that
resample seeds and scenarios, crossed. Raw metrics are reported beside the score, never inside it, and so are
constraint costs, with one exception that is shown: a submission whose mean cost is beyond the task's
limit is infeasible, and what it scores above 0 does not count.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from agbench.data.submission import LEARNED
from agbench.data.task import Task
from agbench.errors import ResultError
from agbench.evaluation import aggregates, anchors, provenance
from agbench.evaluation.statistics import Interval
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verified import HiddenRun, Level, Standing, Verified
from agbench.variables import Floats

RESAMPLES: Final = 2000
SEEDS_TO_RANK: Final = 5  # of a learned agent
_NOTICED: Final = 1e-9  # of a constraint cost; what is less is rounding


@dataclass(frozen=True)
class Score:
    """A submission on one split. Scores are 0 at the task's floor and 100 at its expert.

    `difference` (to the expert) and `regret` (to the oracle) are in the objective's unit, a value a
    scenario, averaged over seeds; `worst_tenth` is the mean objective in the worst tenth of scenarios;
    `beats_expert` is the probability of improvement over scenarios; `metrics` are means over seeds and
    scenarios.

    `cost` is the mean constraint cost of an episode, in the task's own unit of it, `limit` the largest
    that is feasible, `violating` the share of episodes that violate at all. Where it is not `feasible`,
    `seeds`, `iqm`, `median` and `mean` are cut at 0; `iqm_without_limit` never is.
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
    metrics: dict[str, float]
    failed: int
    cost: float
    limit: float
    violating: float
    feasible: bool
    iqm_without_limit: Interval


@dataclass(frozen=True)
class ScoredRow:
    """A row of a task's table: who, how far verified, and the scores by split."""

    task: str
    agent: str
    version: str
    method: str
    information: str
    level: Level
    stale: bool
    """Whether the level was verified with an earlier version of the task's physics."""
    exact: dict[str, bool]
    """By kind of machine, whether replayed states were equal to the last bit; with the code of now alone."""
    near_ties: int
    """How many decisions of the reproduced policy lay within rounding and were taken as recorded."""
    ranked: bool
    """Whether it has a rank: reproduced, with whichever version, without the model or the weather to come,
    and enough training seeds if it was learned."""
    scores: dict[str, Score]
    hidden: Score | None = None
    """The score in hidden scenarios, by which those that have one are ranked."""
    round: int | None = None
    """The round of the leaderboard whose hidden scenarios those were."""

    @property
    def standing(self) -> Standing:
        """How far it is verified, in words."""
        return Standing(self.level, self.stale, self.exact, self.near_ties)

    @property
    def order(self) -> tuple[str, bool, bool, bool, float]:
        """What rows are sorted by: task, ranked or not, hidden or not, stale or not, and the score."""
        return (
            self.task,
            not self.ranked,
            self.hidden is None,
            self.stale,
            -(self.hidden or self.scores["test"]).iqm.value,
        )


def row(submission: CheckedSubmission, levels: Verified) -> ScoredRow:
    """Return the row of a submission; raises `ResultError` where what it claims has no finite score."""
    card = submission.card
    enough = card.method not in LEARNED or len(card.training.seeds) >= SEEDS_TO_RANK
    standing = verified.standing(levels, provenance.simulator_hash(submission.task))
    result = ScoredRow(
        task=card.task,
        agent=card.agent,
        version=card.version,
        method=card.method,
        information=card.information,
        level=standing.level,
        stale=standing.stale,
        exact=standing.exact,
        near_ties=standing.near_ties,
        ranked=enough and card.information != "model" and standing.level in ("reproduced", "hidden"),
        scores={split: score(submission, split) for split in submission.splits},
        hidden=None if levels.hidden is None else hidden_score(submission.task, levels.hidden),
        round=None if levels.hidden is None else levels.hidden.round,
    )
    for name, value in _numbers(asdict(result)):
        if not math.isfinite(value):
            raise ResultError(f"{submission.name}: {name.lstrip('.')} is {value}: its numbers are too large.")
    return result


def _numbers(content: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield all numbers of nested data with the path to each."""
    if isinstance(content, float):
        yield name, content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _numbers(value, f"{name}.{key}")
    elif isinstance(content, (tuple, list)):
        for value in content:
            yield from _numbers(value, name)


class _Measured(NamedTuple):
    """An objective (seeds, scenarios), constraint costs (seeds, episodes), and what they are scored by."""

    objective: Floats
    costs: Floats
    split_anchors: anchors.SplitAnchors

    @property
    def scores(self) -> Floats:
        """The scores, (seeds, scenarios)."""
        return self.split_anchors.scores(self.objective)

    @property
    def feasible(self) -> bool:
        """Whether the mean constraint cost of an episode is within the task's limit."""
        return bool(self.costs.mean() <= self.split_anchors.limit * (1.0 + _NOTICED) + _NOTICED)


def _measured(submission: CheckedSubmission, split: str) -> _Measured:
    split_anchors = anchors.of_split(submission.task, split)
    return _Measured(submission.objective(split), submission.cost(split), split_anchors)


def _measured_hidden(task: Task, run: HiddenRun) -> _Measured:
    """Return what a hidden run measured; floor and expert are those of the same run."""
    cost = np.array(run.expert_cost)
    split_anchors = anchors.SplitAnchors(
        np.array(run.floor), np.array(run.expert), None, cost, task.feasible_cost(cost.mean())
    )
    objective, costs = (np.array(list(by_seed.values())) for by_seed in (run.objective, run.cost))
    return _Measured(objective, costs, split_anchors)


def hidden_score(task: Task, run: HiddenRun) -> Score:
    """Return the score in hidden scenarios; floor and expert are those of the same run."""
    return _score("hidden", _measured_hidden(task, run), run.metrics, run.failed)


def score(submission: CheckedSubmission, split: str) -> Score:
    """Return the scores of a submission on a split."""
    result = submission.of_split(split)
    metrics = {
        name: float(np.mean([r.by_scenario(name) for r in result])) for name in submission.task.metrics
    }
    failed = sum(sum(r.columns["failed"]) for r in result)
    return _score(split, _measured(submission, split), metrics, failed)


def _score(split: str, result: _Measured, metrics: dict[str, float], failed: int) -> Score:
    split_anchors, feasible = result.split_anchors, result.feasible
    resampled = aggregates.resample(result.scores, RESAMPLES)
    intervals = {name: resampled.interval(statistic) for name, statistic in aggregates.AGGREGATES.items()}
    by_scenario = result.objective.mean(axis=0)
    return Score(
        split=split,
        seeds=_plain(resampled.runs if feasible else np.minimum(resampled.runs, 0.0)),
        **{name: value if feasible else _cut(value) for name, value in intervals.items()},
        beats_expert=aggregates.improvement_interval(result.objective, split_anchors.expert[None], RESAMPLES),
        difference=_plain(by_scenario - split_anchors.expert),
        regret=None if split_anchors.oracle is None else _plain(split_anchors.oracle - by_scenario),
        worst_tenth=float(aggregates.worst_tenth(result.objective).mean()),
        metrics=metrics,
        failed=failed,
        cost=float(result.costs.mean()),
        limit=split_anchors.limit,
        violating=float((result.costs > _NOTICED).mean()),
        feasible=feasible,
        iqm_without_limit=intervals["iqm"],
    )


def counted(submission: CheckedSubmission, split: str) -> Floats:
    """Return the score of each training seed in each scenario, cut at 0 where it is infeasible.

    By the means of floor and expert over the split, as every score.
    """
    result = _measured(submission, split)
    scores: Floats = result.scores if result.feasible else np.minimum(result.scores, 0.0)
    return scores


def _cut(value: Interval) -> Interval:
    return Interval(*(min(part, 0.0) for part in value))


class SuiteScore(NamedTuple):
    """An agent over all tasks of a suite, each task by the scores that its rank there is by."""

    score: Interval
    """The mean over tasks of the interquartile means; views of one task count as one, by their mean."""
    median: Interval
    """The median over tasks of the means over training seeds."""
    hidden: int
    """In how many of the tasks the scores are those in hidden scenarios."""


def suite(
    submissions: Iterable[tuple[CheckedSubmission, HiddenRun | None]], groups: Sequence[Sequence[str]]
) -> dict[str, SuiteScore]:
    """Return each agent's scores over tasks: by hidden scenarios where it was run there, else by test.

    `groups` are the ids of the suite's tasks, those together that count as one, by their mean. Only agents
    that have a submission to every one of them; of several versions the last one given counts.
    """
    by_agent: dict[str, dict[str, tuple[_Measured, bool]]] = defaultdict(dict)
    for submission, run in submissions:
        result = _measured(submission, "test") if run is None else _measured_hidden(submission.task, run)
        by_agent[submission.card.agent][submission.card.task] = result, run is not None
    tasks = [task for group in groups for task in group]
    last = np.cumsum([len(group) for group in groups]).tolist()
    places = [list(range(end - len(group), end)) for group, end in zip(groups, last, strict=True)]
    return {
        agent: _suite_score([by_task[task] for task in tasks], places)
        for agent, by_task in sorted(by_agent.items())
        if set(tasks) <= set(by_task)
    }


def _suite_score(result: list[tuple[_Measured, bool]], groups: list[list[int]]) -> SuiteScore:
    resampled = [aggregates.resample(m.scores, RESAMPLES, seed) for seed, (m, _) in enumerate(result)]

    def over_tasks(statistic: aggregates.Statistic, across: aggregates.Statistic) -> Interval:
        each = [statistic if m.feasible else _cut_at_0(statistic) for m, _ in result]
        return aggregates.suite_interval(resampled, each, across, groups)

    return SuiteScore(
        score=over_tasks(aggregates.interquartile_mean, aggregates.mean),
        median=over_tasks(aggregates.mean, aggregates.median),
        hidden=sum(hidden for _, hidden in result),
    )


def _cut_at_0(statistic: aggregates.Statistic) -> aggregates.Statistic:
    """Return a statistic whose values above 0 do not count."""
    return lambda values: np.minimum(statistic(values), 0.0)


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
