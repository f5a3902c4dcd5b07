"""Demonstrations: what a policy saw and did, as learners need it that imitate or learn from data alone.

A folder holds `transitions.npz` and `metadata.json`. The arrays, of N transitions in E episodes, one after
another: `observations` (N, d) float32 in physical units, `actions` (N, k) int64 or float32, `rewards` (N,)
float64, `terminations` and `truncations` (N,) bool, `episode_lengths` (E,) int64, and `final_observations`
(E, d), what was seen when the episode had ended. A folder of Minari is read too.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from warnings import warn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map, build, observer
from agbench.envs.single import AgBenchEnv
from agbench.errors import AgBenchWarning, ConfigError, described
from agbench.evaluation import provenance
from agbench.files import write_bytes, write_text
from agbench.policies import playing
from agbench.policies.base import Policy
from agbench.variables import Booleans, Floats

TRANSITIONS: Final = "transitions.npz"
METADATA: Final = "metadata.json"
_SEEDS: Final = 2**31
_SLACK: Final = 0.01
"""Observations may lie outside the bounds of their variables by this share of the width between them."""
_ARRAYS: Final = {
    "observations": "f",
    "actions": "if",
    "rewards": "f",
    "terminations": "b",
    "truncations": "b",
    "episode_lengths": "i",
    "final_observations": "f",
}
"""Of each array the kinds of numbers that it may hold."""


@dataclass(frozen=True, eq=False)
class Demonstrations:
    """Transitions of whole episodes, in the order in which they were played.

    Observations are physical, (N, d) and (E, d); actions are of the task's action space, (N, ...); the other
    arrays are those of the file. `about` says where they are from.
    """

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    rewards: Floats
    terminations: Booleans
    truncations: Booleans
    episode_lengths: NDArray[np.int64]
    final_observations: NDArray[np.float32]
    about: Mapping[str, Any]

    def __len__(self) -> int:
        """Return the number of transitions."""
        return len(self.rewards)

    @property
    def ends(self) -> NDArray[np.int64]:
        """The last transition of each episode, (E,)."""
        return np.cumsum(self.episode_lengths) - 1

    @property
    def next_observations(self) -> NDArray[np.float32]:
        """What was seen after each transition, (N, d)."""
        result = np.roll(self.observations, -1, axis=0)
        result[self.ends] = self.final_observations
        return result

    @property
    def returns(self) -> Floats:
        """The sum of the rewards of each episode, (E,)."""
        result: Floats = np.add.reduceat(self.rewards, self.ends - self.episode_lengths + 1)
        return result

    @property
    def sha256(self) -> str:
        """The SHA-256 of the arrays, whatever file they are from."""
        digest = hashlib.sha256()
        for name in _ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()

    def first(self, episodes: int) -> "Demonstrations":
        """Return the first episodes; raises `ConfigError` where there are fewer."""
        if episodes > len(self.episode_lengths):
            raise ConfigError(
                f"{self.about['source']} holds {len(self.episode_lengths)} episodes, not {episodes}."
            )
        count = int(self.episode_lengths[:episodes].sum())
        steps = {name: getattr(self, name)[:count] for name in list(_ARRAYS)[:5]}
        whole = {name: getattr(self, name)[:episodes] for name in list(_ARRAYS)[5:]}
        return replace(self, **steps, **whole)

    def save(self, folder: Path) -> None:
        """Write the folder's two files."""
        columns = self.actions.reshape(len(self), -1)
        arrays = {name: getattr(self, name) for name in _ARRAYS} | {"actions": columns}
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)
        write_bytes(folder / TRANSITIONS, content.getvalue())
        write_text(folder / METADATA, json.dumps(dict(self.about), indent=2) + "\n")


def collect(
    task: Task, policy: Policy, episodes: int, seed: int, step: Callable[[int], object] = lambda _: None
) -> Demonstrations:
    """Play a policy on the task's train split and return what it saw and did.

    `step` is called with the number of episodes so far, after each. Raises `ConfigError` where the policy
    raises.
    """
    env = AgBenchEnv(build(task, task.protocol.training_splits[0]))
    seeds = np.random.default_rng(seed).integers(_SEEDS, size=episodes).tolist()
    rows: dict[str, list[Any]] = {name: [] for name in _ARRAYS}
    for number, one in enumerate(seeds):
        try:
            _play(env, policy, one, rows)
        except Exception as error:  # a policy is anybody's code
            raise ConfigError(
                f"{policy.name} raised {described(error)} in episode {number} of the demonstrations."
            ) from error
        step(number + 1)
    env.close()
    about = {
        "task": task.task,
        "source": policy.name,
        "policy": policy.name,
        "split": task.protocol.training_splits[0],
        "observations": [entry.name for entry in observer(task).entries],
        "seeds": seeds,
    }
    return _made({name: np.array(values) for name, values in rows.items()}, task, about)


