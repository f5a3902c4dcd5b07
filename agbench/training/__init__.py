"""Training: the batch as a vector environment of Stable-Baselines3."""

from agbench.training.sb3 import sb3_env

__all__ = ["sb3_env"]
