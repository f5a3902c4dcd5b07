"""Gymnasium environments: one batch core; a single environment is a batch of one.

`core.py` steps a batch; `single.py` and `vector.py` present it to Gymnasium; actions, observations
and rewards have a module each.
"""

from agbench.envs.core import BatchCore, SavedEpisode
from agbench.envs.single import AgBenchEnv
from agbench.envs.vector import AgBenchVectorEnv

__all__ = ["AgBenchEnv", "AgBenchVectorEnv", "BatchCore", "SavedEpisode"]
