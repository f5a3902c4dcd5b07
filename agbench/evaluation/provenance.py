"""What a result was made with: hashes of task, data and simulator, versions, machine."""

import hashlib
import json
import platform
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import agbench
from agbench import simulators
from agbench.evaluation.machine import kind
from agbench.spec.task import Task

_PROSE: Final = ("summary", "source", "tags", "history")
_PROSE_OF_METRICS: Final = ("meaning", "digits")
_LIBRARIES: Final = ("numpy", "numba", "llvmlite", "gymnasium", "pcse", "casadi", "pandas")


def identity(task: Task) -> dict[str, Any]:
    """Return a task's content without what only people read.

    Left out are summary, source, tags and history, and the meaning and shown digits of metrics:
    mending a word changes no score. The rest is the protocol: scenarios, actions, observation,
    reward, constraints, metrics and their units, seeds, aggregation, reference policies by name.
    """
    content = task.identity()
    for key in _PROSE:
        content.pop(key)
    for metric in content["metrics"].values():
        for key in _PROSE_OF_METRICS:
            metric.pop(key)
    return content


def task_hash(task: Task) -> str:
    """Return the SHA-256 of a task's `identity`: results and anchors hold for one hash only."""
    content = identity(task)
    return _sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())


def simulator_hash(task: Task) -> str:
    """Return the SHA-256 of the code that moves a task's numbers, read once a process.

    It is that of all physics code, whichever the task.
    """
    return _physics_hash()


@lru_cache(maxsize=1)
def _physics_hash() -> str:
    folder = Path(simulators.__file__).parent
    return _hash_of_files(sorted(folder.rglob("*.py")), folder)


def versions() -> dict[str, str]:
    """Return the versions of the package, of Python and of the libraries that matter."""
    found = {"agbench": agbench.__version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        found[name] = metadata.version(name)
    return found


def machine() -> dict[str, str]:
    """Return what kind of machine this is (see `agbench.evaluation.machine`); nothing that names it."""
    return {"system": platform.system(), "processor": platform.machine(), "kind": kind()}


def _hash_of_files(files: Iterable[Path], folder: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def plain(value: Any) -> Any:
    """Return NumPy numbers inside dicts and lists as Python's own, for YAML."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.item() if hasattr(value, "item") else value
