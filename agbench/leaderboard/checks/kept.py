"""Checked results kept in the user's cache: what was checked before is not unpacked and read again.

A result is known by all that its check looks at: the hashes of its files, the task, and the package's own
code. What cannot be read is checked again.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agbench.compiled.closure import package_digest
from agbench.data.reading import Strict, read_data
from agbench.data.submission import ResultRecord
from agbench.errors import ConfigError
from agbench.files import write_text
from agbench.leaderboard.checks.recorded import RecordedBehaviour


class _Kept(Strict):
    record: dict[str, Any]
    columns: dict[str, list[Any]]
    fingerprint: list[float]
    sample: str
    """Base64 of the bytes."""
    shape: list[int]
    digest: str
    steps: list[int]


@dataclass(frozen=True)
class Known:
    """What the check of a result finds, but for its actions."""

    record: ResultRecord
    columns: dict[str, list[Any]]
    behaviour: RecordedBehaviour


@dataclass(frozen=True)
class KeptResults:
    """Results that were checked, in a folder; without one nothing is kept."""

    folder: Path | None = None

    def known(self, key: Mapping[str, Any], check: Callable[[], Known]) -> Known:
        """Return what is known of a result; `check` finds it where it is not kept, or raises."""
        if self.folder is None:
            return check()
        text = json.dumps({**key, "code": package_digest()}, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()
        path = self.folder / name[:2] / f"{name}.json"
        if (kept := _read(path)) is not None:
            return kept
        result = check()
        with suppress(OSError):  # a cache that cannot be written saves no work, and costs none
            write_text(path, _text(result))
        return result


def _read(path: Path) -> Known | None:
    """Return what a file keeps; None where it is not there, cannot be read, or was cut off or changed."""
    try:
        return _plain(read_data(_Kept, json.loads(path.read_text("utf-8")), str(path)))
    except (OSError, ConfigError, ValueError, RecursionError):
        return None


def _text(result: Known) -> str:
    own = result.behaviour
    content = {
        "record": result.record.model_dump(mode="json"),
        "columns": result.columns,
        "fingerprint": own.fingerprint.tolist(),
        "sample": base64.b64encode(own.sample.tobytes()).decode(),
        "shape": list(own.sample.shape),
        "digest": own.digest,
        "steps": list(own.steps),
    }
    return json.dumps(content, separators=(",", ":"))


def _plain(kept: _Kept) -> Known:
    sample = np.frombuffer(base64.b64decode(kept.sample), np.uint8).reshape(kept.shape)
    behaviour = RecordedBehaviour(np.array(kept.fingerprint), sample, kept.digest, tuple(kept.steps))
    return Known(read_data(ResultRecord, kept.record, "record"), kept.columns, behaviour)
