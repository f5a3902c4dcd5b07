"""The families of tasks: which schema a task file is held against."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import load_file, read_data
from agbench.data.task import Task
from agbench.errors import ConfigError, did_you_mean

FAMILIES: Final[Mapping[str, type[Task]]] = {"field": FieldTask, "greenhouse": GreenhouseTask}


def read_task(data: Any, where: str) -> Task:
    """Check plain data against the schema of its family; `where` names its origin in errors."""
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: expected keys and values, got {type(data).__name__}.")
    family = data.get("family")
    if family is None:
        raise ConfigError(f"{where}: the key 'family' is missing; it is one of {', '.join(FAMILIES)}.")
    if family not in FAMILIES:
        raise ConfigError(f"{where}: unknown family {family!r}.{did_you_mean(str(family), FAMILIES)}")
    return read_data(FAMILIES[family], data, where)


def read_task_file(path: Path) -> Task:
    """Read and check one task file."""
    return read_task(load_file(path), str(path))
