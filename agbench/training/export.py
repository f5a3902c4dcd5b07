"""From a Stable-Baselines3 model to `policy.npz` or `policy.onnx`, checked on episodes of the task."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map, build, observer
from agbench.envs.scaling import CLIP
from agbench.envs.vector import AgBenchVectorEnv
from agbench.errors import ConfigError, MissingExtraError
from agbench.files import require_kind
from agbench.policies.networks import heads, mlp
from agbench.policies.networks.made_for import made_for
from agbench.training import onnx_file
from agbench.training.sb3_zip import CONTRIBUTED, algorithm_of

try:
    import stable_baselines3
    from stable_baselines3.common.vec_env import VecNormalize

    from agbench.training.normalisation import Seen, seen_by
    from agbench.training.sb3 import FieldVecEnv
    from agbench.training.torch_layers import network_of
    from agbench.training.wrappers import require_known
except ModuleNotFoundError:
    raise MissingExtraError(
        'Stable-Baselines3 is not installed. Install it with: pip install "agbench[rl]"'
    ) from None

OBSERVATIONS: Final = 10_000
_ROWS: Final = 40
_TOLERANCE: Final = 1e-4  # of amounts in [-1, 1], and of outputs between which a menu's choice may turn


@dataclass(frozen=True)
class Agreement:
    """How the exported policy compares with the model, on observations of the training split.

    `differing`: menu choices that turned where two outputs are equal within float32;
    `largest_difference`: of amounts. `saw`: what the model saw, in words.
    """

    observations: int
    differing: int
    largest_difference: float
    saw: str


def export(
    model: str | Path | Any,
    task: str | Task,
    out: str | Path,
    algorithm: str | None = None,
    normalisation: str | Path | None = None,
) -> Agreement:
    """Write a trained model as `policy.npz` or `policy.onnx` and return how well the two agree.

    Args:
        model: a zip that Stable-Baselines3 saved, or the model itself.
        task: the task it was trained for: an id, or the task with the overrides of the training.
        out: the file to write; it is written only if the two agree.
        algorithm: the class that loads the zip; None takes the one that saved it.
        normalisation: a pickle that `VecNormalize` saved, or `none`. By default that of the model's own
            environment, or the one beside the zip or in it. Only unpickle your own files.

    Raises:
        ConfigError: for a model that cannot be exported, that is of another task, or that saw observations
            changed in a way that is not known; for a file to write that is there and is no policy.
    """
    spec = catalog.task(task) if isinstance(task, str) else task
    path = _suffixed(Path(out))
    is_policy = onnx_file.is_own if path.suffix == ".onnx" else mlp.is_own
    require_kind(path, is_policy, "a policy", ConfigError)
    source = Path(model) if isinstance(model, (str, Path)) else None
    result: Any = model if source is None else _loaded(source, algorithm)
    _check_spaces(result, spec)
    require_known(result)
    seen = seen_by(result, spec, source, normalisation)
    network = replace(_taught(network_of(result), seen), made_for=made_for(spec))
    agreement = _agreement(result, network, spec, seen)
    if path.suffix == ".onnx":
        onnx_file.save(network, result.action_space, path)
    else:
        mlp.save(network, path)
    return agreement


def _suffixed(path: Path) -> Path:
    if path.suffix not in (".npz", ".onnx"):
        raise ConfigError(f"{path}: a policy is written as .npz or .onnx, such as policy.npz.")
    return path


def _loaded(path: Path, algorithm: str | None) -> Any:
    name = algorithm_of(path, algorithm)
    package: Any = stable_baselines3
    if name in CONTRIBUTED:
        try:
            import sb3_contrib as package
        except ImportError:
            raise MissingExtraError(
                'sb3-contrib is not installed. Install it with: pip install "agbench[rl]"'
            ) from None
    try:
        return getattr(package, name).load(path, device="cpu")
    except Exception as error:  # of pickles, tensors and versions: there is no telling which
        raise ConfigError(f"{path}: cannot be loaded as a model of {name}: {error}") from None


def _check_spaces(model: Any, task: Task) -> None:
    """Refuse a model that sees or does something else than the task has."""
    space, expected = model.observation_space, observer(task).space
    if frames := _frames(space, expected):
        raise ConfigError(
            f"the model was trained for observations of the shape {space.shape}, which look like {frames} "
            f"frames of the {expected.shape[0]} that {task.task} has. An exported policy holds no frames: "
            "train on sb3_env(task, n) without VecFrameStack; RecurrentPPO of sb3-contrib has a memory that "
            "exports hold."
        )
    if not isinstance(space, spaces.Box) or space.shape != expected.shape:
        raise ConfigError(
            f"the model was trained for observations of the shape {space.shape}; {task.task} has "
            f"{expected.shape}. Was it trained for another task, or with overrides? Name them with --set."
        )
    actions = action_map(task).space
    if model.action_space != actions:
        raise ConfigError(
            f"the model acts in {model.action_space}; {task.task} takes {actions}. Was it trained for "
            "another task, or with overrides? Name them with --set, such as action.kind=continuous."
        )


def _frames(space: spaces.Space[Any], one: spaces.Box) -> int:
    """Return how many times over a space holds another one's observations, or 0 where it does not."""
    if not isinstance(space, spaces.Box) or space.shape == one.shape:
        return 0
    count, rest = divmod(int(np.prod(space.shape)), one.shape[0])
    if rest or count < 2:
        return 0
    low, high = (np.ravel(bounds) for bounds in (space.low, space.high))
    for repeated in (np.repeat, np.tile):  # VecFrameStack repeats each bound, others all of them
        each = slice(None, None, count) if repeated is np.repeat else slice(one.shape[0])
        if all(np.array_equal(repeated(bounds[each], count), bounds) for bounds in (low, high)):
            return count
    return 0


