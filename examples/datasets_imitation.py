"""Behaviour cloning by `imitation` from a dataset. First: `agbench dataset wheat-nitrogen/expert-v1`."""

import numpy as np
from imitation.algorithms.bc import BC

import agbench
from agbench.datasets import load

data = load("runs/datasets/wheat-nitrogen/expert-v1", scaled=True)
env = agbench.make("wheat-nitrogen-v1", scaled=True)
cloned = BC(
    observation_space=env.observation_space,
    action_space=env.action_space,
    demonstrations=data.to_imitation(),
    rng=np.random.default_rng(0),
)
cloned.train(n_epochs=1)
