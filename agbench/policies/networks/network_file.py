"""The file of a network, and the observations and actions of its task."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymnasium import spaces

from agbench.errors import ConfigError

if TYPE_CHECKING:
    from agbench.data.task import Task


@dataclass(frozen=True)
class NetworkFile:
    """A task, a file's name and bytes; the task's number of observations and its action space."""

    task: "Task"
    path: Path
    content: bytes
    observations: int
    actions: spaces.Space[Any]


def opened(path: str | Path, task: Any) -> NetworkFile:
    """Read a network's file for a task or its id; raises `ConfigError` where it cannot be read."""
    from agbench.data import catalog
    from agbench.envs.family import build

    spec = catalog.task(task) if isinstance(task, str) else task
    parts = build(spec, spec.protocol.training_splits[0])
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}.") from None
    return NetworkFile(spec, file, content, parts.observer.space.shape[0], parts.actions.space)
