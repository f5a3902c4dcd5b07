"""The data for the templates: ranked rows, suites, tables, drawings. Plain data, no markup of its own."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from markupsafe import Markup

from agbench.data.suites import suites as named_suites
from agbench.data.task import Task
from agbench.evaluation import anchors
from agbench.evaluation.aggregates import performance_profile
from agbench.evaluation.references import ROLES, policy_name
from agbench.leaderboard import scoring
from agbench.leaderboard.page import charts
from agbench.leaderboard.page.entries import RANKING, Entry, latest, place_of, unranked_because
from agbench.leaderboard.scoring import SuiteScore
from agbench.leaderboard.verify.verified import EARLIER, LEVELS, Standing
from agbench.plotting import printed
from agbench.variables import Floats

_PROFILES: Final = 5  # rows beside expert and oracle: each line has a style of its own
_INPUTS: Final = ("heat", "electricity", "co2", "water")  # totals that are inputs
_YIELDS: Final = ("yield", "fruit", "harvest")
_PLANES: Final = 4


class Ranked(NamedTuple):
    """A row of a ranking: its rank, or why it has none."""

    entry: Entry
    rank: int | None
    why: str
    whisker: Markup

    @property
    def address(self) -> str:
        """The row's page, from the root of the site."""
        return f"submissions/{place_of(self.entry.card)}.html"


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
    rows: list[Ranked]
    """The ranked ones first, each part from the best to the worst."""
    anchors: list[Anchor]
    scenarios: list[str]
    expert: Floats
    """The expert's objective in each scenario."""

    @property
    def ranked(self) -> list[Ranked]:
        """The rows that have a rank."""
        return [row for row in self.rows if row.rank is not None]

    @property
    def unranked(self) -> list[Ranked]:
        """The rows that have none."""
        return [row for row in self.rows if row.rank is None]

    @property
    def blind(self) -> Anchor | None:
        """The best calendar that observes nothing, if the task has one stored."""
        return next((anchor for anchor in self.anchors if anchor.role == "blind"), None)

    @property
    def has_oracle(self) -> bool:
        """Whether there is a regret."""
        return any(anchor.role == "oracle" for anchor in self.anchors)

    @property
    def parts(self) -> list[tuple[str, list[Ranked]]]:
        """The rows in the parts that the tables keep apart, each with its heading."""
        parts = [
            (f"Ranked on {scenarios}{', ' + EARLIER if stale else ''}", self._ranked_on(hidden, stale))
            for scenarios, hidden in (("hidden scenarios", True), ("test", False))
            for stale in (False, True)
        ]
        return [(name, rows) for name, rows in (*parts, ("Not ranked", self.unranked)) if rows]

    def _ranked_on(self, hidden: bool, stale: bool) -> list[Ranked]:
        """Return the ranked rows of one kind of scenarios, stale ones or current ones."""
        group = hidden, stale
        return [row for row in self.ranked if (bool(row.entry.hidden), row.entry.row.stale) == group]

    @property
    def has_costs(self) -> bool:
        """Whether the task has constraints: a limit, or a row with costs."""
        return any(score.limit or score.cost for score in (row.entry.score for row in self.rows))

    @property
    def has_hidden(self) -> bool:
        """Whether any policy was run on hidden scenarios."""
        return any(row.entry.hidden for row in self.rows)

    @property
    def has_shift(self) -> bool:
        """Whether the task reports another climate, soil or variety."""
        return "shift" in self.task.splits


class SuiteRow(NamedTuple):
    """An agent over the tasks of a suite; no scores where it does not have them all."""

    agent: str
    scores: SuiteScore | None
    whisker: Markup | str
    rank: int | None
    why: str
    standing: Standing
    entries: list[Entry]

    @property
    def track(self) -> str:
        """The information that its submissions declare."""
        return " ".join(sorted({entry.card.information for entry in self.entries}))

    @property
    def methods(self) -> str:
        """The families of method of its submissions."""
        return " ".join(sorted({entry.card.method for entry in self.entries}))

    @property
    def infeasible(self) -> int:
        """In how many of its tasks it is beyond the limit of constraint costs."""
        return sum(not entry.feasible for entry in self.entries)

    @property
    def words(self) -> str:
        """What a search finds it by: the agent and its authors."""
        authors = {author for entry in self.entries for author in entry.card.authors}
        return " ".join([self.agent, *sorted(authors)])


