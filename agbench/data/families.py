"""The families of tasks, by name: the schema of its task files, and the module of its code.

A package adds a family through the entry point group `agbench.families`, whose value is the family's
object (an `agbench.envs.family.Family`); `register` adds one without a package, in this process alone.
"""

from pathlib import Path
from typing import Any, Final, Protocol, cast

from pydantic import ValidationError

from agbench.data import packages
from agbench.data.plausibility import check_limits, check_units
from agbench.data.reading import load_file, no_mapping, read_data
from agbench.data.split import SplitSpec
from agbench.data.task import Task
from agbench.errors import ConfigError, UnknownNameError, unknown

ENTRY_POINT_GROUP: Final = "agbench.families"
MOST: Final = {"repeats": 10_000, "bootstrap": 1_000_000}
"""Of a scenario's episodes, and of the resamples of an interval."""
LONGEST_WINDOW: Final = 3_653  # d, of the weather that an observation tells

_OURS: Final = {
    "field": ("agbench.data.field_task:FieldTask", "agbench.envs.field.family:FIELD"),
    "farm": ("agbench.data.farm_task:FarmTask", "agbench.envs.farm.family:FARM"),
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
    """Add a family in this process; raises `ConfigError` for what is none, or a name that another one has."""
    _check(family, "register")
    if _registered.get(family.name, family) is not family or family.name in {*_OURS, *_of_packages()}:
        raise ConfigError(f"there is a family {family.name!r} already; give this one another name.")
    _registered[family.name] = family


def names() -> list[str]:
    """Return the names of all families: ours, packages', registered ones."""
    return list(dict.fromkeys([*_OURS, *_of_packages(), *_registered]))


def schema(name: str) -> type[Task]:
    """Return the schema of a family's tasks; raises as `find` does."""
    if name not in _OURS:
        return cast("type[Task]", find(name).schema)
    packages.warn_of_taken(ENTRY_POINT_GROUP, name, "family")
    return cast("type[Task]", packages.load_place(_OURS[name][0]))


def find(name: str) -> Any:
    """Return a family's object.

    Raises:
        UnknownNameError: for a name that there is not.
        ConfigError: where a package's family cannot be loaded or is none; names the package.
    """
    if name in _OURS:
        return packages.load_place(_OURS[name][1])
    if name in _registered:
        return _registered[name]
    if name not in _of_packages():
        raise unknown("family", name, names())
    family = packages.load(ENTRY_POINT_GROUP, name)
    where = packages.where(ENTRY_POINT_GROUP, name)
    _check(family, where)
    if family.name != name:
        raise ConfigError(f"{where}: the family is called {family.name!r}; the two names must be equal.")
    return family


def _of_packages() -> list[str]:
    return packages.names(ENTRY_POINT_GROUP)


def _check(family: Any, where: str) -> None:
    """Raise `ConfigError` for an object that lacks what data files need of a family."""
    name, own = getattr(family, "name", None), getattr(family, "schema", None)
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{where}: {family!r} is no family: it needs a name and a schema of its tasks.")
    if not isinstance(own, type) or not issubclass(own, Task):
        raise ConfigError(
            f"{where}: the schema of the family {name!r} must be a subclass of agbench.data.task.Task; "
            f"got {own!r}."
        )


def read_task(data: Any, where: str) -> Task:
    """Check plain data against the schema of its family; `where` names its origin in errors."""
    if not isinstance(data, dict):
        raise no_mapping(data, where)
    family = data.get("family")
    if family is None:
        raise ConfigError(f"{where}: the key 'family' is missing; it is one of {', '.join(names())}.")
    try:
        chosen = schema(str(family))
    except (UnknownNameError, ConfigError) as error:
        raise ConfigError(f"{where}: {error}") from error.__cause__
    ours = str(family) in _OURS
    if ours:
        check_limits(data, where)
    result = read_data(chosen, data, where)
    _check_window(result, where)
    _check_protocol(result, where)
    _check_years(result, where)
    if ours:
        check_units(result, where)
    return result


def _check_window(task: Task, where: str) -> None:
    """Raise `ConfigError` for a window of weather that takes more memory than it can tell anybody."""
    window = getattr(getattr(task, "observation", None), "window_days", 0)
    if window > LONGEST_WINDOW:
        raise ConfigError(
            f"{where}: observation.window: {window:,} d; it must be at most {LONGEST_WINDOW:,} d, ten years."
        )


def _check_protocol(task: Task, where: str) -> None:
    """Raise `ConfigError` for more episodes or resamples than anybody waits for."""
    for key, most in MOST.items():
        if (count := getattr(task.protocol, key)) > most:
            raise ConfigError(f"{where}: protocol.{key}: {count:,}; it must be at most {most:,}.")


def _check_years(task: Task, where: str) -> None:
    """Raise `ConfigError` for years of a split in words that say none."""
    for name, split in task.splits.items():
        years = getattr(split, "years", None)
        try:
            SplitSpec(years=[] if years is None else years)
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise ConfigError(f"{where}: splits.{name}.years: {said}") from None


def read_task_file(path: Path) -> Task:
    """Read and check one task file."""
    return read_task(load_file(path), str(path))
