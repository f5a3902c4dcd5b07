"""Scores: a submission against the task's anchors, and agents over the suite.

The score of a training seed is 100 * (J - floor) / (expert - floor), each the mean objective over the
split's scenarios. Over training seeds: interquartile mean, median and mean, with 95 % intervals that
resample seeds and scenarios. Constraint costs and raw metrics stand beside the score, never inside it.
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

RESAMPLES: Final = 2000
SEEDS_TO_RANK: Final = 5  # of a learned agent
PROFILE: Final = np.linspace(-100.0, 300.0, 41)  # scores at which a performance profile is read


@dataclass(frozen=True)
class Score:
    """A submission on one split. Scores are 0 at the task's floor and 100 at its expert.

    `difference` (to the expert) and `regret` (to the oracle) are in the objective's unit, a value a
    scenario, averaged over seeds; `worst_tenth` is the mean objective in the worst tenth of scenarios;
    `beats_expert` is the probability of improvement over scenarios; `profile` the share of seeds and
    scenarios above the scores `PROFILE`; `metrics` their means over seeds and scenarios.
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
    """Whether it has a rank: reproduced, and enough training seeds if it was learned."""
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
        ranked=enough and verified.level in ("reproduced", "hidden"),
        scores={split: score(submission, split) for split in submission.splits},
        hidden=None if verified.hidden is None else hidden_score(verified.hidden),
        season=None if verified.hidden is None else verified.hidden.season,
    )


def hidden_score(run: HiddenRun) -> Score:
    """Return the score in hidden scenarios; floor and expert are those of the same run."""
    given = anchors.SplitAnchors(np.array(run.floor), np.array(run.expert), None)
    return _score("hidden", np.array(list(run.objective.values())), given, run.metrics, run.failed)


def score(submission: CheckedSubmission, split: str) -> Score:
    """Return the scores of a submission on a split."""
    found = submission.of_split(split)
    metrics = {name: float(np.mean([r.by_scenario(name) for r in found])) for name in submission.task.metrics}
    failed = sum(sum(r.columns["failed"]) for r in found)
    given = anchors.of_split(submission.task, split)
    return _score(split, submission.objective(split), given, metrics, failed)


def _score(
    split: str, objective: Floats, given: anchors.SplitAnchors, metrics: dict[str, float], failed: int
) -> Score:
    """Return the scores of an objective (seeds, scenarios)."""
    scores = given.scores(objective)
    intervals = {
        name: aggregates.crossed_interval(scores, statistic, RESAMPLES)
        for name, statistic in aggregates.AGGREGATES.items()
    }
    by_scenario = objective.mean(axis=0)
    return Score(
        split=split,
        seeds=_plain(scores.mean(axis=1)),
        iqm=intervals["iqm"],
        median=intervals["median"],
        mean=intervals["mean"],
        beats_expert=_beats(objective, given.expert),
        difference=_plain(by_scenario - given.expert),
        regret=None if given.oracle is None else _plain(given.oracle - by_scenario),
        worst_tenth=float(aggregates.worst_tenth(objective).mean()),
        profile=_plain(aggregates.performance_profile(scores, PROFILE)),
        metrics=metrics,
        failed=failed,
    )


def suite(submissions: Sequence[CheckedSubmission], split: str = "test") -> dict[str, Interval]:
    """Return each agent's mean over tasks of the per-task interquartile mean.

    Only agents that have a submission to every task among those given; of several versions the last
    one given counts.
    """
    by_agent: dict[str, dict[str, Floats]] = defaultdict(dict)
    for submission in submissions:
        if split in submission.splits:
            scores = anchors.of_split(submission.task, split).scores(submission.objective(split))
            by_agent[submission.card.agent][submission.card.task] = scores
    tasks = sorted({task for found in by_agent.values() for task in found})
    return {
        agent: aggregates.suite_interval(
            [found[task] for task in tasks], aggregates.interquartile_mean, RESAMPLES
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
