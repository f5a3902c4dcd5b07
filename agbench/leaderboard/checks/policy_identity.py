"""The identity of a policy: equal identities mean the same policy, however its file was written."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.read_once import read_once
from agbench.data.submission import Submission
from agbench.data.task import Task
from agbench.policies.networks import mlp
from agbench.untrusted.text import read_schema


def own_policy(card: Submission) -> bool:
    """Return whether a submission brings a policy, rather than the name of one of the task's."""
    return card.policy is not None and card.policy.name is None


def identities(card: Submission, task: Task, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the identity of each policy of a submission by its path; none where it brings none.

    `files` are those under policy/ by name. Raises `RefusedError` where one cannot be read.
    """
    if card.policy is None:
        return {}
    if card.policy.name is not None:
        return {"submission.yaml": _of_own(card.policy.name, task)}
    return {f"policy/{name}": _of_file(f"policy/{name}", content) for name, content in files.items()}


def _of_own(name: str, task: Task) -> str:
    """Return the identity of one of the task's own policies."""
    path = catalog.find_baseline(task.task, name)
    return _of_text(name) if path is None else _of_baseline(read_once(Baseline, path))


def _of_file(name: str, content: bytes) -> str:
    if name.endswith(".yaml"):
        return _of_baseline(read_schema(Baseline, content, name))
    if name.endswith(".npz"):
        return _of_arrays(mlp.arrays_of(content, name))
    return hashlib.sha256(content).hexdigest()


def _of_baseline(baseline: Baseline) -> str:
    return _of_text(json.dumps([baseline.policy, _plain(baseline.settings)], sort_keys=True, default=str))


def _of_arrays(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the identity of a network: its numbers to the last bit, however they are packed."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        if array.dtype.kind == "f":
            array = array.astype(np.float64) + 0.0  # no -0.0
        digest.update(f"{name}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return settings in which 60 and 60.0 are the same."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) + 0.0
    return value
