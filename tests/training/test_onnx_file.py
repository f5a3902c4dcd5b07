"""Networks written as ONNX act as they do as arrays."""

from itertools import pairwise

import numpy as np
import pytest
from gymnasium import spaces

pytest.importorskip("onnxruntime")
from agbench.policies.networks.layers import Cell
from agbench.policies.networks.mlp import Mlp, Network
from agbench.policies.networks.onnx import Onnx
from agbench.training import onnx_file

SPACES = {
    "argmax": spaces.MultiDiscrete([3, 2]),
    "clip": spaces.Box(-1.0, 1.0, (5,)),
    "squash": spaces.Box(np.array([-1.0, 0.0, -2.0, 0.5, -1.0], np.float32), 3.0),
}


def network(head, activation, cells, clip):
    generator = np.random.default_rng(0)
    sizes = [7, 6, 5]
    weights = tuple(generator.normal(size=shape) for shape in pairwise(sizes))
    biases = tuple(generator.normal(size=size) for size in sizes[1:])
    memory = []
    for _ in range(cells):
        shapes = (7, 28), (7, 28), (28,), (28,)
        memory.append(Cell("lstm", *(generator.normal(size=shape) for shape in shapes)))
    mean, scale = generator.normal(size=7), generator.uniform(0.5, 2.0, 7)
    return Network((activation, "identity"), weights, biases, head, mean, scale, clip, tuple(memory))


@pytest.mark.slow_except("argmax-sigmoid-*", "clip-relu-*", "clip-tanh-*", "squash-leaky*")
@pytest.mark.parametrize(
    ("head", "activation", "cells", "clip"),
    [
        ("argmax", "tanh", 0, 1.0),
        ("clip", "relu", 0, np.inf),
        ("squash", "elu", 0, 2.0),
        ("argmax", "sigmoid", 1, 2.0),
        ("clip", "tanh", 2, 2.0),
        ("clip", "silu", 0, np.inf),
        ("squash", "leaky_relu", 1, 3.0),
    ],
)
def test_a_graph_gives_what_the_arrays_give(head, activation, cells, clip, tmp_path):
    made, space = network(head, activation, cells, clip), SPACES[head]
    path = onnx_file.save(made, space, tmp_path / "policy.onnx")
    ours, theirs = Mlp("ours", made, space), Onnx("theirs", path.read_bytes(), str(path), 7, space)
    seen = np.random.default_rng(1).normal(size=(50, 7)) * 3.0
    for policy in (ours, theirs):
        policy.reset(0)
    assert onnx_file.is_own(path)
    actions = np.array([[policy(row) for policy in (ours, theirs)] for row in seen], dtype=np.float64)
    assert np.allclose(actions[:, 0], actions[:, 1], rtol=0.0, atol=1e-6)
    assert len(np.unique(actions[:, 0], axis=0)) > (1 if head == "argmax" else 3)  # of few menus
