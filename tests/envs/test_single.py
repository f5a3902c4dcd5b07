import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

import agbench
from agbench.errors import ActionError, ConfigError

TASK = "wheat-nitrogen-v1"


@pytest.fixture
def env():
    return agbench.make(TASK).unwrapped


def play(env, actions, **reset):
    """Return observations, rewards and the last info of an episode."""
    observation, info = env.reset(**reset)
    observations, rewards = [observation], []
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        rewards.append(reward)
        if terminated or truncated:
            break
    return np.array(observations), rewards, info


def test_the_spaces_are_those_of_the_task(env):
    assert env.action_space == gymnasium.spaces.Discrete(3)
    assert env.observation_space.shape == (12,)
    assert env.observation_space.dtype == np.float32
    assert env.action_labels == ["nothing", "20 kg ha-1 N", "40 kg ha-1 N"]


def test_the_first_observation_is_made_after_the_warmup(env):
    _, info = env.reset(seed=0)
    assert info["elapsed"] == 7
    assert info["nitrogen"] == 0.0


def test_info_sums_the_nitrogen(env):
    *_, info = play(env, [0, 1, 2, 2], seed=0)
    assert info["nitrogen"] == 100.0
    assert info["elapsed"] == 35


def test_the_same_seed_draws_the_same_season(env):
    drawn = [env.reset(seed=s)[1]["scenario"] for s in (3, 4, 5, 6, 3, 4, 5, 6)]
    assert drawn[:4] == drawn[4:]
    assert len(set(drawn)) > 1


def test_a_seed_holds_for_the_episodes_that_follow(env):
    def episodes():
        first = env.reset(seed=3)[1]["scenario"]
        return [first, *(env.reset()[1]["scenario"] for _ in range(8))]

    assert episodes() == episodes()


def test_all_scenarios_of_a_split_are_drawn():
    env = agbench.make(TASK, "test").unwrapped
    drawn = {env.reset(seed=s)[1]["scenario"] for s in range(300)}
    assert drawn == set(env.scenarios)


def test_a_scenario_may_be_chosen_even_from_another_split(env):
    _, info = env.reset(options={"scenario": "wageningen/1984"})
    assert info["scenario"] == "wageningen/1984"
    assert "wageningen/1984" not in env.scenarios.keys


def test_maturity_terminates_before_september(env):
    _, rewards, info = play(env, [0] * 60, options={"scenario": "wageningen/1983"})
    assert 27 <= len(rewards) <= 33
    assert info["elapsed"] < 243


def test_the_last_day_of_the_season_terminates_an_unripe_crop():
    env = agbench.make(TASK, season__end="06-01").unwrapped
    env.reset(options={"scenario": "wageningen/1983"})
    ends = [env.step(0)[2:4] for _ in range(21)]
    assert ends[-1] == (True, False)
    assert ends[:-1] == [(False, False)] * 20


def test_an_action_of_parts_of_different_length_is_refused(env):
    env.reset(seed=0)
    with pytest.raises(ActionError, match="its parts differ in length"):
        env.step([1, [2, 3]])


@pytest.mark.parametrize("day", ["12-24", "09-02"])
def test_a_crop_that_starts_outside_the_season_is_refused(day):
    with pytest.raises(ConfigError, match=f"crop_start {day} lies outside the season, 01-01 to 09-01"):
        agbench.make(TASK, season__crop_start=day)


def test_the_last_step_may_be_shorter():
    env = agbench.make(TASK, season__end="06-01", step="10 d").unwrapped
    *_, info = play(env, [0] * 60, options={"scenario": "wageningen/1983"})
    assert info["elapsed"] == 151


@pytest.mark.parametrize("step", ["1 d", "5 d", "14 d"])
def test_a_season_without_nitrogen_does_not_depend_on_the_step(env, step):
    *_, weekly = play(env, [0] * 300, options={"scenario": "wageningen/1983"})
    other = agbench.make(TASK, step=step, warmup="7 d").unwrapped
    *_, info = play(other, [0] * 300, options={"scenario": "wageningen/1983"})
    assert (info["yield"], info["uptake"]) == (weekly["yield"], weekly["uptake"])


def test_the_returned_observation_belongs_to_the_caller(env):
    first, _ = env.reset(seed=0)
    kept = first.copy()
    env.step(2)
    np.testing.assert_array_equal(first, kept)


def test_a_saved_state_branches_into_two_futures(env):
    env.reset(options={"scenario": "wageningen/1983"})
    for action in (0, 2, 0, 2, 0, 0, 0, 0, 0, 0):
        env.step(action)
    saved = env.save_state()
    futures = {}
    for first in (0, 2, 0):
        env.load_state(saved)
        rewards = [env.step(a)[1] for a in [first, *[0] * 15]]
        futures.setdefault(first, []).append(rewards)
    assert futures[0][0] == futures[0][1]
    assert futures[0][0] != futures[2][0]


def test_loading_returns_the_saved_observation(env):
    env.reset(seed=1)
    observation = env.step(1)[0]
    saved = env.save_state()
    env.step(2)
    np.testing.assert_array_equal(env.load_state(saved), observation)


def test_a_saved_state_outlives_a_new_episode(env):
    env.reset(options={"scenario": "wageningen/1983"})
    env.step(2)
    saved = env.save_state()
    expected = env.step(1)
    play(env, [2] * 60, options={"scenario": "wageningen/1979"})
    env.load_state(saved)
    result = env.step(1)
    np.testing.assert_array_equal(result[0], expected[0])
    assert result[1:] == expected[1:]


def test_pcse_as_engine_agrees():
    observations = {}
    for engine in ("compiled", "pcse"):
        env = agbench.make(TASK, engine=engine, years=[1985], reward__kind="growth").unwrapped
        observations[engine] = play(env, [2, 0, 0, 0, 1, 0, 0, 2, 0, 0], seed=0)
    np.testing.assert_allclose(observations["compiled"][0], observations["pcse"][0], rtol=1e-5)
    np.testing.assert_allclose(observations["compiled"][1], observations["pcse"][1], rtol=1e-9, atol=1e-9)


ENDS = {
    "wheat-nitrogen-v1": {},
    "maize-sow-harvest-v1": {"action__kind": "continuous"},
    "greenhouse-setpoint-v1": {"episode__length": "1 d"},
    "sunflower-farm-v1": {},
}


@pytest.mark.parametrize("task", ENDS)
def test_an_episode_ends_terminated_and_never_truncated(task):
    """Truncation is for limits put around an environment: Gymnasium's own truncates alone."""
    env = agbench.make(task, **ENDS[task])
    env.action_space.seed(0)
    env.reset(seed=0)
    ends = []
    while not (ends and any(ends[-1])):
        _, _, *end, _ = env.step(env.action_space.sample())
        ends.append(tuple(end))
    assert ends == [(False, False)] * (len(ends) - 1) + [(True, False)]
    limited = TimeLimit(agbench.make(task, **ENDS[task]), 2)
    limited.reset(seed=0)
    limited.step(limited.action_space.sample())
    assert limited.step(limited.action_space.sample())[2:4] == (False, True)
    envs = agbench.make_vec(task, 2, autoreset_mode="SameStep", **ENDS[task])
    envs.action_space.seed(0)
    envs.reset(seed=0)
    flags = [envs.step(envs.action_space.sample())[2:4] for _ in range(3 * len(ends))]
    assert np.array([terminated for terminated, _ in flags]).any(axis=0).all()
    assert not np.array([truncated for _, truncated in flags]).any()
