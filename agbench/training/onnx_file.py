"""A network as an ONNX graph: `policy.onnx`, the format that agents of any library can take.

The graph takes what the task shows, as double, and gives the outputs that `agbench.policies.networks.heads`
turns into actions; the scaling of observations is part of it. The cells of a memory are inputs and outputs.
What the network was made for is the graph's metadata.
"""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from agbench.errors import MissingExtraError
from agbench.files import write_bytes
from agbench.policies.networks.layers import LEAK, Cell
from agbench.policies.networks.mlp import Network

_OPSET: Final = 18
_IR: Final = 9
_PRODUCER: Final = "agbench"
_OPERATORS: Final = {"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid"}


def save(network: Network, space: spaces.Space[Any], path: str | Path) -> Path:
    """Write a network for an action space as `policy.onnx`; raises `MissingExtraError` without `onnx`."""
    try:
        import onnx
    except ImportError:
        raise MissingExtraError(
            'onnx is not installed. Install it with: pip install "agbench[onnx]"'
        ) from None
    content = _Graph(network, space).model().SerializeToString()
    onnx.checker.check_model(onnx.load_model_from_string(content))
    write_bytes(Path(path), content)
    return Path(path)


def is_own(path: Path) -> bool:
    """Return whether `save` wrote a file: a model's producer stands at its beginning, as its second field."""
    with path.open("rb") as file:
        return bytes([0x12, len(_PRODUCER)]) + _PRODUCER.encode() in file.read(32)


class _Graph:
    """Builds a graph node by node; values are referred to by name."""

    def __init__(self, network: Network, space: spaces.Space[Any]) -> None:
        self._network, self._space = network, space
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def model(self) -> Any:
        """Return the finished model."""
        from onnx import helper

        network = self._network
        width = len(network.cells[0].input_weight if network.cells else network.weights[0])
        self._inputs.append(_described("observation", width))
        value = self._scaled("observation")
        for i, cell in enumerate(network.cells):
            value = self._cell(i, cell, value)
        for name, weight, bias in zip(network.activations, network.weights, network.biases, strict=True):
            value = self._dense(value, weight, bias)
            value = self._activated(name, value)
        if network.head == "squash":
            value = self._squashed(value)
        self._node("Identity", value, out="action")
        self._outputs.insert(0, _described("action", len(network.biases[-1])))
        graph = helper.make_graph(self._nodes, "policy", self._inputs, self._outputs, self._constants)
        opset = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=_IR, producer_name=_PRODUCER)
        if (made := network.made_for) is not None:
            names = json.dumps(made.observations)
            said = {"task": made.task, "observations": names, "actions": made.actions}
            helper.set_model_props(model, said)
        return model

    def _scaled(self, value: str) -> str:
        network = self._network
        if network.mean is None or network.scale is None:
            return value
        value = self._node("Sub", value, self._constant(network.mean))
        value = self._node("Div", value, self._constant(network.scale))
        if not np.isfinite(network.clip):
            return value
        bounds = (self._constant(np.array(sign * network.clip)) for sign in (-1.0, 1.0))
        return self._node("Clip", value, *bounds)

    def _activated(self, name: str, value: str) -> str:
        """Return a layer's activation, in parts that exist in double.

        elu: relu(x) + exp(-relu(-x)) - 1; silu: x sigmoid(x); leaky_relu: relu(x) - slope relu(-x).
        """
        if name == "identity":
            return value
        if name == "silu":
            return self._node("Mul", value, self._node("Sigmoid", value))
        if name in _OPERATORS:
            return self._node(_OPERATORS[name], value)
        negative = self._node("Relu", self._node("Neg", value))
        if name == "leaky_relu":
            less = self._node("Mul", negative, self._constant(np.array(LEAK)))
            return self._node("Sub", self._node("Relu", value), less)
        below = self._node("Exp", self._node("Neg", negative))
        both = self._node("Add", self._node("Relu", value), below)
        return self._node("Sub", both, self._constant(np.array(1.0)))

    def _squashed(self, value: str) -> str:
        """Return amounts: the hyperbolic tangent stretched from bound to bound."""
        assert isinstance(self._space, spaces.Box)
        low, high = (bound.astype(np.float64).ravel() for bound in (self._space.low, self._space.high))
        stretched = self._node("Mul", self._node("Tanh", value), self._constant(0.5 * (high - low)))
        return self._node("Add", stretched, self._constant(0.5 * (high + low)))

    def _dense(self, value: str, weight: Any, bias: Any) -> str:
        return self._node("Gemm", value, self._constant(weight), self._constant(bias))

    def _cell(self, number: int, cell: Cell, value: str) -> str:
        """Return what an LSTM gives; its state, (1, 2 h), comes in and goes out."""
        before, after, units = f"state_{number}", f"next_state_{number}", cell.units
        self._inputs.append(_described(before, 2 * units, rows=1))
        self._outputs.append(_described(after, 2 * units, rows=1))
        hidden, memory = self._split(before, 2, units)
        seen = self._dense(value, cell.input_weight, cell.input_bias)
        kept = self._dense(hidden, cell.hidden_weight, cell.hidden_bias)
        gates = self._split(self._node("Add", seen, kept), 4, units)
        entry, forget, out = (self._node("Sigmoid", gates[i]) for i in (0, 1, 3))
        new = self._node("Mul", entry, self._node("Tanh", gates[2]))
        memory = self._node("Add", self._node("Mul", forget, memory), new)
        hidden = self._node("Mul", out, self._node("Tanh", memory))
        self._node("Concat", hidden, memory, out=after, axis=1)
        return hidden

    def _split(self, value: str, parts: int, units: int) -> list[str]:
        from onnx import helper

        names = [f"value_{len(self._nodes)}_{i}" for i in range(parts)]
        sizes = self._constant(np.full(parts, units, np.int64))
        self._nodes.append(helper.make_node("Split", [value, sizes], names, axis=1))
        return names

    def _constant(self, values: Any) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def _node(self, operator: str, *inputs: str, out: str | None = None, **more: Any) -> str:
        from onnx import helper

        name = out or f"value_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **more))
        return name


def _described(name: str, width: int, rows: int | str = "batch") -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.DOUBLE, [rows, width])