class SuiteView(NamedTuple):
    """A set of tasks and the agents over it; `groups` are its tasks, those together that count as one."""

    name: str
    summary: str
    groups: list[list[str]]
    rows: list[SuiteRow]

    @property
    def tasks(self) -> list[str]:
        """The ids of all its tasks."""
        return [task for group in self.groups for task in group]

    @property
    def has_hidden(self) -> bool:
        """Whether any agent's score counts hidden scenarios."""
        return any(row.scores and row.scores.hidden for row in self.rows)


def tasks(entries: Sequence[Entry]) -> list[TaskView]:
    """Return the view of each task that has submissions, by name."""
    last = latest(entries)
    names = sorted({entry.card.task for entry in entries})
    return [_task([e for e in entries if e.card.task == name], last) for name in names]


def _task(entries: Sequence[Entry], last: set[tuple[str, str, str]]) -> TaskView:
    task = entries[0].task
    why = {id(entry): unranked_because(entry, last) for entry in entries}
    ordered = sorted(entries, key=lambda e: (bool(why[id(e)]), *_order(e), place_of(e.card)))
    orders = [_order(e) for e in ordered if not why[id(e)]]
    scale = charts.whisker_scale([e.ranked_by.iqm for e in ordered])
    rows = [
        Ranked(
            e,
            None if why[id(e)] else 1 + bisect_left(orders, _order(e)),
            why[id(e)],
            charts.whisker(e.ranked_by.iqm, scale),
        )
        for e in ordered
    ]
    split_anchors = anchors.of_split(task, RANKING)
    return TaskView(task, rows, _anchors(task, split_anchors), task.scenarios(RANKING), split_anchors.expert)


def _order(entry: Entry) -> tuple[bool, bool, float]:
    """Return what ranks are by: hidden scenarios first, then what holds today, then the higher score."""
    return entry.hidden is None, entry.row.stale, -entry.ranked_by.iqm.value


def _anchors(task: Task, split_anchors: anchors.SplitAnchors) -> list[Anchor]:
    """Return those of the references that are anchored."""
    result = [(role, policy_name(task, role), getattr(split_anchors, role)) for role in ROLES]
    return [
        Anchor(role, name, float(values.mean()), float(split_anchors.scores(values[None]).mean()))
        for role, name, values in result
        if name is not None and values is not None
    ]


def suites(entries: Sequence[Entry]) -> list[SuiteView]:
    """Return the suites that tasks with submissions are in, and last that of all tasks with submissions."""
    last = latest(entries)
    current = [e for e in entries if (e.card.task, e.card.agent, e.card.version) in last]
    tasks = sorted({entry.card.task for entry in current})
    result = [
        _suite(suite.title, suite.summary, suite.groups, current, last)
        for suite in named_suites().values()
        if not set(tasks).isdisjoint(suite.ids)
    ]
    every = "Every task that has a submission, each counted by itself."
    return [*result, _suite("All tasks", every, [[task] for task in tasks], current, last)] if tasks else []


def _suite(
    name: str,
    summary: str,
    groups: list[list[str]],
    entries: Sequence[Entry],
    last: set[tuple[str, str, str]],
) -> SuiteView:
    names = {task for group in groups for task in group}
    current = [entry for entry in entries if entry.card.task in names]
    result = scoring.suite(((entry.submission, entry.hidden_run) for entry in current), groups)
    scale = charts.whisker_scale([scores.score for scores in result.values()])
    by_agent: dict[str, list[Entry]] = {}
    for entry in current:
        by_agent.setdefault(entry.card.agent, []).append(entry)
    why = {agent: _suite_reason(its, len(names), last) for agent, its in by_agent.items()}
    standings = {agent: _suite_standing(its) for agent, its in by_agent.items()}
    order = {agent: _suite_order(scores, standings[agent]) for agent, scores in result.items()}
    orders = sorted(order[agent] for agent in result if not why[agent])
    rows = [
        SuiteRow(
            agent,
            scores := result.get(agent),
            "" if scores is None else charts.whisker(scores.score, scale),
            None if why[agent] or scores is None else 1 + bisect_left(orders, order[agent]),
            why[agent],
            standings[agent],
            its,
        )
        for agent, its in by_agent.items()
    ]
    rows.sort(key=lambda r: (r.rank is None, -len(r.entries), order.get(r.agent, ()), r.agent))
    return SuiteView(name, summary, groups, rows)


