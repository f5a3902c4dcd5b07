"""A perceptron of torch whose gradients are written out, for small networks on one core.

Automatic differentiation costs more than the arithmetic where a layer has 64 units: here a layer is one
product forwards and two backwards, into memory that is made once.
"""

from collections.abc import Iterable
from typing import Any, Final

import torch
from torch import nn

Tensor = torch.Tensor
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

    `forward` and `backward` keep no graph. The weights are the module's own; their `grad` are written by
    `backward`, in place. What `forward` returns is its own memory, valid until the next call with as many
    rows.
    """

    def __init__(self, modules: Iterable[Any]) -> None:
        self._layers: list[tuple[nn.Linear, Any]] = []
        for module in modules:
            if isinstance(module, nn.Linear):
                self._layers.append((module, None))
            else:
                self._layers[-1] = self._layers[-1][0], type(module)
        for layer, _ in self._layers:
            for parameter in (layer.weight, layer.bias):
                parameter.grad = torch.zeros_like(parameter)
        self._memory: dict[int, tuple[list[Tensor], list[Tensor]]] = {}
        self._inputs = torch.empty(0)

    def forward(self, values: Tensor) -> Tensor:
        """Return the outputs (n, outputs) of inputs (n, inputs)."""
        self._inputs = values
        outputs, _ = self._of(len(values))
        for (layer, activation), out in zip(self._layers, outputs, strict=True):
            torch.addmm(layer.bias, values, layer.weight.t(), out=out)
            if activation is nn.Tanh:
                torch.tanh_(out)
            elif activation is nn.ReLU:
                torch.relu_(out)
            values = out
        return values

    def backward(self, gradient: Tensor) -> None:
        """Write the weights' gradients, from the gradient of the last outputs, (n, outputs)."""
        outputs, slopes = self._of(len(gradient))
        for i in reversed(range(len(self._layers))):
            layer, activation = self._layers[i]
            if activation is nn.Tanh:
                gradient = torch.ops.aten.tanh_backward(gradient, outputs[i])
            elif activation is nn.ReLU:
                gradient = torch.ops.aten.threshold_backward(gradient, outputs[i], 0.0)
            before = outputs[i - 1] if i else self._inputs
            assert layer.weight.grad is not None
            assert layer.bias.grad is not None
            torch.mm(gradient.t(), before, out=layer.weight.grad)
            torch.sum(gradient, 0, out=layer.bias.grad)
            if i:
                gradient = torch.mm(gradient, layer.weight, out=slopes[i])

    def _of(self, rows: int) -> tuple[list[Tensor], list[Tensor]]:
        """Return the memory for a number of rows: what layers give, and the slopes of what they take."""
        if rows not in self._memory:
            outputs = [torch.empty(rows, layer.out_features) for layer, _ in self._layers]
            self._memory[rows] = outputs, [torch.empty(rows, layer.in_features) for layer, _ in self._layers]
        return self._memory[rows]
