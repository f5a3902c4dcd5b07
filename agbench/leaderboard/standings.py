"""What a round found of a task: its table, and the values that are shown when the round closes.

`BOARD/rounds/TASK/N.yaml` is the table. While the round is open it has scores with intervals only, rounded to
what the interval supports. When it closes, `N.csv` beside it has every value, and the table what follows from
them: anyone can compute it again.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import yaml
from pydantic import Field

from agbench.data.field import Number
from agbench.data.plain import read_plain_file
from agbench.data.reading import Strict
from agbench.data.submission import Day, Hash, Name
from agbench.data.task import Task, TaskId
from agbench.errors import ConfigError
from agbench.evaluation import aggregates, anchors, paired
from agbench.evaluation.references import Role
from agbench.evaluation.statistics import Interval
from agbench.files import Stamp, stamp, write_text
from agbench.leaderboard import rounds, scoring
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.scoring import RESAMPLES, MeasuredRuns
from agbench.leaderboard.tracks import tracks
from agbench.leaderboard.verify.hidden import HiddenRun
from agbench.leaderboard.verify.verified import Code

FOLDER: Final = "rounds"
FAR: Final = 10.0
"""Points by which a score on test lies far above that in a round, surely, less what the expert's does."""
_COLUMNS: Final = ("agent", "version", "seed", "scenario", "objective", "cost")
_RULES: Final = ("rules",)  # the track of references

Range = Annotated[list[Number], Field(min_length=3, max_length=3)]
"""A value and its 95 % interval."""


class Details(Strict):
    """What of a row is shown when its round has closed."""

    median: Range
    mean: Range
    beats_expert: Range
    less_expert: Range
    """The paired difference to the expert in points."""
    worst_tenth: Number
    cost: Number
    limit: Number
    violating: Number
    metrics: dict[str, Number]


class RoundRow(Strict):
    """An agent in a round. `rank` counts who is better by more than chance; so does `track_ranks`.

    A `reference` is the task's own. `far_above`: what it scores on test lies far above what it scores here.
    `refused`: why its policy was stopped; `score` is None then, and there is no rank.
    """

    agent: Name
    version: Name
    submission: Hash | None = None
    reference: Role | None = None
    rank: int | None = Field(default=None, ge=1)
    track_ranks: dict[str, int] = Field(default={})
    score: Range | None = None
    seeds: int = Field(default=0, ge=0)
    feasible: bool = True
    failed: int = Field(default=0, ge=0)
    far_above: bool = False
    earlier: bool = False
    """Whether the round ran a later version of the agent too, which is the one that is ranked."""
    refused: str = ""
    rerun: Day | None = None
    """The day on which it was run, or run anew, after the scenarios had become public."""
    details: Details | None = None

    @property
    def name(self) -> str:
        """AGENT/VERSION."""
        return f"{self.agent}/{self.version}"


class RepeatedWith(Code):
    """What a closed round was repeated with; `exact`: whether every value came out equal to the last bit."""

    exact: bool


class RoundTable(Strict):
    """The table of a task's round, the best first; `code` is what it was run with.

    `repeated` is the last code with which it was run again and found right.
    """

    task: TaskId
    round: int = Field(ge=1)
    scenarios: int = Field(ge=1)
    code: Code
    repeated: RepeatedWith | None = None
    rows: list[RoundRow]

    def holds(self, simulator_hash: str) -> bool:
        """Return whether it was run, or repeated, with the physics of this hash."""
        known = [self.code] if self.repeated is None else [self.code, self.repeated]
        return any(code.simulator_hash == simulator_hash for code in known)

    def refused(self, submission: str) -> bool:
        """Return whether the policy of a submission, by the SHA-256 of its card, was stopped."""
        return any(row.refused for row in self.rows if row.submission == submission)


@dataclass(frozen=True)
class Ran:
    """An agent that a round ran: what it reached, and its submission; a reference may have none."""

    agent: str
    version: str
    run: HiddenRun
    submission: CheckedSubmission | None = None
    reference: Role | None = None
    earlier: bool = False

    @property
    def name(self) -> str:
        """AGENT/VERSION."""
        return f"{self.agent}/{self.version}"

    @property
    def tracks(self) -> tuple[str, ...]:
        """The tracks in which it has a rank."""
        return _RULES if self.reference or self.submission is None else tracks(self.submission.card)


def path(board: Path, task: str, number: int) -> Path:
    """Return the file of a round's table."""
    return board / FOLDER / task / f"{number}.yaml"


def values_path(board: Path, task: str, number: int) -> Path:
    """Return the file of a closed round's values."""
    return path(board, task, number).with_suffix(".csv")


def load(board: Path, task: str, number: int) -> RoundTable | None:
    """Return the table of a round, None where it was not run yet; `ConfigError` for another one there."""
    file = path(board, task, number)
    if not file.is_file():
        return None
    result = _read_table(file, stamp(file))
    if (result.task, result.round) != (task, number):
        raise ConfigError(f"{file}: is the table of {result.task} round {result.round}.")
    return result


