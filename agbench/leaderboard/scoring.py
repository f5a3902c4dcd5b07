"""Scores: a submission against its task's floor in the same scenarios, and agents over a suite.

The score of a training seed is `agbench.evaluation.scores` of its objective, averaged over scenarios. Over
training seeds: interquartile mean, median and mean, with 95 % intervals that resample seeds and scenarios,
crossed, agent and floor together. Seeds that act alike are one seed. Raw metrics are reported beside the
score, never inside it, and so are constraint costs, with one exception that is shown: a submission whose mean
cost is beyond the task's limit is infeasible, and what it scores above 0 does not count.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from agbench.data import catalog
from agbench.data.suites import alike
from agbench.errors import ResultError
from agbench.evaluation import aggregates, anchors, paired, provenance
from agbench.evaluation.aggregates import DrawnStatistic, Statistic
from agbench.evaluation.scores import LOWEST, scores
from agbench.evaluation.statistics import Interval
from agbench.leaderboard import eligible
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.tracks import tracks
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verified import Level, Standing, Verified
from agbench.variables import Floats

RESAMPLES: Final = 20_000
_TOGETHER: Final = 8  # agents whose resamples of a suite are held at once: 0.3 MB a task, each
_NOTICED: Final = 1e-9  # of a constraint cost; what is less is rounding


@dataclass(frozen=True)
class Score:
    """A submission on one set of scenarios. Scores are 0 at the task's floor, 100 at its oracle on test.

    `difference` (to the expert) and `regret` (to the oracle) are in the objective's unit, a value a
    scenario, averaged over seeds; `worst_tenth` is the mean objective in the worst tenth of scenarios;
    `beats_expert` is the probability of improvement; `metrics` are means over seeds and scenarios.

    `cost` is the mean constraint cost of an episode, in the task's own unit of it, `limit` the largest
    that is feasible, `violating` the share of episodes that violate at all. Where it is not `feasible`,
    `seeds`, `iqm`, `median` and `mean` are cut at 0; `iqm_without_limit` never is.
    """

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
    """A submission and its scores on the public splits, which give no rank."""

    task: str
    agent: str
    version: str
    method: str
    information: str
    tracks: tuple[str, ...]
    level: Level
    stale: bool
    """Whether the level was verified with an earlier version of the task's physics."""
    exact: dict[str, bool]
    """By kind of machine, whether replayed states were equal to the last bit; with the code of now alone."""
    near_ties: int
    """How many decisions of the reproduced policy lay within rounding and were taken as recorded."""
    distinct_seeds: int
    """How many training seeds act differently from each other."""
    not_eligible: str
    """Why a round would not run it; empty where it would."""
    scores: dict[str, Score]

    @property
    def standing(self) -> Standing:
        """How far it is verified, in words."""
        return Standing(self.level, self.stale, self.exact, self.near_ties)

    @property
    def order(self) -> tuple[str, float]:
        """What rows of public scenarios are sorted by: task and score."""
        return self.task, -self.scores["test"].iqm.value


@dataclass(frozen=True)
class MeasuredRuns:
    """What an agent reached, and what it is scored by.

    `objective` is that of each distinct training seed, (seeds, scenarios); `costs` the constraint costs of
    all episodes; `floor`, `expert` and `oracle` are objectives in the same scenarios, (scenarios,).
    """

    objective: Floats
    costs: Floats
    floor: Floats
    expert: Floats
    gain: float
    limit: float
    oracle: Floats | None = None

    @property
    def points(self) -> Floats:
        """The scores, (seeds, scenarios)."""
        return scores(self.objective, self.floor, self.gain)

    @property
    def feasible(self) -> bool:
        """Whether the mean constraint cost of an episode is within the task's limit."""
        return bool(self.costs.mean() <= self.limit * (1.0 + _NOTICED) + _NOTICED)

    def runs(
        self, name: str, statistic: Statistic = aggregates.interquartile_mean, seed: int = 0
    ) -> paired.Runs:
        """Return its scores, resampled, with the statistic that counts: cut at 0 where it is infeasible."""
        counts = statistic if self.feasible else _cut_at_0(statistic)
        return paired.runs(self.points, RESAMPLES, counts, seed, stream(name))


