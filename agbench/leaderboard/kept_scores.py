"""Scores that were computed, kept in the cache: those of a row that stays as it is are not resampled again.

A score is known by all that it follows from: the results of the training seeds, the task's anchors, the name
that seeds the draws, and the package's own code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agbench.evaluation import anchors
from agbench.evaluation.statistics import Interval
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.json_cache import JsonCache
from agbench.leaderboard.scoring import Score

_INTERVALS: Final = ("iqm", "median", "mean", "beats_expert", "iqm_without_limit")
_ROWS: Final = ("seeds", "difference", "regret")


@dataclass(frozen=True)
class KeptScores:
    """Scores in a folder; without one nothing is kept."""

    folder: Path | None = None

    def known(
        self, submission: CheckedSubmission, compute: Callable[[], dict[str, Score]]
    ) -> dict[str, Score]:
        """Return the scores of a submission by split; `compute` is called where they are not kept."""
        card = submission.card
        known = {split: anchors.of_split(submission.task, split) for split in submission.splits}
        key = {
            "task": card.task_hash,
            "anchors": {split: list(vars(values).values()) for split, values in known.items()},
            "agent": f"{card.agent}/{card.version}",
            "seeds": submission.distinct_seeds,
            "files": {name: digest for name, digest in card.files.items() if not name.startswith("policy/")},
        }
        return JsonCache(self.folder).known(
            key,
            compute,
            lambda scores: {split: vars(score) for split, score in scores.items()},
            lambda kept: {split: _back(score) for split, score in kept.items()},
        )


def _back(kept: Mapping[str, Any]) -> Score:
    intervals = {name: Interval(*kept[name]) for name in _INTERVALS}
    rows = {name: None if kept[name] is None else tuple(kept[name]) for name in _ROWS}
    return Score(**{**kept, **intervals, **rows})
