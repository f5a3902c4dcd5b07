"""Rounds of the leaderboard: each has a secret, of which only the SHA-256 is public until it closes.

`BOARD/rounds.yaml` lists them. Hidden scenarios follow from the secret, so that anyone with the
secret of a closed round can generate them again, and check that its SHA-256 is the published one.
"""

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Final

import yaml
from pydantic import Field, model_validator

from agbench.data.reading import Strict, read_file
from agbench.data.submission import Hash
from agbench.envs.scenario_weather import read_secret
from agbench.errors import ConfigError
from agbench.files import write_text

FILE: Final = "rounds.yaml"
SCENARIOS: Final = 50
_LEAST_CHARACTERS: Final = 32


class LeaderboardRound(Strict):
    """A round: its number, days (ISO 8601), how many hidden scenarios a task has, and the promise.

    `sha256` is that of the secret's file without white space at its ends; `revealed` is the secret.
    """

    round: int = Field(ge=1)
    opened: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    scenarios: int = Field(ge=1, le=1000)
    sha256: Hash
    closed: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")
    revealed: str | None = None

    @model_validator(mode="after")
    def _kept(self) -> "LeaderboardRound":
        if (self.closed is None) != (self.revealed is None):
            raise ValueError("'closed' and 'revealed' must both be present or both be absent.")
        if self.revealed is not None and hashlib.sha256(self.revealed.encode()).hexdigest() != self.sha256:
            raise ValueError("the revealed secret is not the one whose SHA-256 was published.")
        return self


class Rounds(Strict):
    """All rounds, in order; the last may be open."""

    rounds: list[LeaderboardRound]


def load(board: Path) -> list[LeaderboardRound]:
    """Return the rounds of a board; none, where none was opened."""
    path = board / FILE
    return read_file(Rounds, path).rounds if path.is_file() else []


def current(board: Path) -> LeaderboardRound:
    """Return the open round; raises `ConfigError` where there is none."""
    result = load(board)
    if not result or result[-1].closed is not None:
        raise ConfigError(f"{board}: no round is open. Open one: agbench leaderboard round open")
    return result[-1]


@contextmanager
def revealed(board: Path, number: int) -> Iterator[tuple[LeaderboardRound, Path]]:
    """Give a closed round and a file with its secret, which is gone after the block."""
    entry = next((s for s in load(board) if s.round == number), None)
    if entry is None or entry.revealed is None:
        text = "is open: its secret is not known" if entry else "was never opened"
        raise ConfigError(f"{board / FILE}: round {number} {text}.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "secret"
        path.write_text(entry.revealed, encoding="ascii")
        yield entry, path


def open_round(board: Path, secret_file: Path, scenarios: int = SCENARIOS) -> LeaderboardRound:
    """Open a round: publish the SHA-256 of a secret, which is drawn where its file is not there yet.

    Raises `ConfigError` where a round is open, the secret was used before or can be guessed, or its
    file lies on the board.
    """
    result = load(board)
    if result and result[-1].closed is None:
        raise ConfigError(f"{board / FILE}: round {result[-1].round} is open; close it first.")
    if board.resolve() in secret_file.resolve().parents:
        raise ConfigError(
            f"{secret_file} is on the board, where everyone can read it; keep it in another folder."
        )
    if not secret_file.exists():
        _draw(secret_file)
    digest = hashlib.sha256(_text(secret_file).encode()).hexdigest()
    if any(entry.sha256 == digest for entry in result):
        raise ConfigError(
            f"{secret_file} is the secret of an earlier round; name a file that does not exist."
        )
    made = LeaderboardRound(
        round=len(result) + 1, opened=date.today().isoformat(), scenarios=scenarios, sha256=digest
    )
    _save(board, [*result, made])
    return made


def close_round(board: Path, secret_file: Path) -> LeaderboardRound:
    """Close the open round: reveal its secret, so that all can check and repeat what it gave."""
    entry = current(board)
    check_secret(entry, secret_file)
    closed = entry.model_copy(update={"closed": date.today().isoformat(), "revealed": _text(secret_file)})
    _save(board, [*load(board)[:-1], closed])
    return closed


def check_secret(entry: LeaderboardRound, secret_file: Path) -> None:
    """Raise `ConfigError` for a secret that is not the one that was promised."""
    if hashlib.sha256(read_secret(secret_file)).hexdigest() != entry.sha256:
        raise ConfigError(
            f"{secret_file} is not the secret whose SHA-256 was published when round {entry.round} opened."
        )


def _draw(path: Path) -> None:
    """Write a new secret that only its owner can read; never over a file that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")


def _text(path: Path) -> str:
    """Return a secret that can be revealed and not be guessed."""
    result = read_secret(path)
    if not result.isascii() or not result.decode("ascii").isprintable() or len(result) < _LEAST_CHARACTERS:
        raise ConfigError(
            f"{path}: a secret is one line of at least {_LEAST_CHARACTERS} random letters and digits; "
            "to create one, name a file that does not exist."
        )
    return result.decode("ascii")


def _save(board: Path, result: list[LeaderboardRound]) -> None:
    content = {"rounds": [entry.model_dump(exclude_none=True) for entry in result]}
    write_text(board / FILE, yaml.safe_dump(content, sort_keys=False, indent=4))
