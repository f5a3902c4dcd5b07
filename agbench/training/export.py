"""From a Stable-Baselines3 zip to `policy.npz`, checked on observations of the task."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.envs.actions import menu_sizes
from agbench.envs.registry import make_vec
from agbench.envs.scaling import CLIP
from agbench.errors import ConfigError, MissingExtraError
from agbench.policies.networks import heads, mlp
from agbench.policies.networks.layers import Cell
from agbench.training.sb3_zip import algorithm_of

try:
    import stable_baselines3
    from torch import nn
except ImportError:
    raise MissingExtraError(
        'Stable-Baselines3 is not installed. Install it with: pip install "agbench[rl]"'
    ) from None

OBSERVATIONS: Final = 1000
_TOLERANCE: Final = 1e-4  # of amounts in [-1, 1], and of outputs between which a menu's choice may turn
_FIELDS: Final = 8
_ACTIVATIONS: Final = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.ELU: "elu", nn.Sigmoid: "sigmoid"}


@dataclass(frozen=True)
class Agreement:
    """How the exported policy compares with the model, on observations of the training split.

    `differing`: menu choices that turned where two outputs are equal within float32;
    `largest_difference`: of amounts.
    """

    observations: int
    differing: int
    largest_difference: float


def export(
    model: str | Path | Any,
    task: str,
    out: str | Path,
    algorithm: str | None = None,
    normalisation: str | Path | None = None,
) -> Agreement:
    """Write a trained model as `policy.npz` and return how well the two agree.

    Args:
        model: a zip that Stable-Baselines3 saved, or the model itself.
        task: the task it was trained for.
        out: the file to write; it is written only if the two agree.
        algorithm: the class that loads the zip; None takes the one that saved it.
        normalisation: a pickle that `VecNormalize` saved. Only unpickle your own files.
    """
    result = _loaded(model, algorithm) if isinstance(model, (str, Path)) else model
    seen, starts = _observations(task)
    _check_observations(result, task, seen.shape[2:])
    network = _network(result)
    if normalisation is not None:
        network = _normalised(network, Path(normalisation))
    scaling = getattr(result.observation_space, "scaling", None)
    if scaling is not None and normalisation is not None:
        raise ConfigError(
            "the model saw scaled observations through VecNormalize; one of the two is enough. Train on"
            " sb3_env(task, n) alone, or on VecNormalize(sb3_env(task, n, scaled=False))."
        )
    if scaling is not None:
        network = replace(network, mean=scaling.centre, scale=scaling.spread, clip=CLIP)
    agreement = _agreement(result, network, seen, starts)
    mlp.save(network, out)
    return agreement


def _loaded(path: str | Path, algorithm: str | None) -> Any:
    name = algorithm_of(path, algorithm)
    package: Any = stable_baselines3
    if name == "RecurrentPPO":
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


def _network(model: Any) -> mlp.Network:
    """Return the deterministic part of a model's policy as arrays."""
    chain = model.chain() if hasattr(model, "chain") else None  # of a learner of our own
    if chain is not None:
        return _layers(*chain)
    policy, discrete = model.policy, bool(menu_sizes(model.action_space))
    actor = getattr(policy, "actor", None)
    q_network = getattr(policy, "q_net", getattr(policy, "quantile_net", policy))
    extractor = getattr(actor or q_network, "features_extractor", None)
    if type(extractor).__name__ != "FlattenExtractor":
        raise ConfigError(f"features of a {type(extractor).__name__} cannot be exported; MlpPolicy can.")
    head = "argmax" if discrete else "clip"
    if hasattr(policy, "q_net"):
        modules: Iterable[Any] = policy.q_net.q_net
    elif hasattr(policy, "quantile_net"):
        return _mean_of_quantiles(policy.quantile_net)
    elif hasattr(policy, "mlp_extractor"):
        if getattr(policy, "squash_output", False):
            raise ConfigError("a policy with squash_output cannot be exported.")
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    elif actor is not None and hasattr(actor, "latent_pi"):
        modules, head = [*actor.latent_pi, actor.mu], "squash"
    elif actor is not None:
        modules = actor.mu
    else:
        raise ConfigError(f"{type(policy).__name__} cannot be exported.")
    return replace(_layers(modules, head), cells=_cells(getattr(policy, "lstm_actor", None)))


def _mean_of_quantiles(net: Any) -> mlp.Network:
    """Return a network of quantiles, (quantiles, choices) side by side, as one of their means."""
    network = _layers(net.quantile_net, "argmax")
    weight, bias = network.weights[-1], network.biases[-1]
    weight = weight.reshape(len(weight), net.n_quantiles, -1).mean(axis=1)
    bias = bias.reshape(net.n_quantiles, -1).mean(axis=0)
    return replace(network, weights=(*network.weights[:-1], weight), biases=(*network.biases[:-1], bias))


