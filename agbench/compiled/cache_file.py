"""Cache files that identify themselves: each holds its key and a checksum, and is complete or absent.

A file is `MAGIC`, the SHA-256 of what follows, the length of the key, the key, the content. It is read
only where key and checksum are those expected, so that a damaged, foreign or older file is a miss.
"""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

MAGIC: Final = b"agbench cache 1\n"
_DIGEST: Final = 32
_LENGTH: Final = 8


def name(key: str) -> str:
    """Return the stem of the file of a key."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def write(path: Path, key: str, content: bytes) -> bool:
    """Move a finished file into place; return whether that could be done.

    Where the folder cannot be written the caller does without a cache.
    """
    encoded = key.encode()
    body = len(encoded).to_bytes(_LENGTH, "little") + encoded + content
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(body).digest() + body)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    return True


def read(path: Path, key: str) -> bytes | None:
    """Return the content that was written for a key; None where there is none, or another, or damage."""
    result = _open(path)
    return result[1] if result is not None and result[0] == key else None


def key_of(path: Path) -> str | None:
    """Return the key of a file; None where it is damaged or no file of this kind."""
    result = _open(path)
    return None if result is None else result[0]


def _open(path: Path) -> tuple[str, bytes] | None:
    """Return key and content of a file that is whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + _DIGEST
    body = data[start:]
    if data[: len(MAGIC)] != MAGIC or hashlib.sha256(body).digest() != data[len(MAGIC) : start]:
        return None
    end = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    return body[_LENGTH:end].decode("utf-8", "replace"), body[end:]
