"""A perceptron of torch whose gradients are written out, for small networks on one core.

Automatic differentiation costs more than the arithmetic where a layer has 64 units: here a layer is one
product forwards and two backwards, into memory that is made once. Products are torch's, on its threads; what
is done number by number is NumPy's, whose tanh takes a seventh of the time, on the same memory.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

Tensor = torch.Tensor
Singles = NDArray[np.float32]
_ACTIVATIONS: Final = (nn.Tanh, nn.ReLU)


def fits(modules: Iterable[Any]) -> bool:
    """Return whether modules are linear layers, each with at most one tanh or rectifier behind it."""
    before = None
    for module in modules:
        linear = isinstance(module, nn.Linear) and module.bias is not None
        if not linear and not (isinstance(module, _ACTIVATIONS) and isinstance(before, nn.Linear)):
            return False
        before = module
    return before is not None


class Perceptron:
    """The layers of a `torch.nn.Sequential`, (n, inputs) to (n, outputs), and their gradients.

    `forward` and `backward` keep no graph. The weights are the module's own; their `grad`, which they must
    have, are written by `backward`, in place. What `forward` returns is its own memory, valid until the next
    call with as many rows.
    """

    def __init__(self, modules: Iterable[Any]) -> None:
        self._layers: list[tuple[nn.Linear, Any]] = []
        for module in modules:
            if isinstance(module, nn.Linear):
                self._layers.append((module, None))
            else:
                self._layers[-1] = self._layers[-1][0], type(module)
        self._memory: dict[int, _Memory] = {}
        self._inputs = torch.empty(0)

    def forward(self, values: Singles) -> Singles:
        """Return the outputs (n, outputs) of inputs (n, inputs)."""
        self._inputs = before = torch.from_numpy(values)
        memory = self._of(len(values))
        out = values
        for (layer, activation), result, out in zip(
            self._layers, memory.outputs, memory.numbers, strict=True
        ):
            torch.addmm(layer.bias, before, layer.weight.t(), out=result)
            if activation is nn.Tanh:
                np.tanh(out, out=out)
            elif activation is nn.ReLU:
                np.maximum(out, 0.0, out=out)
            before = result
        return out

    def backward(self, gradient: Singles) -> None:
        """Write the weights' gradients, from the gradient of the last outputs, (n, outputs)."""
        memory = self._of(len(gradient))
        slope = torch.from_numpy(gradient)
        for i in reversed(range(len(self._layers))):
            layer, activation = self._layers[i]
            if activation is nn.Tanh:
                slope = torch.ops.aten.tanh_backward(slope, memory.outputs[i])
            elif activation is nn.ReLU:
                slope = torch.ops.aten.threshold_backward(slope, memory.outputs[i], 0.0)
            before = memory.outputs[i - 1] if i else self._inputs
            assert layer.weight.grad is not None
            assert layer.bias.grad is not None
            torch.mm(slope.t(), before, out=layer.weight.grad)
            torch.sum(slope, 0, out=layer.bias.grad)
            if i:
                slope = torch.mm(slope, layer.weight, out=memory.slopes[i])

    def _of(self, rows: int) -> "_Memory":
        """Return the memory for a number of rows."""
        if rows not in self._memory:
            self._memory[rows] = _Memory(self._layers, rows)
        return self._memory[rows]


class _Memory:
    """What layers give for a number of rows, as torch and NumPy see it, and the slopes of what they take."""

    def __init__(self, layers: list[tuple[nn.Linear, Any]], rows: int) -> None:
        self.outputs = [torch.empty(rows, layer.out_features) for layer, _ in layers]
        self.slopes = [torch.empty(rows, layer.in_features) for layer, _ in layers]
        self.numbers: list[Singles] = [output.numpy() for output in self.outputs]
