"""Datasets in the libraries that learn from them."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import agbench
from agbench.data.dataset import recipe
from agbench.datasets import load
from agbench.errors import DatasetError, MissingExtraError

TASK = "wheat-nitrogen-v1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a dataset in a folder that Minari could look in."""
    root = tmp_path_factory.mktemp("root")
    return agbench.collect(TASK, "advisor", 4, root / "wheat" / "mine-v0", state=True)


@pytest.fixture(scope="module")
def amounts(tmp_path_factory):
    """Return a dataset of continuous actions."""
    out = tmp_path_factory.mktemp("amounts") / "data"
    return load(agbench.collect("greenhouse-tomato-v1", "random", 2, out, "npz", length="1 d"))


def replayed(env, episode, seed, scenario=None):
    """Return what the recorded actions give in an environment."""
    seen, _ = env.reset(seed=seed, options={"scenario": scenario})
    observations, rewards = [seen], []
    for action in episode.actions:
        seen, reward, *_ = env.step(action)
        observations.append(seen)
        rewards.append(reward)
    return np.array(observations), np.array(rewards)


def test_minari_loads_it_and_its_environment_gives_the_same_again(folder, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder.parents[1]))
    data = minari.load_dataset("wheat/mine-v0")
    own = load(folder)
    assert (data.total_episodes, data.total_steps) == (4, len(own))
    env = data.recover_environment()
    assert env.observation_space == data.observation_space == agbench.make(TASK).observation_space
    assert env.action_space == data.action_space
    notes = list(data.storage.get_episode_metadata(range(4)))
    for episode, mine, note in zip(data.iterate_episodes(), own.episodes(), notes, strict=True):
        assert np.array_equal(episode.observations, mine.observations)
        assert np.array_equal(episode.actions, mine.actions)
        assert np.array_equal(episode.rewards, mine.rewards)
        assert episode.terminations.tolist() == [False] * (len(episode) - 1) + [True]
        assert not episode.truncations.any()
        assert episode.infos["state"].shape == (len(episode) + 1, len(own.metadata["states"]))
        assert note["total_steps"] == len(episode)
        observations, rewards = replayed(env, episode, note["seed"])
        assert np.array_equal(observations, episode.observations)
        assert np.array_equal(rewards, episode.rewards)
        assert env.unwrapped.core.scenario[0] == note["options"]["scenario"]


def test_infos_in_minari_begin_with_that_of_the_reset(folder, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder.parents[1]))
    infos = [episode.infos for episode in minari.load_dataset("wheat/mine-v0").iterate_episodes()]
    own = load(folder).part
    for name, steps, first in (("cost", own.costs, 0.0), ("behaviour", own.behaviours, -1)):
        assert [one[name][0] for one in infos] == [first] * 4
        assert np.array_equal(np.concatenate([one[name][1:] for one in infos]), steps)


def test_minari_recovers_an_environment_to_evaluate_in(folder, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder.parents[1]))
    data = minari.load_dataset("wheat/mine-v0")
    env = data.recover_environment(eval_env=True)
    assert env.unwrapped.scenarios.split == "test"
    assert data.recover_environment().unwrapped.scenarios.split == "train"
    metadata = data.storage.metadata
    assert metadata["ref_min_score"] < metadata["ref_max_score"]
    assert metadata["agbench"]["task"] == TASK
    assert data.sample_episodes(2)[0].observations.shape[1] == 12


