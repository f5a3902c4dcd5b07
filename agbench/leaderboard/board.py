"""Where submissions lie: `BOARD/submissions/TASK/AGENT/VERSION/`, what was verified beside them."""

from pathlib import Path
from typing import Final

from agbench.untrusted.folder import is_name
from agbench.untrusted.refusal import RefusedError

DEFAULT: Final = Path("leaderboard")
SUBMISSIONS: Final = "submissions"
VERIFIED: Final = "verified"


def place(board: Path, task: str, agent: str, version: str) -> Path:
    """Return the folder of a submission."""
    return board / SUBMISSIONS / task / agent / version


def submissions(board: Path) -> list[Path]:
    """Return the folders of all submissions of a board, sorted."""
    return sorted(p for p in (board / SUBMISSIONS).glob("*/*/*") if p.is_dir() and not p.is_symlink())


def strays(board: Path) -> list[Path]:
    """Return what lies among the submissions of a board without being part of one, sorted."""
    root = board / SUBMISSIONS
    above = [p for pattern in ("*", "*/*", "*/*/*") for p in root.glob(pattern)]
    return sorted(p for p in above if p.is_symlink() or not p.is_dir())


def check_place(folder: Path, task: str, agent: str, version: str) -> None:
    """Refuse a folder that does not lie where its card says it belongs."""
    parts = folder.absolute().parts[-3:]
    for what, found, wanted in zip(("task", "agent", "version"), parts, (task, agent, version), strict=True):
        if not is_name(wanted) or found != wanted:
            raise RefusedError("submission.yaml", what, f"{wanted!r}, but the folder is {found!r}.")
    links = [p for p in list(folder.absolute().parents)[:2] if p.is_symlink()]
    if links:
        raise RefusedError(".", "", f"{links[0].name} is a symbolic link.")
