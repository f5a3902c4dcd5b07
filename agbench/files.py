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
    """Create or replace `path` by what `fill` writes to the temporary path it is given.

    The temporary file has one name, so that what a killed run left is written over by the next. Who writes
    the same path at that time gets a name of its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary, lock = _temporary(path)
    try:
        fill(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None  # a full disk names none
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _temporary(path: Path) -> tuple[Path, int | None]:
    """Return an empty file beside a path, and the handle that keeps others from it, if they know its name."""
    mine = path.with_name(f".{path.name}.new{path.suffix}")
    try:
        handle = os.open(mine, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:  # something else has the name, or there is no room: the next lines say so
        handle = None
    if handle is not None:
        # Whoever has the lock may move the file or remove it: then the name is no longer that of the handle.
        if _flock(handle) is True and _is_at(handle, mine):
            os.ftruncate(handle, 0)
            return mine, handle
        os.close(handle)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    return Path(name), None


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file still has a name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


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
        if _flock(file.fileno()) is False:
            file.close()
            return None
        if _is_at(file.fileno(), path):
            return file
        file.close()


def _flock(handle: int) -> bool | None:
    """Return whether this process has the file for itself now; None where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as reason:
        return False if reason.errno in (errno.EAGAIN, errno.EACCES) else None
    return True
