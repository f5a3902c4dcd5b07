"""Repeating a closed round: its runs from the salt that it revealed, its table from the values."""

import contextlib
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.leaderboard import board as places
from agbench.leaderboard import rounds, standings
from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.leaderboard.checks.versions import newest
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.standings import Ran, RepeatedWith, RoundRow, RoundTable
from agbench.leaderboard.verify import hidden, verified
from agbench.leaderboard.verify.hidden import HiddenRun
from agbench.leaderboard.verify.replaying import ATOL
from agbench.leaderboard.verify.round_running import code_of, within_quota
from agbench.running import Engine, engine_of, in_order
from agbench.untrusted import tables
from agbench.untrusted.confined import confined
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

_RTOL: Final = 1e-4  # as reproducing allows
_FOLLOWS: Final = 1e-9  # of what is computed from the same values: sums in another order
_PARTS: Final = ("", ", lower end", ", upper end")  # of a value with its interval
_NOT_PUBLISHED: Final = ("metrics", "failed", "violating")
"""What of a row follows from single episodes, which a round does not publish, but its run again has."""


@dataclass(frozen=True)
class Repeated:
    """What came out of a run again: `good` within the tolerance of reproducing, `exact` to the last bit.

    `wrong` lists, in words, what the table says of it and does not follow from the published values, or, of
    metrics and failed episodes, from the run again. `submission` is the row's; None for a reference.
    """

    name: str
    good: bool
    exact: bool
    values: int
    wrong: tuple[str, ...] = ()
    submission: CheckedSubmission | None = field(default=None, compare=False, repr=False)


class _Entered(NamedTuple):
    """What a closed round is repeated from: table, values, and the rows that are run, with submissions."""

    entry: LeaderboardRound
    table: RoundTable
    written: Mapping[str, HiddenRun]
    rows: list[RoundRow]
    submissions: dict[str, CheckedSubmission | None]


def repeat(board: Path, entry: LeaderboardRound) -> list[Repeated]:
    """Run everything of a closed round again, compare it with the published values, and these with the table.

    Raises `ConfigError` where the values or the table are missing, name different agents or lack a reference,
    a row is no longer on the board, or an author has more rows than the round's quota.
    """
    ((_, result),) = repeats(board, [entry], engine_of())
    return result


def repeats(
    board: Path, entries: Sequence[LeaderboardRound], engine: Engine
) -> Iterator[tuple[LeaderboardRound, list[Repeated]]]:
    """Yield rounds with what `repeat` returns of each, in order; each row is an item of the engine."""
    begun: deque[_Entered] = deque()

    def items() -> Iterator[tuple[LeaderboardRound, RoundRow, CheckedSubmission | None]]:
        for entry in entries:
            one = _entered(board, entry)
            begun.append(one)
            yield from ((entry, row, one.submissions[row.name]) for row in one.rows)

    with contextlib.closing(engine.run(_RoundsAgain(), items())) as results:
        runs = in_order(results)
        for entry in entries:
            first = next(runs)  # after which the round has begun
            one = begun.popleft()
            found = [first, *itertools.islice(runs, len(one.rows) - 1)]
            yield entry, _judged(one, {row.name: run for row, run in zip(one.rows, found, strict=True)})


class _RoundsAgain:
    """The work of repeating; items are a round, a row of its table, and the submission of that."""

    def files(self) -> list[str]:
        """Return none: a submission holds all of its files."""
        return []

    def prepare(
        self, place: Mapping[str, str]
    ) -> Callable[[tuple[LeaderboardRound, RoundRow, CheckedSubmission | None]], HiddenRun]:
        """Return the function that runs a row again."""
        return lambda item: _run(*item)


def _entered(board: Path, entry: LeaderboardRound) -> _Entered:
    """Read all that a closed round is repeated from."""
    table = standings.load(board, entry.task, entry.round)
    if table is None or entry.salt is None:
        raise ConfigError(f"{entry.name}: has no table, or is not closed.")
    if table.scenarios != entry.scenarios:
        raise ConfigError(
            f"{entry.name}: {table.scenarios} scenarios in the table, {entry.scenarios} promised."
        )
    written = standings.read_values(board, entry.task, entry.round)
    _check_scenarios(board, entry)
    rows = [row for row in table.rows if not row.refused]
    with confined(tables.READER) as child:
        submissions = {
            row.name: _submission(board, entry, row, child) if row.reference is None else None for row in rows
        }
    _, beyond = within_quota(entry, [each for each in submissions.values() if each is not None])
    if beyond:
        raise ConfigError(f"{entry.name}: the table has rows that it did not run. {beyond[0]}.")
    return _Entered(entry, table, written, rows, submissions)


def _check_scenarios(board: Path, entry: LeaderboardRound) -> None:
    """Raise `ConfigError` where values are not of the scenarios that the salt gives, in their order."""
    assert entry.salt is not None
    with rounds.salt_file(entry.salt) as salt:
        own = hidden.scenarios_of(catalog.task(entry.task), entry, salt)
    written = standings.read_scenarios(board, entry.task, entry.round)
    for place, (one, other) in enumerate(itertools.zip_longest(written, own)):
        if one != other:
            file = standings.values_path(board, entry.task, entry.round)
            raise ConfigError(f"{file}: scenario {place} is {one}; the round's salt gives {other}.")


