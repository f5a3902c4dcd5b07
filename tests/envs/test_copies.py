"""Environments pickle and copy; the check `pickle-and-copy` runs over every task in test_tasks.py."""

import copy
import os
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import agbench
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.testing.copies import check_copies
from agbench.testing.traces import draw_actions, go_on, require_equal
from agbench.weather.site import site_series

CHILD = """
import pickle, sys
from agbench.testing.traces import go_on
sent = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps([go_on(env.unwrapped, actions) for env, actions in sent]))
"""


@pytest.mark.slow_except("a year")
@pytest.mark.parametrize(
    "overrides", [{"engine": "pcse", "season__end": "02-15"}, {"years": [1984]}], ids=["pcse", "a year"]
)
def test_copies_of_a_changed_task_do_too(overrides):
    check_copies("wheat-nitrogen-v1", **overrides)


def test_copies_of_a_season_on_pcse_go_on_alike():
    env = agbench.make("wheat-nitrogen-v1", engine="pcse", season__end="02-15").unwrapped
    env.reset(seed=3)
    env.step(2)
    futures = [go_on(other, [1, 0]) for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)))]
    names = [entry.name for entry in env.observation_entries]
    own = go_on(env, [1, 0])
    for future in futures:
        require_equal(own, future, "an environment on PCSE and its copy", names)


def test_a_pickle_has_the_same_future_in_another_process():
    begun = []
    for task in ("wheat-nitrogen-v1", "greenhouse-tomato-uncertain-v1"):
        env = agbench.make(task)
        env.reset(seed=3)
        actions = draw_actions(env.action_space, 12, 1, 0)[:, 0]
        for action in actions[:5]:
            env.step(action)
        begun.append((env, actions[5:]))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    sent = pickle.dumps(begun)
    done = subprocess.run([sys.executable, "-c", CHILD], input=sent, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    for (env, actions), there in zip(begun, pickle.loads(done.stdout), strict=True):
        names = [entry.name for entry in env.unwrapped.observation_entries]
        require_equal(go_on(env.unwrapped, actions), there, env.unwrapped.task.task, names)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("shared", [True, False])
def test_a_farm_of_agents_goes_on_alike(duplicate, shared):
    pytest.importorskip("pettingzoo")
    env = agbench.make_parallel("sunflower-farm-v1", shared_reward=shared)
    assert duplicate(env).agents == []
    env.reset(seed=1)
    actions = [{agent: env.action_space(agent).sample() for agent in env.agents} for _ in range(6)]
    for action in actions[:3]:
        env.step(action)
    other = duplicate(env)
    for action in actions[3:]:
        seen, rewards, *_, infos = other.step(action)
        expected, earned, *_, told = env.step(action)
        assert rewards == earned
        assert infos == told
        assert all(np.array_equal(seen[agent], expected[agent]) for agent in expected)


def test_a_copy_keeps_the_generator_of_the_episode_to_come():
    env = agbench.make("wheat-nitrogen-v1")
    env.reset(seed=5)
    other = copy.deepcopy(env)
    assert other.unwrapped.np_random is other.unwrapped.core.generators[0]
    drawn = [[each.reset()[1]["scenario"] for _ in range(6)] for each in (env, other)]
    assert drawn[0] == drawn[1]


def test_copying_a_batch_shares_worlds_and_no_row():
    core = BatchCore(build(agbench.make("wheat-nitrogen-v1").unwrapped.task), 2)
    core.reset([0], ["netherlands/1984"])
    other = copy.deepcopy(core)
    assert other.worlds[0] is core.worlds[0]
    assert other.scenario[1] is None
    before = core.simulator.state.copy()
    other.step(np.array([1, 1]), np.array([True, False]))
    assert np.array_equal(core.simulator.state, before)


def test_a_pictured_episode_is_copied_with_its_picture():
    env = agbench.make("wheat-nitrogen-v1", render_mode="rgb_array")
    env.reset(seed=1)
    env.step(1)
    first = env.render()
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert np.array_equal(other.render(), first)


def test_weather_that_is_edited_later_changes_no_environment_that_was_made():
    table = site_series("netherlands").to_frame().loc["1983":"1985"]
    env = agbench.make("wheat-nitrogen-v1", weather=table, years=[1984])
    before = season(env)
    table["RAIN"] *= 0.1
    assert season(env) == before
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), gymnasium.make(env.spec)):
        assert season(other) == before
    assert season(agbench.make("wheat-nitrogen-v1", weather=table, years=[1984])) != before


def season(env):
    """Return the rewards of a season with one dressing."""
    env.reset(seed=0)
    rewards, over = [], False
    while not over:
        _, reward, over, _, _ = env.step(2 if len(rewards) == 8 else 0)
        rewards.append(reward)
    return rewards
