"""The loops that step a batch and a single episode: what stepping by hand gives."""

import numpy as np

import agbench
from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play, steps
from agbench.policies.playing import episode
from agbench.policies.simple import Recorded

TASK = "wheat-nitrogen-v1"
KEYS = ["wageningen/1977", "wageningen/1979"]


def core():
    batch = BatchCore(build(catalog.task(TASK), "train"), 2)
    batch.reset([0, 1], KEYS)
    return batch


def act(observations, number):
    return np.array([number % 3, 0])


def test_a_batch_is_played_as_by_hand():
    batch, total, number = core(), np.zeros(2), 0
    while not batch.over.all():
        total += batch.step(act(None, number), ~batch.over)[0]
        number += 1
    assert play(core(), act).tolist() == total.tolist()
    rewards = list(steps(core(), act))
    assert len(rewards) == number
    assert sum(rewards).tolist() == total.tolist()


def test_a_batch_that_stops_early_can_go_on():
    batch = core()
    first = play(batch, act, 3)
    assert not batch.over.any()
    rest = play(batch, lambda seen, number: act(seen, number + 3))
    assert np.allclose(first + rest, play(core(), act))
    assert play(batch, act).tolist() == [0.0, 0.0]


def test_an_episode_begins_with_its_start_and_ends_once():
    env = agbench.make(TASK).unwrapped
    actions = [number % 3 for number in range(60)]
    start, *decisions = episode(env, Recorded(actions), seed=4, scenario=KEYS[0])
    observation, info = agbench.make(TASK).reset(seed=4, options={"scenario": KEYS[0]})
    assert start.action is None
    assert start.observation.tolist() == observation.tolist()
    assert start.info == info
    assert [decision.action for decision in decisions] == actions[: len(decisions)]
    assert [decision.over for decision in decisions] == [False] * (len(decisions) - 1) + [True]
