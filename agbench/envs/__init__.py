"""Gymnasium environments: one batch core; a single environment is a batch of one.

`core.py` steps a batch; `single.py` and `vector.py` present it to Gymnasium; actions, observations
and rewards have a module each.
"""

from agbench.envs.core import BatchCore, SavedEpisode
from agbench.envs.single import SeasonEnv
from agbench.envs.vector import SeasonVectorEnv

__all__ = ["BatchCore", "SavedEpisode", "SeasonEnv", "SeasonVectorEnv"]