def stream(name: str) -> int:
    """Return the number by which the draws of an agent's training seeds differ from all others'."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def row(
    submission: CheckedSubmission,
    levels: Verified,
    known: "Callable[[CheckedSubmission, Callable[[], dict[str, Score]]], dict[str, Score]] | None" = None,
) -> ScoredRow:
    """Return the row of a submission; raises `ResultError` where what it claims has no finite score.

    `known` returns scores by split that are known, or calls what computes them.
    """

    def compute() -> dict[str, Score]:
        return {split: score(submission, split) for split in submission.splits}

    card = submission.card
    standing = verified.standing(levels, provenance.simulator_hash(submission.task))
    result = ScoredRow(
        task=card.task,
        agent=card.agent,
        version=card.version,
        method=card.method,
        information=card.information,
        tracks=tracks(card),
        level=standing.level,
        stale=standing.stale,
        exact=standing.exact,
        near_ties=standing.near_ties,
        distinct_seeds=len(submission.distinct_seeds),
        not_eligible=eligible.obstacle(submission, levels),
        scores=known(submission, compute) if known else compute(),
    )
    for name, value in _numbers(vars(result)):
        if not math.isfinite(value):
            raise ResultError(f"{submission.name}: {name.lstrip('.')} is {value}: its numbers are too large.")
    return result


def _numbers(content: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield all numbers of nested data with the path to each."""
    content = vars(content) if isinstance(content, Score) else content
    if isinstance(content, float):
        yield name, content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _numbers(value, f"{name}.{key}")
    elif isinstance(content, (tuple, list)):
        for value in content:
            yield from _numbers(value, name)


def measured(submission: CheckedSubmission, split: str) -> MeasuredRuns:
    """Return what a submission's distinct training seeds reached on a public split."""
    known = anchors.of_split(submission.task, split)
    return MeasuredRuns(
        objective=submission.objective(split),
        costs=submission.cost(split),
        floor=known.floor,
        expert=known.expert,
        gain=known.gain,
        limit=known.limit,
        oracle=known.oracle,
    )


def score(submission: CheckedSubmission, split: str) -> Score:
    """Return the scores of a submission on a split."""
    result = submission.of_split(split)
    metrics = {
        name: float(np.mean([r.by_scenario(name) for r in result])) for name in submission.task.metrics
    }
    failed = sum(sum(r.columns["failed"]) for r in result)
    name = f"{submission.card.agent}/{submission.card.version}"
    return scored(name, measured(submission, split), metrics, failed)


def scored(name: str, result: MeasuredRuns, metrics: dict[str, float], failed: int) -> Score:
    """Return the scores of what was measured of an agent of this name."""
    runs = result.runs(name)
    intervals = _intervals(runs.resampled)
    cut = {each: value if result.feasible else _cut(value) for each, value in intervals.items()}
    by_scenario = result.objective.mean(axis=0)
    expert = result.expert[None]
    return Score(
        seeds=_plain(runs.resampled.runs if result.feasible else np.minimum(runs.resampled.runs, 0.0)),
        iqm=cut["iqm"],
        median=cut["median"],
        mean=cut["mean"],
        beats_expert=aggregates.improvement_interval(
            result.objective, expert, RESAMPLES, 0, (stream(name), stream("expert"))
        ),
        difference=_plain(by_scenario - result.expert),
        regret=None if result.oracle is None else _plain(result.oracle - by_scenario),
        worst_tenth=float(aggregates.worst_tenth(result.objective).mean()),
        metrics=metrics,
        failed=failed,
        cost=float(result.costs.mean()),
        limit=result.limit,
        violating=float((result.costs > _NOTICED).mean()),
        feasible=result.feasible,
        iqm_without_limit=intervals["iqm"],
    )


def _intervals(resampled: aggregates.Resampled) -> dict[str, Interval]:
    """Return each statistic over training seeds with its interval; of one seed all are the same."""
    by_name = aggregates.AGGREGATES
    if len(resampled.runs) == 1:
        return dict.fromkeys(by_name, resampled.interval(aggregates.mean))
    return {name: resampled.interval(statistic) for name, statistic in by_name.items()}


def counted(submission: CheckedSubmission, split: str) -> Floats:
    """Return the score of each distinct training seed in each scenario, cut at 0 where it is infeasible."""
    result = measured(submission, split)
    return result.points if result.feasible else np.minimum(result.points, 0.0)


