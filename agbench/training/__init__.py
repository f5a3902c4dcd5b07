"""Training: the batch as Stable-Baselines3 wants it."""

from agbench.training.sb3 import sb3_env

__all__ = ["sb3_env"]
