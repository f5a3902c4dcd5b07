"""An untrusted folder as bytes: plain files with allowed names and sizes, nothing else."""

import os
import re
import stat
from pathlib import Path
from typing import Final

from agbench.untrusted.refusal import RefusedError

FILE_BYTES: Final = 2_000_000
FOLDER_BYTES: Final = 100_000_000
FILES: Final = 1000
DEPTH: Final = 3
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?", re.ASCII)
_DEVICES = re.compile(
    r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE
)  # Windows opens these as devices


def is_name(text: str) -> bool:
    """Return whether a text may name a file, an agent or a version."""
    return NAME.fullmatch(text) is not None and _DEVICES.fullmatch(text) is None


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the content of every file under a folder by its relative path, `a/b.yaml`.

    Raises `RefusedError` for links, devices, bad names, too many or too large files, before any
    file is opened.
    """
    sizes = _listed(folder)
    total = sum(sizes.values())
    if total > FOLDER_BYTES:
        raise RefusedError(".", "", f"the files have {total:,} bytes in all; at most {FOLDER_BYTES:,}.")
    return {name: read_file(folder, name) for name in sizes}


def _listed(folder: Path) -> dict[str, int]:
    """Return the size of every file; nothing is opened."""
    if folder.is_symlink():
        raise RefusedError(".", "", "the folder is a symbolic link.")
    if not folder.is_dir():
        raise RefusedError(".", "", "there is no such folder.")
    result: dict[str, int] = {}
    _walk(folder, "", 1, result)
    return dict(sorted(result.items()))


def _walk(folder: Path, prefix: str, depth: int, result: dict[str, int]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise RefusedError(prefix or ".", "", f"cannot be listed: {error.strerror}.") from None
    if not entries and prefix:
        raise RefusedError(prefix, "", "an empty folder.")
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if not is_name(entry.name):
            raise RefusedError(
                name, "name", "names are letters, digits, dot, dash and underscore, at most 64."
            )
        details = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(details.st_mode):
            raise RefusedError(name, "", "a symbolic link.")
        if stat.S_ISDIR(details.st_mode):
            if depth == DEPTH:
                raise RefusedError(name, "", f"folders lie at most {DEPTH - 1} deep.")
            _walk(Path(entry.path), f"{name}/", depth + 1, result)
            continue
        if not stat.S_ISREG(details.st_mode):
            raise RefusedError(name, "", "neither a file nor a folder.")
        if details.st_size > FILE_BYTES:
            raise RefusedError(name, "size", f"{details.st_size:,} bytes; at most {FILE_BYTES:,}.")
        result[name] = details.st_size
        if len(result) > FILES:
            raise RefusedError(name, "", f"more than {FILES} files.")


def read_file(folder: Path, name: str) -> bytes:
    """Return a file's bytes; it must be a plain file of allowed size, and no link, when it is opened."""
    flags = os.O_RDONLY
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not blocked: a pipe has no end
        flags |= getattr(os, flag, 0)
    try:
        handle = os.open(folder / name, flags)
    except OSError as error:
        raise RefusedError(name, "", f"cannot be opened: {error.strerror}.") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # before Python opens it, which refuses folders itself
        os.close(handle)
        raise RefusedError(name, "", "no plain file.")
    with os.fdopen(handle, "rb") as file:
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise RefusedError(name, "size", f"more than {FILE_BYTES:,} bytes.")
    return content
