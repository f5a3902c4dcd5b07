"""Running rounds: references and all eligible rows of a task in the same hidden scenarios, or nothing.

What each policy reached is kept beside the secret or the pulse, away from the board, until the round closes:
a run that was cut off goes on where it stopped, and a row that comes later is run alone.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import agbench
from agbench.data import catalog
from agbench.data.task import Task
from agbench.errors import ConfigError
from agbench.evaluation import machine, provenance, references
from agbench.evaluation.references import Role, policy_name
from agbench.files import write_text
from agbench.leaderboard import board as places
from agbench.leaderboard import eligible, rounds, standings
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.checks.versions import newest
from agbench.leaderboard.rounds import LeaderboardRound
from agbench.leaderboard.standings import Ran, RoundTable
from agbench.leaderboard.verify import hidden, verified
from agbench.leaderboard.verify.hidden import MARKS, HiddenRun
from agbench.leaderboard.verify.verified import Code
from agbench.leaderboard.verify.verifying import Verdict, verify_all
from agbench.running import Engine, engine_of
from agbench.untrusted.refusal import RefusedError

Say = Callable[[str], None]
_LOOKS_LIKE: Final = str.maketrans("аеорсухіјѕһԁԛԝвнкмтαεορυικνχτβημζ", "aeopcyxijshdqwbhkmtaeopyiknxtbhmz")
"""Small letters of Cyrillic and Greek that look like Latin ones, when written large at the latest."""
_REFERENCE_VERSION: Final = "1"  # of a reference that has no row on the board


class Participant(NamedTuple):
    """A row that a round runs; `earlier` where a later version of its agent runs too."""

    submission: CheckedSubmission
    earlier: bool


@dataclass(frozen=True)
class KeptRuns:
    """The runs of open rounds, in a folder that is not on the board."""

    folder: Path

    def place(self, entry: LeaderboardRound, policy: str) -> Path:
        """Return the file of a run: of this policy, with the physics of now."""
        now = provenance.simulator_hash(catalog.task(entry.task))
        name = hashlib.sha256(f"{policy} {now} {entry.promise} {entry.scenarios}".encode()).hexdigest()
        return self.folder / entry.task / str(entry.round) / f"{name}.json"

    def read(self, entry: LeaderboardRound, policy: str) -> HiddenRun | None:
        """Return a run that was kept; None where there is none that can be read."""
        path = self.place(entry, policy)
        try:
            return HiddenRun.model_validate_json(path.read_bytes())
        except (OSError, ValueError):
            return None

    def write(self, entry: LeaderboardRound, policy: str, run: HiddenRun) -> None:
        """Keep a run."""
        write_text(self.place(entry, policy), run.model_dump_json())


def kept_beside(key_file: Path) -> KeptRuns:
    """Return the folder of runs that belongs to a secret or a pulse."""
    return KeptRuns(key_file.with_name(f"{key_file.name}.runs"))


def code_of(task: Task) -> Code:
    """Return the code of now, and this kind of machine."""
    return Code(
        simulator_hash=provenance.simulator_hash(task), agbench=agbench.__version__, machine=machine.kind()
    )


def identity(task: Task, role: Role) -> str:
    """Return what a reference is known by: its settings and its code."""
    name = policy_name(task, role)
    assert name is not None
    return f"{role} {references.settings_hash(task, name)} {references.code_hash(task, name)}"


def marks(task: Task) -> list[Role]:
    """Return the references that a task's rounds run: of floor, blind calendar and expert those it has."""
    return [role for role in MARKS if policy_name(task, role) is not None]


def run(
    board: Path,
    entries: Sequence[LeaderboardRound],
    key_file: Path,
    workers: int,
    say: Say,
    on: str | Engine | None = None,
) -> list[RoundTable]:
    """Run what open rounds lack, and write their tables; each table is whole, or stays as it was.

    Workers, of `on` too (see `agbench.running`), get the salts of these rounds, not the secret.

    Raises `ConfigError` for another secret or pulse than the rounds were opened with, and what an episode of
    a reference raises.
    """
    for entry in entries:
        rounds.salt_of(entry, key_file)
        rounds.check_task(entry, catalog.task(entry.task))
    kept = kept_beside(key_file)
    rows = _rows(board, [entry.task for entry in entries])
    engine = engine_of(on, workers)
    _run_references(entries, key_file, kept, engine, say)
    for verdict in _run_rows(board, entries, rows, key_file, kept, engine):
        say(verdict.message)
    result = []
    for entry in entries:
        chosen, beyond = taking_part(board, entry, rows[entry.task])
        for text in beyond:
            say(text)
        task = catalog.task(entry.task)
        made = standings.table(entry, task, _ran(entry, chosen, kept), code_of(task), closed=False)
        standings.save(board, made)
        for one in chosen:
            if not made.refused(one.submission.digest):
                verified.save(board, one.submission, "hidden")
        result.append(made)
        say(f"{entry.name}: {len(made.rows)} policies in {made.scenarios} hidden scenarios")
    return result


