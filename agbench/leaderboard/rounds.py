"""Rounds: competitions on hidden scenarios of one task, from the commitment to the reveal.

`BOARD/rounds.yaml` tells them. Each has a salt that the maintainers' secret, the task and the round's number
give, and of which only the SHA-256 is public until the round closes. Hidden scenarios follow from the salt:
with that of a closed round anyone can generate them again, and check that its SHA-256 is the one published.
"""

import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import yaml
from pydantic import Field, model_validator

from agbench.data import catalog
from agbench.data.reading import Strict, read_file
from agbench.data.submission import Hash
from agbench.data.task import Task, TaskId
from agbench.envs.scenario_weather import read_secret
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import alone, write_text

FILE: Final = "rounds.yaml"
SCENARIOS: Final = 50
VERSIONS: Final = 3
"""The quota: how many versions of all agents of an author a round runs."""
DAYS: Final = 30
_LEAST_CHARACTERS: Final = 32
_DAY: Final = r"^\d{4}-\d{2}-\d{2}$"


class LeaderboardRound(Strict):
    """A round of a task: its number, days (ISO 8601), how many hidden scenarios, and the promise.

    `closes` is the day from which on it may be closed; `versions` the quota of an author; `sha256` that of
    the salt, which `salt` reveals when the round is `closed`.
    """

    task: TaskId
    round: int = Field(ge=1)
    opened: str = Field(pattern=_DAY)
    closes: str = Field(pattern=_DAY)
    scenarios: int = Field(ge=1, le=1000)
    versions: int = Field(ge=1, le=1000)
    task_hash: Hash
    sha256: Hash
    closed: str | None = Field(default=None, pattern=_DAY)
    salt: str | None = None

    @model_validator(mode="after")
    def _kept(self) -> "LeaderboardRound":
        if (self.closed is None) != (self.salt is None):
            raise ValueError("'closed' and 'salt' must both be present or both be absent.")
        if self.salt is not None and hashlib.sha256(self.salt.encode()).hexdigest() != self.sha256:
            raise ValueError("the revealed salt is not the one whose SHA-256 was published.")
        return self

    @property
    def name(self) -> str:
        """The round in words."""
        return f"{self.task} round {self.round}"


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
        return self


def load(board: Path, task: str | None = None) -> list[LeaderboardRound]:
    """Return the rounds of a board, or of a task; none, where none was opened."""
    path = board / FILE
    result = read_file(Rounds, path).rounds if path.is_file() else []
    return [entry for entry in result if task in (None, entry.task)]


def open_rounds(board: Path, tasks: Sequence[str] | None = None) -> list[LeaderboardRound]:
    """Return the open rounds, by default of all tasks; raises `ConfigError` where a task has none."""
    result = [entry for entry in load(board) if entry.closed is None]
    missing = [task for task in tasks or () if task not in {entry.task for entry in result}]
    if missing or not result:
        of = f" of {missing[0]}" if missing else ""
        raise ConfigError(f"{board}: no round{of} is open. Open one: agbench leaderboard round open")
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
    secret_file: Path,
    scenarios: int = SCENARIOS,
    versions: int = VERSIONS,
    closes: str | None = None,
) -> list[LeaderboardRound]:
    """Open a round of each task: publish the SHA-256 of its salt. A secret that is not there is drawn.

    Raises `ConfigError`, and opens none, where a task's round is open, the secret can be guessed, its file
    lies on the board, or another command opens rounds with it now.
    """
    if board.resolve() in secret_file.resolve().parents:
        raise ConfigError(
            f"{secret_file} is on the board, where everyone can read it; keep it in another folder."
        )
    with alone(secret_file, ConfigError):  # rounds that others open meanwhile would be lost
        return _opened(board, tasks, secret_file, scenarios, versions, closes)


def _opened(
    board: Path, tasks: Sequence[str], secret_file: Path, scenarios: int, versions: int, closes: str | None
) -> list[LeaderboardRound]:
    before = load(board)
    still = [e for e in before if e.task in tasks and e.closed is None]
    if still:
        raise ConfigError(f"{board / FILE}: {still[0].name} is open; close it first.")
    specs = [catalog.task(name) for name in dict.fromkeys(tasks)]
    if not secret_file.exists() or not secret_file.stat().st_size:
        _draw(secret_file)
    day, last = today(), closes or (date.fromisoformat(today()) + timedelta(days=DAYS)).isoformat()
    if last < day:
        raise ConfigError(f"the rounds would close on {last}, before they open.")
    made = [
        LeaderboardRound(
            task=spec.task,
            round=1 + sum(entry.task == spec.task for entry in before),
            opened=day,
            closes=last,
            scenarios=scenarios,
            versions=versions,
            task_hash=provenance.task_hash(spec),
            sha256=_sha256(_salt(secret_file, spec.task, 1 + sum(e.task == spec.task for e in before))),
        )
        for spec in specs
    ]
    _save(board, [*before, *made])
    return made


def closed(entry: LeaderboardRound, secret_file: Path) -> LeaderboardRound:
    """Return a round as it is when it is closed: with its salt, so that all can repeat what it gave."""
    salt = salt_of(entry, secret_file)
    return entry.model_copy(update={"closed": today(), "salt": salt})


def replace(board: Path, changed: Sequence[LeaderboardRound]) -> None:
    """Write rounds in the place of those of the same task and number."""
    by_name = {entry.name: entry for entry in changed}
    _save(board, [by_name.get(entry.name, entry) for entry in load(board)])


def salt_of(entry: LeaderboardRound, secret_file: Path) -> str:
    """Return the salt of a round; raises `ConfigError` where the secret is not the one it was opened with."""
    salt = _salt(secret_file, entry.task, entry.round)
    if _sha256(salt) != entry.sha256:
        raise ConfigError(
            f"{secret_file} is not the secret that {entry.name} was opened with: its salt does not have the "
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


def _salt(secret_file: Path, task: str, number: int) -> str:
    """Return the salt of a task's round: nothing about other rounds follows from it."""
    message = f"agbench round {task} {number}".encode()
    return hmac.new(_secret(secret_file), message, hashlib.sha256).hexdigest()


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
    result = read_secret(path)
    if len(result) < _LEAST_CHARACTERS:
        raise ConfigError(
            f"{path}: a secret has at least {_LEAST_CHARACTERS} random letters and digits; to create one, "
            "name a file that does not exist."
        )
    return result


def _save(board: Path, result: Sequence[LeaderboardRound]) -> None:
    content = {"rounds": [entry.model_dump(exclude_none=True) for entry in result]}
    write_text(board / FILE, yaml.safe_dump(content, sort_keys=False, indent=4))
