"""TorchRL's PPO on the compiled batch of a task.

    pip install agbench torchrl
    python examples/torchrl_ppo.py --steps 100000

`GymEnv("agbench/wheat-nitrogen-v1")`, after `import agbench`, is a single environment by its id.
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs import GymEnv, GymWrapper, RewardSum, TransformedEnv
from torchrl.modules import OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import agbench

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1", help="a task whose action is one menu")
parser.add_argument("--steps", type=int, default=100_000)
options = parser.parse_args()
torch.manual_seed(0)

by_id = GymEnv(f"agbench/{options.task}", scaled=True)
print("by id:", by_id.rollout(3).batch_size, by_id.observation_spec["observation"].shape)

# TorchRL resets rows itself, so the batch must not.
fields = agbench.make_vec(options.task, 16, autoreset_mode="disabled", scaled=True, scaled_reward=True)
env = TransformedEnv(GymWrapper(fields), RewardSum())
inputs = env.observation_spec["observation"].shape[-1]
choices = env.action_spec.shape[-1]


def network(outputs: int) -> nn.Module:
    """Return a perceptron of two hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


actor = ProbabilisticActor(
    TensorDictModule(network(choices), in_keys=["observation"], out_keys=["logits"]),
    in_keys=["logits"],
    distribution_class=OneHotCategorical,
    return_log_prob=True,
)
critic = ValueOperator(network(1), in_keys=["observation"])
advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.0)
optimiser = torch.optim.Adam(loss.parameters(), lr=3e-4)
frames = 16 * 64
collector = Collector(env, actor, frames_per_batch=frames, total_frames=-(-options.steps // frames) * frames)
buffer = ReplayBuffer(storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(), batch_size=256)

sampled = 0
for data in collector:
    sampled += data.numel()
    with torch.no_grad():
        advantage(data)
    for _ in range(10):
        buffer.extend(data.reshape(-1))
        for _ in range(frames // 256):
            losses = loss(buffer.sample())
            optimiser.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimiser.step()
    returns = data["next", "episode_reward"][data["next", "done"]]
    print(f"{sampled:>8} steps  scaled return {returns.mean():.2f}")
collector.shutdown()
