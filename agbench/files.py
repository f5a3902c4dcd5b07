"""Files and folders: hashed, and written so that a killed run leaves no half one and loses no older one.

They are written beside their place, under a name that begins with a dot, then moved there.
"""

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

BOARD: Final = Path("leaderboard")
"""Where the leaderboard lies unless a caller says otherwise."""
REFERENCES: Final = Path("runs/references")
"""Where the results of reference policies are kept unless a caller says otherwise."""
Stamp = tuple[int, int, int]
"""When a file was changed [ns], its bytes and its inode."""
Refusal = Callable[[str], Exception]
"""What makes an error of a sentence: its class, or a function that adds something to the sentence."""
OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""Errors of writing, which may come without the name of the file."""


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stamp(path: Path) -> Stamp:
    """Return by what a file is known to be as it was when it was read."""
    of = path.stat()
    return of.st_mtime_ns, of.st_size, of.st_ino


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


def require_writable(folder: Path, error: type[Exception]) -> None:
    """Make a folder and raise `error` where it cannot be written, before anything is worked out for it."""
    require_no_file(folder, error)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as failed:
        raise error(f"{folder}: the results cannot be written there: {failed.strerror or failed}.") from None


def require_space(path: Path, needed: int) -> None:
    """Raise `OSError`, as a full disk does, unless so many bytes are free where a file lies.

    For libraries that a write cut short leaves unusable, such as HDF5, which then ends the process.
    """
    if shutil.disk_usage(path.parent).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def write(path: Path, fill: Callable[[Path], object]) -> None:
    """Create or replace `path` by what `fill` writes to the temporary path it is given.

    The temporary file has one name, so that what a killed run left is written over by the next. Who writes
    the same path at that time gets a name of its own. A link to a file stays, and the file is replaced; what
    is neither file nor folder, such as a pipe or a device, stays too, and is written to.
    """
    if is_stream(path):
        _write_to_stream(path, fill)
        return
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    with asked_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary, lock = _temporary(path)
        try:
            fill(temporary)
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)


def require_no_file(folder: Path, error: Refusal) -> None:
    """Raise `error` where a path, or what it would lie in, is there and is no folder."""
    there = next((above for above in (folder, *folder.parents) if os.path.lexists(above)), None)
    if there is not None and not there.is_dir() and not there.is_symlink():
        what = "is a file, not a folder" if there.is_file() else "is not a folder"
        raise error(f"{there} {what}: nothing can be written in it. Name another folder, or remove it.")


def require_kind(path: Path, is_one: Callable[[Path], bool], what: str, error: Refusal) -> None:
    """Raise `error` where a file lies that is not `what`, such as `a report`: it would be lost.

    `is_one` says whether a file is one. An empty file may be replaced, and a pipe or a device is written to.
    A folder is refused, and so is a file in whose place there would have to be a folder.
    """
    if path.is_dir() or path.name in ("", ".."):
        raise error(f"{path} is a folder; name a file in it.")
    require_no_file(path.parent, error)
    if path.is_file() and path.stat().st_size and not is_one(path):
        raise error(
            f"{path} is there already and is not {what} of AgBench's: it would be replaced. Name another "
            "file, or remove it."
        )


def is_stream(path: Path) -> bool:
    """Return whether a path, or what it links to, is there and neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _write_to_stream(path: Path, fill: Callable[[Path], object]) -> None:
    """Write to a pipe or a device, once the content is whole: who fills it may need to go back in it."""
    with tempfile.TemporaryDirectory(prefix="agbench-") as folder:
        draft = Path(folder) / f"draft{path.suffix}"
        fill(draft)
        with draft.open("rb") as content, path.open("wb") as stream:
            shutil.copyfileobj(content, stream)


