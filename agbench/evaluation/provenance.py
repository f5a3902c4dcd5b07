"""The provenance of a result: hashes of task, data and simulator, versions, machine."""

import hashlib
import json
import platform
from functools import lru_cache
from importlib import metadata
from typing import Any, Final

from agbench import __version__
from agbench.compiled.closure import closure_hash
from agbench.data.task import Task
from agbench.envs.family import entry_points
from agbench.evaluation.machine import kind

_PROSE: Final = ("summary", "source", "tags", "hard", "simplified", "history")
_PROSE_OF_METRICS: Final = ("meaning", "digits")
_LIBRARIES: Final = ("numpy", "numba", "llvmlite", "gymnasium", "pcse", "casadi", "pandas")


def identity(task: Task) -> dict[str, Any]:
    """Return a task's content without what only people read.

    Left out are summary, source, tags, hard, simplified and history, and the meaning and shown digits of
    metrics: mending a word changes no score. The rest is the protocol: scenarios, actions, observation,
    reward, constraints, metrics and their units, seeds, aggregation, reference policies by name. A blind
    calendar that a task does not have is as good as not there.
    """
    content = task.identity()
    if task.references.blind is None:
        del content["references"]["blind"]
    for key in _PROSE:
        content.pop(key)
    for metric in content["metrics"].values():
        for key in _PROSE_OF_METRICS:
            metric.pop(key)
    return content


def task_hash(task: Task) -> str:
    """Return the SHA-256 of a task's `identity`: results and anchors hold for one hash only."""
    return _task_hash(_SameTask(task))


class _SameTask:
    """A task as a key of a cache: no other object equals it, and it lives as long as the key."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __hash__(self) -> int:
        return id(self.task)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameTask) and self.task is other.task


@lru_cache(maxsize=256)
def _task_hash(key: _SameTask) -> str:
    content = identity(key.task)
    return _sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())


def simulator_hash(task: Task) -> str:
    """Return the SHA-256 of the code that can move a task's numbers, the same for tasks of one model.

    It covers kernels, weather, generator or disaggregation, worlds, actions, observations, rewards and
    constraints, as `agbench.compiled.closure` finds them; docstrings and comments are left out.
    """
    return closure_hash(*entry_points(task))


def versions() -> dict[str, str]:
    """Return the versions of the package, of Python and of the libraries that matter."""
    libraries = {name: _installed(name) for name in _LIBRARIES}
    return {"agbench": __version__, "python": platform.python_version(), **libraries}


@lru_cache(maxsize=len(_LIBRARIES))
def _installed(library: str) -> str:
    """Return the version of a library, whose record is a file to find and read."""
    return metadata.version(library)


def machine() -> dict[str, str]:
    """Return what kind of machine this is (see `agbench.evaluation.machine`); nothing that names it."""
    return {"system": platform.system(), "processor": platform.machine(), "kind": kind()}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def plain(value: Any) -> Any:
    """Return NumPy numbers inside dicts and lists as Python's own, for YAML."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.item() if hasattr(value, "item") else value