def _cut(value: Interval) -> Interval:
    return Interval(*(min(part, 0.0) for part in value))


def _cut_at_0(statistic: Statistic) -> Statistic:
    """Return a statistic whose values above 0 do not count."""
    return lambda values: np.minimum(statistic(values), 0.0)


class SuiteScore(NamedTuple):
    """An agent over all tasks of a suite."""

    score: Interval
    """The mean over families of the mean over their tasks of the interquartile means."""
    median: Interval
    """The median over tasks of the means over training seeds."""
    drawn: Floats
    """The score in every resample, by which two agents are compared."""


def suite(
    by_agent: Mapping[str, Mapping[str, MeasuredRuns]], groups: Sequence[Sequence[str]]
) -> dict[str, SuiteScore]:
    """Return each agent's scores over tasks: families weigh alike, and so do the tasks of a family.

    `by_agent` has what each agent reached by task; `groups` are the ids of the suite's tasks, those together
    that count as one, by their mean. A task counts at least -100. Only agents that have every task.
    """
    tasks = [task for group in groups for task in group]
    whole = [
        (agent, [by_task[task] for task in tasks])
        for agent, by_task in sorted(by_agent.items())
        if set(tasks) <= set(by_task)
    ]
    result: dict[str, SuiteScore] = {}
    for first in range(0, len(whole), _TOGETHER):
        result |= _suite_scores(whole[first : first + _TOGETHER], groups)
    return result


def _suite_scores(
    agents: Sequence[tuple[str, Sequence[MeasuredRuns]]], groups: Sequence[Sequence[str]]
) -> dict[str, SuiteScore]:
    """Return the scores of some agents, each with what it reached on every task.

    Task after task: the scenarios of a task, which all agents meet, are drawn once for all of them.
    """
    places, across = _places(groups), _over_families(groups)

    def median_task(values: Floats) -> Floats:
        return aggregates.median(np.stack([values[..., p].mean(axis=-1) for p in places], axis=-1))

    middles: dict[str, list[DrawnStatistic]] = {agent: [] for agent, _ in agents}
    means: dict[str, list[DrawnStatistic]] = {agent: [] for agent, _ in agents}
    for place in range(sum(map(len, groups))):
        for agent, result in agents:
            middle, mean = _of_task(agent, result[place], place)
            middles[agent].append(middle)
            means[agent].append(mean)
    scores = {agent: aggregates.over_tasks(middles[agent], across) for agent, _ in agents}
    return {
        agent: SuiteScore(
            score.interval, aggregates.over_tasks(means[agent], median_task).interval, score.drawn
        )
        for agent, score in scores.items()
    }


def _of_task(agent: str, result: MeasuredRuns, seed: int) -> tuple[DrawnStatistic, DrawnStatistic]:
    """Return the statistic that counts and the mean of an agent's runs on a task, as a suite takes them."""
    runs = result.runs(agent, seed=seed)
    middle = runs.resampled.by(_clipped(runs.statistic))
    if len(runs.values) == 1:  # whose mean is the same
        return middle, middle
    mean = aggregates.mean if result.feasible else _cut_at_0(aggregates.mean)
    return middle, runs.resampled.by(_clipped(mean))


def _clipped(statistic: Statistic) -> Statistic:
    """Return a statistic that counts a task no lower than the lowest that a suite takes."""
    return lambda values: np.maximum(statistic(values), LOWEST)


def _places(groups: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the places of each group's tasks among all tasks."""
    last = np.cumsum([len(group) for group in groups]).tolist()
    return [list(range(end - len(group), end)) for group, end in zip(groups, last, strict=True)]


def _over_families(groups: Sequence[Sequence[str]]) -> Statistic:
    """Return the statistic over tasks (..., tasks): means of groups, of families, and over families."""
    families: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        families.setdefault(weighed_as(group[0]), []).append(i)
    places = _places(groups)
    weights = np.zeros(sum(map(len, groups)))
    for members in families.values():
        for i in members:
            weights[places[i]] = 1.0 / (len(families) * len(members) * len(places[i]))
    return lambda values: np.asarray(values @ weights)


def weighed_as(task: str) -> str:
    """Return the family as which a task weighs in a suite."""
    name = catalog.task(task).family
    return next((together[0] for together in alike() if name in together), name)


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
