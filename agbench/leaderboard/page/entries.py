"""The data of each submission that the page keeps: card, scores and episodes, but not all actions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from agbench.cache import cache_folder
from agbench.data.submission import ResultRecord, Submission
from agbench.data.task import Task
from agbench.errors import AgBenchError
from agbench.evaluation import provenance
from agbench.leaderboard import board as places
from agbench.leaderboard import episodes, scoring
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.kept import KeptResults
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.episodes import ShownEpisode
from agbench.leaderboard.kept_scores import KeptScores
from agbench.leaderboard.scoring import Score, ScoredRow
from agbench.leaderboard.verify import verified
from agbench.untrusted import RefusedError
from agbench.untrusted.refusal import shown
from agbench.variables import Floats

PUBLIC: Final = "test"
"""The public split whose scores are shown first; they give no rank."""


@dataclass(frozen=True)
class Entry:
    """A submission as the page shows it."""

    submission: CheckedSubmission
    """The checked submission without actions and policies, which can be large."""
    row: ScoredRow
    episodes: list[ShownEpisode]
    files: dict[str, int]
    """The size of every file in bytes."""
    simulator_hash: str
    """That of the task's physics now."""

    @property
    def card(self) -> Submission:
        """Who and how."""
        return self.submission.card

    @property
    def task(self) -> Task:
        """The task it is to."""
        return self.submission.task

    @property
    def record(self) -> ResultRecord:
        """What its first result says of how it was made."""
        return self.submission.results[0].record

    @property
    def name(self) -> str:
        """Agent and version."""
        return f"{self.card.agent} {self.card.version}"

    @property
    def splits(self) -> list[str]:
        """The splits that were submitted, `test` first."""
        return list(self.row.scores)

    @property
    def score(self) -> Score:
        """The scores on the test split."""
        return self.row.scores[PUBLIC]

    @property
    def decision_seconds(self) -> float | None:
        """The seconds that a decision took where the results were made; of a planner alone."""
        if "planning" not in self.row.tracks:
            return None
        seconds = sum(r.record.wall_time_s for r in self.submission.results)
        return seconds / max(1, sum(sum(r.columns["steps"]) for r in self.submission.results))

    def metric(self, split: str, name: str) -> Floats:
        """Return a metric in each scenario of a split, averaged over seeds."""
        result: Floats = np.mean([r.by_scenario(name) for r in self.submission.of_split(split)], axis=0)
        return result


@dataclass(frozen=True)
class Refused:
    """What lies among the submissions and is not shown, and why."""

    folder: Path
    reason: str


Progress = Callable[[int, int, str], None]
"""Takes how many submissions are done, how many there are, and the folder of the next one."""


def collect(
    board: Path, count: int, cache: Path | None = None, progress: Progress | None = None
) -> tuple[list[Entry], list[Refused]]:
    """Check all submissions of a board; return what to show of the good ones, and the others.

    `count` episodes of each are simulated again, as far as neither board nor cache has them, and results that
    one of these knows are not checked again. Whatever a submission makes go wrong costs its own row alone.
    """
    entries: list[Entry] = []
    refused: list[Refused] = []
    total = len(places.submissions(board)) + len(places.strays(board))
    own_cache = cache or cache_folder()
    kept = KeptResults(own_cache / "checks", board)
    for done, (folder, result) in enumerate(judged(board, kept=kept)):
        if progress is not None:
            progress(done, total, "/".join(folder.parts[-3:]))
        if isinstance(result, RefusedError):
            refused.append(Refused(folder, str(result)))
            continue
        try:
            entries.append(entry(board, result, count, own_cache))
        except OSError:  # of this machine, not of the submission
            raise
        except Exception as error:  # anyone can submit: show any error
            refused.append(Refused(folder, reason_of(error)))
    return entries, refused


def reason_of(error: Exception) -> str:
    """Return the message of an error; for an unexpected error also its type."""
    return str(error) if isinstance(error, AgBenchError) else shown(f"{type(error).__name__}: {error}", 400)


def entry(board: Path, submission: CheckedSubmission, count: int, cache: Path | None = None) -> Entry:
    """Return what the page keeps of a submission; raises `AgBenchError` where it has no score.

    What was computed before is taken from the folder `cache`.
    """
    folder = cache or cache_folder()
    level = verified.load(board, submission)
    return Entry(
        submission=replace(
            submission, results=[replace(r, actions=[]) for r in submission.results], policies={}
        ),
        row=scoring.row(submission, level, KeptScores(folder / "scores").known),
        episodes=episodes.shown(submission, count, folder / "episodes", board),
        simulator_hash=provenance.simulator_hash(submission.task),
        files={name: submission.sizes[name] for name in [CARD, *submission.card.files]},
    )


def place_of(card: Submission) -> str:
    """Return the path of a submission below a folder of submissions."""
    return f"{card.task}/{card.agent}/{card.version}"
