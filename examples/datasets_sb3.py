"""A dataset as the replay buffer of DQN. First: `agbench dataset wheat-nitrogen/medium-v1`."""

from stable_baselines3 import DQN

from agbench.datasets import load
from agbench.training import sb3_env

model = DQN("MlpPolicy", sb3_env("wheat-nitrogen-v1", 1), learning_starts=0)
model.replay_buffer = load("runs/datasets/wheat-nitrogen/medium-v1", scaled=True, scaled_reward=True).to_sb3()
model.learn(160)
