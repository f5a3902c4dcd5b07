"""Recorded seasons of greenhouses: played where they are known, and nowhere else."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.overrides import override
from agbench.data.reading import read_file
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.evaluation import anchors
from agbench.files import sha256
from agbench.policies.base import Planner
from agbench.policies.greenhouse.recorded import read
from agbench.policies.playing import gain, seeds_of

TASK = "greenhouse-winter-v1"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return a function that records actions for the task; what is not recorded plays `rule-based`."""

    def record(**actions):
        folder = tmp_path / "baselines" / TASK
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(folder / "mine.npz", **actions)
        (folder / "mine.yaml").write_text(
            "policy: recorded\nsummary: s\nsource: s\n"
            f"settings: {{file: mine.npz, sha256: {sha256(folder / 'mine.npz')}, otherwise: rule-based}}\n"
        )
        monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
        return folder

    return record


def begun(task, key):
    core = BatchCore(build(task, "test"), 1)
    core.reset([0], [key])
    return core


def decided(policy, core, steps=5):
    policy.reset(0)
    if isinstance(policy, Planner):
        policy.plan(core, 0)
    return [policy(core.observations[0]) for _ in range(steps)]


def test_a_recorded_season_is_played_and_rules_play_the_others(own):
    task = catalog.task(TASK)
    one, other = build(task, "test").scenarios.keys[:2]
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 6)).astype(np.float32)
    own(**{one: actions})
    policy, rules = (agbench.load_policy(name, task) for name in ("mine", "rule-based"))
    assert policy.information == "model"
    np.testing.assert_array_equal(decided(policy, begun(task, one)), actions[:5])
    np.testing.assert_array_equal(decided(policy, begun(task, one), 2), actions[:2])
    np.testing.assert_array_equal(decided(policy, begun(task, other)), decided(rules, begun(task, other)))


def test_under_overrides_nothing_is_known(own):
    task = override(catalog.task(TASK), {"reward__heat": 0.2})
    key = build(task, "test").scenarios.keys[0]
    own(**{key: np.zeros((40, 6), np.float32)})
    expected = decided(agbench.load_policy("rule-based", task), begun(task, key))
    np.testing.assert_array_equal(decided(agbench.load_policy("mine", task), begun(task, key)), expected)


def test_actions_of_another_space_are_refused(own):
    task = catalog.task(TASK)
    key = build(task, "test").scenarios.keys[0]
    own(**{key: np.zeros((40, 2), np.float32)})
    with pytest.raises(ConfigError, match=r"have the shape \(2,\); the task's have \(6,\)"):
        decided(agbench.load_policy("mine", task), begun(task, key))


def test_a_file_is_the_one_that_the_settings_mean(own):
    folder = own(a=np.zeros((3, 6), np.float32))
    assert list(read(folder / "mine.npz", sha256(folder / "mine.npz"))) == ["a"]
    np.savez_compressed(folder / "mine.npz", a=np.ones((3, 6), np.float32))
    with pytest.raises(ConfigError, match=r"mine.npz: its SHA-256 is .* as the settings say"):
        agbench.load_policy("mine", TASK)
    (folder / "mine.npz").unlink()
    with pytest.raises(ConfigError, match=r"mine.npz: there is no such file"):
        agbench.load_policy("mine", TASK)


@pytest.mark.parametrize("name", [TASK, "greenhouse-tomato-v1", "greenhouse-tomato-uncertain-v1"])
def test_oracles_know_every_season_of_test(name):
    task = catalog.task(name)
    path = catalog.find_baseline(name, task.references.oracle)
    baseline = read_file(Baseline, path)
    assert baseline.policy == "recorded"
    actions = read(path.with_name(baseline.settings["file"]), baseline.settings["sha256"])
    assert sorted(actions) == sorted(build(task, "test").scenarios.keys)
    assert {array.shape for array in actions.values()} == {(task.episode.intervals // task.step, 6)}


def test_a_season_earns_what_the_anchors_say():
    task = catalog.task(TASK)
    parts = build(task, "test")
    key = parts.scenarios.keys[8]
    core, policy = BatchCore(parts, 1), agbench.load_policy(task.references.oracle, task)
    core.start([key], seeds_of(parts, [key]))
    policy.reset(0)
    policy.plan(core, 0)
    earned = gain(core, lambda observations, _: policy(observations[0])[None])
    assert earned[0] == anchors.load(task).splits["test"][key].oracle
