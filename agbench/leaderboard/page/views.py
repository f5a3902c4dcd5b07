"""The data for the templates: rounds, public rows, suites, drawings. Plain data, no markup of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from markupsafe import Markup

from agbench.data.task import Task
from agbench.errors import ConfigError
from agbench.evaluation import anchors
from agbench.evaluation.references import ROLES, policy_name
from agbench.evaluation.statistics import Interval
from agbench.leaderboard import rounds, standings
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.page import whiskers
from agbench.leaderboard.page.entries import PUBLIC, Entry, place_of
from agbench.leaderboard.page.originality import Nearest, most_alike, nearest
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.standings import RoundRow, RoundTable
from agbench.variables import Floats

PUBLIC_TITLE: Final = "Public test: can be overfitted"


class PublicRow(NamedTuple):
    """A submission among those of its task, by its score on test, which gives no rank."""

    entry: Entry
    rank: int | None
    """In the last round."""
    why: str
    """Why it has none; empty where it has one."""
    whisker: Markup
    nearest: Nearest | None
    """The other agent whose decisions are most like its own."""
    seeds_alike: float | None
    """The share of equal decisions of its two most similar training seeds."""

    @property
    def address(self) -> str:
        """The row's page, from the root of the site."""
        return f"submissions/{place_of(self.entry.card)}.html"


class RankedRow(NamedTuple):
    """An agent in a round, and its submission where the page has it."""

    row: RoundRow
    entry: Entry | None
    whisker: Markup | str

    @property
    def score(self) -> Interval | None:
        """Its score with the interval; None where its policy was stopped."""
        return None if self.row.score is None else Interval(*self.row.score)

    @property
    def address(self) -> str:
        """The page of its submission, from the root of the site; empty where there is none."""
        return "" if self.entry is None else f"submissions/{place_of(self.entry.card)}.html"

    @property
    def tracks(self) -> tuple[str, ...]:
        """The tracks that it is in."""
        return tuple(self.row.track_ranks)


class RoundView(NamedTuple):
    """A round of a task: what it promised, and what it found so far."""

    entry: LeaderboardRound
    table: RoundTable
    rows: list[RankedRow]
    stale: bool
    """Whether it was run with an earlier version of the task's physics."""


class Anchor(NamedTuple):
    """A reference policy of a task: its role, name and mean objective."""

    role: str
    policy: str
    mean: float
    score: float


@dataclass(frozen=True)
class TaskView:
    """A task's page."""

    task: Task
    rounds: list[RoundView]
    """Those that were run, the last one first."""
    announced: LeaderboardRound | None
    """The open round, whether it was run or not."""
    rows: list[PublicRow]
    """From the best to the worst on test."""
    anchors: list[Anchor]
    scenarios: list[str]
    expert: Floats
    """The expert's objective in each scenario of test."""

    @property
    def entries(self) -> list[Entry]:
        """The submissions of its rows."""
        return [row.entry for row in self.rows]

    @property
    def leaders(self) -> list[RankedRow]:
        """The agents that are first in the last round; they tie where there are several."""
        return [row for row in self.rounds[0].rows if row.row.rank == 1] if self.rounds else []

    @property
    def blind(self) -> Anchor | None:
        """The best calendar that observes nothing, if the task has one stored."""
        return next((anchor for anchor in self.anchors if anchor.role == "blind"), None)

    @property
    def has_oracle(self) -> bool:
        """Whether there is a regret."""
        return any(anchor.role == "oracle" for anchor in self.anchors)

    @cached_property
    def has_costs(self) -> bool:
        """Whether the task has constraints: a limit, or a row with costs."""
        return any(score.limit or score.cost for score in (row.entry.score for row in self.rows))

    @property
    def has_shift(self) -> bool:
        """Whether the task reports another climate, soil or variety."""
        return "shift" in self.task.splits