def _taught(network: mlp.Network, seen: Seen) -> mlp.Network:
    """Return a network that takes the task's observations and sees what the model saw."""
    if seen.scaling is not None:
        return replace(network, mean=seen.scaling.centre, scale=seen.scaling.spread, clip=CLIP)
    if seen.normalise is None:
        return network
    moments: Any = seen.normalise.obs_rms
    scale = np.sqrt(moments.var + seen.normalise.epsilon)
    return replace(network, mean=moments.mean, scale=scale, clip=float(seen.normalise.clip_obs))


def _agreement(model: Any, network: mlp.Network, task: Task, seen: Seen) -> Agreement:
    """Compare model and network; raises `ConfigError` where they differ by more than rounding."""
    space = model.action_space
    ours, theirs, outputs = _played(model, network, task, seen)
    count = len(outputs)
    if menu_sizes(space):
        tops = [np.sort(part, axis=1)[:, -2:] for part in heads.of_menus(outputs, space)]
        sure = np.stack([t[:, 1] - t[:, 0] > _TOLERANCE * np.maximum(1.0, np.abs(t[:, 1])) for t in tops], 1)
        turned = (ours != theirs).reshape(sure.shape)
        differing, wrong = int(turned.sum()), int((turned & sure).sum())
        result = Agreement(count, differing, 0.0, seen.said)
    else:
        apart = np.abs(ours - theirs).reshape(count, -1).max(axis=1)
        wrong = int((apart > _TOLERANCE).sum())
        result = Agreement(count, 0, float(apart.max()), seen.said)
    if wrong:
        raise ConfigError(
            f"the exported policy differs from the model on {wrong:,} of {count:,} observations of "
            f"{task.task} (which the model saw {seen.said}). Nothing was written."
        )
    return result


def _played(
    model: Any, network: mlp.Network, task: Task, seen: Seen
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the network's actions, the model's, and the network's outputs, step after step.

    The model sees what its wrappers make of the episodes, the network what the task shows. The first half of
    the rows does what the model says, so that its own episodes are among them; the others act at random.
    """
    batch, envs = _environments(task, seen)
    space = batch.single_action_space
    space.seed(0)
    envs.seed(0)
    memory, states = None, network.start(_ROWS)
    through, first = envs.reset(), np.ones(_ROWS, np.bool_)
    ours, theirs, outputs = [], [], []
    for _ in range(-(-OBSERVATIONS // _ROWS)):
        action, memory = model.predict(through, memory, first, deterministic=True)
        states = tuple(np.where(first[:, None], 0.0, state) for state in states)
        out, states = network.step(batch.core.observations, states)
        ours.append(heads.actions(out, network.head, space))
        theirs.append(action)
        outputs.append(out)
        drawn = np.array([space.sample() for _ in range(_ROWS)])
        drawn[: _ROWS // 2] = action[: _ROWS // 2]
        through, _, first, _ = envs.step(drawn)
    envs.close()
    return np.concatenate(ours), np.concatenate(theirs), np.concatenate(outputs)


def _environments(task: Task, seen: Seen) -> tuple[AgBenchVectorEnv, Any]:
    """Return a batch of the task, and the same behind all that a model saw it through."""
    parts = build(task, task.protocol.training_splits[0])
    batch = AgBenchVectorEnv(parts, _ROWS, "same_step", scaling=seen.scaling)
    envs: Any = FieldVecEnv(batch)
    if (given := seen.normalise) is not None:
        envs = VecNormalize(
            envs, training=False, norm_reward=False, clip_obs=given.clip_obs, epsilon=given.epsilon
        )
        envs.obs_rms = given.obs_rms
    return batch, envs