def _suite_standing(result: Sequence[Entry]) -> Standing:
    """Return how far an agent is verified: as far as the least of its submissions."""
    level = min((entry.row.level for entry in result), key=LEVELS.index)
    return Standing(level, stale=any(entry.row.stale for entry in result))


def _suite_order(scores: SuiteScore, standing: Standing) -> tuple[int, bool, float]:
    """Return what ranks are by: the tasks on hidden scenarios, then what holds today, then the score."""
    return -scores.hidden, standing.stale, -scores.score.value


def _suite_reason(result: Sequence[Entry], tasks: int, last: set[tuple[str, str, str]]) -> str:
    """Return why an agent has no rank in a suite; empty where it has one."""
    if len(result) < tasks:
        return f"{len(result)} of {tasks} tasks"
    return next((reason for e in result if (reason := unranked_because(e, last))), "")


def profiles(view: TaskView) -> tuple[Markup, list[str]]:
    """Return the performance profiles of expert, oracle and the best rows, and the names of its lines.

    A row that is the expert or the oracle itself is not drawn twice.
    """
    split_anchors = anchors.of_split(view.task, RANKING)
    returns = {
        "expert": split_anchors.expert,
        **({} if split_anchors.oracle is None else {"oracle": split_anchors.oracle}),
    }
    lines = {role: split_anchors.scores(values[None]) for role, values in returns.items()}
    references = list(lines.values())
    for row in view.ranked or view.rows:
        scores = scoring.counted(row.entry.submission, RANKING)
        same = any(len(scores) == 1 and np.allclose(scores, reference) for reference in references)
        if not same and len(lines) < len(references) + _PROFILES:
            lines[row.entry.name] = scores
    return charts.profiles([_profile(name, scores) for name, scores in lines.items()]), list(lines)


def _profile(name: str, scores: Floats) -> charts.Profile:
    """Return the profile of scores (seeds, scenarios), at every score where it steps down."""
    steps = np.unique(scores)
    return charts.Profile(name, steps.tolist(), performance_profile(scores, steps).tolist())


def planes(view: TaskView) -> list[tuple[str, Markup]]:
    """Return what is harvested against what is put in: name and picture for each input."""
    metrics = view.task.metrics
    states = [n for n, m in metrics.items() if n in _YIELDS] + [n for n, m in metrics.items() if m.state]
    inputs = [n for n, m in metrics.items() if m.input or (m.total and n in _INPUTS)]
    if not states:
        return []
    outcome = states[0]
    return [
        (
            f"{outcome} against {name}",
            charts.plane(
                [
                    charts.Point(
                        row.entry.name,
                        f"../{row.address}",
                        row.entry.card.method,
                        row.entry.score.metrics[name],
                        row.entry.score.metrics[outcome],
                    )
                    for row in view.rows
                ],
                f"{name} ({printed(metrics[name].unit)})",
                f"{outcome} ({printed(metrics[outcome].unit)})",
            ),
        )
        for name in inputs[:_PLANES]
    ]


def scenario_rows(entry: Entry, split: str) -> list[tuple[str, float, float, float | None, list[float]]]:
    """Return scenario, objective, difference to the expert, regret, and metrics of each scenario."""
    score = entry.row.scores[split]
    objective = entry.submission.objective(split).mean(axis=0)
    keys = entry.task.scenarios(split)
    metrics = np.array([entry.metric(split, name) for name in entry.task.metrics]).reshape(-1, len(keys))
    return [
        (
            key,
            float(objective[i]),
            score.difference[i],
            None if score.regret is None else score.regret[i],
            metrics[:, i].tolist(),
        )
        for i, key in enumerate(keys)
    ]