def tasks(entries: Sequence[Entry], board: Path) -> list[TaskView]:
    """Return the view of each task that has submissions, by name."""
    names = sorted({entry.card.task for entry in entries})
    every = rounds.load(board)
    by_task: dict[str, list[Entry]] = {name: [] for name in names}
    for entry in entries:
        by_task[entry.card.task].append(entry)
    return [_task(by_task[name], [e for e in every if e.task == name], board) for name in names]


def _task(entries: Sequence[Entry], own: Sequence[LeaderboardRound], board: Path) -> TaskView:
    task = entries[0].task
    run = [_round(entry, entries, board) for entry in reversed(own)]
    shown = [view for view in run if view is not None]
    ordered = sorted(entries, key=lambda e: (-e.score.iqm.value, place_of(e.card)))
    scale = whiskers.whisker_scale([e.score.iqm for e in ordered])
    near = nearest(entries)
    rows = [
        PublicRow(
            e,
            *_rank(e, shown),
            whiskers.whisker(e.score.iqm, scale),
            near.get(place_of(e.card)),
            most_alike(e),
        )
        for e in ordered
    ]
    known = anchors.of_split(task, PUBLIC)
    announced = next((entry for entry in own if entry.closed is None), None)
    return TaskView(task, shown, announced, rows, _anchors(task, known), task.scenarios(PUBLIC), known.expert)


def _round(entry: LeaderboardRound, entries: Sequence[Entry], board: Path) -> RoundView | None:
    """Return a round with its agents; None where it was not run yet."""
    table = standings.load(board, entry.task, entry.round)
    if table is None:
        if entry.closed is not None:
            raise ConfigError(f"{standings.path(board, entry.task, entry.round)} is missing: it is closed.")
        return None
    by_digest = {e.submission.digest: e for e in entries}
    by_role = {e.card.agent: e for e in entries if is_reference(e.card, e.task)}
    scale = whiskers.whisker_scale([Interval(*row.score) for row in table.rows if row.score])
    rows = [
        RankedRow(
            row,
            by_role.get(row.reference) if row.reference else by_digest.get(row.submission or ""),
            whiskers.whisker(Interval(*row.score), scale) if row.score else "",
        )
        for row in table.rows
    ]
    return RoundView(entry, table, rows, not table.holds(entries[0].simulator_hash))


def _rank(entry: Entry, shown: Sequence[RoundView]) -> tuple[int | None, str]:
    """Return the rank of a submission in the last round, and why it has none."""
    if not shown:
        return None, entry.row.not_eligible or "no round yet"
    last = shown[0]
    for row in last.rows:
        if row.entry is entry:
            why = row.row.refused or ("later version in the round" if row.row.earlier else "")
            return row.row.rank, why
    return None, entry.row.not_eligible or f"not in round {last.entry.round}"


def _anchors(task: Task, split_anchors: anchors.SplitAnchors) -> list[Anchor]:
    """Return those of the references that are anchored."""
    result = [(role, policy_name(task, role), getattr(split_anchors, role)) for role in ROLES]
    return [
        Anchor(role, name, float(values.mean()), float(split_anchors.scores(values).mean()))
        for role, name, values in result
        if name is not None and values is not None
    ]


class ScenarioRow(NamedTuple):
    """What an agent reached in a scenario, averaged over training seeds."""

    key: str
    objective: float
    difference: float
    """To the expert."""
    regret: float | None
    metrics: list[float]


def scenario_rows(entry: Entry, split: str) -> list[ScenarioRow]:
    """Return what a submission reached in each scenario of a split."""
    score = entry.row.scores[split]
    objective = entry.submission.objective(split).mean(axis=0)
    keys = entry.task.scenarios(split)
    metrics = np.array([entry.metric(split, name) for name in entry.task.metrics]).reshape(-1, len(keys))
    return [
        ScenarioRow(
            key,
            float(objective[i]),
            score.difference[i],
            None if score.regret is None else score.regret[i],
            metrics[:, i].tolist(),
        )
        for i, key in enumerate(keys)
    ]
