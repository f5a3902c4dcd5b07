"""Files: hashed, and written so that a killed run leaves no half file (to a temporary name, then moved)."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

BOARD: Final = Path("leaderboard")
"""Where the leaderboard lies unless a caller says otherwise."""
REFERENCES: Final = Path("runs/references")
"""Where the results of reference policies are kept unless a caller says otherwise."""


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checked(path: Path, expected: str | None, where: str, error: type[Exception]) -> str:
    """Return the SHA-256 of a file; raises `error` without the file, or if `expected` is another SHA-256."""
    if not path.is_file():
        raise error(f"{where}: there is no file {path}.")
    result = sha256(path)
    if expected not in (None, result):
        raise error(
            f"{where}: {path} has the SHA-256 {result}, not {expected}: it was changed or is damaged. "
            "Install it again."
        )
    return result


def write(path: Path, fill: Callable[[Path], object]) -> None:
    """Create or replace `path` by what `fill` writes to the temporary path it is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        fill(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Create or replace a UTF-8 text file."""
    write(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
