"""A dataset as tensors. First: `agbench dataset wheat-nitrogen/medium-v1`."""

from torch.utils.data import DataLoader

from agbench.datasets import load

data = load("runs/datasets/wheat-nitrogen/medium-v1", scaled=True, scaled_reward=True)
for observation, _action, reward, _next_observation, _terminated in DataLoader(
    data.to_torch(), 256, shuffle=True
):
    print(observation.shape, float(reward.mean()))
