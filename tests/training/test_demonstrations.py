"""Demonstrations: what is collected, kept and read, and what is refused."""

import json
import warnings

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.errors import AgBenchWarning, ConfigError
from agbench.evaluation import provenance
from agbench.policies.registry import load_policy
from agbench.training import demonstrations

TASK = "wheat-nitrogen-v1"


@pytest.fixture(scope="module")
def task():
    return catalog.task(TASK)


@pytest.fixture(scope="module")
def shown(task):
    return demonstrations.collect(task, load_policy("advisor", task), 3, seed=5)


def test_demonstrations_replay_to_the_same_episodes(task, shown):
    env = agbench.make(TASK)
    ends = shown.ends
    for episode, seed in enumerate(shown.about["seeds"]):
        start = ends[episode] - shown.episode_lengths[episode] + 1
        observation, _ = env.reset(seed=seed)
        for row in range(start, ends[episode] + 1):
            assert (observation == shown.observations[row]).all()
            observation, reward, terminated, truncated, _ = env.step(shown.actions[row])
            assert (observation == shown.next_observations[row]).all()
            assert reward == shown.rewards[row]
            assert (terminated, truncated) == (shown.terminations[row], shown.truncations[row])
        assert terminated


def test_returns_are_the_sums_of_each_episode(shown):
    parts = np.split(shown.rewards, shown.ends[:-1] + 1)
    assert shown.returns == pytest.approx([part.sum() for part in parts])
    assert len(shown) == shown.episode_lengths.sum()


def test_the_same_seed_plays_the_same_and_another_other_episodes(task, shown):
    policy = load_policy("advisor", task)
    assert demonstrations.collect(task, policy, 3, seed=5).sha256 == shown.sha256
    assert demonstrations.collect(task, policy, 3, seed=6).sha256 != shown.sha256


def test_a_folder_gives_back_what_was_saved(task, shown, tmp_path):
    shown.save(tmp_path)
    again = demonstrations.read(tmp_path, task)
    assert again.sha256 == shown.sha256
    assert again.actions.dtype == shown.actions.dtype
    assert again.about["source"] == str(tmp_path)
    assert len(again.first(2)) == shown.episode_lengths[:2].sum()
    assert again.first(2).returns == pytest.approx(shown.returns[:2])
    with pytest.raises(ConfigError, match="holds 3 episodes, not 4"):
        again.first(4)


def test_amounts_of_a_changed_task_are_demonstrated_too(tmp_path):
    greenhouse = override(catalog.task("greenhouse-setpoint-continuous-v1"), {"episode__length": "2 d"})
    shown = demonstrations.collect(greenhouse, load_policy("random", greenhouse), 1, seed=0)
    shown.save(tmp_path)
    again = demonstrations.read(tmp_path, greenhouse)
    assert again.actions.shape == (len(shown), 7) == (2 * 24, 7)
    assert (again.actions == shown.actions).all()


def changed(folder, **arrays):
    """Put other arrays into a folder's file; None removes one."""
    path = folder / demonstrations.TRANSITIONS
    with np.load(path) as file:
        content = {name: file[name] for name in file.files} | arrays
    np.savez(path, **{name: values for name, values in content.items() if values is not None})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("rewards", lambda a: None, "has no 'rewards'"),
        ("rewards", lambda a: a.astype(str), "rewards holds <U"),
        ("rewards", lambda a: np.where(np.arange(len(a)) == 3, np.nan, a), "rewards holds a number that is"),
        ("observations", lambda a: a[:, :-1], r"observations has the shape \(\d+, 11\); expected"),
        ("final_observations", lambda a: a[:-1], "final_observations has the shape"),
        ("episode_lengths", lambda a: a[:-1], r"episode_lengths add up to \d+, of \d+ transitions"),
        ("episode_lengths", lambda a: np.append(a, 0), "episode_lengths add up"),
        ("actions", lambda a: a.astype(np.float32), "actions are float32"),
        ("actions", lambda a: a + 2, r"the action \d of transition \d+ is outside Discrete"),
        ("actions", lambda a: np.hstack([a, a]), "actions are int64 of the shape"),
        ("rewards", lambda a: a.sum(), "rewards is a single number"),
        ("episode_lengths", lambda a: a[:, None], "episode_lengths add up"),
        (
            "episode_lengths",
            lambda a: np.add(a, [1, -1, 0]),
            r"transition \d+ ends an episode, .* go on beyond it",
        ),
        ("observations", lambda a: a - 10.0, r"observations: row 0: \w+ is -\d+.*must be physical"),
        ("observations", lambda a: a.astype(float) * 1e300, "observations: row 0: .* must be physical"),
    ],
)
def test_wrong_arrays_are_named(task, shown, tmp_path, name, change, message):
    shown.save(tmp_path)
    with np.load(tmp_path / demonstrations.TRANSITIONS) as file:
        before = file[name]
    changed(tmp_path, **{name: change(before)})
    with pytest.raises(ConfigError, match=message):
        demonstrations.read(tmp_path, task)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("task", "maize-inputs-v1", "is a dataset of 'maize-inputs-v1', not of wheat"),
        ("observations", ["DVS"], "its observations are DVS; those of wheat"),
        ("split", "test", "of the split 'test'; agents of wheat-nitrogen-v1 learn from train"),
        ("overrides", {"beta": 5.0}, "was collected with {'beta': 5.0}"),
        ("years", [2001], "was collected with years of its own"),
        ("observations", 5, "its observations are 5; those of wheat"),
        ("observations", [{"x": 1}], "its observations are None; those of wheat"),
    ],
)
def test_data_of_another_kind_are_refused(task, shown, tmp_path, key, value, message):
    shown.save(tmp_path)
    path = tmp_path / demonstrations.METADATA
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(ConfigError, match=message):
        demonstrations.read(tmp_path, task)


