"""Perceptrons as arrays: the same bits in any batch, and what a file gives back."""

import numpy as np
import pytest
from gymnasium import spaces

from agbench.errors import AgBenchWarning, ConfigError
from agbench.policies.networks import layers, mlp
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
    expected = np.tanh(seen @ made.weights[0] + made.biases[0]) @ made.weights[1] + made.biases[1]
    assert made(seen) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [0, 1, 3, 17])
def test_sums_run_over_the_inputs_one_after_the_other(rows):
    generator = np.random.default_rng(2)
    values = generator.normal(size=(rows, 70)) * 10.0 ** generator.integers(-9, 9, (rows, 70))
    weight, bias = generator.normal(size=(70, 9)), generator.normal(size=9)
    weight[3], values[:1, 5] = np.inf, np.nan
    expected = np.tile(bias, (rows, 1))
    with np.errstate(all="ignore"):
        for i in range(70):
            expected += values[:, i, None] * weight[i]
    for laid_out in (np.asfortranarray, np.ascontiguousarray):
        found = layers.dense(laid_out(values), laid_out(weight), bias)
        assert np.array_equal(found, expected, equal_nan=True)


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
    with pytest.warns(AgBenchWarning, match="does not say what task it was made for"):
        assert mlp.load(path, TASK).name == "policy"


def test_a_network_for_another_task_is_refused(tmp_path):
    path = mlp.save(network(), tmp_path / "policy.npz")
    with pytest.raises(RefusedError, match=r"weight_0: .* expected floats of \(7, 'any'\)"):
        mlp.read(path.read_bytes(), "policy.npz", 7, MENU)
    with pytest.raises(RefusedError, match="weight_1: 3 outputs; the task expects 2"):
        mlp.read(path.read_bytes(), "policy.npz", 12, spaces.Discrete(2))
    with pytest.raises(ConfigError, match="No such file"):
        mlp.load(tmp_path / "nothing.npz", TASK)


def test_a_file_is_known_as_a_policy_by_its_arrays(tmp_path):
    mlp.save(network(), tmp_path / "policy.npz")
    assert mlp.is_own(tmp_path / "policy.npz")
    np.savez(tmp_path / "actions.npz", episode_00000=np.zeros(3))
    (tmp_path / "text.npz").write_text("text")
    assert not mlp.is_own(tmp_path / "actions.npz")
    assert not mlp.is_own(tmp_path / "text.npz")


@pytest.mark.parametrize("name", ["scale", "clip"])
@pytest.mark.parametrize("value", [0.0, -3.0])
def test_a_scale_or_a_clip_that_is_not_above_zero_is_refused(tmp_path, name, value):
    with np.load(mlp.save(network(), tmp_path / "policy.npz")) as stored:
        arrays = dict(stored)
    arrays |= {"observation_mean": np.zeros(12), "observation_scale": np.ones(12)}
    arrays |= {"observation_clip": np.array(10.0)}
    np.savez(tmp_path / "good.npz", **arrays)
    assert mlp.read((tmp_path / "good.npz").read_bytes(), "good.npz", 12, MENU).clip == 10.0
    key = f"observation_{name}"
    np.savez(tmp_path / "bad.npz", **(arrays | {key: np.full_like(arrays[key], value)}))
    with pytest.raises(RefusedError, match=f"{key}: .*not above 0"):
        mlp.read((tmp_path / "bad.npz").read_bytes(), "bad.npz", 12, MENU)


def cell(kind, inputs, units, seed):
    generator, gates = np.random.default_rng(seed), layers.GATES[kind]
    shapes = ((inputs, gates * units), (units, gates * units), (gates * units,), (gates * units,))
    return layers.Cell(kind, *(generator.normal(size=shape) for shape in shapes))


def recurrent(kinds=("lstm", "gru")):
    """Return a network with cells of 7 and 5 units before the layers."""
    cells = (cell(kinds[0], 12, 7, 1), cell(kinds[1], 7, 5, 2))
    generator = np.random.default_rng(3)
    return mlp.Network(("identity",), (generator.normal(size=(5, 3)),), (np.zeros(3),), "argmax", cells=cells)


def played(made, seen):
    """Return the outputs (steps, rows, outputs) of sequences (steps, rows, inputs)."""
    states, result = made.start(seen.shape[1]), []
    for now in seen:
        out, states = made.step(now, states)
        result.append(out)
    return np.array(result)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_cells_are_those_of_torch(kind):
    torch = pytest.importorskip("torch")
    ours = cell(kind, 12, 7, 4)
    theirs = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[kind](12, 7, dtype=torch.float64)
    arrays = (ours.input_weight.T, ours.hidden_weight.T, ours.input_bias, ours.hidden_bias)
    for parameter, values in zip(theirs.parameters(), arrays, strict=True):
        parameter.data = torch.from_numpy(np.ascontiguousarray(values))
    seen = np.random.default_rng(5).normal(size=(40, 3, 12))
    expected = theirs(torch.from_numpy(seen))[0].detach().numpy()
    state, result = ours.start(3), []
    for now in seen:
        state = ours.step(now, state)
        result.append(state[:, :7])
    assert np.array(result) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_a_memory_does_not_depend_on_the_batch_and_starts_anew():
    seen = np.random.default_rng(6).normal(size=(30, 9, 12))
    whole = played(recurrent(), seen)
    single = np.concatenate([played(recurrent(), seen[:, i : i + 1]) for i in range(9)], axis=1)
    assert whole.tobytes() == single.tobytes()
    policy = mlp.Mlp("mine", recurrent(), AMOUNTS)
    first = [policy(now).tolist() for now in seen[:, 0]]
    policy.reset(0)
    assert [policy(now).tolist() for now in seen[:, 0]] == first
    assert policy(seen[0, 0]).tolist() != first[0]


def test_a_file_with_cells_gives_the_same_bits_back_and_bad_cells_are_refused(tmp_path):
    path = mlp.save(recurrent(), tmp_path / "policy.npz")
    seen = np.random.default_rng(7).normal(size=(20, 2, 12))
    again = mlp.read(path.read_bytes(), "policy.npz", 12, MENU)
    assert played(again, seen).tobytes() == played(recurrent(), seen).tobytes()
    for change, reason in (
        ({"cells": np.array(["rnn", "gru"])}, "cells: unknown 'rnn'; known: lstm, gru"),
        ({"cells": np.array(["lstm"] * 5)}, "cells: 5 cells; at most 4"),
        ({"cells": np.array(["gru", "gru"])}, r"cell_0_hidden_weight: of shape .7, 28.; expected .h, 3 h."),
        ({"cell_0_input_weight": np.zeros((9, 28))}, r"cell_0_input_weight: .*expected floats of .12, 28."),
        ({"cell_1_hidden_bias": np.full(15, np.inf)}, "cell_1_hidden_bias: holds a number that is not"),
        ({"cells": np.array(["lstm"])}, "weight_0|not an array of a policy"),
    ):
        with np.load(path) as stored:
            arrays = {**stored, **change}
        np.savez(tmp_path / "bad.npz", **arrays)
        with pytest.raises(RefusedError, match=reason):
            mlp.read((tmp_path / "bad.npz").read_bytes(), "bad.npz", 12, MENU)
