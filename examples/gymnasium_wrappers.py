"""Gymnasium's wrappers around single environments and around the compiled batch.

    pip install agbench
    python examples/gymnasium_wrappers.py --steps 200

Wrappers do not touch the protocol: `agbench.evaluate` plays the task as it is.
"""

import argparse

import gymnasium
import numpy as np
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

import agbench

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1")
parser.add_argument("--steps", type=int, default=200)
options = parser.parse_args()

env = agbench.make(options.task)
env = wrappers.TimeLimit(env, max_episode_steps=20)  # an outer limit: the episode is `truncated` there
env = wrappers.RecordEpisodeStatistics(env)
env = wrappers.NormalizeObservation(env)
env = wrappers.FrameStackObservation(env, stack_size=4)
env = wrappers.FlattenObservation(env)
env = wrappers.TransformReward(env, lambda reward: 0.01 * reward)
observation, info = env.reset(seed=0)
env.action_space.seed(0)
lengths = []
for _ in range(options.steps):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    if terminated or truncated:
        lengths.append(int(info["episode"]["l"]))
        observation, info = env.reset()
print(f"single: observations {observation.shape}, {len(lengths)} episodes of {lengths[:3]} steps")

fields = agbench.make_vec(options.task, 16)
fields = vector.RecordEpisodeStatistics(fields)
fields = vector.NormalizeObservation(fields)
fields = vector.NormalizeReward(fields, gamma=0.99)
fields = vector.ClipReward(fields, -10.0, 10.0)
fields = vector.DtypeObservation(fields, np.float32)
observations, info = fields.reset(seed=0)
fields.action_space.seed(0)
returns = []
for _ in range(options.steps):
    observations, rewards, terminated, truncated, info = fields.step(fields.action_space.sample())
    returns += info["episode"]["r"][info["_episode"]].tolist() if "episode" in info else []
print(
    f"batch:  observations {observations.shape}, {len(returns)} episodes, mean return {np.mean(returns):.1f}"
)

# By id: the compiled batch in any autoreset mode of Gymnasium, or Gymnasium's own batch of single ones.
for mode in AutoresetMode:
    fields = gymnasium.make_vec(f"agbench:agbench/{options.task}", num_envs=4, autoreset_mode=mode)
    single = gymnasium.make_vec(
        f"agbench:agbench/{options.task}",
        num_envs=4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
    )
    same = np.array_equal(fields.reset(seed=0)[0], single.reset(seed=0)[0])
    print(f"by id:  {mode.value}: observations of the batch and of single environments are equal: {same}")
