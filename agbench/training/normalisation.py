"""What a model of Stable-Baselines3 saw in place of a task's observations: found out, never guessed.

A model of `sb3_env` holds its scaling. One that was trained through `VecNormalize` does not: its means and
deviations are in a file of their own, and nothing in the model names it. But the model keeps what it saw
last, and where the task shows no such thing, it was normalised.
"""

import pickle
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from agbench.data.task import Task
from agbench.envs.family import observer
from agbench.envs.scaling import Scaling
from agbench.errors import ConfigError
from agbench.training.origin import require_bounds_of, require_scaling_of

NONE: Final = "none"
"""Says that observations were not normalised, whatever it looks like."""
USUAL: Final = tuple(
    f"{name}.pkl"
    for name in ("vecnormalize", "vec_normalize", "vecnormalise", "vec_normalise", "normalize", "normalise")
)
"""What people call the file of `VecNormalize`."""
_OWN: Final = "its own VecNormalize"
_CHECKPOINT: Final = re.compile(r"(?P<name>.+)_(?P<steps>\d+)_steps")
_ROUNDING: Final = 1e-6  # of float32
_STEPS: Final = 3.0  # by which the statistics of a model may be ahead of it: one, with room for an odd one
_MOST: Final = 0.05  # of a deviation, however few observations were counted
_REMEDY: Final = (
    "Name the file that VecNormalize saved: --normalisation FILE (env.save(FILE) writes it), or "
    "--normalisation none if it normalised rewards alone."
)


@dataclass(frozen=True)
class Seen:
    """What a model saw observations through: the task's scaling, `VecNormalize`, or nothing.

    `said` says which in words.
    """

    scaling: Scaling | None
    normalise: VecNormalize | None
    said: str


def seen_by(model: Any, task: Task, path: Path | None, named: str | Path | None) -> Seen:
    """Return what a model saw in place of the task's observations.

    Args:
        model: the model.
        task: the task it was trained for, with overrides.
        path: the zip that it came from, beside which the file of `VecNormalize` is looked for.
        named: that file, or `none`.

    Raises:
        ConfigError: where that cannot be known, and where what is named is not what the model saw.
    """
    physical = observer(task).space
    scaling: Scaling | None = getattr(model.observation_space, "scaling", None)
    strange = _strange(model, task, physical if scaling is None else scaling.space)
    found, file = _found(model, path, named, wanted=strange is not False)
    if found is not None and found.norm_obs:
        _check_alone(file, task, strange, scaling)
        require_bounds_of(task, model.observation_space, "the model")
        require_bounds_of(task, found.observation_space, file)
        _check_moment(model, found, file)
        return Seen(None, found, f"normalised by {file}")
    known = found is not None or named is not None
    if isinstance(strange, str) or (strange is None and not known and _learned(model)):
        raise ConfigError(
            "the model was trained with VecNormalize, or behind a wrapper that changes observations"
            f"{strange or ''}. {_REMEDY} What another wrapper did, such as Gymnasium's NormalizeObservation, "
            "is kept nowhere, and its model cannot be exported: train on sb3_env(task, n), which scales."
        )
    if scaling is not None:
        require_scaling_of(task, scaling)
        return Seen(scaling, None, "scaled, as the model says")
    if str(named) != NONE and model.observation_space != physical:
        raise ConfigError(
            f"the model was trained on observations {_bounds(model.observation_space)}, which {task.task} "
            "does not show: something scaled or normalised them, and the model does not say by what, or it "
            "is of another task. "
            "Train it on sb3_env(task, n), or on VecNormalize(sb3_env(task, n, scaled=False)) and name its "
            "file; --normalisation none says that it saw them as the task shows them."
        )
    return Seen(None, None, "as the task shows them")


def _check_alone(file: str, task: Task, strange: str | bool | None, scaling: Scaling | None) -> None:
    """Refuse a `VecNormalize` of a model that saw nothing normalised, or that saw scaled observations."""
    if strange is False and file != _OWN:
        raise ConfigError(
            f"{file}: the model was trained without VecNormalize; what it saw last is what {task.task} "
            "shows. Leave --normalisation out."
        )
    if scaling is not None:
        raise ConfigError(
            "the model saw scaled observations through VecNormalize; one of the two is enough. Train on"
            " sb3_env(task, n) alone, or on VecNormalize(sb3_env(task, n, scaled=False))."
        )