def test_a_folder_that_is_no_dataset_or_a_broken_one_is_refused(task, shown, tmp_path):
    with pytest.raises(ConfigError, match=r"is no dataset.*--demos advisor"):
        demonstrations.read(tmp_path, task)
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "transitions.parquet").touch()
    with pytest.raises(ConfigError, match=r"in the format parquet; make it with --format npz"):
        demonstrations.read(tmp_path / "table", task)
    shown.save(tmp_path)
    whole = (tmp_path / demonstrations.TRANSITIONS).read_bytes()
    (tmp_path / demonstrations.TRANSITIONS).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match="cannot be read"):
        demonstrations.read(tmp_path, task)
    for damaged in (whole[:60] + bytes(40) + whole[100:], b""):
        (tmp_path / demonstrations.TRANSITIONS).write_bytes(damaged)
        with pytest.raises(ConfigError, match="cannot be read"):
            demonstrations.read(tmp_path, task)
    with (tmp_path / demonstrations.TRANSITIONS).open("wb") as file:
        np.save(file, shown.rewards)  # one array, no archive of them
    with pytest.raises(ConfigError, match="cannot be read"):
        demonstrations.read(tmp_path, task)
    (tmp_path / demonstrations.TRANSITIONS).write_bytes(whole)
    (tmp_path / demonstrations.METADATA).unlink()
    with pytest.raises(ConfigError, match=r"metadata.json: missing"):
        demonstrations.read(tmp_path, task)


def test_data_of_a_task_that_was_defined_otherwise_are_warned_of(task, shown, tmp_path):
    shown.save(tmp_path)
    path = tmp_path / demonstrations.METADATA
    about = json.loads(path.read_text())
    for old in ({"task_hash": "0" * 64}, {"made_of": {"task_hash": "0" * 64}}):
        path.write_text(json.dumps(about | old))
        with pytest.warns(AgBenchWarning, match=r"defined otherwise \(task_hash 000000000000\)"):
            demonstrations.read(tmp_path, task)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path.write_text(json.dumps(about | {"task_hash": provenance.task_hash(task)}))
        demonstrations.read(tmp_path, task)


def test_a_policy_that_raises_is_named(task):
    class Broken:
        name, information = "broken", "observation"

        def reset(self, seed):
            pass

        def __call__(self, observation):
            raise ZeroDivisionError("no grain")

    with pytest.raises(ConfigError, match=r"broken raised ZeroDivisionError: no grain .* in episode 0"):
        demonstrations.collect(task, Broken(), 1, seed=0)


def minari_dataset(shown, name, env):
    """Make a dataset of Minari as its collector would in an environment."""
    minari = pytest.importorskip("minari", reason="Minari is not installed")
    from minari.data_collector import EpisodeBuffer

    starts = shown.ends - shown.episode_lengths + 1
    episodes = [
        EpisodeBuffer(
            id=i,
            observations=np.vstack(
                [shown.observations[start : end + 1], shown.final_observations[i : i + 1]]
            ),
            actions=shown.actions[start : end + 1],
            rewards=shown.rewards[start : end + 1],
            terminations=shown.terminations[start : end + 1],
            truncations=shown.truncations[start : end + 1],
        )
        for i, (start, end) in enumerate(zip(starts, shown.ends, strict=True))
    ]
    minari.create_dataset_from_buffers(name, episodes, env=env)


def test_a_dataset_of_minari_is_read(task, shown, tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    minari_dataset(shown, "wheat/advisor-v0", agbench.make(TASK))
    read = demonstrations.read(tmp_path / "wheat/advisor-v0", task)
    assert read.sha256 == shown.sha256
    with pytest.raises(ConfigError, match="is a dataset of 'wheat-nitrogen-v1', not of maize"):
        demonstrations.read(tmp_path / "wheat/advisor-v0", catalog.task("maize-inputs-v1"))
    (tmp_path / "wheat/advisor-v0/data/metadata.json").write_text("{}")
    with pytest.raises(ConfigError, match="does not say which task"):
        demonstrations.read(tmp_path / "wheat/advisor-v0", task)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scaled": True}, "was collected with {'scaled': True}; agents learn"),
        ({"scaled": True, "scaled_reward": True}, "was collected with {'scaled': True, 'scaled_reward'"),
        ({"beta": 5.0}, "was collected with {'beta': 5.0}"),
        ({"years": [1995]}, "was collected with years of its own"),
        ({"split": "test"}, "of the split 'test'"),
    ],
)
def test_what_a_collector_of_minari_saw_in_another_environment_is_refused(
    task, shown, tmp_path, monkeypatch, changes, message
):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = agbench.make(TASK, **{"split": "train"} | changes)
    minari_dataset(shown, "wheat/other-v0", env)
    with pytest.raises(ConfigError, match=message):
        demonstrations.read(tmp_path / "wheat/other-v0", task)
