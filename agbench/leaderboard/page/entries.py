"""The data of each submission that the page keeps: card, scores and episodes, but not all actions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from agbench.data.submission import ResultRecord, Submission
from agbench.data.task import Task
from agbench.errors import AgBenchError
from agbench.leaderboard import board as places
from agbench.leaderboard import scoring
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CARD, CheckedSubmission
from agbench.leaderboard.page import episodes
from agbench.leaderboard.page.episodes import ShownEpisode
from agbench.leaderboard.scoring import SEEDS_TO_RANK, Score, ScoredRow
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verified import HiddenRun
from agbench.untrusted import RefusedError
from agbench.untrusted.refusal import shown
from agbench.variables import Floats

RANKING: Final = "test"
"""The split by which submissions are ranked."""


@dataclass(frozen=True)
class Entry:
    """A submission as the page shows it."""

    submission: CheckedSubmission
    """The checked submission without actions and policies, which can be large."""
    row: ScoredRow
    hidden_run: HiddenRun | None
    """What it reached in hidden scenarios, where it was run there."""
    episodes: list[ShownEpisode]
    files: dict[str, int]
    """The size of every file in bytes."""

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
        return self.row.scores[RANKING]

    @property
    def hidden(self) -> Score | None:
        """The scores in hidden scenarios, if it was run there."""
        return self.row.hidden

    @property
    def ranked_by(self) -> Score:
        """The scores by which it is ranked: the hidden ones where there are any."""
        return self.hidden or self.score

    @property
    def tested(self) -> list[tuple[str, Score]]:
        """The scores on every split that was submitted, `test` first, and in hidden scenarios, named."""
        return [*self.row.scores.items(), *([("hidden", self.hidden)] if self.hidden else [])]

    @property
    def feasible(self) -> bool:
        """Whether it keeps the constraints of its task."""
        return self.ranked_by.feasible

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

    `count` episodes of each are simulated again, as far as the cache does not have them. Whatever a
    submission makes go wrong costs its own row alone.
    """
    entries: list[Entry] = []
    refused: list[Refused] = []
    total = len(places.submissions(board)) + len(places.strays(board))
    for done, (folder, result) in enumerate(judged(board)):
        if progress is not None:
            progress(done, total, "/".join(folder.parts[-3:]))
        if isinstance(result, RefusedError):
            refused.append(Refused(folder, str(result)))
            continue
        try:
            entries.append(entry(board, result, count, cache))
        except OSError:  # of this machine, not of the submission
            raise
        except Exception as error:  # anyone can submit: show any error
            refused.append(Refused(folder, reason_of(error)))
    return entries, refused


def reason_of(error: Exception) -> str:
    """Return the message of an error; for an unexpected error also its type."""
    return str(error) if isinstance(error, AgBenchError) else shown(f"{type(error).__name__}: {error}", 400)


def entry(board: Path, submission: CheckedSubmission, count: int, cache: Path | None = None) -> Entry:
    """Return what the page keeps of a submission; raises `AgBenchError` where it has no score."""
    level = verified.load(board, submission)
    return Entry(
        submission=replace(
            submission, results=[replace(r, actions=[]) for r in submission.results], policies={}
        ),
        row=scoring.row(submission, level),
        hidden_run=level.hidden,
        episodes=episodes.shown(submission, count, cache),
        files={name: (submission.folder / name).stat().st_size for name in [CARD, *submission.card.files]},
    )


def latest(entries: Sequence[Entry]) -> set[tuple[str, str, str]]:
    """Return task, agent and version of the one version of each agent of a task that counts.

    It is the last of those that have a rank, so that a row that only claims takes none out; where none
    has a rank, the last of all.
    """
    result: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = (entry.card.task, entry.card.agent)
        if key not in result or _counts(entry) > _counts(result[key]):
            result[key] = entry
    return {(*key, entry.card.version) for key, entry in result.items()}


def _counts(entry: Entry) -> tuple[bool, list[tuple[int, int, str]]]:
    """Return what is larger for the version of an agent that counts."""
    return entry.row.ranked, natural(entry.card.version)


def natural(version: str) -> list[tuple[int, int, str]]:
    """Return what orders versions as people do: 1.9 before 1.10."""
    parts = re.findall(r"\d+|\D+", version)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def unranked_because(entry: Entry, last: set[tuple[str, str, str]]) -> str:
    """Return why a submission has no rank; empty where it has one."""
    card = entry.card
    if card.information == "model":
        return "looks ahead: a bound"
    counts = [version for task, agent, version in last if (task, agent) == (card.task, card.agent)]
    if any(natural(version) > natural(card.version) for version in counts):
        return "earlier version"
    if entry.row.ranked:
        return ""
    if card.learned and len(card.training.seeds) < SEEDS_TO_RANK:
        return f"{len(card.training.seeds)} of {SEEDS_TO_RANK} seeds"
    return "not reproduced"


def place_of(card: Submission) -> str:
    """Return the path of a submission below a folder of submissions."""
    return f"{card.task}/{card.agent}/{card.version}"