def _check_moment(model: Any, found: VecNormalize, file: str) -> None:
    """Refuse statistics that do not make what a learner from a replay buffer saw last of what was shown.

    A model that a callback saved has not yet taken in the step that its statistics hold, which moves the
    median by about rows / count: so much, and some more, is allowed.
    """
    last, shown = (getattr(model, name, None) for name in ("_last_obs", "_last_original_obs"))
    if not isinstance(model, OffPolicyAlgorithm) or last is None or shown is None:
        return
    apart = np.abs(found.normalize_obs(shown) - last) / (1.0 + np.abs(last))
    moved = apart[apart > _ROUNDING]
    statistics: Any = found.obs_rms
    if moved.size and np.median(moved) > min(_STEPS * len(last) / statistics.count, _MOST):
        raise ConfigError(
            f"{file}: the statistics are of another moment than the model, or of another model: what it saw "
            "last was normalised by others. Save both at once: model.save(FILE) and env.save(FILE)."
        )


def _learned(model: Any) -> bool:
    return getattr(model, "_last_obs", None) is not None


def _strange(model: Any, task: Task, shown: spaces.Box) -> str | bool | None:
    """Return what a model saw last that is not shown, in words; False if all is shown; None if unknown.

    `VecNormalize` keeps what it changed as the model's `_last_original_obs`; learners from replay buffers do
    so without it too.
    """
    last = getattr(model, "_last_obs", None)
    if not isinstance(last, np.ndarray) or last.shape[1:] != shown.shape:
        return None
    slack = 1e-6 * np.maximum(1.0, np.abs(last))
    outside = (last < shown.low - slack) | (last > shown.high + slack)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        name = observer(task).entries[column].name
        low, high = shown.low[column], shown.high[column]
        return f": it saw {name} {last[row, column]:.3g} last, which is between {low:g} and {high:g}"
    original = getattr(model, "_last_original_obs", None)
    return False if original is None or isinstance(model, OffPolicyAlgorithm) else None


def _bounds(space: spaces.Space[Any]) -> str:
    low, high = np.asarray(space.low), np.asarray(space.high)  # type: ignore[attr-defined]
    return f"from {low.min():g} to {high.max():g}"


def _found(
    model: Any, path: Path | None, named: str | Path | None, wanted: bool
) -> tuple[VecNormalize | None, str]:
    """Return the `VecNormalize` of a model and where it was, or None."""
    if named is not None:
        return (None if str(named) == NONE else _read(Path(named))), str(named)
    own = getattr(model, "get_vec_normalize_env", lambda: None)()
    if own is not None:
        return own, _OWN
    if path is None or not wanted:
        return None, ""
    inside = _inside(path)
    if inside is not None:
        return inside, f"VecNormalize in {path}"
    beside = _beside(path)
    return (None, "") if beside is None else (_read(beside), str(beside))


def _beside(path: Path) -> Path | None:
    """Return the file of `VecNormalize` beside a zip: that of its own name first, then the usual names.

    Raises `ConfigError` where there are several.
    """
    stem, own = path.stem, [path.with_suffix(".pkl").name]
    own += [f"{path.stem}{mark}{name}" for name in USUAL for mark in "_-"]
    own += [f"{name.removesuffix('.pkl')}{mark}{stem}.pkl" for name in USUAL for mark in "_-"]
    if part := _CHECKPOINT.fullmatch(stem):
        own.append(f"{part['name']}_vecnormalize_{part['steps']}_steps.pkl")
    below = [f"{folder.name}/{name}" for folder in path.parent.iterdir() if folder.is_dir() for name in USUAL]
    for names in (own, USUAL, below):
        found = sorted({path.parent / name for name in names if (path.parent / name).is_file()})
        if len(found) > 1:
            listed = " and ".join(str(one) for one in found)
            raise ConfigError(f"{listed} lie beside {path.name}. Name the right one: --normalisation FILE.")
        if found:
            return found[0]
    return None


def _inside(path: Path) -> VecNormalize | None:
    """Return the `VecNormalize` that somebody put into the zip itself."""
    with zipfile.ZipFile(path) as file:
        held = [name for name in file.namelist() if Path(name).name in USUAL]
        return _unpickled(file.read(held[0]), f"{path}: {held[0]}") if held else None


def _read(path: Path) -> VecNormalize:
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file of VecNormalize.")
    return _unpickled(path.read_bytes(), str(path))


def _unpickled(content: bytes, where: str) -> VecNormalize:
    """Return a `VecNormalize`; the file is the user's own, as is the zip, which is a pickle too."""
    try:
        found = pickle.loads(content)
    except Exception as error:  # unpickling raises anything
        raise ConfigError(f"{where}: is not a file that VecNormalize saved ({error}).") from None
    if not isinstance(found, VecNormalize):
        raise ConfigError(f"{where}: is not a file that VecNormalize saved, but a {type(found).__name__}.")
    return found
