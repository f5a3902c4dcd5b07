import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers
from hypothesis import given, settings
from hypothesis import strategies as st

import agbench
from agbench.envs.registry import single_environment
from agbench.errors import ActionError, ConfigError, SimulationError

TASK = "wheat-nitrogen-v1"


def run_out(envs, action=0):
    """Step until a row ends; return what that step returned."""
    while True:
        step = envs.step(np.full(envs.num_envs, action))
        if (step[2] | step[3]).any():
            return step


def test_the_default_is_gymnasiums():
    assert agbench.make_vec(TASK, 2).autoreset_mode is AutoresetMode.NEXT_STEP
    other = agbench.make_vec(TASK, 2, autoreset_mode=AutoresetMode.SAME_STEP)
    assert other.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert agbench.make_vec(TASK, 2, autoreset_mode="Disabled").autoreset_mode is AutoresetMode.DISABLED


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        wrappers.RecordEpisodeStatistics,
        wrappers.FlattenObservation,
        wrappers.DictInfoToList,
    ],
)
def test_gymnasiums_vector_wrappers_take_it(wrap):
    envs = wrap(agbench.make_vec(TASK, 3))
    envs.reset(seed=0)
    ended = 0
    for _ in range(45):
        _, _, terminated, _, info = envs.step(np.array([0, 1, 2]))
        ended += int(terminated.sum())
        if wrap is wrappers.RecordEpisodeStatistics and terminated.any():
            assert (info["episode"]["l"][terminated] > 20).all()
    assert ended >= 3


