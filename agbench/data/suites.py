"""Suites: named sets of tasks that a rank is over, from `tasks/suites.yaml` of every folder of data.

Variants of one task are views of it: together they count as much as one task.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final
from warnings import warn

from pydantic import Field, StringConstraints, model_validator

from agbench.data import places
from agbench.data.reading import Strict, read_file
from agbench.errors import AgBenchError, AgBenchWarning, ConfigError, unknown

_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
_Id = Annotated[str, StringConstraints(pattern=f"^{places.TASK_ID.pattern}$")]


class Views(Strict):
    """A task and variants of it that differ in what is seen, or in how actions are given."""

    task: _Id
    views: list[_Id] = Field(min_length=1)


class Suite(Strict):
    """A suite: what to call it, what it is for, and its tasks, each by its id or with its views."""

    title: str = Field(min_length=1)
    summary: str = Field(min_length=1)
    tasks: list[_Id | Views] = Field(min_length=1)

    @property
    def groups(self) -> list[list[str]]:
        """The ids of its tasks, those that count as one together."""
        return [[one] if isinstance(one, str) else [one.task, *one.views] for one in self.tasks]

    @property
    def ids(self) -> list[str]:
        """The ids of all its tasks, views included."""
        return [name for group in self.groups for name in group]

    @model_validator(mode="after")
    def _each_once(self) -> "Suite":
        twice = sorted({name for name in self.ids if self.ids.count(name) > 1})
        if twice:
            raise ValueError(f"{twice[0]!r} is in it twice: a task, or a view of it, counts once.")
        return self


class Suites(Strict):
    """The content of a file of suites, by their names.

    Families of tasks weigh alike in a suite; `together` names those that weigh as one.
    """

    suites: dict[_Name, Suite] = Field(min_length=1)
    together: list[list[_Name]] = []

    @model_validator(mode="after")
    def _family_once(self) -> "Suites":
        names = [name for group in self.together for name in group]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"together: the family {twice[0]!r} is named twice.")
        return self


FILE: Final = places.SUITES


def suites() -> dict[str, Suite]:
    """Return all suites by name: ours, packages', and those on `AGBENCH_PATH`.

    A file that cannot be read, and a name that an earlier file has, is passed over with an
    `AgBenchWarning`.
    """
    result: dict[str, Suite] = {}
    for path in _files():
        try:
            content = _read(path, path.stat().st_mtime_ns).suites
        except AgBenchError as error:
            warn(f"{error} Its suites are left out.", AgBenchWarning, stacklevel=2)
            continue
        for name, one in content.items():
            if name in result:
                text = f"{path}: the suite {name!r} is defined already; this one is left out. Rename it."
                warn(text, AgBenchWarning, stacklevel=2)
            result.setdefault(name, one)
    return result


def alike() -> list[list[str]]:
    """Return the families that weigh as one in every suite: those that the first file that names any says."""
    for path in _files():
        try:
            content = _read(path, path.stat().st_mtime_ns)
        except AgBenchError:  # `suites` says what is wrong with it
            continue
        if content.together:
            return content.together
    return []


def suite(name: str) -> Suite:
    """Return a suite by its name; raises `UnknownNameError` with the nearest names."""
    present = suites()
    if name not in present:
        raise unknown("suite", name, present)
    return present[name]


def check_tasks(content: Suites) -> None:
    """Raise `ConfigError` for a suite that names a task that there is not, with the nearest ids."""
    present = places.names("task")
    for name, one in content.suites.items():
        for task in one.ids:
            if task not in present:
                raise ConfigError(f"suites.{name}.tasks: {unknown('task', task, present)}")


def _files() -> Iterator[Path]:
    """Yield the files of suites, in the order of the folders of data."""
    for root in places.roots():
        path = root / "tasks" / f"{FILE}.yaml"
        if path.is_file():
            yield path


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Suites:
    return read_file(Suites, path)
