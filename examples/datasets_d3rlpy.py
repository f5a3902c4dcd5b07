"""Conservative Q-learning by d3rlpy from a dataset. First: `agbench dataset wheat-nitrogen/medium-v1`."""

import d3rlpy

from agbench.datasets import load

data = load("runs/datasets/wheat-nitrogen/medium-v1", scaled=True, scaled_reward=True)
learner = d3rlpy.algos.DiscreteCQLConfig().create()
learner.fit(data.to_d3rlpy(), n_steps=100, n_steps_per_epoch=100, show_progress=False, save_interval=100)