def outdated(board: Path) -> list[LeaderboardRound]:
    """Return the open rounds that were run with an earlier version of their task's physics."""
    tables = [(e, standings.load(board, e.task, e.round)) for e in rounds.load(board) if e.closed is None]
    return [
        entry
        for entry, table in tables
        if table and table.code.simulator_hash != provenance.simulator_hash(catalog.task(entry.task))
    ]


def _run_references(
    entries: Sequence[LeaderboardRound], key_file: Path, kept: KeptRuns, engine: Engine, say: Say
) -> None:
    """Run the references that were not run with the code of now."""
    todo = [
        (entry, role)
        for entry in entries
        for role in marks(catalog.task(entry.task))
        if kept.read(entry, identity(catalog.task(entry.task), role)) is None
    ]
    items = [(entry, role, rounds.salt_of(entry, key_file)) for entry, role in todo]
    for number, found in engine.run(_References(), items):
        entry, role = todo[number]
        kept.write(entry, identity(catalog.task(entry.task), role), found)
        say(f"{entry.name}: {role} done")


class _References:
    """The references of rounds; items are a round, the role and the round's salt."""

    def files(self) -> list[str]:
        """Return none."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Callable[[tuple[LeaderboardRound, Role, str]], HiddenRun]:
        """Return the function that runs a reference."""

        def work(item: tuple[LeaderboardRound, Role, str]) -> HiddenRun:
            entry, role, salt = item
            with rounds.salt_file(salt) as file:
                return hidden.run_reference(catalog.task(entry.task), role, entry, file)

        return work


def _run_rows(
    board: Path,
    entries: Sequence[LeaderboardRound],
    rows: Mapping[str, list[CheckedSubmission]],
    key_file: Path,
    kept: KeptRuns,
    engine: Engine,
) -> Iterator[Verdict]:
    """Run the rows that take part and were not run with the code of now; yield what was found of each."""
    todo = []
    for entry in entries:
        chosen, _ = taking_part(board, entry, rows[entry.task])
        todo += [s.folder for s, _ in chosen if kept.read(entry, s.digest) is None]
    if not todo:
        return
    salts = {entry.task: (entry, rounds.salt_of(entry, key_file)) for entry in entries}
    for verdict in verify_all(_Hidden(salts, kept), board, todo, named=False, on=engine):
        if not verdict.good:
            raise ConfigError(f"{verdict.folder}: {verdict.message}")
        yield verdict


@dataclass(frozen=True)
class _Hidden:
    """Runs submissions in the hidden scenarios of the rounds of their tasks; `salts` by task."""

    salts: Mapping[str, tuple[LeaderboardRound, str]]
    kept: KeptRuns

    def ask(self, submission: CheckedSubmission) -> None:
        """Ask for nothing."""

    def work(self, submission: CheckedSubmission, asked: None) -> HiddenRun:
        """Return what the policies reach."""
        entry, salt = self.salts[submission.card.task]
        with rounds.salt_file(salt) as file:
            return hidden.run_submission(submission, entry, file)

    def record(self, submission: CheckedSubmission, found: HiddenRun) -> str:
        """Keep the run."""
        self.kept.write(self.salts[submission.card.task][0], submission.digest, found)
        return f"{submission.name}: {found.refused or 'done'}"


def taking_part(
    board: Path, entry: LeaderboardRound, rows: Sequence[CheckedSubmission]
) -> tuple[list[Participant], list[str]]:
    """Return those of a task's rows that a round runs, and sentences about those that it leaves out.

    They are the newest eligible version of each agent, and what the round ran before. Of an author's
    rows no more than the quota: those that were run before first, then those that were submitted first, and
    of one day those that name fewer authors. Where a pulse gives the salt, what was
    submitted after the last day, when all can know it, does not take part.
    """
    shown = standings.load(board, entry.task, entry.round)
    ran = {row.submission for row in shown.rows} if shown else set()
    able = [s for s in rows if not eligible.obstacle(s, verified.load(board, s))]
    late = [s for s in able if entry.pulse is not None and not _in_time(s, entry)]
    able = [s for s in able if s not in late]
    last = {s.digest for s in newest(able)}
    chosen = sorted((s for s in able if s.digest in last | ran), key=lambda s: _turn(s, s.digest in ran))
    result, beyond = within_quota(entry, chosen)
    missed = [f"{one.name}: not submitted by {entry.closes}, the round's last day" for one in late]
    latest = {s.digest for s in newest(result)}
    return [Participant(one, one.digest not in latest) for one in result], [*missed, *beyond]


def within_quota(
    entry: LeaderboardRound, rows: Sequence[CheckedSubmission]
) -> tuple[list[CheckedSubmission], list[str]]:
    """Return the first of each author's rows, as many as a round runs, and sentences about the others."""
    result: list[CheckedSubmission] = []
    beyond: list[str] = []
    same = _by_author(rows)
    for one in rows:
        if sum(same[one.digest] == same[other.digest] for other in result) >= entry.versions:
            beyond.append(f"{one.name}: beyond the quota of {entry.versions} versions an author and round")
        else:
            result.append(one)
    return result, beyond