def _judged(one: _Entered, again: Mapping[str, HiddenRun]) -> list[Repeated]:
    """Return what comes out of a round's runs again."""
    written, submissions = one.written, one.submissions
    compared = {
        name: _compared(f"{one.entry.name}: {name}", written[name], run) for name, run in again.items()
    }
    latest = {each.digest for each in newest(each for each in submissions.values() if each is not None)}
    ran = [
        Ran(
            row.agent,
            row.version,
            _published(written[row.name], again[row.name], compared[row.name].good),
            submissions[row.name],
            row.reference,
            earlier=row.submission is not None and row.submission not in latest,
        )
        for row in one.rows
    ]
    return _against_table(one.entry, one.table, ran, list(compared.values()))


def record(board: Path, entry: LeaderboardRound, results: Sequence[Repeated]) -> Path | None:
    """Write with what code a closed round was repeated, in its table and at each row; return the file.

    `results` are those of `repeat`. Returns None, and writes nothing, where one of them is not right.
    """
    if any(not result.good or result.wrong for result in results):
        return None
    table = standings.load(board, entry.task, entry.round)
    if table is None:
        raise ConfigError(f"{entry.name}: has no table.")
    code = code_of(catalog.task(entry.task))
    own = RepeatedWith(**code.model_dump(), exact=all(result.exact for result in results))
    standings.save(board, table.model_copy(update={"repeated": own}))
    for result in results:
        if result.submission is not None:
            verified.save(board, result.submission, "hidden")
    return standings.path(board, entry.task, entry.round)


def _published(written: HiddenRun, again: HiddenRun, good: bool) -> HiddenRun:
    """Return the published values, with what is not published as it is in the run again, if that is `good`.

    A scenario that is played several times has one published cost, the mean of its episodes.
    """
    repeats = good and sum(map(len, again.cost.values())) > sum(map(len, written.cost.values()))
    return HiddenRun(
        objective=written.objective,
        cost=again.cost if repeats else written.cost,
        metrics=again.metrics,
        failed=again.failed,
    )


def _against_table(
    entry: LeaderboardRound, table: RoundTable, ran: Sequence[Ran], compared: Sequence[Repeated]
) -> list[Repeated]:
    """Return what was compared, with what the table says wrong; `compared` is in the order of `ran`."""
    follows = standings.table(entry, catalog.task(entry.task), ran, table.code, closed=True)
    theirs, ours = ({row.name: row for row in each.rows} for each in (table, follows))
    return [
        replace(
            result,
            wrong=tuple(_wrong(theirs[one.name], ours[one.name], result.good)),
            submission=one.submission,
        )
        for one, result in zip(ran, compared, strict=True)
    ]


def _wrong(row: RoundRow, follows: RoundRow, good: bool) -> Iterator[str]:
    """Yield what a row says and does not follow; what its run again gives counts where that is `good`."""
    theirs, ours = (
        dict(_statements(each.model_dump(mode="json", exclude={"rerun"}))) for each in (row, follows)
    )
    for name in dict.fromkeys([*theirs, *ours]):
        from_run = name.startswith(_NOT_PUBLISHED)
        if from_run and not good:
            continue
        one, other = theirs.get(name), ours.get(name)
        if not _same(one, other, *((_RTOL, ATOL) if from_run else (_FOLLOWS, _FOLLOWS))):
            source = "running it again" if from_run else "the values"
            yield f"{name} is {_said(one)} in the table; {source} give{'s' * from_run} {_said(other)}"


def _statements(content: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all that a row says, in words, each value and each end of an interval by itself."""
    for key, value in content.items():
        name = f"{of} {key}".strip().replace("_", " ") if of else key.replace("_", " ")
        if isinstance(value, dict):
            yield from _statements(value, "" if key == "details" else name)
        elif isinstance(value, list):
            yield from ((f"{name}{part}", number) for part, number in zip(_PARTS, value, strict=True))
        else:
            yield name, value


def _same(one: Any, other: Any, rtol: float, atol: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=rtol, abs_tol=atol)
    return bool(one == other)


def _said(value: Any) -> str:
    return "missing" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)


def _run(entry: LeaderboardRound, row: RoundRow, submission: CheckedSubmission | None) -> HiddenRun:
    assert entry.salt is not None
    with rounds.salt_file(entry.salt) as salt:
        if row.reference is not None:
            return hidden.run_reference(catalog.task(entry.task), row.reference, entry, salt)
        assert submission is not None
        return hidden.run_submission(submission, entry, salt)


def _submission(board: Path, entry: LeaderboardRound, row: RoundRow, child: object) -> CheckedSubmission:
    folder = places.place(board, entry.task, row.agent, row.version)
    if not folder.is_dir():
        raise ConfigError(f"{entry.name}: {row.name} is no longer on the board: there is no folder {folder}.")
    try:
        result = check(folder, child)  # type: ignore[arg-type]
    except RefusedError as error:
        raise ConfigError(f"{entry.name}: {row.name}: {error}") from None
    if result.digest != row.submission:
        raise ConfigError(f"{entry.name}: {row.name} is not the submission that was run.")
    return result


def _compared(name: str, written: HiddenRun, again: HiddenRun) -> Repeated:
    ours, theirs = _values(again), _values(written)
    exact = ours.shape == theirs.shape and bool(np.array_equal(ours, theirs))
    good = exact or (ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=_RTOL, atol=ATOL))
    return Repeated(name, good, exact, ours.size)


def _values(run: HiddenRun) -> Floats:
    """Return objective and cost of each seed and scenario, (seeds, 2, scenarios), repeats averaged."""
    rows = []
    for seed, objective in run.objective.items():
        cost = np.array(run.cost[seed]).reshape(len(objective), -1).mean(axis=1)
        rows.append([objective, cost.tolist()])
    return np.array(rows, dtype=np.float64)