@lru_cache(maxsize=256)
def _read_table(file: Path, as_of: Stamp) -> RoundTable:
    """Return the table in a file as it is; keeps those read last."""
    return read_plain_file(RoundTable, file)


def last_rank(board: Path, submission: CheckedSubmission) -> int | None:
    """Return the rank of a submission in the last round of its task that was run; None without one."""
    tables = [load(board, entry.task, entry.round) for entry in rounds.load(board, submission.card.task)]
    run = [table for table in tables if table is not None]
    own = is_reference(submission.card, submission.task)
    for row in run[-1].rows if run else ():
        if row.submission == submission.digest or (own and row.reference == submission.card.agent):
            return row.rank
    return None


def save(board: Path, table: RoundTable) -> None:
    """Write the table of a round."""
    content = table.model_dump(mode="json", exclude_defaults=True)
    text = yaml.safe_dump(content, sort_keys=False, width=1000, indent=4, default_flow_style=None)
    write_text(path(board, table.task, table.round), text)


def measured(task: Task, runs: Mapping[str, HiddenRun], name: str) -> MeasuredRuns:
    """Return what an agent reached in a round, and what it is scored by; `runs` by AGENT/VERSION or role."""
    run, floor, expert = runs[name], runs["floor"], runs["expert"]
    objective, costs = (np.array(list(values.values())) for values in (run.objective, run.cost))
    limit = task.feasible_cost(float(np.mean(expert.cost[0])))
    gain = anchors.gain(anchors.load(task))
    return MeasuredRuns(
        objective, costs, np.array(floor.objective[0]), np.array(expert.objective[0]), gain, limit
    )


def table(entry: LeaderboardRound, task: Task, ran: Sequence[Ran], code: Code, closed: bool) -> RoundTable:
    """Return the table of a round: rounded while it is open, whole with `closed`."""
    runs = {one.reference or one.name: one.run for one in ran}
    good = [one for one in ran if not one.run.refused]
    reached = {one.name: measured(task, runs, one.reference or one.name) for one in good}
    counting = [one for one in good if not one.earlier]
    drawn = {one.name: reached[one.name].runs(one.name).drawn for one in counting}
    ranks = dict(zip(drawn, paired.ranks(list(drawn.values())), strict=True))
    by_track = _track_ranks(counting, drawn)
    expert = next(one.name for one in ran if one.reference == "expert")
    rows = [
        _row(one, task, reached[one.name], reached[expert], ranks.get(one.name), by_track, closed)
        for one in good
    ]
    stopped = [_refused(one) for one in ran if one.run.refused]
    shown = rows if closed else [_rounded(row) for row in rows]
    shown.sort(key=lambda row: (-row.score[0] if row.score else 0.0, row.name))
    return RoundTable(
        task=task.task, round=entry.round, scenarios=entry.scenarios, code=code, rows=[*shown, *stopped]
    )


