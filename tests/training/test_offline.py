"""Offline learning: algorithms of d3rlpy and our own, their policies as plain arrays."""

from dataclasses import replace

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.envs.registry import make_vec
from agbench.errors import ConfigError, UnknownNameError

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
import torch

from agbench.data.overrides import override
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

MENU, AMOUNTS = "one menu", "amounts"
TASK, GREENHOUSE = "wheat-nitrogen-v1", "greenhouse-setpoint-continuous-v1"
TINY = {"batch_size": 32, "network.layers": [16, 16], "validation.every": 100, "validation.episodes": 2}
CASES = [(name, MENU) for name in ("iql", "offline-bc", "cql")]
CASES += [(name, AMOUNTS) for name in ("iql", "offline-bc", "cql", "td3bc")]


@pytest.fixture(scope="module")
def shown():
    """A small dataset of a random policy."""
    return demonstrations.collect(catalog.task(TASK), agbench.load_policy("random", TASK), 4, 0)


@pytest.fixture
def folder(shown, tmp_path):
    shown.save(tmp_path / "dataset")
    return tmp_path / "dataset"


def lesson(kind, shown, steps, tmp_path):
    """Return a lesson on the task, its actions of a kind; amounts are drawn anew."""
    task, settings = catalog.task(TASK), training_settings("iql", TASK, TINY)
    if kind == AMOUNTS:
        task = override(task, {"action.kind": "continuous"})
        shape = (len(shown), *action_map(task).space.shape)
        amounts = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
        shown = replace(shown, actions=amounts)
    return Lesson(task, scaling_of(task), settings.network, 1, steps, 100, tmp_path, demonstrations=shown)


def learner(algo, kind, shown, tmp_path, steps=20):
    if algo != "iql" or kind == AMOUNTS:
        pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    own = lesson(kind, shown, steps, tmp_path)
    space = action_map(own.task).space
    chosen = algorithm(algo, TASK, space)
    made = chosen.load()(own, **arguments(chosen, training_settings(algo, TASK, TINY), space))
    made.set_logger(quiet())
    made.round(steps)
    return made


def observations(count):
    """Return physical observations of a random policy, (count, d)."""
    envs = make_vec(TASK, 50)
    envs.action_space.seed(3)
    seen, rows = envs.reset(seed=7)[0], []
    while len(rows) * 50 < count:
        rows.append(seen)
        seen = envs.step(envs.action_space.sample())[0]
    return np.concatenate(rows)


@pytest.mark.parametrize(("algo", "kind"), CASES)
def test_the_exported_policy_acts_as_the_learner_on_10000_observations(algo, kind, shown, tmp_path):
    made = learner(algo, kind, shown, tmp_path)
    export(made, made.lesson.task, tmp_path / "policy.npz")
    seen = observations(10_000)
    network = mlp.read((tmp_path / "policy.npz").read_bytes(), "p", seen.shape[1], made.action_space)
    ours = network.actions(seen, made.action_space)
    theirs = made.predict(made.lesson.scaling.observations(seen))[0]
    if kind == MENU:
        values = np.sort(network(seen), axis=1)
        sure = values[:, -1] - values[:, -2] > 1e-5
        assert sure.mean() > 0.99
        assert (ours == theirs)[sure].all()
    else:
        assert np.abs(ours - theirs).max() < 1e-5
        assert np.ptp(ours) > 0.0


@pytest.mark.slow
def test_amounts_of_a_greenhouse_are_learned_offline(tmp_path):
    pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    changes = TINY | {"validation.episodes": 1, "demo_episodes": 1}
    trained = run(GREENHOUSE, "iql", 100, 2, tmp_path / "run", changes, demos="random", progress=False)
    assert trained.policy(agbench.make(GREENHOUSE).reset(seed=0)[0]).shape == (7,)


@pytest.mark.parametrize("algo", ["iql", "cql"])
def test_offline_training_ends_with_a_policy_and_gives_the_same_bytes_again(algo, folder, tmp_path):
    if algo != "iql":
        pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    one, two = (
        run(TASK, algo, 200, 2, tmp_path / run_name, TINY, dataset=folder, progress=False)
        for run_name in ("one", "two")
    )
    assert (tmp_path / "one/policy.npz").read_bytes() == (tmp_path / "two/policy.npz").read_bytes()
    assert one.marks == two.marks
    assert [mark.steps for mark in one.marks] == [0, 100, 200]
    assert one.environment_steps == len(demonstrations.read(folder, catalog.task(TASK)))
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
    for _ in range(300):
        rows = generator.integers(count, size=256)
        ends = np.ones((256, 1), np.float32)
        learns.step(DrawnBatch(seen[rows], picked[rows], rewards[rows], seen[rows], picked[rows], ends))
    with torch.no_grad():
        first, second = torch.split(learns.actor(torch.from_numpy(seen)), [3, 4], 1)
    clear = np.abs(seen[:, 0]) > 0.3
    assert (first.argmax(1).numpy()[clear] == best[clear]).mean() > 0.95
    assert (second.argmax(1).numpy() == 1).mean() > 0.95


def test_the_value_of_a_state_is_the_expectile_of_what_its_choices_pay():
    """Of 0 and 1, equally often, the expectile 0.9 is 0.9."""
    torch.manual_seed(0)
    network = NetworkSettings(layers=[4], activation="tanh")
    learns = ImplicitQ(1, [2], network, learning_rate=0.05, tau=0.5, expectile=0.9)
    seen, ends = np.zeros((8, 1), np.float32), np.ones((8, 1), np.float32)
    picked = (np.arange(8.0, dtype=np.float32) % 2.0)[:, None]
    for _ in range(150):
        learns.step(DrawnBatch(seen, picked, picked, seen, picked, ends))
    with torch.no_grad():
        assert float(learns._value(torch.zeros(1, 1))) == pytest.approx(0.9, abs=0.02)


def test_batches_hold_transitions_as_they_were(shown, tmp_path):
    own = lesson(MENU, shown, 10, tmp_path)
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


def test_an_algorithm_for_amounts_names_those_for_menus(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"td3bc chooses amounts; .* These fit: cql, iql, offline-bc"):
        run(TASK, "td3bc", 10, 0, tmp_path / "run", dataset=folder, progress=False)
    with pytest.raises(UnknownNameError, match="unknown algorithm 'dt'"):
        run(TASK, "dt", 10, 0, tmp_path / "run", dataset=folder, progress=False)


def test_an_activation_that_d3rlpy_lacks_is_refused(folder, tmp_path):
    pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    with pytest.raises(ConfigError, match="d3rlpy has relu and tanh, not elu"):
        run(TASK, "cql", 10, 0, tmp_path / "run", TINY | {"network.activation": "elu"}, dataset=folder)


def test_a_setting_of_d3rlpy_that_cannot_be_set_is_refused(folder, tmp_path):
    pytest.importorskip("d3rlpy", reason="d3rlpy is not installed: agbench setup offline")
    changes = TINY | {"n_critics": 3}
    with pytest.raises(ConfigError, match="CqlMenu takes no 'n_critics'"):
        run(TASK, "cql", 10, 0, tmp_path / "run", changes, dataset=folder, progress=False)
