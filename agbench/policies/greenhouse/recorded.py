"""Actions of whole episodes that searches found, kept in a file beside their settings."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import StringConstraints

from agbench.data import catalog
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.core import BatchCore
from agbench.errors import ConfigError
from agbench.files import Stamp, stamp
from agbench.policies.base import Information, Interface, Planner, policy

Actions = NDArray[Any]

NAME: Final = "recorded"
"""The kind, and the name of its settings in a task."""


class RecordedSettings(Strict):
    """The file of actions, its SHA-256, and the policy that plays what is not in it.

    `file` lies beside the settings: a .npz with an array for each scenario, (decisions, ...).
    """

    file: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.npz$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    otherwise: str


@policy(NAME, settings=RecordedSettings, families=["greenhouse"])
class RecordedSeasons:
    """Plays the best actions that are known of a scenario; where none are, another policy plays.

    So it is in scenarios that were not searched, and under overrides, for which actions were not searched.
    A solver ends in another optimum on another machine; what it found once is played alike on all.
    """

    information: Information = "model"

    def __init__(self, name: str, settings: RecordedSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        task = interface.task
        own = catalog.find_baseline(task.task, name)
        if own is None:
            raise ConfigError(
                f"the actions of {name} lie beside its settings; it must be a policy of the task."
            )
        self._known = (
            read(own.parent / settings.file, settings.sha256) if task == catalog.task(task.task) else {}
        )
        self._shape = interface.actions.space.shape or ()
        self._otherwise = interface.load(settings.otherwise)
        self._actions: Actions | None = None
        self._step = 0

    def plan(self, core: BatchCore, row: int) -> None:
        """Take the actions of a row's scenario; raises `ConfigError` for those of other spaces."""
        key = str(core.scenario[row])
        self._actions = self._known.get(key)
        if self._actions is None:
            if isinstance(self._otherwise, Planner):
                self._otherwise.plan(core, row)
        elif self._actions.shape[1:] != self._shape:
            raise ConfigError(
                f"policy {self.name}: its actions of {key} have the shape {self._actions.shape[1:]}; "
                f"the task's have {self._shape}."
            )

    def reset(self, seed: int) -> None:
        """Go back to the first decision."""
        self._step = 0
        self._otherwise.reset(seed)

    def __call__(self, observation: Any) -> Any:
        """Return the next action."""
        if self._actions is None:
            return self._otherwise(observation)
        self._step += 1
        action = self._actions[self._step - 1]
        return action if self._shape else int(action)


def read(path: Path, sha256: str) -> Mapping[str, Actions]:
    """Return the actions of each scenario in a file; raises `ConfigError` where it is not the one meant."""
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file.")
    return _read(path, sha256, stamp(path))


@lru_cache(maxsize=4)
def _read(path: Path, sha256: str, as_of: Stamp) -> Mapping[str, Actions]:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise ConfigError(
            f"{path}: its SHA-256 is {found[:12]}..., not {sha256[:12]}... as the settings say."
        )
    with np.load(path, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}
