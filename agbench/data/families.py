"""The families of tasks, by name: the schema of its task files, and the module of its code.

A package adds a family through the entry point group `agbench.families`, whose value is the family's
object (an `agbench.envs.family.Family`); `register` adds one without a package, in this process alone.
"""

from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final, Protocol

from agbench.data.reading import load_file, read_data
from agbench.data.task import Task
from agbench.errors import ConfigError, UnknownNameError, unknown

ENTRY_POINT_GROUP: Final = "agbench.families"

_OURS: Final = {
    "field": ("agbench.data.field_task:FieldTask", "agbench.envs.field.family:FIELD"),
    "greenhouse": (
        "agbench.data.greenhouse_task:GreenhouseTask",
        "agbench.envs.greenhouse.family:GREENHOUSE",
    ),
}
"""Schema and object of each family here: a schema is read without the physics behind it."""


class HasSchema(Protocol):
    """What a family's object is to data: a name and a schema."""

    @property
    def name(self) -> str:
        """The family's name, as a task file says it."""

    @property
    def schema(self) -> type[Task]:
        """The schema of its tasks."""


_registered: dict[str, HasSchema] = {}


def register(family: HasSchema) -> None:
    """Add a family in this process; raises `ConfigError` for a name that another one has."""
    if _registered.get(family.name, family) is not family or family.name in {*_OURS, *_points()}:
        raise ConfigError(f"the family {family.name!r} exists already; choose another name.")
    _registered[family.name] = family


def names() -> list[str]:
    """Return the names of all families: ours, packages', registered ones."""
    return [*_OURS, *_points(), *_registered]


def schema(name: str) -> type[Task]:
    """Return the schema of a family's tasks; raises `UnknownNameError` for a name that there is not."""
    result: type[Task] = load(_OURS[name][0]) if name in _OURS else find(name).schema
    return result


def find(name: str) -> Any:
    """Return a family's object; raises `UnknownNameError` for a name that there is not."""
    if name in _OURS:
        return load(_OURS[name][1])
    if name in _registered:
        return _registered[name]
    if name not in _points():
        raise unknown("family", name, names())
    family = load(_points()[name])
    if getattr(family, "name", None) != name:
        raise ConfigError(f"entry point {name!r} of {ENTRY_POINT_GROUP}: {_points()[name]} has another name.")
    return family


@lru_cache(maxsize=1)
def _points() -> dict[str, str]:
    """Return what installed packages name in the entry point group."""
    return {point.name: point.value for point in metadata.entry_points(group=ENTRY_POINT_GROUP)}


def load(place: str) -> Any:
    """Return what a text such as `package.module:name` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def read_task(data: Any, where: str) -> Task:
    """Check plain data against the schema of its family; `where` names its origin in errors."""
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: expected keys and values, got {type(data).__name__}.")
    family = data.get("family")
    if family is None:
        raise ConfigError(f"{where}: the key 'family' is missing; it is one of {', '.join(names())}.")
    try:
        chosen = schema(str(family))
    except UnknownNameError as error:
        raise ConfigError(f"{where}: {error}") from None
    return read_data(chosen, data, where)


def read_task_file(path: Path) -> Task:
    """Read and check one task file."""
    return read_task(load_file(path), str(path))
