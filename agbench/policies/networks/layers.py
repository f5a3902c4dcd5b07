"""Layers of networks in float64 whose bits depend on neither the batch nor the machine.

Sums run over the inputs one after the other, by separate multiplications and additions, and functions
are our own (`agbench.compiled.elementary`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.compiled import entry
from agbench.compiled.elementary import exp, expm1, tanh
from agbench.variables import Floats

LEAK: Final = 0.01
"""The slope of `leaky_relu` below 0."""


def _sigmoid(values: Floats) -> Floats:
    return 1.0 / (1.0 + exp(-values))


def _silu(values: Floats) -> Floats:
    return values * _sigmoid(values)


def _leaky_relu(values: Floats) -> Floats:
    return np.where(values > 0.0, values, LEAK * values)


def _elu(values: Floats) -> Floats:
    return np.where(values > 0.0, values, expm1(values))


ACTIVATIONS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "identity": lambda values: values,
    "relu": lambda values: np.maximum(values, 0.0),
    "tanh": tanh,
    "sigmoid": _sigmoid,
    "elu": _elu,
    "silu": _silu,
    "leaky_relu": _leaky_relu,
}
GATES: Final = {"lstm": 4, "gru": 3}


def dense(values: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return bias + values @ weight, (n, outputs), summed over the inputs in order."""
    out: Floats = np.tile(bias, (len(values), 1))
    _add_products(np.ascontiguousarray(values), np.ascontiguousarray(weight), out)
    return out


@entry
def _add_products(values: Floats, weight: Floats, out: Floats) -> None:
    """Add values @ weight to `out`, (n, outputs), one input after the other."""
    for n in range(values.shape[0]):
        for i in range(values.shape[1]):
            value = values[n, i]
            for j in range(weight.shape[1]):
                out[n, j] += value * weight[i, j]


@dataclass(frozen=True)
class Cell:
    """A recurrent cell of h units, its gates side by side in PyTorch's order.

    `lstm` (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000): input, forget,
    cell, output. `gru` (Cho et al. 2014): reset, update, new, the reset applied after the product
    with the hidden state. `input_weight`: (inputs, gates h); `hidden_weight`: (h, gates h); both
    biases: (gates h,).
    """

    kind: str
    input_weight: Floats
    hidden_weight: Floats
    input_bias: Floats
    hidden_bias: Floats

    @property
    def units(self) -> int:
        """How many values the cell gives."""
        return len(self.hidden_weight)

    def start(self, rows: int) -> Floats:
        """Return the state of episodes that start: zeros, (rows, h), or (rows, 2 h) of an LSTM."""
        return np.zeros((rows, self.units * (2 if self.kind == "lstm" else 1)))

    def step(self, values: Floats, state: Floats) -> Floats:
        """Return the next state (rows, ...); its first h columns are what the cell gives."""
        h = self.units
        hidden = state[:, :h]
        seen = np.split(dense(values, self.input_weight, self.input_bias), GATES[self.kind], axis=1)
        kept = np.split(dense(hidden, self.hidden_weight, self.hidden_bias), GATES[self.kind], axis=1)
        if self.kind == "gru":
            reset, update = _sigmoid(seen[0] + kept[0]), _sigmoid(seen[1] + kept[1])
            new = tanh(seen[2] + reset * kept[2])
            return (1.0 - update) * new + update * hidden
        entry, forget, out = (_sigmoid(seen[i] + kept[i]) for i in (0, 1, 3))
        cell = forget * state[:, h:] + entry * tanh(seen[2] + kept[2])
        return np.concatenate([out * tanh(cell), cell], axis=1)
