"""Recorded seasons of greenhouses: played where they are known, and nowhere else."""

import copy
import dataclasses

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.overrides import override
from agbench.data.reading import read_file
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError, SimulationError
from agbench.evaluation import anchors
from agbench.files import sha256
from agbench.policies.base import Planner
from agbench.policies.greenhouse.recorded import RecordedSeason, known_by, read, write
from agbench.policies.playing import gain, seeds_of
from agbench.simulators.greenlight.variables import WEATHER

TASK = "greenhouse-winter-v1"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return a function that records actions for the task; what is not recorded plays `rule-based`."""

    def record(**actions):
        folder = tmp_path / "baselines" / TASK
        folder.mkdir(parents=True, exist_ok=True)
        seasons = {
            k: RecordedSeason(each, known_by(begun(catalog.task(TASK), k), 0)) for k, each in actions.items()
        }
        write(folder / "mine.npz", seasons)
        (folder / "mine.yaml").write_text(
            "policy: recorded\nsummary: s\nsource: s\n"
            f"settings: {{file: mine.npz, sha256: {sha256(folder / 'mine.npz')}, otherwise: rule-based}}\n"
        )
        monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
        return folder

    return record


def begun(task, key):
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.start([key], seeds_of(parts, [key]))
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


def test_another_weather_under_the_same_key_is_another_season(own):
    task = catalog.task(TASK)
    parts = build(task, "test")
    key = parts.scenarios.keys[0]
    own(**{key: np.zeros((40, 6), np.float32)})
    core = begun(task, key)
    colder = np.array(core.worlds[0].weather)
    colder[100, WEATHER.column("tOut")] -= 1e-3
    core.worlds[0] = dataclasses.replace(core.worlds[0], weather=colder)
    policy, rules = (agbench.load_policy(name, task) for name in ("mine", "rule-based"))
    np.testing.assert_array_equal(decided(policy, core), decided(rules, core))
    np.testing.assert_array_equal(decided(policy, begun(task, key)), np.zeros((5, 6)))


def test_in_the_middle_of_a_season_nothing_is_known(own):
    task = catalog.task(TASK)
    key = build(task, "test").scenarios.keys[0]
    own(**{key: np.zeros((40, 6), np.float32)})
    core = begun(task, key)
    core.step(np.zeros((1, 6), np.float32), ~core.over)
    policy, rules = (agbench.load_policy(name, task) for name in ("mine", "rule-based"))
    np.testing.assert_array_equal(decided(policy, core), decided(rules, core))


def test_other_draws_of_a_season_are_another_season():
    task = catalog.task("greenhouse-tomato-uncertain-v1")
    parts = build(task, "test")
    key = parts.scenarios.keys[0]
    core = BatchCore(parts, 3)
    core.start([key] * 3, [*seeds_of(parts, [key] * 2), 5])
    own, alike, other = (known_by(core, row) for row in range(3))
    np.testing.assert_array_equal(own, alike)
    assert not np.allclose(own, other, 1e-9, 1e-9)
    before = copy.deepcopy(core.generators[0].bit_generator.state)
    known_by(core, 0)
    assert core.generators[0].bit_generator.state == before


def test_whoever_changes_an_action_changes_no_other_policy(own):
    task = catalog.task(TASK)
    key = build(task, "test").scenarios.keys[0]
    own(**{key: np.zeros((2, 6), np.float32)})
    first, second = (agbench.load_policy("mine", task) for _ in range(2))
    for action in decided(first, begun(task, key), 2):
        action += 9.0
    np.testing.assert_array_equal(decided(second, begun(task, key), 2), np.zeros((2, 6)))
    with pytest.raises(SimulationError, match="the season has 2 decisions, and all are taken"):
        second(None)


def test_actions_of_another_space_are_refused(own):
    task = catalog.task(TASK)
    key = build(task, "test").scenarios.keys[0]
    own(**{key: np.zeros((40, 2), np.float32)})
    with pytest.raises(ConfigError, match=r"have the shape \(2,\); the task's have \(6,\)"):
        decided(agbench.load_policy("mine", task), begun(task, key))


def test_a_file_is_the_one_that_the_settings_mean(own):
    key = build(catalog.task(TASK), "test").scenarios.keys[0]
    folder = own(**{key: np.zeros((3, 6), np.float32)})
    (season,) = (known := read(folder / "mine.npz", sha256(folder / "mine.npz"))).values()
    assert list(known) == [key]
    write(folder / "mine.npz", {key: season._replace(actions=np.ones((3, 6), np.float32))})
    with pytest.raises(ConfigError, match=r"mine.npz: its SHA-256 is .* as the settings say"):
        agbench.load_policy("mine", TASK)
    np.savez_compressed(folder / "mine.npz", **{key: season.actions})
    with pytest.raises(ConfigError, match=f"it has no array '{key} season'"):
        read(folder / "mine.npz", sha256(folder / "mine.npz"))
    unsound = {
        "finite numbers": {key: season.actions * np.nan, f"{key} season": season.known_by},
        f"{key} season: .*finite numbers": {key: season.actions, f"{key} season": np.array(["a"])},
        "at least one": {key: season.actions[:0], f"{key} season": season.known_by},
    }
    for reason, arrays in unsound.items():
        np.savez_compressed(folder / "mine.npz", **arrays)
        with pytest.raises(ConfigError, match=reason):
            read(folder / "mine.npz", sha256(folder / "mine.npz"))
    (folder / "mine.npz").write_bytes(b"no zip")
    with pytest.raises(ConfigError, match=r"mine.npz: is no .npz of numbers"):
        read(folder / "mine.npz", sha256(folder / "mine.npz"))
    (folder / "mine.npz").unlink()
    with pytest.raises(ConfigError, match=r"mine.npz: there is no such file"):
        agbench.load_policy("mine", TASK)


@pytest.mark.parametrize("name", [TASK, "greenhouse-tomato-v1", "greenhouse-tomato-uncertain-v1"])
def test_oracles_know_every_season_of_test(name):
    task = catalog.task(name)
    path = catalog.find_baseline(name, task.references.oracle)
    baseline = read_file(Baseline, path)
    assert baseline.policy == "recorded"
    seasons = read(path.with_name(baseline.settings["file"]), baseline.settings["sha256"])
    parts = build(task, "test")
    assert sorted(seasons) == sorted(parts.scenarios.keys)
    assert {each.actions.shape for each in seasons.values()} == {(task.episode.intervals // task.step, 6)}
    core = BatchCore(parts, len(seasons))
    core.start(list(seasons), seeds_of(parts, list(seasons)))
    for row, each in enumerate(seasons.values()):
        np.testing.assert_allclose(known_by(core, row), each.known_by, 1e-9, 1e-9)


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
