"""ONNX files for the tests: the good network of the tests as a graph, and graphs that no one should run."""

import numpy as np
from good_submission import network
from onnx import TensorProto, helper, numpy_helper

ONES = ["batch", 12]


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, tensors=(), inputs=None, outputs=None, opset=17, **parts):
    """Return a model with an observation of 12 and an action of 3, if nothing else is said."""
    graph = helper.make_graph(
        nodes,
        "policy",
        inputs or [value("observation", ONES)],
        outputs or [value("action", ["batch", 3])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(tensors).items()],
        **parts,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def graph_of(result):
    """Return a perceptron as a graph in double precision."""
    (first, second), (one, two) = result.weights, result.biases
    tensors = {"w0": first, "b0": one, "w1": second, "b1": two}
    tensors |= {"mean": result.mean, "scale": result.scale, "low": -result.clip, "high": result.clip}
    nodes = [
        node("Sub", "observation mean", "centred"),
        node("Div", "centred scale", "scaled"),
        node("Clip", "scaled low high", "seen"),
        node("Gemm", "seen w0 b0", "hidden"),
        node("Tanh", "hidden", "active"),
        node("Gemm", "active w1 b1", "action"),
    ]
    double = TensorProto.DOUBLE
    inputs, outputs = [value("observation", ONES, double)], [value("action", ["batch", 3], double)]
    return model(nodes, tensors, inputs, outputs)


def good(seed=1):
    """Return the bytes of a good policy."""
    return graph_of(network(seed)).SerializeToString()


WEIGHT = np.ones((12, 3), np.float32)


def plain(**parts):
    """Return a model of one matrix product."""
    return model([node("MatMul", "observation w", "action")], {"w": WEIGHT}, **parts)


def changed(change):
    """Return a plain model after a change in place."""
    result = plain()
    change(result)
    return result


def counting():
    """Return a policy with a memory: it chooses the number of its step, modulo nothing, 2 at most."""
    inputs = [value("observation", ONES), value("state_steps", [1, 3])]
    outputs = [value("action", ["batch", 3]), value("next_state_steps", [1, 3])]
    turn = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1]], np.float32)
    first = np.array([[1, 0, 0]], np.float32)
    nodes = [
        node("ReduceSum", "state_steps", "total", keepdims=1),
        node("Sub", "one total", "fresh"),
        node("Mul", "fresh first", "start"),
        node("Add", "state_steps start", "here"),
        node("Identity", "here", "action"),
        node("MatMul", "here turn", "next_state_steps"),
    ]
    tensors = {"one": np.float32(1.0), "first": first, "turn": turn}
    return model(nodes, tensors, inputs, outputs)


def loop():
    """Return a model that would go round 2 ** 62 times."""
    body = helper.make_graph(
        [node("Identity", "go", "on"), node("Identity", "x", "y")],
        "body",
        [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("x", [1, 3])],
        [value("on", [], TensorProto.BOOL), value("y", [1, 3])],
    )
    nodes = [node("MatMul", "observation w", "start"), node("Loop", "times yes start", "action", body=body)]
    return model(nodes, {"w": WEIGHT, "times": np.int64(2**62), "yes": np.array(True)})


def branch():
    """Return a model with a graph in a graph."""
    side = helper.make_graph([node("MatMul", "observation w", "out")], "side", [], [value("out", [1, 3])])
    made = node("If", "yes", "action", then_branch=side, else_branch=side)
    return model([made], {"w": WEIGHT, "yes": np.array(True)})


def doubling(times):
    """Return a model whose values double in length again and again."""
    nodes = [node("MatMul", "observation w", "x0")]
    nodes += [node("Concat", f"x{i} x{i}", f"x{i + 1}", axis=1) for i in range(times)]
    nodes += [node("ReduceMax", f"x{times}", "peak", keepdims=1), node("Mul", "peak row", "action")]
    return model(nodes, {"w": WEIGHT, "row": np.ones((1, 3), np.float32)})


