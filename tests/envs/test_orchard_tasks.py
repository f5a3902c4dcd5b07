"""The orchards and the vineyard as tasks: their experts live on the fruit, and what is paid adds up."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.field.response import _work_the_field
from agbench.envs.rollout import steps
from agbench.policies.registry import load_policy

TASKS = {
    "jujube-orchard-v1": (3000.0, 16500.0),
    "pear-orchard-v1": (3000.0, 21000.0),
    "grape-vineyard-v1": (3000.0, 13500.0),
}
"""Dry fruit that three years may bring [kg ha-1]; frosts and cool summers can take that of a year."""
SCENARIOS = 3  # of the test split


def season(name, policy):
    """Return the core after its episodes, rewards (steps, n) and what was picked by year (3, n)."""
    task = catalog.task(name)
    parts = build(task, "test")
    keys = list(parts.scenarios.keys[:SCENARIOS])
    core = BatchCore(parts, len(keys))
    core.reset(range(core.n), keys)
    growers = [load_policy(policy, task) for _ in keys]
    harvested = core.simulator.variables.column("HARVESTED")
    rewards, picked = [], np.zeros((3, core.n))

    def act(observations, _):
        return np.array([grower(seen) for grower, seen in zip(growers, observations, strict=True)])

    before = np.zeros(core.n)
    for reward in steps(core, act):
        now = core.simulator.state[:, harvested].copy()
        picked[min(2, int(core.simulator.elapsed[0] - 1) // 365)] += now - before
        rewards.append(reward)
        before = now
    return core, np.array(rewards), picked


@pytest.mark.parametrize("name", TASKS)
def test_the_expert_picks_fruit_that_pays(name):
    core, rewards, picked = season(name, "grower")
    least, most = TASKS[name]
    assert (picked.sum(axis=0) > least).all()
    assert (picked.sum(axis=0) < most).all()
    assert (rewards.sum(axis=0) > 0.0).all()
    assert set(core.simulator.elapsed) <= {
        1094,
        1095,
    }  # to the last day of three years, with a leap day or not
    assert core.simulator.state[:, core.simulator.variables.column("CROP")].tolist() == [1.0] * SCENARIOS
    reward, info = core.parts.task.reward, core.info()
    fed = {"N": "nitrogen", "P": "phosphorus", "K": "potassium", "IRRIG": "water"}
    inputs = sum(reward.prices[name] * info[metric] for name, metric in fed.items())
    paid = reward.product_price * picked.sum(axis=0) - inputs - rewards.sum(axis=0)
    rounds = paid / reward.prices["HARVEST"]
    np.testing.assert_allclose(rounds, np.rint(rounds), atol=1e-6)  # the rest is rounds of picking
    assert (rounds >= (picked > 0.0).sum(axis=0) - 1e-6).all()


@pytest.mark.parametrize("name", TASKS)
def test_who_does_nothing_earns_nothing(name):
    _, rewards, picked = season(name, "zero")
    assert not rewards.any()
    assert not picked.any()


def test_the_vineyard_counts_its_frosts():
    core, _, _ = season("grape-vineyard-v1", "zero")
    assert (core.info()["frost"] > 0.0).any()
    assert "FROST_DAMAGE" in core.parts.task.observation.state


def test_a_trial_of_an_input_picks_fruit_that_is_ripe_or_hangs_in_autumn_when_it_gives_nothing():
    task = catalog.task("pear-orchard-v1")
    parts = build(task, "test")
    core = BatchCore(parts, 6)
    core.reset(range(6), [parts.scenarios.keys[0]] * 6)
    autumn, fruit, age = (core.simulator.variables.column(name) for name in ("AUTUMN", "HWSO", "DVS"))
    core.simulator.state[:, autumn] = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    core.simulator.state[:, fruit] = [0.5, 0.0, 0.5, 0.5, 0.5, 0.0]
    core.simulator.state[:, age] = [1.9, 1.9, 1.9, 1.9, 2.0, 2.0]
    nothing, pick = (parts.actions.encode("HARVEST", amount)[0] for amount in (0.0, 1.0))
    actions = np.array([nothing] * 6)
    _work_the_field(task, core, actions, np.array([False, False, False, True, False, False]), 0)
    np.testing.assert_array_equal(actions, [pick, nothing, nothing, nothing, pick, nothing])
    assert pick != nothing
