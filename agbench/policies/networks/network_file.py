"""The file of a network, and the observations and actions of its task."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gymnasium import spaces

from agbench.errors import ConfigError


@dataclass(frozen=True)
class NetworkFile:
    """A file's name and bytes; the number of observations and the action space of its task."""

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
    return NetworkFile(file, content, parts.observer.space.shape[0], parts.actions.space)
