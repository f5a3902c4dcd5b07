"""Checked results that are kept: what was checked before is not unpacked and read again.

Whoever merges a row keeps what its check found on the board, `checked/TASK/AGENT/VERSION.json.gz`; what
others check is kept in the user's cache. A submission's results are known by all that their check looks at:
the hashes of their files, the task, and on the board the code that checks, in the cache all of the package's.
"""

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from agbench.compiled.closure import closure_hash
from agbench.data.reading import read_data
from agbench.data.submission import ResultRecord
from agbench.files import write_bytes
from agbench.leaderboard import board as places
from agbench.leaderboard.checks.recorded import RecordedBehaviour
from agbench.leaderboard.json_cache import JsonCache

_ROOTS: Final = ("agbench.leaderboard.checks.results:found", "agbench.untrusted.tables")
"""The code that checks results, here and in the child process that reads their tables."""


@dataclass(frozen=True)
class Known:
    """What the check of a result finds, but for its actions."""

    record: ResultRecord
    columns: dict[str, list[Any]]
    behaviour: RecordedBehaviour


@dataclass(frozen=True)
class KeptResults:
    """Results that were checked: those of a `board`'s merged rows, and others in a `folder`.

    Without either nothing is kept. A merge is `merging`: what it has to check it keeps on the board.
    """

    folder: Path | None = None
    board: Path | None = None
    merging: bool = False

    def known(self, name: str, key: Mapping[str, Any], check: Callable[[], list[Known]]) -> list[Known]:
        """Return what is known of the results of a submission, TASK/AGENT/VERSION.

        `check` finds what is not kept under this key, or raises.
        """
        if self.board is None:
            return self._in_folder(key, check)
        path, digest = place(self.board, name), _digest(key)
        result = _read(path, digest)
        if result is None:
            result = self._in_folder(key, check)
            if self.merging:
                _write(path, digest, result)
        return result

    def _in_folder(self, key: Mapping[str, Any], check: Callable[[], list[Known]]) -> list[Known]:
        return JsonCache(self.folder).known(
            key,
            check,
            lambda found: [_plain(one) for one in found],
            lambda kept: [_back(one) for one in kept],
        )


def place(board: Path, name: str) -> Path:
    """Return the file of what the check of a merged row, TASK/AGENT/VERSION, found."""
    return board / places.CHECKED / f"{name}.json.gz"


def _digest(key: Mapping[str, Any]) -> str:
    """Return what results on a board are known by."""
    text = json.dumps({**key, "code": closure_hash(*_ROOTS)}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path, digest: str) -> list[Known] | None:
    """Return the results in a file; None where it is not there, damaged or of something else."""
    try:
        kept = from_json(gzip.decompress(path.read_bytes()))
        return [_back(one) for one in kept["results"]] if kept["known_by"] == digest else None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, digest: str, results: list[Known]) -> None:
    kept = {"known_by": digest, "results": [_plain(one) for one in results]}
    write_bytes(path, gzip.compress(json.dumps(kept, separators=(",", ":")).encode(), mtime=0))


def _plain(result: Known) -> dict[str, Any]:
    own = result.behaviour
    return {
        "record": result.record.model_dump(mode="json"),
        "columns": {name: _packed_column(column) for name, column in result.columns.items()},
        "fingerprint": _packed(own.fingerprint),
        "sample": _packed(own.sample),
        "shape": list(own.sample.shape),
        "digest": own.digest,
        "steps": list(own.steps),
    }


def _back(kept: Mapping[str, Any]) -> Known:
    sample = _unpacked(kept["sample"], np.uint8).reshape(kept["shape"])
    fingerprint = _unpacked(kept["fingerprint"], np.float64)
    columns = {name: _column(column) for name, column in kept["columns"].items()}
    behaviour = RecordedBehaviour(fingerprint, sample, kept["digest"], tuple(kept["steps"]))
    return Known(read_data(ResultRecord, kept["record"], "record"), columns, behaviour)


def _packed_column(column: list[Any]) -> list[Any] | str:
    """Return a column for JSON: numbers that are not whole as their bits, written and read in no time."""
    return _packed(np.array(column)) if column and isinstance(column[0], float) else column


def _column(kept: list[Any] | str) -> list[Any]:
    """Return a column of what `_packed_column` made of it."""
    return _unpacked(kept, np.float64).tolist() if isinstance(kept, str) else kept


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _unpacked(text: str, dtype: type[Any]) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype)
