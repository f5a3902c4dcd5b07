"""Files: hashed, and written so that a killed run leaves no half file (to a temporary name, then moved)."""

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

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


@contextmanager
def alone(folder: Path, error: type[Exception]) -> Iterator[None]:
    """Keep all others from writing a folder meanwhile; they get `error`, which says so.

    The lock is a file beside the folder. It ends with the process, however that ends.
    """
    whole = Path(os.path.abspath(folder))
    path = whole.with_name(f".{whole.name}.lock")
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
    lock = _locked(path)
    if lock is None:
        raise error(f"{folder}: another process is writing it. Wait for it, or give another folder.")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: whoever opened it meanwhile sees that it is gone
        lock.close()


def _locked(path: Path) -> IO[str] | None:
    """Return a file that is locked as long as it is open; None where it is already."""
    while True:
        file = path.open("w")
        if not _lock(file):
            file.close()
            return None
        try:
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        file.close()


def _lock(file: IO[str]) -> bool:
    """Return whether this process has the file for itself now; always where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as reason:
        return reason.errno not in (errno.EAGAIN, errno.EACCES)
    return True