def labour(products=3, size=900):
    """Return a model of allowed values and much work: products of matrices, one after the other."""
    tensors = {"w": np.ones((12, size), np.float32), "column": np.ones((size, 1), np.float32)}
    tensors |= {"down": np.ones((size, 3), np.float32)}
    nodes = [node("MatMul", "observation w", "line"), node("MatMul", "column line", "x0")]
    for i in range(products):
        nodes += [node("MatMul", f"x{i} x{i}", f"y{i}"), node("Tanh", f"y{i}", f"x{i + 1}")]
    nodes += [node("MatMul", f"line x{products}", "flat"), node("MatMul", "flat down", "action")]
    return model(nodes, tensors)


def claimed(*dims):
    """Return a model whose weight claims another shape than it holds."""
    return changed(lambda m: m.graph.initializer[0].dims.__setitem__(slice(None), dims))


def set_external(result):
    tensor = result.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def not_a_number(result):
    result.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.full((12, 3), np.nan, np.float32), "w"))


def local_function(result):
    result.functions.add(name="Tanh", domain="ai.onnx")


def unknown_shape():
    """Return a model whose intermediate shape only the observation decides."""
    nodes = [
        node("Cast", "observation", "whole", to=TensorProto.INT64),
        node("Slice", "whole first last", "two"),
        node("Squeeze", "two axis", "sizes"),
        node("Reshape", "observation sizes", "odd"),
        node("ReduceMax", "odd", "peak", keepdims=0),
        node("Mul", "peak row", "action"),
    ]
    tensors = {"first": np.array([0, 0]), "last": np.array([1, 2]), "axis": np.array([0])}
    return model(nodes, tensors | {"row": np.ones((1, 3), np.float32)})