def _play(env: AgBenchEnv, policy: Policy, seed: int, rows: dict[str, list[Any]]) -> None:
    """Play one episode and add it to the rows."""
    episode = playing.episode(env, policy, seed)
    seen = next(episode).observation.copy()
    length = 0
    for decision in episode:
        rows["observations"].append(seen)
        rows["actions"].append(np.asarray(decision.action))
        rows["rewards"].append(decision.reward)
        rows["terminations"].append(decision.over)
        rows["truncations"].append(False)  # time that runs out is an end of the task's own
        seen, length = decision.observation.copy(), length + 1
    rows["episode_lengths"].append(length)
    rows["final_observations"].append(seen)


def read(folder: Path, task: Task) -> Demonstrations:
    """Return the demonstrations of a folder: ours, or one of Minari.

    Raises `ConfigError` for a folder that is neither, and for data of another task, of other observations,
    or of a split that agents do not learn from.
    """
    if (folder / TRANSITIONS).is_file():
        about = _metadata(folder / METADATA)
        arrays = _arrays(folder / TRANSITIONS)
    elif (folder / "data").is_dir() or (folder / "main_data.hdf5").is_file():
        from agbench.training.minari_folder import read as read_minari

        arrays, about = read_minari(folder)
    else:
        here = next((one for one in ("policy.npz", "demos") if (folder / one).exists()), None)
        hint = "A policy's name makes demonstrations of their own: --demos advisor."
        if here is not None:
            hint = f"It is the folder of a training: --demos {folder / here}."
        elif (folder / "transitions.parquet").is_file():
            hint = "It is in the format parquet; make it with --format npz, or in that of Minari."
        raise ConfigError(
            f"{folder}: is no dataset: it holds neither {TRANSITIONS} nor a dataset of Minari. {hint}"
        )
    _require_of_task(about, task, folder)
    result = _made(arrays, task, about | {"source": str(folder)})
    for name in ("observations", "final_observations"):
        _require_physical(getattr(result, name), name, task, str(folder))
    return result


def _metadata(path: Path) -> dict[str, Any]:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise ConfigError(
            f"{path}: missing. It says which task {TRANSITIONS} beside it is of: "
            '{"task": "wheat-nitrogen-v1"} is enough.'
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path}: is not JSON ({error}).") from None
    if not isinstance(result, dict):
        raise ConfigError(f"{path}: holds no mapping.")
    return result


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from None


def _require_of_task(about: Mapping[str, Any], task: Task, folder: Path) -> None:
    """Raise `ConfigError` for data of another task, with other observations, or of another split."""
    if about.get("task") != task.task:
        raise ConfigError(f"{folder}: is a dataset of {about.get('task')!r}, not of {task.task}.")
    if about.get("overrides"):
        raise ConfigError(
            f"{folder}: was collected with {about['overrides']}; agents learn {task.task} as it is."
        )
    for key in ("weather", "years"):
        if about.get(key) is not None:
            raise ConfigError(
                f"{folder}: was collected with {key} of its own; agents learn from the task's, so that test "
                "stays unseen."
            )
    names = [entry.name for entry in observer(task).entries]
    told = about.get("observations", names)
    listed = told if isinstance(told, list) else [told]
    seen = [str(one.get("name")) if isinstance(one, dict) else str(one) for one in listed]
    if seen != names:
        raise ConfigError(
            f"{folder}: its observations are {', '.join(seen)}; those of {task.task} are {', '.join(names)}."
        )
    split = about.get("split")
    if split is not None and split not in task.protocol.training_splits:
        raise ConfigError(
            f"{folder}: its episodes are of the split {split!r}; agents of {task.task} learn from "
            f"{' or '.join(task.protocol.training_splits)}."
        )
    made_of = about.get("made_of")
    made = (made_of if isinstance(made_of, Mapping) else about).get("task_hash")
    if made not in (None, provenance.task_hash(task)):
        warn(
            f"{folder}: was made when {task.task} was defined otherwise (task_hash {str(made)[:12]}). What "
            "it shows may not be what the task asks for now; make it again.",
            AgBenchWarning,
            stacklevel=2,
        )


