"""Layers of networks in float64 whose bits depend on neither the batch nor the machine's vector units.

Sums run over the inputs one after the other, by separate multiplications and additions, and functions
are those of `math`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.simulators.base import Floats


def _scalar(function: Callable[[float], float]) -> Callable[[Floats], Floats]:
    """Return a function of an array that applies the mathematical library's to each value."""

    def apply(values: Floats) -> Floats:
        flat = [function(value) for value in values.ravel().tolist()]
        return np.array(flat, dtype=np.float64).reshape(values.shape)

    return apply


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700.0 else 0.0


def _elu(value: float) -> float:
    return value if value > 0.0 else math.expm1(value)


ACTIVATIONS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "identity": lambda values: values,
    "relu": lambda values: np.maximum(values, 0.0),
    "tanh": _scalar(math.tanh),
    "sigmoid": _scalar(_sigmoid),
    "elu": _scalar(_elu),
}
GATES: Final = {"lstm": 4, "gru": 3}


def dense(values: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return bias + values @ weight, (n, outputs), summed over the inputs in order."""
    out: Floats = np.tile(bias, (len(values), 1))
    for i, row in enumerate(weight):
        out += values[:, i, None] * row
    return out


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
        sigmoid, tanh = ACTIVATIONS["sigmoid"], ACTIVATIONS["tanh"]
        if self.kind == "gru":
            reset, update = sigmoid(seen[0] + kept[0]), sigmoid(seen[1] + kept[1])
            new = tanh(seen[2] + reset * kept[2])
            return (1.0 - update) * new + update * hidden
        entry, forget, out = (sigmoid(seen[i] + kept[i]) for i in (0, 1, 3))
        cell = forget * state[:, h:] + entry * tanh(seen[2] + kept[2])
        return np.concatenate([out * tanh(cell), cell], axis=1)
