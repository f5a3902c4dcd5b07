"""Checked results that are kept: what was checked before is not unpacked and read again.

Those of merged rows are kept on the board (`agbench.leaderboard.checks.checked`), others in the user's cache.
A submission's results are known by all that their check looks at: the hashes of their files, the task, and
the code, on the board that of the check, in the cache all of the package's.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.reading import read_data
from agbench.data.submission import ResultRecord
from agbench.leaderboard.checks import checked
from agbench.leaderboard.checks.recorded import RecordedBehaviour
from agbench.leaderboard.json_cache import JsonCache


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
        kept = checked.read(self.board, name, key)
        if kept is not None:
            return _all_back(kept)
        result = self._in_folder(key, check)
        if self.merging:
            checked.write(self.board, name, key, _all_plain(result))
        return result

    def _in_folder(self, key: Mapping[str, Any], check: Callable[[], list[Known]]) -> list[Known]:
        return JsonCache(self.folder).known(key, check, _all_plain, _all_back)


def _all_plain(results: list[Known]) -> list[dict[str, Any]]:
    return [_plain(result) for result in results]


def _all_back(kept: list[dict[str, Any]]) -> list[Known]:
    return [_back(one) for one in kept]


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
