"""Scaled observations and rewards: what learners see, beside the physical form of the protocol."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agbench
from agbench.data import catalog, places
from agbench.data.overrides import override
from agbench.envs.family import observer
from agbench.envs.scaling import CLIP, ScaledSpace, Scaling, _of_bounds, scaling_of
from agbench.errors import ConfigError
from agbench.policies.tuning import scales

TASK = "wheat-nitrogen-v1"
SCALED = [name for name in catalog.names("task") if places.find_scaling(name) is not None]


def test_a_scaled_episode_is_the_physical_one_scaled():
    scaling = scaling_of(catalog.task(TASK))
    env, scaled = agbench.make(TASK), agbench.make(TASK, scaled=True, scaled_reward=True)
    first, second = env.reset(seed=1)[0], scaled.reset(seed=1)[0]
    for action in [0, 2, 1] * 8:
        np.testing.assert_array_equal(scaling.observations(first), second)
        first, earned, *_, info = env.step(action)
        second, paid, *_, same = scaled.step(action)
        assert paid == pytest.approx(earned / scaling.reward)
        assert info == same
    assert scaled.observation_space == scaling.space
    assert scaled.observation_space.contains(second)
    assert not scaled.observation_space.contains(first)


@pytest.mark.filterwarnings("error")
def test_a_scaled_environment_passes_gymnasiums_check():
    check_env(gymnasium.make(f"agbench/{TASK}", scaled=True).unwrapped)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_a_scaled_batch_is_the_physical_one_scaled(mode):
    scaling = scaling_of(catalog.task(TASK))
    envs = agbench.make_vec(TASK, 3, autoreset_mode=mode)
    scaled = agbench.make_vec(TASK, 3, autoreset_mode=mode, scaled=True, scaled_reward=True)
    first, second = envs.reset(seed=1)[0], scaled.reset(seed=1)[0]
    for step in range(45):
        np.testing.assert_array_equal(scaling.observations(first), second)
        action = np.array([0, 1, 2]) if step % 5 else np.array([2, 0, 0])
        first, earned, *_, info = envs.step(action)
        second, paid, *_, same = scaled.step(action)
        np.testing.assert_allclose(paid, earned / scaling.reward)
        for row in np.flatnonzero(info.get("_final_obs", [])):
            np.testing.assert_array_equal(
                scaling.observations(info["final_obs"][row]), same["final_obs"][row]
            )


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_is_scaled_too(duplicate):
    env = agbench.make(TASK, scaled=True)
    env.reset(seed=1)
    np.testing.assert_array_equal(duplicate(env).step(1)[0], env.step(1)[0])


def test_a_farm_of_agents_is_scaled_by_the_farms_values():
    pytest.importorskip("pettingzoo")
    env = agbench.make_parallel("sunflower-farm-v1")
    scaled = agbench.make_parallel("sunflower-farm-v1", scaled="bounds")
    seen, shown = env.reset(seed=1)[0], scaled.reset(seed=1)[0]
    agent = env.agents[0]
    space = scaled.observation_space(agent)
    assert isinstance(space, ScaledSpace)
    np.testing.assert_allclose(space.scaling.observations(seen[agent]), shown[agent])


def test_values_are_taken_by_the_names_of_variables():
    turned = override(catalog.task(TASK), {"state": ["LAI", "DVS"], "weather": []})
    whole, part = scaling_of(catalog.task(TASK)), scaling_of(turned)
    np.testing.assert_array_equal(part.centre, whole.centre[[2, 0]])
    with pytest.raises(ConfigError, match=r"no values for WLVG.*agbench scale wheat-nitrogen-v1 --set"):
        agbench.make(TASK, scaled=True, state=["DVS", "WLVG"])
    assert agbench.make(TASK, scaled="bounds", state=["DVS", "WLVG"]).observation_space.shape == (5,)


def test_mistakes_name_their_remedy(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match=r"no such file\. Write True, False, 'bounds' or a path"):
        agbench.make(TASK, scaled="bound")
    with pytest.raises(ConfigError, match="scaled_reward needs scaled=True"):
        agbench.make(TASK, scaled_reward=True)
    monkeypatch.setattr(places, "find_scaling", lambda task: None)
    with pytest.raises(ConfigError, match=f"Make it: agbench scale {TASK}"):
        agbench.make_vec(TASK, 2, scaled=True)


def test_measured_values_bring_observations_and_returns_to_unit_spread(tmp_path):
    table = scales.measure(catalog.task(TASK), 12)
    scales.save(table, tmp_path / "own.yaml")
    scaling = scaling_of(catalog.task(TASK), tmp_path / "own.yaml")
    assert scaling.reward == table.reward
    stored = scaling_of(catalog.task(TASK))
    ratio = scaling.spread / stored.spread
    assert (ratio > 0.3).all()
    assert (ratio < 3.0).all()
    assert 0.3 < scaling.reward / stored.reward < 3.0


def test_flags_and_constants_have_a_spread():
    flag = scales.Variable("FLAG", "-", "a flag", 0.0, 1.0)
    size = scales.Variable("SIZE", "kg", "a size", 0.0, 1e9)
    assert scales.typical(flag, np.array([0.0, 1.0, 0.0, 0.0])) == (0.5, 0.5)
    assert scales.typical(size, np.full(50, 20.0)) == (20.0, 20.0)
    assert scales.typical(size, np.zeros(50)) == (0.0, 1.0)
    rare = np.append(np.zeros(999), 7.0)
    assert scales.typical(size, rare)[1] == pytest.approx(rare.std(), rel=1e-3)
    assert scales._spread_of_rewards(np.array([3.0, 7.0])) == 2.0
    assert scales._spread_of_rewards(np.full(50, 7.0)) == 1.0


def test_what_is_far_out_is_clipped():
    scaling = Scaling(np.zeros(2), np.ones(2), 1.0)
    np.testing.assert_array_equal(scaling.observations(np.array([1e30, -1e30])), [CLIP, -CLIP])


@pytest.mark.parametrize("task", SCALED)
def test_a_stored_scaling_fits_its_task(task):
    scaling = scaling_of(catalog.task(task))
    assert (scaling.spread > 0.0).all()
    assert scaling.reward > 0.0


def test_ten_spreads_are_where_scaled_observations_end():
    scaling = Scaling(np.array([5.0, 0.0]), np.array([2.0, 1.0]), 4.0)
    seen = scaling.observations(np.array([[25.0, -10.0], [26.0, -11.0], [6.0, 0.5]]))
    assert seen.tolist() == [[10.0, -10.0], [10.0, -10.0], [0.5, 0.5]]
    assert (scaling.space.low == -10.0).all()
    assert (scaling.space.high == 10.0).all()
    assert scaling.rewards(np.array([8.0, -2.0])).tolist() == [2.0, -0.5]
    part = scaling.of_columns(np.array([1]))
    assert (part.centre.tolist(), part.spread.tolist(), part.reward) == ([0.0], [1.0], 4.0)


def test_whole_numbers_come_back_from_scaled_ones_as_they_were():
    scaling = Scaling(np.array([3.3]), np.array([7.7]), 1.0)
    for value in (0.0, 1.0, 17.0, -2.0):
        assert scaling.physical(scaling.observations(np.array([value])))[0] == value
    assert scaling.physical(scaling.observations(np.array([0.25])))[0] == pytest.approx(0.25, abs=1e-6)


def test_bounds_become_one_on_either_side():
    table = observer(catalog.task(TASK)).entries
    scaling = scaling_of(catalog.task(TASK), "bounds")
    low, high = np.array([v.low for v in table]), np.array([v.high for v in table])
    np.testing.assert_allclose(scaling.observations(low), -1.0)
    np.testing.assert_allclose(scaling.observations(high), 1.0)
    assert scaling.reward == 1.0


def test_a_scaling_is_of_its_own_task(tmp_path):
    other = places.find_scaling("maize-inputs-v1")
    with pytest.raises(ConfigError, match=f"is the scaling of maize-inputs-v1, not of {TASK}"):
        scaling_of(catalog.task(TASK), other)


@pytest.mark.parametrize(("low", "high"), [(0.0, np.inf), (-np.inf, 0.0), (1.0, 1.0)])
def test_variables_without_bounds_cannot_be_scaled_by_them(low, high):
    entry = scales.Variable("SIZE", "kg", "a size", low, high)
    with pytest.raises(ConfigError, match="scaled='bounds': SIZE of wheat has no finite bounds"):
        _of_bounds([entry], "wheat")
