"""Scores that were computed, kept in the cache: those of a row that stays as it is are not resampled again.

A score is known by all that it follows from: the results of the training seeds, the task's anchors, the name
that seeds the draws, and the package's own code.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.compiled.closure import package_digest
from agbench.evaluation import anchors
from agbench.evaluation.statistics import Interval
from agbench.files import write_text
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.scoring import Score

_INTERVALS: Final = ("iqm", "median", "mean", "beats_expert", "iqm_without_limit")
_ROWS: Final = ("seeds", "difference", "regret")


@dataclass(frozen=True)
class KeptScores:
    """Scores in a folder; without one nothing is kept."""

    folder: Path | None = None

    def known(self, submission: CheckedSubmission, split: str, compute: Callable[[], Score]) -> Score:
        """Return the score of a submission on a split; `compute` is called where it is not kept."""
        if self.folder is None:
            return compute()
        name = _name(submission, split)
        path = self.folder / name[:2] / f"{name}.json"
        if (kept := _read(path)) is not None:
            return kept
        result = compute()
        with suppress(OSError):  # a cache that cannot be written saves no work, and costs none
            write_text(path, json.dumps(asdict(result), separators=(",", ":")))
        return result


def _name(submission: CheckedSubmission, split: str) -> str:
    """Return what a score is known by: the SHA-256 of all that it follows from."""
    card = submission.card
    known = anchors.of_split(submission.task, split)
    key: dict[str, Any] = {
        "code": package_digest(),
        "task": card.task_hash,
        "anchors": [getattr(known, part.name) for part in fields(known)],
        "agent": f"{card.agent}/{card.version}",
        "seeds": submission.distinct_seeds,
        "split": split,
        "files": {name: digest for name, digest in card.files.items() if name.startswith(f"{split}/")},
    }
    return hashlib.sha256(json.dumps(key, sort_keys=True, default=np.ndarray.tolist).encode()).hexdigest()


def _read(path: Path) -> Score | None:
    """Return what a file keeps; None where it is not there, was cut off, or is no score."""
    try:
        content = json.loads(path.read_text("utf-8"))
        intervals = {name: Interval(*map(float, content[name])) for name in _INTERVALS}
        rows = {name: None if content[name] is None else tuple(content[name]) for name in _ROWS}
        return Score(**{**content, **intervals, **rows})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
