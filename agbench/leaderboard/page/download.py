"""A task's rows for download: a CSV with all that the page shows of them."""

import csv
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.leaderboard.page.views import Ranked, TaskView
from agbench.leaderboard.scoring import Score

_WHO: Final = (
    *("rank", "agent", "version"),
    *("trust", "stale", "exact_kinds", "kinds", "near_ties"),
    *("round", "method", "track", "seeds"),
)
_SCORES: Final = (
    "split",
    "ranked_by",
    "iqm",
    "iqm_low",
    "iqm_high",
    "mean",
    "median",
    "p_improvement",
    "worst_tenth",
    "regret",
    "cost",
    "limit",
    "violating",
    "feasible",
    "iqm_without_limit",
)


def write_table(path: Path, view: TaskView) -> None:
    """Write a task's ranking, a row a submission and split, `hidden` among the splits.

    `ranked_by` is yes on the split whose score the rank is by; `round` is that of the hidden scenarios;
    `stale` is yes where the trust was verified with an earlier version; on `exact_kinds` of `kinds` of
    machines states were equal to the last bit.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    metrics = list(view.task.metrics)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_WHO, *_SCORES, *metrics, "not_ranked_because"])
        for row in view.rows:
            for split, score in row.entry.tested:
                means = [score.metrics[name] for name in metrics]
                writer.writerow([*_who(row), *_scores(row, split, score), *means, row.why])


def _who(row: Ranked) -> tuple[Any, ...]:
    card, result = row.entry.card, row.entry.row
    seeds = len(card.training.seeds)
    trust = (
        result.level,
        _word(result.stale),
        result.standing.exact_kinds,
        len(result.exact),
        result.near_ties,
    )
    how = result.round or "", card.method, card.information, seeds
    return row.rank or "", card.agent, card.version, *trust, *how


def _scores(row: Ranked, split: str, score: Score) -> tuple[Any, ...]:
    return (
        split,
        _word(score is row.entry.ranked_by),
        *score.iqm,
        score.mean.value,
        score.median.value,
        score.beats_expert.value,
        score.worst_tenth,
        "" if score.regret is None else float(np.mean(score.regret)),
        score.cost,
        score.limit,
        score.violating,
        _word(score.feasible),
        score.iqm_without_limit.value,
    )


def _word(yes: bool) -> str:
    return "yes" if yes else "no"
