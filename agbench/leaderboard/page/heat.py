"""The heat map of a suite: the score of each agent on each of its tasks."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agbench.leaderboard.page.suite_views import SuiteView
from agbench.leaderboard.page.views import TaskView

SHADES: Final = 10
"""A score of 0 or less has the first shade, one of 100 or more the last but one."""


class HeatCell(NamedTuple):
    """A score, its page, and whether it is one of a closed round."""

    score: float
    address: str
    in_round: bool

    @property
    def shade(self) -> int:
        """The place of its colour: 0 for 0 and below, 10 for 100 and above."""
        return min(max(round(self.score / 100.0 * SHADES), 0), SHADES)


class HeatRow(NamedTuple):
    """An agent, and its cell for each task; None where it has no score."""

    agent: str
    cells: list[HeatCell | None]


class HeatMap(NamedTuple):
    """A suite's agents by its tasks, those with most tasks first."""

    tasks: list[tuple[str, bool]]
    """Each with whether it has a page."""
    rows: list[HeatRow]


def heat_map(suite: SuiteView, views: Sequence[TaskView]) -> HeatMap:
    """Return the heat map of a suite: scores of the last closed round of a task, else of public test."""
    ids = suite.tasks
    by_task = {view.task.task: _cells(view) for view in views if view.task.task in ids}
    agents = {agent for cells in by_task.values() for agent in cells}
    rows = [HeatRow(agent, [by_task.get(task, {}).get(agent) for task in ids]) for agent in sorted(agents)]
    rows.sort(key=lambda row: (-sum(c is not None for c in row.cells), -_mean(row), row.agent))
    return HeatMap([(task, task in by_task) for task in ids], rows)


def _mean(row: HeatRow) -> float:
    scores = [min(max(cell.score, -100.0), 100.0) for cell in row.cells if cell is not None]
    return sum(scores) / len(scores)


def _cells(view: TaskView) -> Mapping[str, HeatCell]:
    """Return the cell of each agent of a task: of its best version where it has several."""
    result: dict[str, HeatCell] = {}
    closed = next((shown for shown in view.rounds if shown.entry.closed is not None), None)
    if closed is not None:
        scored = [(row.row.agent, row.score, row.address) for row in closed.rows]
        cells = [(agent, HeatCell(s.value, address, True)) for agent, s, address in scored if s is not None]
    else:
        cells = [(r.entry.card.agent, HeatCell(r.entry.score.iqm.value, r.address, False)) for r in view.rows]
    for agent, cell in cells:
        if agent not in result or cell.score > result[agent].score:
            result[agent] = cell
    return result
