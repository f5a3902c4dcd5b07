"""The deterministic part of a torch policy as plain arrays: its layers, their activations, its memory."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import nn

from agbench.envs.actions import menu_sizes
from agbench.errors import ConfigError
from agbench.policies.networks import mlp
from agbench.policies.networks.layers import LEAK, Cell

ACTIVATIONS: Final[Mapping[str, type[nn.Module]]] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "elu": nn.ELU,
    "silu": nn.SiLU,
    "leaky_relu": nn.LeakyReLU,
    "sigmoid": nn.Sigmoid,
}
"""By their names in `agbench.policies.networks.layers`."""
_FIXED: Final = {"alpha": 1.0, "negative_slope": LEAK}
"""Arguments of activations that a file does not hold, at the values that it means."""


def network_of(model: Any) -> mlp.Network:
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
        elif type(module) in ACTIVATIONS.values() and activations and activations[-1] == "identity":
            activations[-1] = _activation(module)
        elif not isinstance(module, (nn.Flatten, nn.Identity)):
            raise ConfigError(f"a layer of the kind {type(module).__name__} cannot be exported.")
    return mlp.Network(tuple(activations), tuple(weights), tuple(biases), head)


def _activation(module: Any) -> str:
    """Return the name of an activation; raises `ConfigError` for an argument that is not the usual one."""
    for argument, usual in _FIXED.items():
        if (value := getattr(module, argument, usual)) != usual:
            raise ConfigError(
                f"{type(module).__name__}({argument}={value:g}) cannot be exported; {argument}={usual:g} can."
            )
    return next(name for name, kind in ACTIVATIONS.items() if type(module) is kind)


def _array(parameter: Any) -> NDArray[np.float64]:
    result: NDArray[np.float64] = parameter.detach().cpu().numpy().astype(np.float64)
    return result
