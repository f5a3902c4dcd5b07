"""The list of tasks: a few keys of each file, read without validation of the rest."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from warnings import warn

from agbench.data import places
from agbench.errors import AgBenchError, AgBenchWarning, unknown

_SHOWN: Final = ("summary", "tags", "splits", "references")
_SECTION: Final = re.compile(r"^(\w+):.*\n(?:(?:[ \t#-].*)?\n)*", re.MULTILINE)
"""A key at the left margin, with the lines below that belong to it."""


@dataclass(frozen=True)
class TaskInfo:
    """A task at a glance."""

    id: str
    summary: str
    tags: tuple[str, ...]
    split_names: tuple[str, ...]
    floor: str
    expert: str
    oracle: str | None
    blind: str | None = None

    @cached_property
    def splits(self) -> dict[str, int]:
        """The number of scenarios of each split; reads and checks the whole file."""
        from agbench.data import catalog

        task = catalog.task(self.id)
        return {split: len(task.scenarios(split)) for split in task.splits}


def tasks(suite: str | None = None) -> list[TaskInfo]:
    """Return all tasks: ours, packages', and those on `AGBENCH_PATH`; or those of a suite, in its order.

    A file that cannot be listed is left out, with an `AgBenchWarning` that says what is wrong with it. Raises
    `UnknownNameError` for a suite that there is not.
    """
    result = []
    files = places.files("task")
    for name in sorted(files) if suite is None else _of_suite(suite, files):
        path = files[name]
        try:
            result.append(_info(name, path))
        except AgBenchError as error:
            warn(f"{error} It is not listed.", AgBenchWarning, stacklevel=2)
    return result


def _of_suite(suite: str, files: Mapping[str, Path]) -> list[str]:
    """Return the ids of a suite's tasks; of those without a file it warns."""
    from agbench.data import suites

    ids = suites.suite(suite).ids
    for missing in (name for name in ids if name not in files):
        text = f"suite {suite}: {unknown('task', missing, files)} It is not listed."
        warn(text, AgBenchWarning, stacklevel=3)
    return [name for name in ids if name in files]


def _info(name: str, path: Path) -> TaskInfo:
    content = _shown(path) or _checked(name)
    return TaskInfo(
        id=name,
        summary=content["summary"],
        tags=tuple(content.get("tags", ())),
        split_names=tuple(content["splits"]),
        floor=content["references"]["floor"],
        expert=content["references"]["expert"],
        oracle=content["references"].get("oracle"),
        blind=content["references"].get("blind"),
    )


def _shown(path: Path) -> dict[str, Any] | None:
    """Return what a list shows of a task's file, or None where the file does not have it as usual."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        sections = [result[0] for result in _SECTION.finditer(text + "\n") if result[1] in _SHOWN]
        content = yaml.load("".join(sections), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        usual = isinstance(content["summary"], str) and isinstance(content.get("tags", []), list)
        usual = usual and all(isinstance(content["references"][role], str) for role in ("floor", "expert"))
        return content if usual and isinstance(content["splits"], dict) and content["splits"] else None
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError):
        return None


def _checked(name: str) -> dict[str, Any]:
    """Return a task's content, read in full; raises `ConfigError` that names what is wrong."""
    from agbench.data import catalog

    return catalog.task(name).content()
