"""Perceptrons as arrays: the same bits in any batch, and what a file gives back."""

import numpy as np
import pytest
from gymnasium import spaces

from agbench.errors import ConfigError
from agbench.policies import mlp
from agbench.untrusted import RefusedError

TASK = "wheat-nitrogen-v1"
MENU = spaces.Discrete(3)
AMOUNTS = spaces.Box(-1.0, 1.0, (3,), np.float32)


def network(head="argmax", activation="tanh"):
    generator = np.random.default_rng(5)
    weights = (generator.normal(size=(12, 64)), generator.normal(size=(64, 3)))
    biases = (generator.normal(size=64), generator.normal(size=3))
    return mlp.Network((activation, "identity"), weights, biases, head)


@pytest.mark.parametrize("activation", mlp.ACTIVATIONS)
def test_outputs_do_not_depend_on_the_batch(activation):
    seen = np.random.default_rng(0).normal(size=(257, 12)).astype(np.float32)
    whole = network(activation=activation)(seen)
    single = np.concatenate([network(activation=activation)(row[None]) for row in seen])
    assert whole.tobytes() == single.tobytes()
    assert network(activation=activation)(seen[::2]).tobytes() == whole[::2].tobytes()


def test_outputs_are_those_of_the_matrix_product():
    seen = np.random.default_rng(1).normal(size=(9, 12))
    made = network()
    wanted = np.tanh(seen @ made.weights[0] + made.biases[0]) @ made.weights[1] + made.biases[1]
    assert made(seen) == pytest.approx(wanted, rel=1e-12)


def test_observations_are_normalised_and_clipped():
    made = mlp.Network(
        ("identity",), (np.eye(2),), (np.zeros(2),), "clip", np.array([1.0, 1.0]), np.array([2.0, 2.0]), 3.0
    )
    assert made(np.array([[3.0, 100.0]])).tolist() == [[1.0, 3.0]]


def test_actions_have_the_type_of_their_space():
    seen = np.zeros((2, 12))
    chosen = network().actions(seen, MENU)
    assert (chosen.dtype, chosen.shape) == (np.int64, (2,))
    for head in ("clip", "squash"):
        amounts = network(head).actions(seen + 50.0, AMOUNTS)
        assert amounts.dtype == np.float32
        assert np.abs(amounts).max() <= 1.0


def test_a_file_gives_the_same_bits_back(tmp_path):
    path = mlp.save(network(), tmp_path / "policy.npz")
    again = mlp.read(path.read_bytes(), "policy.npz", 12, MENU)
    seen = np.random.default_rng(2).normal(size=(20, 12))
    assert again(seen).tobytes() == network()(seen).tobytes()
    assert mlp.load(path, TASK).name == "policy"


def test_a_network_for_another_task_is_refused(tmp_path):
    path = mlp.save(network(), tmp_path / "policy.npz")
    with pytest.raises(RefusedError, match=r"weight_0: .* wanted floats of \(7, 'any'\)"):
        mlp.read(path.read_bytes(), "policy.npz", 7, MENU)
    with pytest.raises(RefusedError, match="weight_1: 3 outputs; the task wants 2"):
        mlp.read(path.read_bytes(), "policy.npz", 12, spaces.Discrete(2))
    with pytest.raises(ConfigError, match="No such file"):
        mlp.load(tmp_path / "nothing.npz", TASK)
