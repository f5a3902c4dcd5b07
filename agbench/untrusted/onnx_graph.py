"""An untrusted ONNX file, checked completely before any of it runs.

Runs in a confined process (see `confined`), because the libraries that read it are written in C++.
Nothing in an allowed graph can repeat, call code, open a file or draw a number, and the shape of
every value is known and small before the first of them is allocated.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.untrusted.refusal import RefusedError

FILE_BYTES: Final = 2_000_000
NODES: Final = 1000
VALUES: Final = 1_000_000  # of one tensor
TOTAL_VALUES: Final = 8_000_000  # of all tensors of one step
DIMENSIONS: Final = 6
FIRST_OPSET: Final = 7
_LONGEST_LIST: Final = 10_000
_LONGEST_TEXT: Final = 100_000

INPUT: Final = "observation"
OUTPUT: Final = "action"
STATE: Final = "state"  # how the names of a recurrent policy's further inputs begin
MADE_FOR: Final = ("task", "observations", "actions")  # metadata; the observations are a JSON list
NEXT: Final = "next_"  # and what stands before them in the names of its further outputs

_OPERATORS: Final = """
    Abs Add And ArgMax ArgMin BatchNormalization Cast Ceil Clip Concat Constant Cos Div Elu Equal Erf
    Exp Flatten Floor GRU Gather Gelu Gemm Greater GreaterOrEqual HardSigmoid HardSwish Identity
    LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul Max Mean Min Mish Mul Neg Not Or
    PRelu Pow RNN Reciprocal ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Relu Reshape
    Round Selu Shape Sigmoid Sign Sin Slice Softmax Softplus Softsign Split Sqrt Squeeze Sub Sum
    Tanh ThresholdedRelu Transpose Unsqueeze Where Xor
"""
OPERATORS: Final = frozenset(_OPERATORS.split())
_BYTES: Final = {"FLOAT": 4, "DOUBLE": 8, "INT64": 8, "INT32": 4, "BOOL": 1}
_FIELDS: Final = {
    "FLOAT": "float_data",
    "DOUBLE": "double_data",
    "INT64": "int64_data",
    "INT32": "int32_data",
    "BOOL": "int32_data",
}
_ATTRIBUTES: Final = ("FLOAT", "INT", "STRING", "TENSOR", "FLOATS", "INTS", "STRINGS")


@dataclass(frozen=True)
class CheckedGraph:
    """A graph that may run: its bytes, serialised again, and the shape and type of each state."""

    content: bytes
    dtype: str
    states: dict[str, tuple[tuple[int, ...], str]]


def check(content: bytes, inputs: int, outputs: int) -> CheckedGraph:
    """Check an ONNX file against a policy's number of inputs and outputs; raises `RefusedError`."""
    if len(content) > FILE_BYTES:
        raise RefusedError("", "size", f"{len(content):,} bytes; at most {FILE_BYTES:,}.")
    model = _parsed(content)
    _check_model(model)
    _check_nodes(model.graph.node)
    for tensor in model.graph.initializer:
        _check_tensor(tensor, f"initializer {tensor.name}")
    dtype, states = _fix_inputs(model.graph, inputs)
    _check_names(model.graph, states)
    shapes = _shapes(model)
    _check_outputs(shapes, dtype, outputs, states)
    return CheckedGraph(model.SerializeToString(), dtype, states)


def made_for(content: bytes) -> dict[str, str]:
    """Return what an ONNX file says it was made for, as short texts by name; all may be absent."""
    if len(content) > FILE_BYTES:
        raise RefusedError("", "size", f"{len(content):,} bytes; at most {FILE_BYTES:,}.")
    said = {entry.key: entry.value for entry in _message(content).metadata_props if entry.key in MADE_FOR}
    for name, text in said.items():
        if len(text) > _LONGEST_TEXT:
            raise RefusedError("", name, f"{len(text):,} letters; at most {_LONGEST_TEXT:,}.")
    return said


def _message(content: bytes) -> Any:
    """Return the message in a file, as it stands there."""
    import onnx
    from google.protobuf.message import DecodeError

    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError:
        raise RefusedError("", "", "not a sound ONNX file.") from None
    return model