def _track_ranks(ran: Sequence[Ran], drawn: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the ranks within each track by name."""
    result: dict[str, dict[str, int]] = {}
    for track in dict.fromkeys(track for one in ran for track in one.tracks):
        names = [one.name for one in ran if track in one.tracks]
        for name, rank in zip(names, paired.ranks([drawn[name] for name in names]), strict=True):
            result.setdefault(name, {})[track] = rank
    return result


def _row(
    one: Ran,
    task: Task,
    own: MeasuredRuns,
    expert: MeasuredRuns,
    rank: int | None,
    by_track: Mapping[str, dict[str, int]],
    closed: bool,
) -> RoundRow:
    score = scoring.scored(one.name, own, one.run.metrics, one.run.failed)
    details = None
    if closed:
        pair = paired.compare(own.runs(one.name), expert.runs("expert/reference"), RESAMPLES)
        details = Details(
            median=_range(score.median),
            mean=_range(score.mean),
            beats_expert=_range(score.beats_expert),
            less_expert=_range(pair.difference),
            worst_tenth=score.worst_tenth,
            cost=score.cost,
            limit=score.limit,
            violating=score.violating,
            metrics=score.metrics,
        )
    return RoundRow(
        agent=one.agent,
        version=one.version,
        submission=None if one.submission is None else one.submission.digest,
        reference=one.reference,
        rank=rank,
        track_ranks=by_track.get(one.name, {}),
        score=_range(score.iqm),
        seeds=len(own.objective),
        feasible=score.feasible,
        failed=score.failed,
        far_above=one.submission is not None and is_far_above(one.submission, own, expert),
        earlier=one.earlier,
        details=details,
    )


def _range(value: Interval) -> Range:
    return [value.value, value.low, value.high]


def _refused(one: Ran) -> RoundRow:
    digest = None if one.submission is None else one.submission.digest
    return RoundRow(agent=one.agent, version=one.version, submission=digest, refused=one.run.refused)


def is_far_above(submission: CheckedSubmission, own: MeasuredRuns, expert: MeasuredRuns) -> bool:
    """Return whether an agent scores far higher on test than in a round, more than the expert does.

    Test has other weather than a round: what the expert loses from one to the other is no sign of anything.
    """
    name = f"{submission.card.agent}/{submission.card.version}"
    test = scoring.measured(submission, "test")
    at_test = MeasuredRuns(test.expert[None], np.zeros(1), test.floor, test.expert, test.gain, test.limit)
    above = [
        agent.runs(name, seed=seed).drawn - reference.runs("expert/reference", seed=seed).drawn
        for seed, (agent, reference) in enumerate(((own, expert), (test, at_test)))
    ]
    return bool(np.quantile(above[1] - above[0], aggregates.LOW_QUANTILE) > FAR)


def _rounded(row: RoundRow) -> RoundRow:
    """Return a row of an open round: nothing but what the interval supports."""
    return row if row.score is None else row.model_copy(update={"score": supported(Interval(*row.score))})


def supported(value: Interval) -> Range:
    """Return an interval rounded to the power of ten below a quarter of its width; whole points without one.

    Rounding moves no number by more than an eighth of the interval.
    """
    width = value.high - value.low
    digits = -math.floor(math.log10(width / 4.0)) if width > 1e-6 else 0
    low, middle, high = (round(part, digits) + 0.0 for part in (value.low, value.value, value.high))
    return [middle, low, high]


def values_text(ran: Sequence[Ran], keys: Sequence[str]) -> str:
    """Return every value of a round as CSV: the objective and cost of each agent, seed and scenario."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in sorted(ran, key=lambda one: (one.agent, one.version)):
        for seed, objective in one.run.objective.items():
            repeats = len(one.run.cost[seed]) // len(objective)
            costs = np.array(one.run.cost[seed]).reshape(len(objective), repeats).mean(axis=1).tolist()
            for key, value, cost in zip(keys, objective, costs, strict=True):
                writer.writerow((one.agent, one.version, seed, key, repr(value), repr(cost)))
    return file.getvalue()


def read_scenarios(board: Path, task: str, number: int) -> list[str]:
    """Return the keys of a closed round's scenarios, in the order of its values."""
    file = values_path(board, task, number)
    _, keys = _read_values(file, stamp(file))
    return list(dict.fromkeys(str(key) for own in keys.values() for key in own))


def read_values(board: Path, task: str, number: int) -> Mapping[str, HiddenRun]:
    """Return what each agent reached in a closed round, by AGENT/VERSION, without metrics.

    What was read last is kept, and is not to be changed. Raises `ConfigError` where the values or their table
    are missing or cannot be read, name different agents or lack a reference, or an agent has not one value in
    each scenario.
    """
    file = values_path(board, task, number)
    shown = load(board, task, number)
    if shown is None or not file.is_file():
        missing = path(board, task, number) if shown is None else file
        raise ConfigError(f"{missing} is missing: a closed round has a table and values.")
    result, keys = _read_values(file, stamp(file))
    _check_values(file, shown, keys)
    return result


_Keys = Mapping[tuple[str, int], Sequence[str | None]]


@lru_cache(maxsize=128)
def _read_values(file: Path, as_of: Stamp) -> tuple[Mapping[str, HiddenRun], _Keys]:
    """Return the values in a file as it is, and the scenarios of each seed; keeps those read last."""
    result: dict[str, HiddenRun] = {}
    keys: dict[tuple[str, int], list[str | None]] = {}
    try:
        for row in csv.DictReader(file.read_text("utf-8").splitlines()):
            name, seed = f"{row['agent']}/{row['version']}", int(row["seed"])
            if name not in result:
                result[name] = HiddenRun()
            run = result[name]
            run.objective.setdefault(seed, []).append(_finite(row["objective"]))
            run.cost.setdefault(seed, []).append(_finite(row["cost"]))
            keys.setdefault((name, seed), []).append(row["scenario"])
    except (KeyError, ValueError, TypeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}.") from None
    return result, keys


def _finite(text: str) -> float:
    result = float(text)
    if not math.isfinite(result):
        raise ValueError(f"{text!r} is no finite number")
    return result


def _check_values(file: Path, shown: RoundTable, keys: _Keys) -> None:
    """Raise `ConfigError` where values are not those of a table; `keys` are the scenarios of each seed."""
    names = [row.name for row in shown.rows if not row.refused]
    written = {name for name, _ in keys}
    for name in dict.fromkeys([*names, *(name for name, _ in keys)]):
        if name not in written:
            raise ConfigError(f"{file}: {name} is in the table and not among the values.")
        if names.count(name) != 1:
            raise ConfigError(f"{file}: {name} is among the values and not once in the table.")
    first = next(iter(keys.values()), [])
    for (name, seed), own in keys.items():
        if len(own) != shown.scenarios:
            text = f"{len(own)} values for {shown.scenarios} scenarios"
            raise ConfigError(f"{file}: seed {seed} of {name} has {text}.")
        if len(set(own)) != len(own) or own != first:
            raise ConfigError(f"{file}: seed {seed} of {name} has other scenarios, or in another order.")
    for role in ("floor", "expert"):
        if role not in {row.reference for row in shown.rows}:
            raise ConfigError(f"{file}: the table has no row of the reference {role!r}.")
