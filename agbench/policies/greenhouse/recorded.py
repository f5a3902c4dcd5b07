"""Actions of whole episodes that searches found, kept in a file beside their settings."""

import copy
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import StringConstraints

from agbench.data import catalog
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.core import BatchCore
from agbench.errors import ConfigError, SimulationError
from agbench.files import Stamp, stamp
from agbench.policies.base import Information, Interface, Planner, policy
from agbench.variables import Floats

Actions = NDArray[Any]

NAME: Final = "recorded"
"""The kind, and the name of its settings in a task."""


_MARK: Final = " season"  # after the key, of the array by which a season is known
_ROUNDING: Final = 1e-9


class RecordedSeason(NamedTuple):
    """What is recorded of a scenario: the actions, (decisions, ...), and what `known_by` gives."""

    actions: Actions
    known_by: Floats


class RecordedSettings(Strict):
    """The file of actions, its SHA-256, and the policy that plays what is not in it.

    `file` lies beside the settings: a .npz that `write` makes.
    """

    file: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.npz$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    otherwise: str


@policy(NAME, settings=RecordedSettings, families=["greenhouse"])
class RecordedSeasons:
    """Plays the best actions that are known of a scenario; where none are, another policy plays.

    So it is in scenarios that were not searched, under overrides, and in seasons that are others than those
    searched though they have the same key: weather of one's own, a crop or prices drawn by another seed.
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
        """Take the actions of a row's season; raises `ConfigError` for those of other spaces."""
        key = str(core.scenario[row])
        known = self._known.get(key)
        self._actions = None if known is None or not _is_season(core, row, known) else known.actions
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
        if self._step == len(self._actions):
            raise SimulationError(
                f"policy {self.name}: the season has {self._step} decisions, and all are taken: reset the "
                "policy, and plan for the next one."
            )
        self._step += 1
        action = self._actions[self._step - 1]
        return action.copy() if self._shape else int(action)


def known_by(core: BatchCore, row: int) -> Floats:
    """Return numbers by which the season that has just started in a row is known.

    They are weighted sums of its weather and prices, its parameters, its start and, where the crop is drawn
    step by step, what will be drawn first.
    """
    world = core.worlds[row]
    weather = np.asarray(world.weather)[: world.steps]
    drawn = [copy.deepcopy(core.generator(row)).random()] if world.level > 0.0 else []
    return np.concatenate(
        [_sums(weather), _sums(world.prices), world.parameters, world.start, [world.level], drawn]
    )


def _sums(table: Floats) -> Floats:
    """Return the sum of each column, by weights that are the same for all tables: order matters."""
    weights = np.random.default_rng(0).random(len(table))
    return np.asarray(weights @ table / len(table))


def _is_season(core: BatchCore, row: int, season: RecordedSeason) -> bool:
    """Return whether a row is at the start of a season: what was found leads on from there alone."""
    if core.simulator.elapsed[row] > core.task.warmup:
        return False
    found = known_by(core, row)
    return found.shape == season.known_by.shape and np.allclose(found, season.known_by, _ROUNDING, _ROUNDING)


def write(path: Path, seasons: Mapping[str, RecordedSeason]) -> None:
    """Write a file of seasons by scenario."""
    arrays: dict[str, Any] = {}
    for key, season in sorted(seasons.items()):
        arrays |= {key: season.actions, f"{key}{_MARK}": season.known_by}
    np.savez_compressed(path, **arrays)


def read(path: Path, sha256: str) -> Mapping[str, RecordedSeason]:
    """Return the seasons of a file by scenario; raises `ConfigError` where it is not the one meant."""
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file.")
    return _read(path, sha256, stamp(path))


@lru_cache(maxsize=4)
def _read(path: Path, sha256: str, as_of: Stamp) -> Mapping[str, RecordedSeason]:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise ConfigError(
            f"{path}: its SHA-256 is {found[:12]}..., not {sha256[:12]}... as the settings say."
        )
    try:
        with np.load(path, allow_pickle=False) as arrays:
            content = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise ConfigError(f"{path}: is no .npz of numbers: {error}.") from None
    keys = [key for key in content if not key.endswith(_MARK)]
    return {key: _season(path, key, content[key], content.get(f"{key}{_MARK}")) for key in keys}


def _season(path: Path, key: str, actions: Actions, known: Floats | None) -> RecordedSeason:
    """Return what is recorded of a scenario, not to be changed; raises `ConfigError` where it is unsound."""
    if known is None:
        raise ConfigError(f"{path}: it has no array '{key}{_MARK}', by which the season is known.")
    for name, array in ((key, actions), (f"{key}{_MARK}", known)):
        if array.dtype.kind not in "fi" or not array.size or not np.isfinite(array).all():
            raise ConfigError(f"{path}: {name}: it must hold finite numbers, and at least one.")
        array.setflags(write=False)
    return RecordedSeason(actions, known)
