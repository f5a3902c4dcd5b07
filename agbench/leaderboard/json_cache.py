"""What was found before, kept in a folder of the user's cache by all that it follows from.

What follows from other code of the package, or another NumPy, is found anew, and so is what was cut off,
changed or moved: each file begins with the SHA-256 of its name and content.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from agbench.compiled.closure import package_digest

Found = TypeVar("Found")


@dataclass(frozen=True)
class JsonCache:
    """A folder of JSON by key; without one nothing is kept."""

    folder: Path | None = None

    def known(
        self,
        key: Mapping[str, Any],
        find: Callable[[], Found],
        plain: Callable[[Found], Any],
        back: Callable[[Any], Found],
    ) -> Found:
        """Return what is kept under a key; `find` finds it where nothing is, or raises.

        `plain` makes plain data of it, and `back` makes it of these again.
        """
        if self.folder is None:
            return find()
        path = self._path(self.folder, key)
        content = _read(path)
        if content is not None:
            return back(json.loads(content))
        result = find()
        text = json.dumps(plain(result), separators=(",", ":"))
        with suppress(OSError):  # a cache that cannot be written saves no work, and costs none
            _write(path, f"{_sha256(path.name + text)}\n{text}")
        return result

    def _path(self, folder: Path, key: Mapping[str, Any]) -> Path:
        whole = {**key, "code": package_digest(), "numpy": np.__version__}
        name = _sha256(json.dumps(whole, sort_keys=True, default=np.ndarray.tolist))
        return folder / name[:2] / f"{name}.json"


def _write(path: Path, content: str) -> None:
    """Write a file, whole or not: a part of it is known by the SHA-256."""
    try:
        path.write_text(content, "utf-8")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


def _read(path: Path) -> str | None:
    """Return the content of a file; None where it is not there, was cut off, changed or named otherwise."""
    try:
        digest, _, content = path.read_text("utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    return content if _sha256(path.name + content) == digest else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