def _turn(submission: CheckedSubmission, ran: bool) -> tuple[bool, str, int, str]:
    """Return by what rows take their turns: who names others later takes no place of theirs."""
    card = submission.card
    return (False, "", 0, card.agent) if ran else (True, card.submitted or "~", len(card.authors), card.agent)


def _in_time(submission: CheckedSubmission, entry: LeaderboardRound) -> bool:
    """Return whether a row says that it was submitted by the round's last day."""
    return submission.card.submitted is not None and submission.card.submitted <= entry.closes


def _by_author(rows: Sequence[CheckedSubmission]) -> dict[str, int]:
    """Return whose each row is, by its digest; who shares an author or the contact, however spelt, is one."""
    result: dict[str, int] = {}
    names: list[set[str]] = []
    for number, row in enumerate(rows):
        own = {_plain(text) for text in (*row.card.authors, row.card.contact)}
        joined = {same for same, others in enumerate(names) if not own.isdisjoint(others)}
        result = {digest: number if same in joined else same for digest, same in result.items()}
        names.append(own.union(*(names[same] for same in joined)))
        for same in joined:
            names[same] = set()
        result[row.digest] = number
    return result


def _plain(text: str) -> str:
    """Return a name or an address without what may change and leave it the same.

    That is case, signs, accents, the order of the words, letters of other alphabets that look alike, and the
    tag of an address.
    """
    address, at, host = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKS_LIKE).partition("@")
    words = [address.partition("+")[0], host] if at else sorted(re.findall(r"\w+", _without_marks(address)))
    return "".join(c for c in "".join(words) if c.isalnum())


def _without_marks(text: str) -> str:
    """Return a decomposed text without the marks above and below its letters."""
    return "".join(c for c in text if not unicodedata.combining(c))


def _rows(board: Path, tasks: Collection[str]) -> dict[str, list[CheckedSubmission]]:
    """Return the good rows of tasks but their references, which run anyway."""
    places.require(board)
    result: dict[str, list[CheckedSubmission]] = {task: [] for task in tasks}
    folders = [folder for folder in places.submissions(board) if folder.parts[-3] in result]
    for _, row in judged(board, folders, named=False) if folders else ():
        if not isinstance(row, RefusedError) and not is_reference(row.card, row.task):
            result[row.card.task].append(row)
    return result


def _ran(entry: LeaderboardRound, chosen: Sequence[Participant], kept: KeptRuns) -> list[Ran]:
    """Return all that a round must have run; raises `ConfigError` where one lacks."""
    task = catalog.task(entry.task)
    result = [
        Ran(role, _REFERENCE_VERSION, _kept_run(entry, kept, identity(task, role), role), reference=role)
        for role in marks(task)
    ]
    for one, earlier in chosen:
        run = _kept_run(entry, kept, one.digest, one.name)
        result.append(Ran(one.card.agent, one.card.version, run, one, earlier=earlier))
    return result


def _kept_run(entry: LeaderboardRound, kept: KeptRuns, key: str, name: str) -> HiddenRun:
    run = kept.read(entry, key)
    if run is None:
        raise ConfigError(
            f"{entry.name}: {name} was not run with this version. Run it: agbench leaderboard round run "
            f"--{'pulse' if entry.pulse else 'secret'} FILE"
        )
    return run


def close(
    board: Path, entries: Sequence[LeaderboardRound], key_file: Path, early: bool = False
) -> list[LeaderboardRound]:
    """Close rounds: show every value, and reveal the salts, so that all can check and repeat what they gave.

    Raises `ConfigError`, and closes none, where a round lacks a run of what takes part in it now, or its day
    has not come and it is not to be closed `early`.
    """
    for entry in entries:
        if not early and entry.closes > rounds.today():
            raise ConfigError(f"{entry.name} closes on {entry.closes}; to close it before that: --early")
    kept = kept_beside(key_file)
    rows = _rows(board, [entry.task for entry in entries])
    closing = []
    for entry in entries:
        rounds.check_task(entry, catalog.task(entry.task))
        chosen, _ = taking_part(board, entry, rows[entry.task])
        closing.append((entry, rounds.closed(entry, key_file), _ran(entry, chosen, kept)))
    for entry, closed, ran in closing:
        assert closed.salt is not None
        task = catalog.task(entry.task)
        with rounds.salt_file(closed.salt) as salt:
            keys = hidden.scenarios_of(task, entry, salt)
        write_text(standings.values_path(board, entry.task, entry.round), standings.values_text(ran, keys))
        standings.save(board, standings.table(entry, task, ran, code_of(task), closed=True))
    result = [closed for _, closed, _ in closing]
    rounds.replace(board, result)
    return result
