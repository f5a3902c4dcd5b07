"""Suites on the page: ranks over closed rounds, and public scores without ranks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from markupsafe import Markup

from agbench.data.suites import suites as named_suites
from agbench.data.task import Task
from agbench.evaluation import paired
from agbench.leaderboard import rounds, scoring, standings
from agbench.leaderboard.checks.versions import natural
from agbench.leaderboard.page import whiskers
from agbench.leaderboard.page.entries import PUBLIC, Entry
from agbench.leaderboard.scoring import MeasuredRuns, SuiteScore
from agbench.leaderboard.verify.verified import LEVELS, Standing

ALL: Final = "all-tasks"
"""The id of the suite of all tasks, which no named suite has."""

Reached = dict[str, dict[str, MeasuredRuns]]
"""What each agent reached, by agent and task."""


class SuiteRow(NamedTuple):
    """An agent over the tasks of a suite; no scores where it does not have them all."""

    agent: str
    scores: SuiteScore | None
    whisker: Markup | str
    rank: int | None
    why: str
    standing: Standing | None
    infeasible: int
    """In how many of its tasks it is beyond the limit of constraint costs."""
    entries: list[Entry]

    @property
    def tracks(self) -> str:
        """The tracks that all of its submissions are in."""
        tracks = [set(entry.row.tracks) for entry in self.entries]
        return " ".join(sorted(set.intersection(*tracks))) if tracks else ""

    @property
    def reads(self) -> str:
        """The information that its submissions declare."""
        return " ".join(sorted({entry.card.information for entry in self.entries}))

    @property
    def words(self) -> str:
        """What a search finds it by: the agent and its authors."""
        authors = {author for entry in self.entries for author in entry.card.authors}
        return " ".join([self.agent, *sorted(authors)])


class SuiteView(NamedTuple):
    """A set of tasks and the agents over it; `groups` are its tasks, those together that count as one."""

    id: str
    """By which its page is named."""
    name: str
    summary: str
    groups: list[list[str]]
    ranked: list[SuiteRow]
    """By the last closed round of every task; empty where a task has none."""
    without: list[str]
    """The tasks that have no closed round."""
    public: list[SuiteRow]
    """By the test split: without rank."""

    @property
    def tasks(self) -> list[str]:
        """The ids of all its tasks."""
        return [task for group in self.groups for task in group]


def suites(entries: Sequence[Entry], board: Path) -> list[SuiteView]:
    """Return the suites that tasks with submissions are in, and last that of all tasks with submissions."""
    current = _newest(entries)
    tasks = {entry.card.task: entry.task for entry in current}
    if not tasks:
        return []
    closed = _closed(board, tasks)
    public: Reached = {}
    for entry in current:
        own = public.setdefault(entry.card.agent, {})
        own[entry.card.task] = scoring.measured(entry.submission, PUBLIC)
    chosen = [
        (name, suite.title, suite.summary, suite.groups)
        for name, suite in named_suites().items()
        if not tasks.keys().isdisjoint(suite.ids)
    ]
    every = "Every task that has a submission, each counted by itself."
    chosen.append((ALL, "All tasks", every, [[task] for task in sorted(tasks)]))
    return [_suite(*one, current, closed, public) for one in chosen]


def _newest(entries: Sequence[Entry]) -> list[Entry]:
    """Return the newest version of each agent of a task."""
    result: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = entry.card.task, entry.card.agent
        if key not in result or natural(entry.card.version) > natural(result[key].card.version):
            result[key] = entry
    return list(result.values())


def _closed(board: Path, tasks: Mapping[str, Task]) -> dict[str, dict[str, MeasuredRuns]]:
    """Return what each agent reached in the last closed round of each task, by task and agent."""
    last = {e.task: e for e in rounds.load(board) if e.closed is not None and e.task in tasks}
    result: dict[str, dict[str, MeasuredRuns]] = {}
    for task, entry in last.items():
        table = standings.load(board, task, entry.round)
        if table is None:
            continue
        runs = standings.read_values(board, task, entry.round)
        by_role = {row.reference or row.name: runs[row.name] for row in table.rows if row.name in runs}
        result[task] = {
            row.agent: standings.measured(tasks[task], by_role, row.reference or row.name)
            for row in table.rows
            if row.rank is not None and row.name in runs
        }
    return result


def _suite(
    identifier: str,
    name: str,
    summary: str,
    groups: list[list[str]],
    entries: Sequence[Entry],
    closed: Mapping[str, Mapping[str, MeasuredRuns]],
    public: Reached,
) -> SuiteView:
    ids = [task for group in groups for task in group]
    without = [task for task in ids if task not in closed]
    by_agent: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.card.task in ids:
            by_agent.setdefault(entry.card.agent, []).append(entry)
    in_rounds: Reached = {}
    for task in () if without else ids:
        for agent, measured in closed[task].items():
            in_rounds.setdefault(agent, {})[task] = measured
    ranked = _rows(in_rounds, groups, by_agent, True)
    shown = {agent: {t: m for t, m in public[agent].items() if t in ids} for agent in by_agent}
    return SuiteView(
        identifier, name, summary, groups, ranked, without, _rows(shown, groups, by_agent, False)
    )


def _rows(
    reached: Reached, groups: list[list[str]], by_agent: Mapping[str, list[Entry]], ranking: bool
) -> list[SuiteRow]:
    """Return the agents, the best first; those that lack a task last."""
    count = sum(map(len, groups))
    scores = scoring.suite(reached, groups)
    ranks = (
        dict(zip(scores, paired.ranks([s.drawn for s in scores.values()]), strict=True)) if ranking else {}
    )
    scale = whiskers.whisker_scale([one.score for one in scores.values()])
    rows = [
        SuiteRow(
            agent,
            own := scores.get(agent),
            "" if own is None else whiskers.whisker(own.score, scale),
            ranks.get(agent),
            "" if own is not None else f"{len(tasks)} of {count} tasks",
            _standing(by_agent.get(agent, [])),
            sum(not measured.feasible for measured in tasks.values()),
            by_agent.get(agent, []),
        )
        for agent, tasks in reached.items()
    ]
    return sorted(
        rows,
        key=lambda r: (r.scores is None, -r.scores.score.value if r.scores else -len(r.entries), r.agent),
    )


def _standing(result: Sequence[Entry]) -> Standing | None:
    """Return how far an agent is verified: as far as the least of its submissions."""
    if not result:
        return None
    level = min((entry.row.level for entry in result), key=LEVELS.index)
    return Standing(level, stale=any(entry.row.stale for entry in result))
