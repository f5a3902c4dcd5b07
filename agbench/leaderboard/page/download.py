"""A task's rows, rounds and pairs of agents for download: CSV files with all that the page shows of them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as csv_of_arrow

from agbench.data.task import Task
from agbench.evaluation import paired
from agbench.leaderboard import standings
from agbench.leaderboard.page.views import PublicRow, RoundView, TaskView
from agbench.leaderboard.scoring import RESAMPLES, Score

MOST_PAIRED: Final = 40
"""How many agents of a round, the best ones, are compared two by two."""

_WHO: Final = (
    *("agent", "version", "submitted", "rank_in_last_round", "not_ranked_because"),
    *("trust", "stale", "exact_kinds", "kinds", "near_ties"),
    *("method", "tracks", "reads", "seeds", "distinct_seeds"),
    *("nearest", "equal_decisions", "seconds_a_decision"),
)
_SCORES: Final = (
    *("split", "iqm", "iqm_low", "iqm_high", "mean", "median", "p_improvement", "worst_tenth", "regret"),
    *("cost", "limit", "violating", "feasible", "iqm_without_limit"),
)
_TEXTS: Final[tuple[str, ...]] = (
    *("task", "agent", "version", "submitted", "not_ranked_because"),
    *("trust", "method", "tracks", "reads", "nearest", "split"),
)
_ROUND: Final = (
    *("rank", "agent", "version", "track_ranks", "score", "low", "high", "seeds", "feasible", "failed"),
    *("far_above", "earlier", "refused", "rerun"),
)
_DETAILS: Final = ("median", "mean", "beats_expert", "less_expert")
_PLAIN_DETAILS: Final = ("worst_tenth", "cost", "limit", "violating")


def write_table(path: Path, view: TaskView) -> None:
    """Write a task's rows on the public splits, a row a submission and split; none of them gives a rank.

    `stale` is yes where the trust was verified with an earlier version; on `exact_kinds` of `kinds` of
    machines states were equal to the last bit; `equal_decisions` is the share of decisions that are those of
    the `nearest` other agent.
    """
    metrics = list(view.task.metrics)
    rows = (
        [*_who(row), *_scores(split, score), *(score.metrics[name] for name in metrics)]
        for row in view.rows
        for split, score in row.entry.row.scores.items()
    )
    _write(path, [*_WHO, *_SCORES, *metrics], rows)


def write_board(folder: Path, views: Sequence[TaskView]) -> None:
    """Write all rows of a board, a line for each split, as CSV and Parquet; metrics are left out."""
    heading = ["task", *_WHO, *_SCORES]
    rows = [
        [view.task.task, *_who(row), *_scores(split, score)]
        for view in views
        for row in view.rows
        for split, score in row.entry.row.scores.items()
    ]
    _write(folder / "board.csv", heading, rows)
    filled = [name for i, name in enumerate(heading) if any(row[i] != "" for row in rows)]
    texts = {name: pa.string() for name in _TEXTS if name in filled}
    pq.write_table(_read(folder / "board.csv", texts), folder / "board.parquet")


def _read(path: Path, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return a CSV as a table in one piece: yes and no as such, nothing where it has an empty text.

    Columns without a type get that of their values. To make arrays of Python's own values pyarrow would first
    import pandas, which takes longer than all of this.
    """
    return csv_of_arrow.read_csv(
        path,
        csv_of_arrow.ReadOptions(use_threads=False, block_size=path.stat().st_size),
        csv_of_arrow.ParseOptions(newlines_in_values=True),
        csv_of_arrow.ConvertOptions(
            column_types=types,
            null_values=[""],
            true_values=["yes"],
            false_values=["no"],
            strings_can_be_null=True,
        ),
    )


def write_round(path: Path, view: RoundView) -> None:
    """Write the table of a round: of an open one what is shown of it, of a closed one all."""
    first = next((row.row.details for row in view.rows if row.row.details), None)
    metrics = [] if first is None else list(first.metrics)
    ranges = [f"{name}{end}" for name in _DETAILS for end in ("", "_low", "_high")] if first else []
    plain = list(_PLAIN_DETAILS) if first else []
    rows = []
    for row in (each.row for each in view.rows):
        ranks = " ".join(f"{track}:{rank}" for track, rank in row.track_ranks.items())
        cells: list[Any] = [row.rank or "", row.agent, row.version, ranks, *(row.score or ("", "", ""))]
        cells += [row.seeds, _word(row.feasible), row.failed, _word(row.far_above), _word(row.earlier)]
        cells += [row.refused, row.rerun or ""]
        if row.details is not None:
            cells += [part for name in _DETAILS for part in getattr(row.details, name)]
            cells += [getattr(row.details, name) for name in plain]
            cells += [row.details.metrics[name] for name in metrics]
        rows.append(cells)
    _write(path, [*_ROUND, *ranges, *plain, *metrics], rows)


def write_pairs(folder: Path, board: Path, task: Task, view: RoundView) -> None:
    """Write, for every two agents of a closed round, their paired difference and chance of improvement.

    They are the first so many of the table. An open round has no such file: its values are not public.
    """
    if view.entry.closed is None:
        return
    runs = standings.read_values(board, task.task, view.entry.round)
    chosen = [row.row for row in view.rows if row.row.rank is not None][:MOST_PAIRED]
    by_role = {row.reference or row.name: runs[row.name] for row in chosen} | {
        role: runs[f"{role}/1"] for role in ("floor", "expert")
    }
    ours = {
        row.name: standings.measured(task, by_role, row.reference or row.name).runs(row.name)
        for row in chosen
    }
    rows = []
    for one, other in combinations(ours, 2):
        pair = paired.compare(ours[one], ours[other], RESAMPLES)
        rows.append([one, other, *pair.difference, *pair.improvement, _word(pair.tie)])
    ends = ("", "_low", "_high")
    names = [f"{name}{end}" for name in ("difference", "p_improvement") for end in ends]
    path = folder / f"{task.task}-round-{view.entry.round}-pairs.csv"
    _write(path, ["agent", "other", *names, "tie"], rows)


def _write(path: Path, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(rows)


def _who(row: PublicRow) -> tuple[Any, ...]:
    card, result, near = row.entry.card, row.entry.row, row.nearest
    trust = (
        result.level,
        _word(result.stale),
        result.standing.exact_kinds,
        len(result.exact),
        result.near_ties,
    )
    how = card.method, " ".join(result.tracks), card.information
    seeds = len(card.training.seeds), result.distinct_seeds
    alike = ("", "") if near is None else (near.entry.name, near.share)
    who = card.agent, card.version, card.submitted or "", row.rank or "", row.why
    return *who, *trust, *how, *seeds, *alike, row.entry.decision_seconds or ""


def _scores(split: str, score: Score) -> tuple[Any, ...]:
    return (
        split,
        *score.iqm,
        score.mean.value,
        score.median.value,
        score.beats_expert.value,
        score.worst_tenth,
        "" if score.regret is None else float(np.mean(score.regret)),
        score.cost,
        score.limit,
        score.violating,
        _word(score.feasible),
        score.iqm_without_limit.value,
    )


def _word(yes: bool) -> str:
    return "yes" if yes else "no"