# name: (a function that makes the file, the reason)
BAD = {
    "text": (lambda: b"hello", "not a sound ONNX file"),
    "nothing": (lambda: b"", "ir_version: 0"),
    "cut": (lambda: good()[:400], "not a sound ONNX file"),
    "too large": (lambda: bytes(2_000_001), "size: 2,000,001 bytes"),
    "unknown operator": (lambda: model([node("Exec", "observation", "action")]), "'Exec' is not allowed"),
    "random": (lambda: model([node("RandomNormalLike", "observation", "action")]), "RandomNormalLike"),
    "operator of another domain": (
        lambda: model([node("Inverse", "observation", "action", domain="com.microsoft")]),
        "node 0: the operator Inverse of the domain 'com.microsoft'",
    ),
    "domain imported": (
        lambda: changed(lambda m: m.opset_import.add(domain="evil", version=1)),
        "the domain 'evil'",
    ),
    "two opsets": (
        lambda: changed(lambda m: m.opset_import.add(domain="ai.onnx", version=17)),
        "opset_import: 2 of them",
    ),
    "opset of tomorrow": (lambda: plain(opset=99), "opset_import: version 99"),
    "loop": (loop, "node 1: the operator 'Loop' is not allowed"),
    "branch": (branch, "the operator 'If' is not allowed"),
    "a graph in an allowed operator": (
        lambda: changed(
            lambda m: m.graph.node[0].attribute.append(helper.make_attribute("body", loop().graph))
        ),
        "attribute 'body' is of the kind GRAPH",
    ),
    "expansion": (
        lambda: model([node("Expand", "observation n", "action")], {"n": np.array([10**9, 12])}),
        "'Expand' is not allowed",
    ),
    "weight of 10 GB": (lambda: claimed(50_000, 50_000), "initializer w: the shape .50000, 50000."),
    "weight that claims more": (lambda: claimed(13, 3), "takes 156; it holds 144"),
    "negative size": (lambda: claimed(-12, -3), "the shape .-12, -3."),
    "64-bit sizes that wrap": (lambda: claimed(2**62, 4, 4), "initializer w: the shape"),
    "weights elsewhere": (lambda: changed(set_external), "initializer w: its numbers are in another file"),
    "NaN": (lambda: changed(not_a_number), "initializer w: holds a number that is not finite"),
    "texts as weights": (
        lambda: changed(lambda m: setattr(m.graph.initializer[0], "data_type", TensorProto.STRING)),
        "of the type STRING",
    ),
    "sparse weights": (
        lambda: changed(lambda m: m.graph.sparse_initializer.add()),
        "sparse_initializer: not allowed",
    ),
    "a function of its own": (lambda: changed(local_function), "functions: not allowed"),
    "training inside": (lambda: changed(lambda m: m.training_info.add()), "training_info: not allowed"),
    "memory that doubles": (lambda: doubling(40), "value x19: the shape .1, 1572864."),
    "many large values": (
        lambda: model(
            [node("MatMul", "observation w", "x0"), node("MatMul", "column x0", "x1")]
            + [node("Add", f"x{i} x{i}", f"x{i + 1}") for i in range(1, 30)]
            + [node("ReduceMax", "x30", "peak", keepdims=0), node("Mul", "peak row", "action")],
            {
                "w": np.ones((12, 900), np.float32),
                "column": np.ones((900, 1), np.float32),
                "row": np.ones((1, 3), np.float32),
            },
        ),
        "values in one step; at most 8,000,000",
    ),
    "shape known only when it runs": (unknown_shape, "not known before it runs|not valid"),
    "1,001 nodes": (
        lambda: model([node("Tanh", f"x{i}", f"x{i + 1}") for i in range(1001)]),
        "nodes: 1,001; at most 1,000",
    ),
    "other observation": (
        lambda: plain(inputs=[value("observation", ["batch", 9])]),
        "input observation: the shape .1, 9.; the task expects .batch, 12.",
    ),
    "observation by another name": (
        lambda: model(
            [node("MatMul", "input w", "action")], {"w": WEIGHT}, inputs=[value("input", ["batch", 12])]
        ),
        "inputs: input; expected one that is named observation",
    ),
    "whole observation": (
        lambda: plain(inputs=[value("observation", ONES, TensorProto.INT64)]),
        "neither float nor double",
    ),
    "observation of 10 GB": (
        lambda: plain(inputs=[value("observation", ["batch", 12]), value("state", [10**5, 10**5])]),
        "input state: the shape .100000, 100000.",
    ),
    "an input that no one gives": (
        lambda: plain(inputs=[value("observation", ONES), value("secret", [1])]),
        "input secret: not observation, nor a state",
    ),
    "state without a next": (
        lambda: plain(inputs=[value("observation", ONES), value("state", [1])]),
        "outputs: action; expected action, next_state",
    ),
    "action by another name": (
        lambda: model(
            [node("MatMul", "observation w", "out")], {"w": WEIGHT}, outputs=[value("out", ["batch", 3])]
        ),
        "outputs: out; expected action",
    ),
    "too many choices": (
        lambda: model([node("Identity", "observation", "action")]),
        "output action: the shape .1, 12.; expected .1, 3.",
    ),
    "action of another type": (
        lambda: model(
            [node("MatMul", "observation w", "x"), node("Cast", "x", "action", to=TensorProto.INT64)],
            {"w": WEIGHT},
            outputs=[value("action", ["batch", 3], TensorProto.INT64)],
        ),
        "output action: not of the type float32",
    ),
    "wires that lead nowhere": (
        lambda: model([node("MatMul", "observation w", "action")]),
        "graph: not valid",
    ),
    "types that do not fit": (
        lambda: model([node("MatMul", "observation w", "action")], {"w": WEIGHT.astype(np.int64)}),
        "graph: not valid",
    ),
}


def written(made):
    """Return the bytes of what a function above makes."""
    result = made()
    return result if isinstance(result, bytes) else result.SerializeToString()