@pytest.mark.parametrize("mode", ["same_step", "next_step", "disabled"])
def test_the_autoreset_mode_is_in_metadata_and_attribute(mode):
    envs = agbench.make_vec(TASK, 2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is AutoresetMode[mode.upper()]
    assert envs.autoreset_mode is AutoresetMode[mode.upper()]


def test_same_step_keeps_the_last_observation_apart():
    envs = agbench.make_vec(TASK, 4, autoreset_mode="same_step")
    envs.reset(seed=0, options={"scenario": "wageningen/1983"})
    observation, _, terminated, _, info = run_out(envs)
    assert terminated.all()
    assert info["_final_obs"].all()
    assert (info["final_info"]["elapsed"] > 190).all()
    assert (info["elapsed"] == 7).all()
    assert all(info["final_obs"][i][0] == 2.0 for i in range(4))
    assert (observation[:, 0] < 0.2).all()


def test_next_step_shows_the_end_and_then_the_start():
    envs = agbench.make_vec(TASK, 2, autoreset_mode="next_step")
    envs.reset(seed=0, options={"scenario": "wageningen/1983"})
    observation, *_ = run_out(envs)
    assert (observation[:, 0] == 2.0).all()
    observation, reward, terminated, truncated, info = envs.step(np.array([2, 2]))
    assert (observation[:, 0] < 0.2).all()
    assert not reward.any()
    assert not (terminated | truncated).any()
    assert (info["nitrogen"] == 0.0).all()


def test_disabled_waits_for_a_reset_of_the_rows_that_ended():
    envs = agbench.make_vec(TASK, 2, autoreset_mode="disabled")
    envs.reset(seed=0, options={"scenario": ["wageningen/1998", "wageningen/1987"]})
    _, _, terminated, _, _ = run_out(envs)
    assert terminated.tolist() == [True, False]
    with pytest.raises(SimulationError, match=r"rows \[0\] have ended; reset them"):
        envs.step(np.array([0, 0]))
    _, info = envs.reset(options={"reset_mask": terminated})
    assert info["elapsed"].tolist()[0] == 7
    assert info["elapsed"][1] > 190
    assert info["_elapsed"].tolist() == [True, False]
    envs.step(np.array([0, 0]))


def test_a_masked_reset_leaves_the_other_rows_alone():
    envs = agbench.make_vec(TASK, 3, autoreset_mode="disabled")
    before, _ = envs.reset(seed=0)
    for _ in range(5):
        before = envs.step(np.array([1, 2, 0]))[0]
    after, _ = envs.reset(seed=9, options={"reset_mask": np.array([False, True, False])})
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    assert (after[1] != before[1]).any()
    alone = single_environment(TASK)
    np.testing.assert_array_equal(after[1], alone.reset(seed=10)[0])


def test_rows_may_start_in_scenarios_of_their_own():
    envs = agbench.make_vec(TASK, 3, "test")
    expected = ["wageningen/1984", "wageningen/1976", "wageningen/1999"]
    _, info = envs.reset(options={"scenario": expected})
    assert info["scenario"].tolist() == expected


def test_seeds_may_differ_by_row():
    envs = agbench.make_vec(TASK, 3)
    one, _ = envs.reset(seed=[7, 7, 8])
    np.testing.assert_array_equal(one[0], one[1])
    np.testing.assert_array_equal(one, envs.reset(seed=[7, 7, 8])[0])


@pytest.mark.parametrize(
    ("seed", "options", "message"),
    [
        ([1, 2], None, "2 seeds for 3 environments"),
        (0, {"scenario": ["wageningen/1983"]}, "1 scenarios for 3 rows"),
        (0, {"reset_mask": [True, False, False]}, "must be 3 booleans"),
        (0, {"reset_mask": np.zeros(3, dtype=bool)}, "at least one of them true"),
    ],
)
def test_the_error_of_a_wrong_reset_names_the_right_arguments(seed, options, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make_vec(TASK, 3).reset(seed=seed, options=options)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_a_step_before_the_first_reset_is_refused(mode):
    envs = agbench.make_vec(TASK, 2, autoreset_mode=mode)
    with pytest.raises(SimulationError, match="call reset"):
        envs.step(np.array([0, 0]))


def test_observations_are_copies_by_default():
    copied = agbench.make_vec(TASK, 2)
    first, _ = copied.reset(seed=0)
    kept = first.copy()
    copied.step(np.array([1, 1]))
    np.testing.assert_array_equal(first, kept)
    shared = agbench.make_vec(TASK, 2, copy=False)
    first, _ = shared.reset(seed=0)
    second = shared.step(np.array([1, 1]))[0]
    assert first is second


def trace(envs, seed, actions):
    """Return the bits of all results, one list a row."""
    rows = [[] for _ in range(envs.num_envs)]
    observation, _ = envs.reset(seed=seed)
    for i, row in enumerate(rows):
        row.append(observation[i].tobytes())
    for action in actions:
        observation, reward, terminated, truncated, info = envs.step(action)
        for i, row in enumerate(rows):
            numbers = (float(reward[i]).hex(), bool(terminated[i]), bool(truncated[i]))
            row += [observation[i].tobytes(), *numbers, info["scenario"][i], float(info["yield"][i])]
    return rows


SEEDS = st.integers(0, 2**31 - 100)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), SEEDS, st.integers(0, 2**32 - 1), st.data())
def test_a_row_does_not_depend_on_the_size_of_the_batch_nor_on_its_place(n, seed, stream, data):
    actions = np.random.default_rng(stream).integers(3, size=(70, n))
    batch = trace(agbench.make_vec(TASK, n), [seed + i for i in range(n)], actions)
    order = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, min(n, 5)))]
    some = trace(agbench.make_vec(TASK, len(order)), [seed + i for i in order], actions[:, order])
    assert [batch[i] for i in order] == some


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 2**32 - 1))
def test_a_recorded_episode_replays_to_the_bit(seed, stream):
    actions = np.random.default_rng(stream).integers(3, size=(60, 1))
    first = trace(agbench.make_vec(TASK, 1), seed, actions)
    assert trace(agbench.make_vec(TASK, 1), seed, actions) == first


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_a_wrong_number_of_environments_is_an_error(count):
    with pytest.raises(ConfigError, match="num_envs must be a whole number, at least 1; got "):
        agbench.make_vec(TASK, count)


@pytest.mark.parametrize("actions", [0, None, np.array(1)])
def test_one_action_for_all_rows_is_an_error(actions):
    envs = agbench.make_vec(TASK, 2)
    envs.reset(seed=0)
    with pytest.raises(ActionError, match="is not a list of 2 actions"):
        envs.step(actions)
