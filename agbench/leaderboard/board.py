"""The folders of a board: `BOARD/submissions/TASK/AGENT/VERSION/`, and what checks and verification found."""

import shutil
import time
from pathlib import Path
from typing import Final

from agbench.errors import ConfigError
from agbench.untrusted.folder import is_name
from agbench.untrusted.refusal import RefusedError

SUBMISSIONS: Final = "submissions"
ROUNDS: Final = "rounds.yaml"
VERIFIED: Final = "verified"
CHECKED: Final = "checked"
CARD: Final = "submission.yaml"
"""The name of a submission's card."""
DRAFT: Final = ".submitting-"
"""How the name of a folder begins in which a submission is made, on a board or beside it."""
_KEPT_SECONDS: Final = 86_400.0


def place(board: Path, task: str, agent: str, version: str) -> Path:
    """Return the folder of a submission."""
    return board / SUBMISSIONS / task / agent / version


def require(board: Path) -> None:
    """Raise `ConfigError` where there is no board: no submissions, and no rounds that were opened before."""
    if not (board / SUBMISSIONS).is_dir() and not (board / ROUNDS).is_file():
        raise ConfigError(
            f"there is no board at {board}; a board is a folder with {SUBMISSIONS}/TASK/AGENT/VERSION."
        )


def submissions(board: Path) -> list[Path]:
    """Return the folders of all submissions of a board, sorted; no link is followed."""
    return _below(board)[0]


def strays(board: Path) -> list[Path]:
    """Return what lies among the submissions of a board without being part of one, sorted."""
    return _below(board)[1]


def _below(board: Path) -> tuple[list[Path], list[Path]]:
    """Return the folders three levels below the submissions' own, and all else above them."""
    folders, others = [board / SUBMISSIONS], []
    for _ in range(3):
        inside = sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir())
        folders = [path for path in inside if path.is_dir() and not path.is_symlink()]
        others += [path for path in inside if path.is_symlink() or not path.is_dir()]
    return folders, sorted(others)


def sweep(folder: Path, pattern: str, mark: str | None = None) -> None:
    """Delete the folders that a command that was killed a day ago or earlier left behind.

    Their names fit `pattern`; with `mark` those alone that hold a file of this name.
    """
    for left in folder.glob(pattern):
        made = left.is_dir() and not left.is_symlink() and (mark is None or (left / mark).is_file())
        if made and is_left(left):
            shutil.rmtree(left, ignore_errors=True)


def is_left(draft: Path) -> bool:
    """Return whether a draft is a day old: a command that is at work may have made a younger one."""
    return time.time() - draft.stat().st_mtime > _KEPT_SECONDS


def check_place(folder: Path, task: str, agent: str, version: str) -> None:
    """Refuse a folder that does not lie where its card says it belongs."""
    parts = folder.absolute().parts[-3:]
    for what, result, expected in zip(
        ("task", "agent", "version"), parts, (task, agent, version), strict=True
    ):
        if not is_name(expected) or result != expected:
            raise RefusedError(CARD, what, f"{expected!r}, but the folder is {result!r}.")
    links = [p for p in list(folder.absolute().parents)[:2] if p.is_symlink()]
    if links:
        raise RefusedError(".", "", f"{links[0].name} is a symbolic link.")
