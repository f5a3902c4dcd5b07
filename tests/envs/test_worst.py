"""The worst objective of a protocol: no season of a silly policy ends below it."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.policies.playing import gain

MENUS = (
    "wheat-maize-rotation-v1",
    "maize-sow-harvest-v1",
    "wheat-planting-v1",
    "jujube-orchard-v1",
    "pear-orchard-v1",
    "grape-vineyard-v1",
    "potato-inputs-v1",
)


@pytest.mark.parametrize("name", MENUS)
def test_the_same_decision_all_season_is_not_worse_than_the_worst(name):
    """A policy that fails is given the worst: it must not pay to fail."""
    task = catalog.task(name)
    parts = build(task, "test")
    count = int(parts.actions.space.n)
    core = BatchCore(parts, 2 * count)
    core.reset(range(core.n), [parts.scenarios.keys[0]] * core.n)
    drawn = np.random.default_rng(0)

    def act(_, number):
        alternate = np.where(number % 2, np.arange(count), drawn.permutation(count))
        return np.concatenate([np.arange(count), alternate])

    assert gain(core, act).min() >= task.protocol.worst
