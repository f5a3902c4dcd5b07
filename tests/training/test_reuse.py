"""Scenarios of a split without end that are played in several episodes."""

import pickle

import numpy as np
import pytest

import agbench
from agbench.errors import ConfigError

pytest.importorskip("stable_baselines3")
from agbench.training import reuse, sb3_env

TASK = "wheat-nitrogen-v1"
ROWS = 8


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Keep few scenarios, so that they are played again soon."""
    monkeypatch.setattr(reuse, "KEPT", 12)


def made(episodes, split="train", task=TASK):
    env = sb3_env(task, ROWS, split, reuse=episodes)
    env.seed(0)
    env.reset()
    return env


def drawn(env, count):
    """Return the scenarios of so many episodes that a batch draws."""
    scenarios = env.envs.core.parts.scenarios
    generator = np.random.default_rng(3)
    return [scenarios.draw(generator) for _ in range(count)]


def test_a_drawn_season_serves_so_many_episodes_on_average():
    assert 3.5 < 600 / len(set(drawn(made(4), 600))) < 4.5
    assert len(set(drawn(made(1), 100))) == 100


def test_drawn_seasons_are_those_of_the_split_without_end():
    env = made(4)
    keys, listed = drawn(env, 600), set(env.envs.core.parts.scenarios.keys)
    assert not listed & set(keys)
    sites = {key.split("/")[0] for key in listed}
    shares = [np.mean([key.startswith(f"{site}/") for key in keys]) for site in sites]
    assert len(shares) == 3
    assert all(0.2 < share < 0.5 for share in shares)
    assert len(env.envs.core.parts.scenarios.kept) == 12


def played(env, steps, seed):
    """Return all that a batch gives for drawn actions."""
    generator, result = np.random.default_rng(seed), []
    for _ in range(steps):
        observations, rewards, ends, _ = env.step(generator.integers(0, 3, ROWS))
        result.append((observations.copy(), rewards.copy(), ends.copy(), env.envs.core.scenario.copy()))
    return result


def test_a_pickled_batch_goes_on_to_the_same_seasons():
    env = made(4)
    played(env, 100, 1)
    copy = pickle.loads(pickle.dumps(env))
    for ours, theirs in zip(played(env, 120, 2), played(copy, 120, 2), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_a_season_is_the_same_however_often_it_is_played():
    env = made(4)
    played(env, 150, 1)
    scenarios = env.envs.core.parts.scenarios
    again = next(key for key in scenarios.kept if key in scenarios._made)
    fresh = agbench.make(TASK, scaled=True)
    env.envs.core.reset([0], [again])
    expected, _ = fresh.reset(options={"scenario": again})
    assert np.array_equal(env.envs.core.observations[0], fresh.unwrapped.core.observations[0])
    assert fresh.observation_space.contains(expected)


def test_splits_that_end_and_random_worlds_are_as_they_were():
    assert not isinstance(made(4, "validation").envs.core.parts.scenarios, reuse.ReusedScenarios)
    for task in ("greenhouse-tomato-uncertain-v1", "wheat-planting-v1"):
        env = sb3_env(task, 1, reuse=4)
        ends = not reuse.without_end(env.envs.task, "train") or env.envs.core.parts.scenarios.random
        assert isinstance(env.envs.core.parts.scenarios, reuse.ReusedScenarios) != ends


def test_without_reuse_a_batch_is_as_before():
    env, other = made(1), sb3_env(TASK, ROWS)
    other.seed(0)
    other.reset()
    for ours, theirs in zip(played(env, 40, 2), played(other, 40, 2), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("episodes", [0, 1.5, True])
def test_a_wrong_number_of_episodes_is_refused(episodes):
    with pytest.raises(ConfigError, match="reuse must be a whole number"):
        sb3_env(TASK, 1, reuse=episodes)