def test_the_environment_of_an_overridden_task_is_the_overridden_one(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    agbench.collect(TASK, "zero", 2, tmp_path / "other-v0", beta=5.0, step="14 d", years=[1990])
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.load_dataset("other-v0").recover_environment()
    assert env.unwrapped.task.reward.beta == 5.0
    assert env.unwrapped.task.step == 14
    assert set(env.unwrapped.scenarios.keys) == {f"{s}/1990" for s in ("netherlands", "brabant", "limburg")}


def test_pandas_gets_a_row_a_step_with_named_columns(folder):
    table = load(folder).to_pandas()
    assert {"episode", "step", "observation.DVS", "action", "reward", "state.WSO"} <= set(table.columns)
    assert table.groupby("episode")["reward"].sum().to_numpy() == pytest.approx(load(folder).returns)


def test_parquet_columns_have_units(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    out = agbench.collect(TASK, "zero", 2, tmp_path / "data", "parquet")
    schema = pq.read_schema(out / "transitions.parquet")
    assert schema.field("observation.TGROWTH").metadata[b"unit"] == b"g m-2"
    assert b"20 kg ha-1 N" in schema.field("action").metadata[b"meaning"]


def test_next_observations_follow_within_an_episode_and_end_with_its_last(folder):
    data = load(folder)
    following = data.next_observations
    ends = data.part.ends - 1
    assert np.array_equal(following[ends], data.final_observations)
    inside = np.setdiff1d(np.arange(len(data)), ends)
    assert np.array_equal(following[inside], data.observations[inside + 1])


def test_torch_gets_tensors(folder):
    pytest.importorskip("torch")
    data = load(folder)
    seen, actions, rewards, following, ended = data.to_torch().tensors
    assert len(seen) == len(actions) == len(rewards) == len(following) == len(ended) == len(data)
    assert np.array_equal(seen.numpy(), data.observations)
    assert str(actions.dtype) == "torch.int64"
    assert ended.sum() == 4


def test_a_replay_buffer_is_full_and_a_model_learns_from_it(folder):
    sb3 = pytest.importorskip("stable_baselines3")
    from agbench.training.sb3 import sb3_env

    data = load(folder, scaled=True, scaled_reward=True)
    buffer = data.to_sb3()
    assert buffer.size() == len(data)
    assert np.array_equal(buffer.next_observations[:, 0], data.next_observations)
    assert buffer.dones.sum() == 4
    assert buffer.timeouts.sum() == 0
    model = sb3.DQN("MlpPolicy", sb3_env(TASK, 1), batch_size=32, seed=0)
    assert buffer.observation_space == model.observation_space
    model.replay_buffer = buffer
    model._setup_learn(1)
    before = [p.detach().clone() for p in model.q_net.parameters()]
    model.train(gradient_steps=3, batch_size=32)
    assert any((a != b).any() for a, b in zip(before, model.q_net.parameters(), strict=True))


def test_a_replay_buffer_holds_amounts(amounts):
    pytest.importorskip("stable_baselines3")
    buffer = amounts.to_sb3()
    assert np.array_equal(buffer.actions[:, 0], amounts.actions)
    assert buffer.sample(8).actions.shape == (8, 6)


def test_imitation_gets_trajectories(folder):
    pytest.importorskip("imitation")
    data = load(folder)
    trajectories = data.to_imitation()
    assert len(trajectories) == 4
    assert all(len(one.obs) == len(one.acts) + 1 for one in trajectories)
    assert sum(one.rews.sum() for one in trajectories) == pytest.approx(data.returns.sum())
    assert all(one.terminal for one in trajectories)


def test_d3rlpy_gets_episodes(folder, amounts):
    pytest.importorskip("d3rlpy")
    for data in (load(folder), amounts):
        set_ = data.to_d3rlpy()
        assert [len(one) for one in set_.episodes] == data.episode_lengths.tolist()
        assert all(one.terminated for one in set_.episodes)


def test_a_missing_library_is_named_with_its_command(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "d3rlpy", None)
    with pytest.raises(MissingExtraError, match=r"d3rlpy is not installed.*pip install"):
        load(folder).to_d3rlpy()


def test_scaled_data_are_what_a_scaled_environment_shows(folder):
    data, scaled = load(folder), load(folder, scaled=True, scaled_reward=True)
    env = agbench.make(TASK, scaled=True, scaled_reward=True)
    seen, _ = env.reset(seed=int(data.part.seeds[1]))
    episode = list(scaled.episodes())[1]
    assert np.array_equal(seen, episode.observations[0])
    for number, action in enumerate(episode.actions):
        seen, reward, *_ = env.step(action)
        assert np.array_equal(seen, episode.observations[number + 1])
        assert reward == episode.rewards[number]
    with pytest.raises(DatasetError, match="scaled_reward needs scaled=True"):
        load(folder, scaled_reward=True)


def test_a_recipe_names_what_an_offline_track_can_make_again():
    task, one = recipe("wheat-nitrogen/medium-v1")
    assert task == TASK
    assert "half-trained" in one.summary


def test_d3rlpy_is_told_of_all_choices_and_several_menus_are_refused(folder, tmp_path, monkeypatch):
    """Without its menu's size d3rlpy takes the largest number that was chosen for the last there is."""
    told = {}
    spaces = SimpleNamespace(DISCRETE="discrete", CONTINUOUS="continuous")
    library = ModuleType("d3rlpy")
    library.constants = SimpleNamespace(ActionSpace=spaces)
    library.dataset = SimpleNamespace(MDPDataset=lambda **given: told.update(given))
    monkeypatch.setitem(sys.modules, "d3rlpy", library)
    quiet = load(agbench.collect(TASK, "zero", 1, tmp_path / "quiet", "npz"))
    assert quiet.actions.max() == 0
    quiet.to_d3rlpy()
    assert (told["action_space"], told["action_size"]) == ("discrete", 3)
    fields = agbench.collect("sunflower-farm-fields-v1", "zero", 1, tmp_path / "fields", "npz")
    with pytest.raises(DatasetError, match=r"its actions are of 5 menus; d3rlpy takes one menu"):
        load(fields).to_d3rlpy()
