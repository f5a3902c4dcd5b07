"""The data by which the page compares any two agents of a task, scenario by scenario.

The scripts resample them as `agbench.evaluation.paired` does: scenarios for both together, training seeds for
each by itself.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError
from agbench.leaderboard import scoring, standings
from agbench.leaderboard.page.entries import PUBLIC
from agbench.leaderboard.page.views import PUBLIC_TITLE, RoundView, TaskView
from agbench.leaderboard.scoring import MeasuredRuns
from agbench.leaderboard.standings import RoundRow

_SAME: Final = 1e-9  # of means of the same values, summed in another order


def compared(view: TaskView, board: Path) -> dict[str, Any]:
    """Return the scores of all agents, on test and by closed round: {sets: [{title, scenarios, agents}]}."""
    sets = [_round(view, shown, board) for shown in view.rounds if shown.entry.closed is not None]
    return {"sets": [*sets, _public(view)]}


def _public(view: TaskView) -> dict[str, Any]:
    agents = [_agent(row.entry.name, scoring.measured(row.entry.submission, PUBLIC)) for row in view.rows]
    return {"id": PUBLIC, "title": PUBLIC_TITLE, "scenarios": view.scenarios, "agents": agents}


def _round(view: TaskView, shown: RoundView, board: Path) -> dict[str, Any]:
    number = shown.entry.round
    runs = standings.read_values(board, view.task.task, number)
    by_role = {row.row.reference or row.row.name: runs[row.row.name] for row in shown.rows if row.row.score}
    agents = []
    for row in (row.row for row in shown.rows if row.row.score):
        reached = standings.measured(view.task, by_role, row.reference or row.name)
        _check_follows(row, reached, standings.values_path(board, view.task.task, number))
        agents.append(_agent(f"{row.agent} {row.version}", reached))
    scenarios = standings.read_scenarios(board, view.task.task, number)
    return {"id": f"round-{number}", "title": f"Round {number}", "scenarios": scenarios, "agents": agents}


def _check_follows(row: RoundRow, reached: MeasuredRuns, file: Path) -> None:
    """Raise `ConfigError` where the table of a closed round has other means than its values."""
    if row.details is None:
        return
    points = float(reached.points.mean())
    for what, shown, value in (
        ("mean score", row.details.mean[0], points if reached.feasible else min(points, 0.0)),
        ("mean constraint cost", row.details.cost, float(reached.costs.mean())),
    ):
        if not np.isclose(shown, value, rtol=_SAME, atol=_SAME):
            raise ConfigError(
                f"{file}: what {row.name} reached has the {what} {value:.6g}; the table beside it says "
                f"{shown:.6g}. One of both was changed: restore it. `agbench leaderboard round repeat` lists "
                "all that does not follow."
            )


def _agent(name: str, reached: MeasuredRuns) -> dict[str, Any]:
    """Return an agent: the score of each training seed in each scenario, and whether it is feasible."""
    points = np.round(reached.points, 4) + 0.0
    return {"name": name, "feasible": reached.feasible, "scores": points.tolist()}