def _parsed(content: bytes) -> Any:
    """Return the model without what our own reader does not know: another must not read more in it."""
    model = _message(content)
    model.DiscardUnknownFields()
    model.ClearField("metadata_props")
    return model


def _check_model(model: Any) -> None:
    import onnx

    if not 3 <= model.ir_version <= onnx.IR_VERSION:
        raise RefusedError("", "ir_version", f"{model.ir_version}; 3 to {onnx.IR_VERSION}.")
    for name in ("functions", "training_info"):
        if getattr(model, name, ()):
            raise RefusedError("", name, "not allowed.")
    if model.graph.sparse_initializer:
        raise RefusedError("", "sparse_initializer", "not allowed.")
    newest = onnx.defs.onnx_opset_version()
    for opset in model.opset_import:
        if opset.domain not in ("", "ai.onnx"):
            raise RefusedError("", "opset_import", f"the domain {opset.domain!r}; only ai.onnx is allowed.")
        if not FIRST_OPSET <= opset.version <= newest:
            raise RefusedError("", "opset_import", f"version {opset.version}; {FIRST_OPSET} to {newest}.")
    if len(model.opset_import) != 1:
        raise RefusedError("", "opset_import", f"{len(model.opset_import)} of them; expected one.")


def _check_nodes(nodes: Any) -> None:
    """Refuse operators that are not on the list, and graphs inside graphs."""
    from onnx import AttributeProto

    if len(nodes) > NODES:
        raise RefusedError("", "nodes", f"{len(nodes):,}; at most {NODES:,}.")
    for i, node in enumerate(nodes):
        where = f"node {i}"
        if node.domain not in ("", "ai.onnx"):
            raise RefusedError("", where, f"the operator {node.op_type} of the domain {node.domain!r}.")
        if node.op_type not in OPERATORS:
            raise RefusedError("", where, f"the operator {node.op_type!r} is not allowed.")
        for attribute in node.attribute:
            kind = AttributeProto.AttributeType.Name(attribute.type)
            if kind not in _ATTRIBUTES or attribute.ref_attr_name:
                raise RefusedError("", where, f"the attribute {attribute.name!r} is of the kind {kind}.")
            if max(len(attribute.ints), len(attribute.floats), len(attribute.strings)) > _LONGEST_LIST:
                raise RefusedError("", where, f"the attribute {attribute.name!r} is too long.")
            if kind == "TENSOR":
                _check_tensor(attribute.t, where)


def _check_tensor(tensor: Any, where: str) -> None:
    """Refuse a tensor that claims more than it holds, lies elsewhere, or holds what is no number."""
    from onnx import TensorProto, numpy_helper

    if tensor.data_location != TensorProto.DEFAULT or tensor.external_data:
        raise RefusedError("", where, "its numbers are in another file.")
    if tensor.HasField("segment"):
        raise RefusedError("", where, "a tensor in segments.")
    names = {number: name for name, number in TensorProto.DataType.items()}
    kind = names.get(tensor.data_type, "UNDEFINED")
    if kind not in _BYTES:
        raise RefusedError("", where, f"of the type {kind}; allowed: {', '.join(_BYTES)}.")
    shape = tuple(tensor.dims)
    count = _count(shape, where)
    if tensor.HasField("raw_data"):
        held, expected = len(tensor.raw_data), count * _BYTES[kind]
    else:
        held, expected = len(getattr(tensor, _FIELDS[kind])), count
    if held != expected:
        raise RefusedError("", where, f"the shape {shape} takes {expected:,}; it holds {held:,}.")
    if kind in ("FLOAT", "DOUBLE") and not np.isfinite(numpy_helper.to_array(tensor)).all():
        raise RefusedError("", where, "holds a number that is not finite.")


def _count(shape: Iterable[int], where: str) -> int:
    """Return how many values a shape has, if it is a small one."""
    sizes = tuple(shape)
    count = math.prod(sizes)
    if any(size < 0 for size in sizes) or len(sizes) > DIMENSIONS or count > VALUES:
        raise RefusedError(
            "", where, f"the shape {sizes}; at most {VALUES:,} values in {DIMENSIONS} dimensions."
        )
    return count


