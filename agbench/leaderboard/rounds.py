"""Rounds: competitions on hidden scenarios of one task, from the commitment to the reveal.

`BOARD/rounds.yaml` tells them. Each has a salt that a key, the task and the round's number give. The key is
the maintainers' secret, of whose salt only the SHA-256 is public until the round closes; or a pulse of a
public beacon after the round's last day, of which only the number is known until then. Hidden scenarios
follow from the salt: with that of a closed round anyone can generate them again, and check the promise.
"""

import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import Field, model_validator

from agbench.data import catalog
from agbench.data.read_once import read_once
from agbench.data.reading import Strict, read_data
from agbench.data.submission import Day, Hash
from agbench.data.task import Task, TaskId
from agbench.envs.scenario_weather import read_secret
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import alone, write_text
from agbench.leaderboard import beacon
from agbench.leaderboard import board as places

FILE: Final = places.ROUNDS
SCENARIOS: Final = 50
VERSIONS: Final = 3
"""The quota: how many versions of all agents of an author a round runs."""
DAYS: Final = 30
_LEAST_CHARACTERS: Final = 32
_LEAST_DIFFERENT: Final = 10
"""Different characters of a secret: 32 random hexadecimal digits have fewer once in 50,000 times."""


class LeaderboardRound(Strict):
    """A round of a task: its number, days (ISO 8601), how many hidden scenarios, and the promise.

    `closes` is the day from which on it may be closed; `versions` the quota of an author. The promise is
    `sha256`, that of the salt, or `pulse`, the number of the beacon's pulse that gives it. `salt` reveals it
    when the round is `closed`, with the `signature` of the pulse.
    """

    task: TaskId
    round: int = Field(ge=1)
    opened: Day
    closes: Day
    scenarios: int = Field(ge=1, le=1000)
    versions: int = Field(ge=1, le=1000)
    task_hash: Hash
    sha256: Hash | None = None
    pulse: int | None = Field(default=None, ge=1)
    closed: Day | None = None
    signature: beacon.Signature | None = None
    salt: str | None = None

    @model_validator(mode="after")
    def _kept(self) -> "LeaderboardRound":
        if (self.sha256 is None) == (self.pulse is None):
            raise ValueError("give either 'sha256' or 'pulse': the promise.")
        if (self.closed is None) != (self.salt is None):
            raise ValueError("'closed' and 'salt' must both be present or both be absent.")
        if not self.opened <= min(self.closes, self.closed or self.closes):
            raise ValueError("it opens before it closes: is a clock wrong?")
        if (self.signature is None) == (self.pulse is not None and self.closed is not None):
            raise ValueError("'signature' belongs to a closed round with a 'pulse'.")
        if self.salt is not None and self.sha256 is not None and _sha256(self.salt) != self.sha256:
            raise ValueError("the revealed salt is not the one whose SHA-256 was published.")
        if self.signature is not None and self.salt != _salt(
            beacon.randomness(self.signature), self.task, self.round
        ):
            raise ValueError("the revealed salt does not follow from the signature of the pulse.")
        if self.pulse is not None and self.pulse < beacon.first_after(self.closes):
            raise ValueError("the pulse is known before the day after 'closes'.")
        return self

    @property
    def promise(self) -> str:
        """What its salt was promised by."""
        return self.sha256 or f"pulse {self.pulse}"

    @property
    def name(self) -> str:
        """The round in words."""
        return f"{self.task} round {self.round}"


class _Day(Strict):
    closes: Day


class Rounds(Strict):
    """All rounds; those of a task in order, the last of which may be open."""

    rounds: list[LeaderboardRound]

    @model_validator(mode="after")
    def _in_order(self) -> "Rounds":
        for task in dict.fromkeys(entry.task for entry in self.rounds):
            own = [entry for entry in self.rounds if entry.task == task]
            if [entry.round for entry in own] != list(range(1, len(own) + 1)):
                raise ValueError(f"{task}: its rounds must be 1, 2, 3 and so on, in this order.")
            if any(entry.closed is None for entry in own[:-1]):
                raise ValueError(f"{task}: only its last round may be open.")
            if any(after.opened < (before.closed or "") for before, after in pairwise(own)):
                raise ValueError(
                    f"{task}: a round opens before the one before it has closed: is a clock wrong?"
                )
        return self


