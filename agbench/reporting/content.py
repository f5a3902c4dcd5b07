"""What a report shows: facts, tables and charts as plain data, made of one or more results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from agbench.data.task import Task
from agbench.envs import AgBenchEnv
from agbench.envs.family import build, family
from agbench.errors import ConfigError
from agbench.evaluation import aggregates, anchors, paired
from agbench.evaluation.anchors import SplitAnchors
from agbench.evaluation.references import ROLES, policy_name
from agbench.evaluation.result import Result
from agbench.evaluation.statistics import Interval, interval
from agbench.leaderboard import episodes
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.leaderboard.page import plots
from agbench.leaderboard.page.plots import CaptionedPlot
from agbench.plotting import printed
from agbench.variables import Floats

SEASONS: Final = 3
"""How many seasons are drawn: the median, the worst, the best."""
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class ComparedRow:
    """A policy in the scenarios of a result; a reference's numbers are those of the task's anchors."""

    name: str
    role: str
    objective: Interval
    score: Interval | None
    less_expert: Interval | None
    beats_expert: Interval | None


@dataclass(frozen=True)
class ShownSeason:
    """A season that is drawn."""

    role: str
    scenario: str
    record: EpisodeRecord


@dataclass(frozen=True)
class Section:
    """One split: who was compared, metrics, charts, every scenario, and seasons."""

    title: str
    episodes: int
    failed: int
    compared: Sequence[ComparedRow]
    why_alone: str
    """Why no references are compared; empty where they are."""
    metrics: Mapping[str, Interval]
    plots: Sequence[CaptionedPlot]
    scenarios: Sequence[tuple[str, Sequence[float]]]
    """Key, objective, and the metrics in the task's order."""
    seasons: Sequence[ShownSeason]
    too_many: int = 0
    """Scenarios that the table leaves out."""


@dataclass(frozen=True)
class Content:
    """All that stands in a report."""

    title: str
    kind: str
    lead: str
    task: Task
    facts: Facts
    sections: Sequence[Section]
    plots: Sequence[CaptionedPlot] = field(default_factory=list)
    """Of the whole: a learning curve, the returns of a dataset."""
    tables: Mapping[str, Facts] = field(default_factory=dict)


_MOST_SCENARIOS: Final = 400


def section_of(result: Result, seasons: int = SEASONS) -> Section:
    """Return what is shown of a result."""
    known, why = _known(result)
    objective = result.objective
    keys = list(dict.fromkeys(result.episodes["scenario"]))
    columns = [objective, *(result.by_scenario(name) for name in result.task.metrics)]
    lines = [(key, [float(c[i]) for c in columns]) for i, key in enumerate(keys[:_MOST_SCENARIOS])]
    return Section(
        title=result.split,
        episodes=len(result.episodes),
        failed=result.failed,
        compared=_compared(result, known),
        why_alone=why,
        metrics={name: result.summary[name] for name in result.task.metrics},
        plots=_plots(result, known, keys),
        scenarios=lines,
        seasons=list(_seasons(result, seasons)),
        too_many=max(0, len(keys) - _MOST_SCENARIOS),
    )


def _known(result: Result) -> tuple[SplitAnchors | None, str]:
    """Return the anchors in a result's scenarios, or why there are none."""
    if result.record.get("overrides"):
        return None, "The task was changed, so that its references say nothing here."
    keys = list(dict.fromkeys(result.episodes["scenario"]))
    try:
        if keys != result.task.scenarios(result.split):
            return None, "These are not all scenarios of the split, so that the references are left out."
        return anchors.of_split(result.task, result.split), ""
    except ConfigError as error:
        return None, str(error)


def _compared(result: Result, known: SplitAnchors | None) -> list[ComparedRow]:
    """Return the policy and the references, from the highest mean objective to the lowest."""
    own = (result.policy, "", result.objective)
    if known is None:
        return [_row(*own, None, result.task)]
    values = [own]
    values += [
        (str(policy_name(result.task, role)), role, stored)
        for role in ROLES
        if (stored := getattr(known, role)) is not None
    ]
    rows = [_row(name, role, each, known, result.task) for name, role, each in values]
    return sorted(rows, key=lambda row: -row.objective.value)


def _row(name: str, role: str, values: Floats, known: SplitAnchors | None, task: Task) -> ComparedRow:
    resamples = task.protocol.bootstrap
    objective = interval(values, "mean", resamples)
    if known is None:
        return ComparedRow(name, role, objective, None, None, None)
    ours, theirs = (
        paired.runs(known.scores(v)[None], resamples, aggregates.mean) for v in (values, known.expert)
    )
    beside = None if role == "expert" else paired.compare(ours, theirs, resamples)
    difference, chance = (None, None) if beside is None else (beside.difference, beside.improvement)
    return ComparedRow(name, role, objective, ours.interval, difference, chance)


def _plots(result: Result, known: SplitAnchors | None, keys: Sequence[str]) -> list[CaptionedPlot]:
    """Return the charts of the leaderboard's pages that a single policy has."""
    if known is None:
        return []
    unit = printed(result.task.protocol.objective_unit)
    pairs = zip(keys, known.expert.tolist(), result.objective.tolist(), strict=True)
    points = [{"name": key, "x": plots.rounded(x), "y": plots.rounded(y)} for key, x, y in pairs]
    beside = plots.scatter(points, f"expert ({unit})", f"{result.policy} ({unit})", diagonal=True)
    returns = {result.policy: result.objective, "expert": known.expert}
    returns |= {} if known.oracle is None else {"oracle": known.oracle}
    lines = [plots.profile(name, known.scores(values)[None]) for name, values in returns.items()]
    steps = {"kind": "steps", "x": "score", "y": "share of scenarios", "lines": lines}
    return [
        CaptionedPlot("Each scenario: above the line where it does better than the expert", beside),
        CaptionedPlot("Performance profiles: share of scenarios above a score", steps),
    ]


def _seasons(result: Result, count: int) -> list[ShownSeason]:
    """Simulate the median, the worst and the best season again from their actions."""
    rows = result.episodes.reset_index(drop=True)
    whole = rows[~rows["failed"]]
    objective = whole[result.task.protocol.objective].to_numpy(dtype=np.float64)
    if not count or not len(whole):
        return []
    env = AgBenchEnv(build(result.task, result.split))
    drawn = []
    for role, place in episodes.chosen(objective, count):
        row = whole.iloc[place]
        record = episodes.simulated(
            env,
            family(env.task).plot(env.core),
            str(row["scenario"]),
            int(row["seed"]),
            result.actions[int(whole.index[place])],
        )
        drawn.append(ShownSeason(role, str(row["scenario"]), record))
    return drawn