def _fix_inputs(graph: Any, inputs: int) -> tuple[str, dict[str, tuple[tuple[int, ...], str]]]:
    """Set the batch to 1; return the type of the observation, and shape and type of the states."""
    initialized = {tensor.name for tensor in graph.initializer}
    kept = [value for value in graph.input if value.name not in initialized]
    del graph.input[:]
    graph.input.extend(kept)
    names = [value.name for value in graph.input]
    states: dict[str, tuple[tuple[int, ...], str]] = {}
    if names.count(INPUT) != 1:
        raise RefusedError("", "inputs", f"{', '.join(names) or 'none'}; expected one that is named {INPUT}.")
    for value in graph.input:
        shape, kind = _declared(value, f"input {value.name}")
        if value.name == INPUT:
            if shape != (1, inputs):
                raise RefusedError(
                    "", f"input {INPUT}", f"the shape {shape}; the task expects (batch, {inputs})."
                )
            dtype = kind
        elif value.name.startswith(STATE) and value.name not in states:
            states[value.name] = (shape, kind)
        else:
            raise RefusedError("", f"input {value.name}", f"not {INPUT}, nor a state with a unique name.")
    return dtype, states


def _declared(value: Any, where: str) -> tuple[tuple[int, ...], str]:
    """Return shape and type of an input; a size that has only a name becomes 1."""
    from onnx import TensorProto

    if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
        raise RefusedError("", where, "not a tensor with a stated shape.")
    tensor = value.type.tensor_type
    kind = {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64"}.get(tensor.elem_type)
    if kind is None:
        raise RefusedError("", where, "of a type that is neither float nor double.")
    for dimension in tensor.shape.dim:
        if not dimension.HasField("dim_value"):
            dimension.dim_value = 1
    shape = tuple(dimension.dim_value for dimension in tensor.shape.dim)
    _count(shape, where)
    return shape, kind


def _check_names(graph: Any, states: Iterable[str]) -> None:
    """Hold the outputs' names against the inputs'."""
    names = [value.name for value in graph.output]
    expected = [OUTPUT, *(f"{NEXT}{name}" for name in states)]
    if sorted(names) != sorted(expected):
        raise RefusedError("", "outputs", f"{', '.join(names) or 'none'}; expected {', '.join(expected)}.")


def _shapes(model: Any) -> dict[str, tuple[tuple[int, ...], int]]:
    """Return shape and type of every value by name, derived from the inputs; each must be small."""
    import onnx

    try:
        onnx.checker.check_model(model)
        _forget_claims(model.graph)
        derived = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as error:
        text = str(error).strip().splitlines() or ["?"]
        raise RefusedError("", "graph", f"not valid: {text[0][:200]}") from None
    result: dict[str, tuple[tuple[int, ...], int]] = {}
    total = 0
    for value in (*derived.graph.value_info, *derived.graph.output):
        tensor = value.type.tensor_type
        if tensor.HasField("shape") and all(d.HasField("dim_value") for d in tensor.shape.dim):
            shape = tuple(d.dim_value for d in tensor.shape.dim)
            total += _count(shape, f"value {value.name}")
            result[value.name] = (shape, tensor.elem_type)
    if total > TOTAL_VALUES:
        raise RefusedError("", "graph", f"{total:,} values in one step; at most {TOTAL_VALUES:,}.")
    for i, node in enumerate(model.graph.node):
        for name in node.output:
            if name and name not in result:
                raise RefusedError(
                    "", f"node {i}", f"the shape of the output of {node.op_type} is not known before it runs."
                )
    return result


def _forget_claims(graph: Any) -> None:
    """Take out every shape that is claimed of a value, so that all are derived."""
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def _check_outputs(
    shapes: dict[str, tuple[tuple[int, ...], int]],
    dtype: str,
    outputs: int,
    states: dict[str, tuple[tuple[int, ...], str]],
) -> None:
    from onnx import TensorProto

    kinds = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
    expected = {OUTPUT: ((1, outputs), dtype)} | {f"{NEXT}{name}": text for name, text in states.items()}
    for name, (shape, kind) in expected.items():
        result = shapes.get(name)
        if result is None or result[0] != shape:
            text = "an input" if result is None else f"the shape {result[0]}"
            raise RefusedError("", f"output {name}", f"{text}; expected {shape}.")
        if result[1] != kinds[kind]:
            raise RefusedError("", f"output {name}", f"not of the type {kind}.")