def _made(arrays: Mapping[str, NDArray[Any]], task: Task, about: Mapping[str, Any]) -> Demonstrations:
    """Return demonstrations of arrays that were checked and have the types that learners expect."""
    where = str(about["source"])
    for name, kinds in _ARRAYS.items():
        if name not in arrays:
            raise ConfigError(f"{where}: has no {name!r}; it needs {', '.join(_ARRAYS)}.")
        if arrays[name].dtype.kind not in kinds:
            raise ConfigError(f"{where}: {name} holds {arrays[name].dtype}.")
        if not arrays[name].ndim:
            raise ConfigError(f"{where}: {name} is a single number, not an array.")
    lengths = arrays["episode_lengths"].astype(np.int64)
    count, width = len(arrays["rewards"]), len(observer(task).entries)
    if lengths.ndim != 1 or not len(lengths) or (lengths < 1).any() or lengths.sum() != count:
        raise ConfigError(f"{where}: episode_lengths add up to {lengths.sum()}, of {count} transitions.")
    shapes = {"observations": (count, width), "final_observations": (len(lengths), width)}
    for name in _ARRAYS:
        shape = shapes.get(name, (count,))
        if name not in ("actions", "episode_lengths") and arrays[name].shape != shape:
            raise ConfigError(f"{where}: {name} has the shape {arrays[name].shape}; expected {shape}.")
        if arrays[name].dtype.kind == "f" and not np.isfinite(arrays[name]).all():
            raise ConfigError(f"{where}: {name} holds a number that is not finite.")
    _require_whole(arrays, lengths, where)
    with np.errstate(over="ignore"):  # what is too large for float32 lies outside its bounds
        seen, last = (arrays[name].astype(np.float32) for name in shapes)
    return Demonstrations(
        seen,
        _actions(arrays["actions"], action_map(task).space, count, where),
        arrays["rewards"].astype(np.float64),
        arrays["terminations"].astype(np.bool_),
        arrays["truncations"].astype(np.bool_),
        lengths,
        last,
        about,
    )


def _require_whole(arrays: Mapping[str, NDArray[Any]], lengths: NDArray[np.int64], where: str) -> None:
    """Raise `ConfigError` where an episode ends before its last transition: the lengths are others' then."""
    over = np.flatnonzero(arrays["terminations"] | arrays["truncations"])
    early = np.setdiff1d(over, np.cumsum(lengths) - 1)
    if len(early):
        raise ConfigError(
            f"{where}: transition {early[0]} ends an episode, by terminations or truncations, but "
            "episode_lengths go on beyond it."
        )


def _require_physical(given: NDArray[Any], name: str, task: Task, where: str) -> None:
    """Raise `ConfigError` for observations outside the bounds of their variables, as scaled ones are."""
    space = observer(task).space
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    slack = np.where(np.isfinite(high - low), _SLACK * (high - low), 0.0)
    outside = np.argwhere(~((given >= low - slack) & (given <= high + slack) & np.isfinite(given)))
    if len(outside):
        row, column = outside[0].tolist()
        entry = observer(task).entries[column]
        raise ConfigError(
            f"{where}: {name}: row {row}: {entry.name} is {given[row, column]:g}, outside {low[column]:g} to "
            f"{high[column]:g} {entry.unit}. Observations must be physical, not scaled."
        )


def _actions(given: NDArray[Any], space: spaces.Space[Any], count: int, where: str) -> NDArray[Any]:
    """Return actions (N, ...) of the action space's shape and type."""
    shape = (count, *(space.shape or ()))
    kind = "f" if isinstance(space, spaces.Box) else "i"
    if given.dtype.kind != kind or given.size != np.prod(shape) or len(given) != count:
        raise ConfigError(
            f"{where}: actions are {given.dtype} of the shape {given.shape}; the task's are "
            f"{space.dtype} of {shape} ({space})."
        )
    result = given.reshape(shape).astype(space.dtype)
    columns = result.reshape(count, -1)
    if isinstance(space, spaces.Box):
        low, high = space.low.ravel(), space.high.ravel()
    else:
        low, high = np.zeros(1, np.int64), np.array(menu_sizes(space)) - 1
    outside = np.flatnonzero(~((columns >= low) & (columns <= high)).all(axis=1))  # NaN is outside too
    if len(outside):
        row = int(outside[0])
        raise ConfigError(f"{where}: the action {result[row]} of transition {row} is outside {space}.")
    return result
