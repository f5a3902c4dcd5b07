"""What the checks of a board's rows found, kept on it: `BOARD/checked/TASK/AGENT/VERSION.json.gz`.

A merge writes it, and builds of the page read it. Each file begins with the SHA-256 of its content and of
all that this follows from, so that what was cut off, changed or moved, or found by other code, is not read.
"""

import gzip
import hashlib
import io
import json
import os
import stat
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pydantic_core import from_json

from agbench.compiled.closure import closure_hash
from agbench.errors import ConfigError
from agbench.files import write_bytes
from agbench.leaderboard import board as places
from agbench.untrusted.folder import read_file
from agbench.untrusted.refusal import RefusedError

_SUFFIX: Final = ".json.gz"
_LARGEST: Final = 50_000_000  # bytes of one file, unpacked
_ROOTS: Final = (
    *(f"agbench.leaderboard.checks.{name}" for name in ("kept", "recorded", "results", "sampled")),
    *("agbench.leaderboard.checks.checked", "agbench.leaderboard.checks.task_limits"),
    *(f"agbench.untrusted.{name}" for name in ("arrays", "blocks", "confined", "refusal", "tables", "text")),
    *(f"agbench.untrusted.{name}" for name in ("onnx_graph", "onnx_runner")),
    *(f"agbench.policies.networks.{name}" for name in ("mlp", "onnx")),
    "agbench.leaderboard.checks.submission:check_policies",
    "agbench.data.families:read_task",
)
"""The code that checks results and policies, here and in other processes, and keeps what it finds."""


def place(board: Path, name: str) -> Path:
    """Return the file of a row, TASK/AGENT/VERSION."""
    return board / places.CHECKED / f"{name}{_SUFFIX}"


def read(board: Path, name: str, key: Mapping[str, Any]) -> Any:
    """Return the plain data that are kept of a row under a key; None where there are none."""
    path = place(board, name)
    try:
        with gzip.open(io.BytesIO(read_file(path.parent, path.name))) as stream:
            digest, _, content = stream.read(_LARGEST).partition(b"\n")
        return from_json(content) if digest == _digest(key, content) else None
    except (RefusedError, OSError, EOFError, zlib.error, ValueError):
        return None


def write(board: Path, name: str, key: Mapping[str, Any], found: Any) -> None:
    """Keep plain data of a row."""
    content = json.dumps(found, separators=(",", ":")).encode()
    packed = gzip.compress(_digest(key, content) + b"\n" + content, mtime=0)
    write_bytes(place(board, name), packed)


def remove(board: Path, name: str) -> None:
    """Keep nothing of a row any longer."""
    place(board, name).unlink(missing_ok=True)


def sweep(board: Path, rows: Collection[str]) -> None:
    """Delete what is kept of other rows than these, TASK/AGENT/VERSION, and drafts that are a day old.

    Raises `ConfigError`, and deletes nothing, where anything else than a plain file lies in its place.
    """
    there = {place(board, name) for name in rows}
    kept = list(_inside(board / places.CHECKED))
    for path, is_file in kept:
        if not is_file:
            raise ConfigError(f"{path}: is none of the files that a merge keeps there; move it elsewhere.")
    for path, _ in kept:
        if path not in there and path.name.endswith(".gz"):
            _sweep(path)


def _sweep(path: Path) -> None:
    """Delete a file, and the folders that it leaves empty; another merge at work may be sooner."""
    with suppress(OSError):
        if not path.name.startswith(".") or places.is_left(path):
            path.unlink()
            path.parent.rmdir()
            path.parent.parent.rmdir()


def _inside(top: Path) -> Iterator[tuple[Path, bool]]:
    """Yield what lies three deep in a folder, or higher without being a folder, and whether it is a file."""
    folders = [top] if os.path.lexists(top) else []
    for depth in range(4):
        inside = []
        for path in folders:
            with suppress(FileNotFoundError):  # another merge at work has renamed its draft
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) and depth < 3:
                    inside += sorted(path.iterdir())
                else:
                    yield path, stat.S_ISREG(mode) and path != top
        folders = inside


def _digest(key: Mapping[str, Any], content: bytes) -> bytes:
    whole = json.dumps({**key, "code": closure_hash(*_ROOTS)}, sort_keys=True)
    return hashlib.sha256(f"{whole}\n".encode() + content).hexdigest().encode()