def _cells(lstm: Any) -> tuple[Cell, ...]:
    """Return the layers of a `torch.nn.LSTM`; none, if there is none."""
    if lstm is None:
        return ()
    if lstm.bidirectional or lstm.proj_size or not lstm.bias:
        raise ConfigError("an LSTM that is bidirectional, projects or has no bias cannot be exported.")
    return tuple(
        Cell(
            "lstm",
            _array(getattr(lstm, f"weight_ih_l{i}")).T,
            _array(getattr(lstm, f"weight_hh_l{i}")).T,
            _array(getattr(lstm, f"bias_ih_l{i}")),
            _array(getattr(lstm, f"bias_hh_l{i}")),
        )
        for i in range(lstm.num_layers)
    )


def _layers(modules: Iterable[Any], head: str) -> mlp.Network:
    activations: list[str] = []
    weights, biases = [], []
    for module in modules:
        if isinstance(module, nn.Linear):
            weights.append(_array(module.weight).T)
            biases.append(_array(module.bias) if module.bias is not None else np.zeros(module.out_features))
            activations.append("identity")
        elif type(module) in _ACTIVATIONS and activations:
            activations[-1] = _ACTIVATIONS[type(module)]
        elif not isinstance(module, (nn.Flatten, nn.Identity)):
            raise ConfigError(f"a layer of the kind {type(module).__name__} cannot be exported.")
    return mlp.Network(tuple(activations), tuple(weights), tuple(biases), head)


def _array(parameter: Any) -> NDArray[np.float64]:
    result: NDArray[np.float64] = parameter.detach().cpu().numpy().astype(np.float64)
    return result


def _normalised(network: mlp.Network, path: Path) -> mlp.Network:
    """Return the network with the means and deviations that a `VecNormalize` collected."""
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file of VecNormalize.")
    try:
        with path.open("rb") as file:
            saved = pickle.load(file)
        scale = np.sqrt(saved.obs_rms.var + saved.epsilon)
        return replace(network, mean=saved.obs_rms.mean, scale=scale, clip=float(saved.clip_obs))
    except Exception as error:  # unpickling raises anything
        raise ConfigError(f"{path}: is not a file that VecNormalize saved ({error}).") from None


def _check_observations(model: Any, task: str, shape: tuple[int, ...]) -> None:
    """Refuse a model that sees something else than the task shows."""
    space = model.observation_space
    if not isinstance(space, spaces.Box) or space.shape != shape:
        raise ConfigError(
            f"the model was trained for observations of the shape {space.shape}; {task} has {shape}. "
            "Was it trained for another task?"
        )


def _agreement(
    model: Any, network: mlp.Network, seen: NDArray[np.float32], starts: NDArray[np.bool_]
) -> Agreement:
    """Compare model and network; raises `ConfigError` where they differ by more than rounding."""
    space = model.action_space
    ours, theirs, outputs = _played(model, network, seen, starts)
    count = len(outputs)
    if menu_sizes(space):
        tops = [np.sort(part, axis=1)[:, -2:] for part in heads.of_menus(outputs, space)]
        sure = np.stack([t[:, 1] - t[:, 0] > _TOLERANCE * np.maximum(1.0, np.abs(t[:, 1])) for t in tops], 1)
        turned = (ours != theirs).reshape(sure.shape)
        differing, wrong = int(turned.sum()), int((turned & sure).sum())
        result = Agreement(count, differing, 0.0)
    else:
        apart = np.abs(ours - theirs).max(axis=1)
        wrong = int((apart > _TOLERANCE).sum())
        result = Agreement(count, 0, float(apart.max()))
    if wrong:
        raise ConfigError(
            f"the exported policy differs from the model on {wrong} of {count} observations. "
            "Was it trained with VecNormalize? Then name its file too."
        )
    return result


def _played(
    model: Any, network: mlp.Network, seen: NDArray[np.float32], starts: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the network's actions, the model's, and the network's outputs, step after step."""
    memory, states = None, network.start(_FIELDS)
    ours, theirs, outputs = [], [], []
    for now, first in zip(seen, starts, strict=True):
        inputs: NDArray[Any] = now
        if network.mean is not None and network.scale is not None:
            inputs = np.clip((now - network.mean) / network.scale, -network.clip, network.clip)
        action, memory = model.predict(inputs.astype(np.float32), memory, first, deterministic=True)
        states = tuple(np.where(first[:, None], 0.0, state) for state in states)
        out, states = network.step(now, states)
        ours.append(heads.actions(out, network.head, model.action_space))
        theirs.append(action)
        outputs.append(out)
    return np.concatenate(ours), np.concatenate(theirs), np.concatenate(outputs)


def _observations(task: str) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return what a random policy sees on the training split, and where episodes start.

    (steps, fields, observations) and (steps, fields), `OBSERVATIONS` of them in all.
    """
    envs = make_vec(task, _FIELDS)
    envs.single_action_space.seed(0)
    observation, _ = envs.reset(seed=0)
    rows, starts = [observation], [np.ones(_FIELDS, bool)]
    while len(rows) * _FIELDS < OBSERVATIONS:
        actions = np.array([envs.single_action_space.sample() for _ in range(_FIELDS)])
        observation, _, terminated, truncated, _ = envs.step(actions)
        rows.append(observation)
        starts.append(terminated | truncated)
    envs.close()
    return np.array(rows), np.array(starts)