def load(board: Path, task: str | None = None) -> list[LeaderboardRound]:
    """Return the rounds of a board, or of a task; none, where none was opened."""
    path = board / FILE
    result = read_once(Rounds, path).rounds if path.is_file() else []
    return [entry for entry in result if task in (None, entry.task)]


def open_rounds(
    board: Path, tasks: Sequence[str] | None = None, by_pulse: bool | None = None
) -> list[LeaderboardRound]:
    """Return the open rounds, by default of all tasks; raises `ConfigError` where a task has none.

    `by_pulse` chooses those whose salts a beacon gives, or those whose salts a secret gives.
    """
    result = [e for e in load(board) if e.closed is None and by_pulse in (None, e.pulse is not None)]
    missing = [task for task in tasks or () if task not in {entry.task for entry in result}]
    if missing or not result:
        of = f" of {missing[0]}" if missing else ""
        kind = {None: "", True: " whose salt a beacon gives", False: " whose salt a secret gives"}[by_pulse]
        raise ConfigError(f"{board}: no round{of} is open{kind}. Open one: agbench leaderboard round open")
    return [entry for entry in result if not tasks or entry.task in tasks]


def closed_rounds(
    board: Path, tasks: Sequence[str] | None = None, number: int | None = None
) -> list[LeaderboardRound]:
    """Return closed rounds of tasks, by default all; raises `ConfigError` where there is none."""
    every = [e for e in load(board) if not tasks or e.task in tasks]
    result = [e for e in every if e.closed is not None and number in (None, e.round)]
    if not result:
        still = any(number in (None, e.round) for e in every)
        text = "is open: its salt is not known" if still else "was never opened"
        which = "a round" if number is None else f"round {number}"
        of = f" of {', '.join(tasks)}" if tasks else ""
        raise ConfigError(f"{board / FILE}: {which}{of} {text}.")
    return result


def open_round(
    board: Path,
    tasks: Sequence[str],
    secret_file: Path | None,
    scenarios: int = SCENARIOS,
    versions: int = VERSIONS,
    closes: str | None = None,
) -> list[LeaderboardRound]:
    """Open a round of each task: publish the SHA-256 of its salt. A secret that is not there is drawn.

    Without a secret the number of the pulse is published that gives the salt after the last day.

    Raises `ConfigError`, and opens none, where a task's round is open, the secret can be guessed, its file
    lies on the board, or another command opens rounds now.
    """
    if secret_file is not None and board.resolve() in secret_file.resolve().parents:
        raise ConfigError(
            f"{secret_file} is on the board, where everyone can read it; keep it in another folder."
        )
    with alone(board / FILE, ConfigError):  # rounds that others open meanwhile would be lost
        return _opened(board, tasks, secret_file, scenarios, versions, closes)


def _opened(
    board: Path,
    tasks: Sequence[str],
    secret_file: Path | None,
    scenarios: int,
    versions: int,
    closes: str | None,
) -> list[LeaderboardRound]:
    before = load(board)
    still = [e for e in before if e.task in tasks and e.closed is None]
    if still:
        raise ConfigError(f"{board / FILE}: {still[0].name} is open; close it first.")
    specs = [catalog.task(name) for name in dict.fromkeys(tasks)]
    day = today()
    last = _day_of(closes) if closes else (date.fromisoformat(day) + timedelta(days=DAYS)).isoformat()
    if last < day:
        raise ConfigError(f"the rounds would close on {last}, before they open on {day}.")
    for entry in before:
        if entry.task in tasks and (entry.closed or "") > day:
            raise ConfigError(
                f"{entry.name} closed on {entry.closed}, and today is {day}: is the clock right?"
            )
    if secret_file is not None and (not secret_file.exists() or not secret_file.stat().st_size):
        _draw(secret_file)
    made = [
        LeaderboardRound(
            task=spec.task,
            round=1 + sum(entry.task == spec.task for entry in before),
            opened=day,
            closes=last,
            scenarios=scenarios,
            versions=versions,
            task_hash=provenance.task_hash(spec),
            **_promised(secret_file, spec.task, 1 + sum(e.task == spec.task for e in before), last),
        )
        for spec in specs
    ]
    _save(board, [*before, *made])
    return made


