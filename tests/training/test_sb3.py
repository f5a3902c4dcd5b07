"""The batch behind Stable-Baselines3: it trains, and its rows are those of the vector environment."""

import numpy as np
import pytest

import agbench

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from agbench.errors import ConfigError
from agbench.training import sb3_env

TASK = "wheat-nitrogen-v1"


def test_rows_are_those_of_the_vector_environment():
    ours, theirs = sb3_env(TASK, 5, scaled=False), agbench.make_vec(TASK, 5, autoreset_mode="same_step")
    ours.seed(11)
    assert np.array_equal(ours.reset(), theirs.reset(seed=11)[0])
    actions = np.random.default_rng(0).integers(3, size=(70, 5))
    for row in actions:
        observations, rewards, done, infos = ours.step(row)
        seen, earned, terminated, truncated, info = theirs.step(row)
        assert np.array_equal(observations, seen)
        assert np.array_equal(rewards, earned.astype(np.float32))
        assert np.array_equal(done, terminated | truncated)
        for i in np.flatnonzero(done):
            assert np.array_equal(infos[i]["terminal_observation"], info["final_obs"][i])
            assert infos[i]["TimeLimit.truncated"] == truncated[i]
            assert infos[i]["nitrogen"] == info["final_info"]["nitrogen"][i]
        assert all(infos[i] == {"cost": info["cost"][i]} for i in np.flatnonzero(~done))


def test_the_default_is_scaled_as_the_vector_environment_scales():
    ours = sb3_env(TASK, 3)
    theirs = agbench.make_vec(TASK, 3, autoreset_mode="same_step", scaled=True, scaled_reward=True)
    assert ours.observation_space == theirs.single_observation_space
    ours.seed(4)
    assert np.array_equal(ours.reset(), theirs.reset(seed=4)[0])
    for row in np.random.default_rng(0).integers(3, size=(45, 3)):
        observations, rewards, done, infos = ours.step(row)
        seen, earned, *_, info = theirs.step(row)
        assert np.array_equal(observations, seen)
        assert np.array_equal(rewards, earned.astype(np.float32))
        for i in np.flatnonzero(done):
            assert np.array_equal(infos[i]["terminal_observation"], info["final_obs"][i])


@pytest.mark.parametrize("task", ["wheat-nitrogen-v1", "wheat-inputs-v1", "jujube-orchard-v1"])
def test_what_learners_see_is_of_one_size(task):
    envs = sb3_env(task, 8)
    envs.action_space.seed(0)
    seen, paid = [envs.reset()], []
    for _ in range(60):
        observations, rewards, *_ = envs.step([envs.action_space.sample() for _ in range(8)])
        seen.append(observations)
        paid.append(rewards)
    assert np.abs(np.array(seen)).mean() < 2.0
    assert np.abs(np.array(paid)).mean() < 5.0


def test_episodes_are_logged_in_their_own_unit_with_their_cost():
    envs = sb3_env("wheat-limits-v1", 3, scaled="bounds")
    physical = agbench.make_vec("wheat-limits-v1", 3, autoreset_mode="same_step")
    envs.seed(2)
    envs.reset()
    physical.reset(seed=2)
    total, cost, steps = np.zeros(3), np.zeros(3), 0
    most = np.full(3, envs.action_space.n - 1)
    done = np.zeros(3, bool)
    while not done.all():
        _, _, done, infos = envs.step(most)
        _, rewards, *_, info = physical.step(most)
        last = info["final_info"]["cost"] if "final_info" in info else info["cost"]
        total, cost, steps = total + rewards, cost + last, steps + 1
        assert [row["cost"] for row in infos] == last.tolist()
        if done.any():
            break
    row = int(np.flatnonzero(done)[0])
    logged = infos[row]["episode"]
    assert logged["r"] == pytest.approx(total[row])
    assert logged["cost"] == pytest.approx(cost[row])
    assert logged["cost"] > 0.0
    assert logged["l"] == steps


def test_ppo_logs_the_mean_return():
    model = PPO("MlpPolicy", sb3_env(TASK, 4), n_steps=64, batch_size=64, seed=0, device="cpu")
    model.learn(256)
    assert len(model.ep_info_buffer) == 8
    assert model.logger is not None
    assert all(abs(episode["r"]) > 1.0 for episode in model.ep_info_buffer)


def test_there_is_one_autoreset_mode():
    with pytest.raises(ConfigError, match="sb3_env takes no autoreset_mode: rows that end restart at once"):
        sb3_env(TASK, 2, autoreset_mode="next_step")


def test_options_choose_scenarios():
    envs = sb3_env(TASK, 2, split="test")
    envs.set_options([{"scenario": "wageningen/1984"}, {"scenario": "wageningen/1986"}])
    envs.reset()
    assert [i["scenario"] for i in envs.reset_infos] == ["wageningen/1984", "wageningen/1986"]


def test_ppo_trains_on_it_and_is_evaluated():
    envs = VecMonitor(sb3_env(TASK, 4))
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, seed=0, device="cpu")
    model.learn(512)
    assert len(envs.episode_returns) == 4
    result = agbench.evaluate(TASK, model, years=[1984])
    assert result.policy == "ppo"
    assert result.failed == 0
