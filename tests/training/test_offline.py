"""Offline learning: algorithms of d3rlpy and our own, their policies as plain arrays."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.envs.registry import make_vec
from agbench.errors import ConfigError, UnknownNameError

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
import torch

from agbench.data.training import NetworkSettings, training_settings
from agbench.envs.family import action_map
from agbench.envs.scaling import scaling_of
from agbench.policies.networks import mlp
from agbench.training import demonstrations
from agbench.training.algorithms import algorithm, arguments
from agbench.training.batches import Batches, DrawnBatch
from agbench.training.export import export
from agbench.training.iql import ImplicitQ
from agbench.training.learner import Lesson, quiet
from agbench.training.run import run

MENU, AMOUNTS = "wheat-nitrogen-v1", "greenhouse-setpoint-continuous-v1"
TINY = {"batch_size": 32, "network.layers": [16, 16], "validation.every": 100, "validation.episodes": 2}
D3RLPY = [
    ("offline-bc", MENU),
    ("cql", MENU),
    *((name, AMOUNTS) for name in ("offline-bc", "cql", "iql", "td3bc")),
]
CASES = [("iql", MENU), *D3RLPY]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A small dataset of a random policy for each task."""
    result = {}
    for name in (MENU, AMOUNTS):
        task = catalog.task(name)
        shown = demonstrations.collect(task, agbench.load_policy("random", name), 4 if name == MENU else 1, 0)
        result[name] = tmp_path_factory.mktemp("dataset")
        shown.save(result[name])
    return result


def lesson(name, folder, steps, tmp_path):
    task = catalog.task(name)
    settings = training_settings("iql", name, TINY)
    data = demonstrations.read(folder, task)
    return Lesson(task, scaling_of(task), settings.network, 1, steps, 100, tmp_path, demonstrations=data)


def learner(algo, name, folder, tmp_path, steps=20):
    if algo != "iql" or name == AMOUNTS:
        pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    space = action_map(catalog.task(name)).space
    chosen = algorithm(algo, name, space)
    made = chosen.load()(
        lesson(name, folder, steps, tmp_path), **arguments(chosen, training_settings(algo, name, TINY), space)
    )
    made.set_logger(quiet())
    made.round(steps)
    return made


def observations(name, count):
    """Return physical observations of a random policy, (count, d)."""
    envs = make_vec(name, 50)
    envs.action_space.seed(3)
    seen, rows = envs.reset(seed=7)[0], []
    while len(rows) * 50 < count:
        rows.append(seen)
        seen = envs.step(envs.action_space.sample())[0]
    return np.concatenate(rows)


@pytest.mark.parametrize(("algo", "name"), CASES)
def test_the_exported_policy_acts_as_the_learner_on_10000_observations(algo, name, folders, tmp_path):
    made = learner(algo, name, folders[name], tmp_path)
    export(made, name, tmp_path / "policy.npz")
    seen = observations(name, 10_000)
    network = mlp.read((tmp_path / "policy.npz").read_bytes(), "p", seen.shape[1], made.action_space)
    ours = network.actions(seen, made.action_space)
    theirs = made.predict(scaling_of(catalog.task(name)).observations(seen))[0]
    if name == MENU:
        values = np.sort(network(seen), axis=1)
        sure = values[:, -1] - values[:, -2] > 1e-5
        assert sure.mean() > 0.99
        assert (ours == theirs)[sure].all()
    else:
        assert np.abs(ours - theirs).max() < 1e-5
        assert np.ptp(ours) > 0.0


@pytest.mark.parametrize(("algo", "name"), [("iql", MENU), ("cql", MENU), ("iql", AMOUNTS)])
def test_offline_training_ends_with_a_policy_and_gives_the_same_bytes_again(algo, name, folders, tmp_path):
    if algo != "iql" or name == AMOUNTS:
        pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    one, two = (
        run(name, algo, 200, 2, tmp_path / run_name, TINY, dataset=folders[name], progress=False)
        for run_name in ("one", "two")
    )
    assert (tmp_path / "one/policy.npz").read_bytes() == (tmp_path / "two/policy.npz").read_bytes()
    assert one.marks == two.marks
    assert [mark.steps for mark in one.marks] == [0, 100, 200]
    assert one.environment_steps == len(demonstrations.read(folders[name], catalog.task(name)))
    assert one.chosen.method == "offline-rl"


def test_implicit_q_learning_prefers_what_pays():
    """A bandit of two menus: the data choose at random, one choice of each menu pays."""
    generator = np.random.default_rng(0)
    torch.manual_seed(0)
    count = 2000
    choices = generator.integers([3, 4], size=(count, 2))
    seen = generator.normal(size=(count, 2)).astype(np.float32)
    best = np.where(seen[:, 0] > 0.0, 2, 0)
    rewards = ((choices[:, 0] == best) + 1.0 * (choices[:, 1] == 1)).astype(np.float32)[:, None]
    picked = choices.astype(np.float32)
    learns = ImplicitQ(2, [3, 4], NetworkSettings(layers=[32], activation="relu"), learning_rate=3e-3)
    for _ in range(600):
        rows = generator.integers(count, size=256)
        ends = np.ones((256, 1), np.float32)
        learns.step(DrawnBatch(seen[rows], picked[rows], rewards[rows], seen[rows], picked[rows], ends))
    with torch.no_grad():
        first, second = torch.split(learns.actor(torch.from_numpy(seen)), [3, 4], 1)
    clear = np.abs(seen[:, 0]) > 0.3
    assert (first.argmax(1).numpy()[clear] == best[clear]).mean() > 0.95
    assert (second.argmax(1).numpy() == 1).mean() > 0.95


def test_batches_hold_transitions_as_they_were(folders, tmp_path):
    own = lesson(MENU, folders[MENU], 10, tmp_path)
    data, scaling = own.data, own.scaling
    drawn = Batches(own).draw(300)
    known = scaling.observations(data.observations).tolist()
    after = scaling.observations(data.next_observations)
    for row in range(300):
        place = known.index(drawn.observations[row].tolist())
        assert drawn.actions[row, 0] == data.actions[place]
        assert drawn.rewards[row, 0] == pytest.approx(data.rewards[place] / scaling.reward)
        assert (drawn.next_observations[row] == after[place]).all()
        assert drawn.terminals[row, 0] == data.terminations[place]


def test_an_algorithm_for_amounts_names_those_for_menus(folders, tmp_path):
    with pytest.raises(ConfigError, match=r"td3bc chooses amounts; .* These fit: cql, iql, offline-bc"):
        run(MENU, "td3bc", 10, 0, tmp_path / "run", dataset=folders[MENU], progress=False)
    with pytest.raises(UnknownNameError, match="unknown algorithm 'dt'"):
        run(MENU, "dt", 10, 0, tmp_path / "run", dataset=folders[MENU], progress=False)


def test_an_activation_that_d3rlpy_lacks_is_refused(folders, tmp_path):
    pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    with pytest.raises(ConfigError, match="d3rlpy has relu and tanh, not elu"):
        run(MENU, "cql", 10, 0, tmp_path / "run", TINY | {"network.activation": "elu"}, dataset=folders[MENU])


def test_a_setting_of_d3rlpy_that_cannot_be_set_is_refused(folders, tmp_path):
    pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    changes = TINY | {"n_critics": 3}
    with pytest.raises(ConfigError, match="CqlMenu takes no 'n_critics'"):
        run(MENU, "cql", 10, 0, tmp_path / "run", changes, dataset=folders[MENU], progress=False)