def _day_of(text: str) -> str:
    """Return a day; raises `ConfigError` for what is none."""
    return read_data(_Day, {"closes": text}, "the rounds").closes


def _promised(secret_file: Path | None, task: str, number: int, last: str) -> dict[str, Any]:
    if secret_file is None:
        return {"pulse": beacon.first_after(last)}
    return {"sha256": _sha256(_salt(_secret(secret_file), task, number))}


def closed(entry: LeaderboardRound, key_file: Path) -> LeaderboardRound:
    """Return a round as it is when it is closed: with its salt, so that all can repeat what it gave."""
    changes: dict[str, Any] = {"closed": today(), "salt": salt_of(entry, key_file)}
    if entry.pulse is not None:
        changes["signature"] = beacon.read(key_file, entry.pulse).signature
    return read_data(LeaderboardRound, entry.model_dump() | changes, entry.name)


def replace(board: Path, changed: Sequence[LeaderboardRound]) -> None:
    """Write rounds in the place of those of the same task and number."""
    by_name = {entry.name: entry for entry in changed}
    with alone(board / FILE, ConfigError):
        _save(board, [by_name.get(entry.name, entry) for entry in load(board)])


def salt_of(entry: LeaderboardRound, key_file: Path) -> str:
    """Return the salt of a round from the file of its secret or pulse.

    Raises `ConfigError` where the secret is not the one it was opened with, or the pulse another one.
    """
    if entry.pulse is not None:
        value = beacon.randomness(beacon.read(key_file, entry.pulse).signature)
        return _salt(value, entry.task, entry.round)
    salt = _salt(_secret(key_file), entry.task, entry.round)
    if _sha256(salt) != entry.sha256:
        raise ConfigError(
            f"{key_file} is not the secret that {entry.name} was opened with: its salt does not have the "
            "SHA-256 that was published."
        )
    return salt


def check_task(entry: LeaderboardRound, task: Task) -> None:
    """Raise `ConfigError` where a task is no longer the one that the round was opened for."""
    if provenance.task_hash(task) != entry.task_hash:
        raise ConfigError(f"{entry.name}: {task.task} has changed since the round was opened.")


@contextmanager
def salt_file(salt: str) -> Iterator[Path]:
    """Give a file with a salt, which only its owner can read and which is gone after the block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "salt"
        path.write_text(salt, encoding="ascii")
        yield path


def _salt(key: bytes, task: str, number: int) -> str:
    """Return the salt of a task's round: nothing about other rounds follows from it."""
    return hmac.new(key, f"agbench round {task} {number}".encode(), hashlib.sha256).hexdigest()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def today() -> str:
    """Return the day, in UTC, as ISO 8601 writes it."""
    return datetime.now(UTC).date().isoformat()


def _draw(path: Path) -> None:
    """Write a new secret that only its owner can read; never over a file that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if not path.stat().st_size:  # of a command that was cut off
            path.unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
    except OSError as error:
        path.unlink(missing_ok=True)  # half a secret would be taken for one
        error.filename = error.filename or str(path)
        raise


def _secret(path: Path) -> bytes:
    """Return a secret that cannot be guessed."""
    try:
        result = path.read_bytes().strip()
    except OSError:
        return read_secret(path)  # says what is wrong
    if len(result) < _LEAST_CHARACTERS or len(set(result)) < _LEAST_DIFFERENT:
        raise ConfigError(
            f"{path}: a secret has at least {_LEAST_CHARACTERS} random letters and digits; to create one, "
            "name a file that does not exist."
        )
    return result


def _save(board: Path, result: Sequence[LeaderboardRound]) -> None:
    content = {"rounds": [entry.model_dump(exclude_none=True) for entry in result]}
    write_text(board / FILE, yaml.safe_dump(content, sort_keys=False, indent=4))
