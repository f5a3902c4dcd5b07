"""Overrides: change single keys of a task by name, checked like the file itself."""

import copy
from collections.abc import Mapping
from typing import Any, Final

from agbench.data.families import read_task
from agbench.data.task import Task
from agbench.errors import ConfigError, did_you_mean

_FIXED: Final = ("metrics", "splits", "references")
_WHOLE: Final = ("fields",)
"""Lists of a task that are changed as a whole, such as the fields of a farm."""


def override(task: Task, changes: Mapping[str, Any]) -> Task:
    """Return the task with some of its keys changed.

    A key is named by its path (`reward.beta`, or `reward__beta` where dots cannot be written) or,
    where only one section has it, by its last word (`beta`). Raises `ConfigError` for a key that
    does not exist, is ambiguous, or takes no such value.
    """
    if not changes:
        return task
    content = copy.deepcopy(task.content())
    for key, value in changes.items():
        *parents, last = _path(task, key)
        target = content
        for parent in parents:
            target = target[parent]
        target[last] = dict(value) if isinstance(value, Mapping) else _plain(value)
    return read_task(content, f"override of {task.task}")


def keys(task: Task) -> list[str]:
    """Return the paths of all keys that can be overridden."""
    contents = task.content()
    return [
        f"{section}.{key}"
        for section, content in contents.items()
        if isinstance(content, dict) and section not in _FIXED
        for key in content
    ] + [name for name in _WHOLE if name in contents]


def _path(task: Task, key: str) -> list[str]:
    """Return the path of a key from its full or short name."""
    paths = keys(task)
    text = key.replace("__", ".")
    if text in paths:
        return text.split(".")
    if "." not in text:
        meant = [path for path in paths if path.split(".")[-1] == text]
        if len(meant) == 1:
            return meant[0].split(".")
        if meant:
            raise ConfigError(
                f"override {key!r} is ambiguous: {' or '.join(meant)} "
                f"(in Python {' or '.join(path.replace('.', '__') for path in meant)})."
            )
    words = {path.split(".")[-1] for path in paths} | set(paths)
    raise ConfigError(f"override: unknown key {key!r}.{did_you_mean(text, words)}")


def _plain(value: Any) -> Any:
    """Return NumPy scalars and tuples as what YAML would have given."""
    if isinstance(value, tuple):
        return list(value)
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