@contextmanager
def asked_for(path: Path, drafts: Path | None = None) -> Iterator[None]:
    """Let errors of the system in the block name `path`, which the user knows, where they name a draft of it.

    The absolute paths of drafts begin with `drafts`. By default they lie beside the path, and their names are
    a dot, the path's name, and more after a dot or a hyphen. A full disk names nothing, and is taken to be
    about `path`.
    """
    try:
        yield
    except OSError as error:
        names = [
            os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)
        ]
        beside = os.path.join(os.path.dirname(os.path.abspath(path)), f".{path.name}")
        begin = (f"{beside}.", f"{beside}-") if drafts is None else os.path.abspath(drafts)
        if any(os.path.abspath(name).startswith(begin) for name in names) or (
            not names and error.errno in OF_THE_DISK
        ):
            error.filename, error.filename2 = str(path), None
        raise


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
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Create or replace a file with this content."""
    write(path, lambda temporary: temporary.write_bytes(content))


def place_of(folder: Path, error: Refusal) -> Path:
    """Return the folder that a path names, with a name of its own and no link, for a command to put it there.

    Raises `error`, before anything is worked out, for a link to nothing and for what `require_movable`
    refuses.
    """
    result = folder
    if folder.is_symlink() or folder.name in ("", ".."):
        result = Path(os.path.realpath(folder))
        if folder.is_symlink() and not result.exists():
            raise error(
                f"{folder} is a symbolic link to {result}, where nothing is. Make a folder there, or name "
                "another."
            )
    require_movable(result, error)
    return result


def require_movable(folder: Path, error: Refusal) -> None:
    """Raise `error` for a folder in whose place no other can be moved: the current one, a disk's own.

    Who works in a folder that another one replaces is nowhere.
    """
    real = Path(os.path.realpath(folder))
    with suppress(FileNotFoundError):  # there may be no current folder any more
        here = Path(os.path.realpath(os.getcwd()))
        if real == here or real in here.parents:
            what = "is" if real == here else "holds"
            raise error(
                f"{folder} {what} the current folder, and would be replaced by another. Name a folder in it, "
                "or run this from elsewhere."
            )
    if os.path.ismount(real):
        raise error(f"{folder} is where a disk is mounted, and cannot be replaced. Name a folder in it.")


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill; at the end of the block it takes the place of `folder`.

    An older one there is deleted only then. Where the block raises, it stays; where the process is killed,
    `recover` brings it back. For who is `alone` there, and knows that the older one may go.
    """
    recover(folder)
    draft, old, replaced = (_drafts(folder) / name for name in ("new", "old", "replaced"))
    with asked_for(folder):
        try:
            draft.mkdir(parents=True)
            yield draft
            if folder.is_dir():
                shutil.rmtree(old, ignore_errors=True)  # of a run that was killed when it had replaced it
                os.rename(folder, old)
            os.rename(draft, folder)
            if old.is_dir():
                os.rename(old, replaced)  # never to come back: a kill from here on leaves a part of it
        finally:
            recover(folder)


def recover(folder: Path) -> None:
    """Bring back the folder that a killed `replacing` had moved aside, and sweep what else it left.

    Where something has taken the folder's place, what was moved aside stays until the next has replaced it.
    """
    drafts = _drafts(folder)
    old = drafts / "old"
    if old.is_dir() and (not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))):
        if folder.is_dir():
            folder.rmdir()
        os.rename(old, folder)
    for name in ("new", "replaced"):
        shutil.rmtree(drafts / name, ignore_errors=True)
    with suppress(OSError):  # there is none, or it has the old one
        drafts.rmdir()


def forget(folder: Path) -> None:
    """Delete the older folder that a killed `replacing` left, for who knows that the new one is whole."""
    shutil.rmtree(_drafts(folder), ignore_errors=True)


def _drafts(folder: Path) -> Path:
    """Return where the new folder lies until it is whole, and the old one while they change places."""
    return folder.with_name(f".{folder.name}.replacing")


@contextmanager
def alone(folder: Path, error: Refusal) -> Iterator[None]:
    """Keep all others from writing a folder meanwhile; they get `error`, which says so.

    The lock is a file beside the folder. It ends with the process, however that ends. Errors of the system
    about the folder's drafts name the folder (see `asked_for`).
    """
    whole = Path(os.path.abspath(folder))
    path = whole.with_name(f".{whole.name}.lock")
    with asked_for(folder):
        try:
            if not path.parent.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
        except OSError as failed:
            text = f"{folder}: cannot be written: {failed.strerror or failed}. Give one that can be written."
            raise error(text) from None
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
