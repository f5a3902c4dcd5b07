"""RLlib's PPO on a task by its id, the fields of an env runner stepped in one compiled batch.

    pip install agbench "ray[rllib]" torch
    python examples/rllib_ppo.py --steps 100000

The part before the colon is the package that registers the task: each env runner is a process of its own.
"""

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1")
parser.add_argument("--steps", type=int, default=100_000)
parser.add_argument("--runners", type=int, default=0, help="processes that collect; 0: this one")
options = parser.parse_args()

ray.init(num_cpus=options.runners + 1, include_dashboard=False)
config = (
    PPOConfig()
    .environment(f"agbench:agbench/{options.task}", env_config={"scaled": True, "scaled_reward": True})
    .env_runners(
        num_env_runners=options.runners,
        num_envs_per_env_runner=16,
        gym_env_vectorize_mode="vector_entry_point",
    )
    .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=10, lr=3e-4)
)
algorithm = config.build_algo()
sampled = 0
while sampled < options.steps:
    report = algorithm.train()["env_runners"]
    sampled = int(report["num_env_steps_sampled_lifetime"])
    print(f"{sampled:>8} steps  scaled return {report.get('episode_return_mean', float('nan')):.2f}")
algorithm.stop()
ray.shutdown()
