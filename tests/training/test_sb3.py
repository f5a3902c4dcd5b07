"""The batch behind Stable-Baselines3: it trains, and its rows are those of the vector environment."""

import numpy as np
import pytest

import agbench

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from agbench.training import sb3_env

TASK = "wheat-nitrogen-v1"


def test_rows_are_those_of_the_vector_environment():
    ours, theirs = sb3_env(TASK, 5), agbench.make_vec(TASK, 5)
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
        assert all(infos[i] == {} for i in np.flatnonzero(~done))


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
