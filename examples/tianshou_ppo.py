"""Tianshou's PPO on a task by its id.

pip install agbench tianshou
python examples/tianshou_ppo.py --steps 100000
"""

import argparse

import gymnasium
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1", help="a task whose action is one menu")
parser.add_argument("--steps", type=int, default=100_000)
options = parser.parse_args()


def fields(count: int, split: str) -> DummyVectorEnv:
    """Return environments of a split, by the id that Gymnasium knows them by."""
    name = f"agbench:agbench/{options.task}"
    make = [lambda: gymnasium.make(name, split=split, scaled=True, scaled_reward=True)] * count
    return DummyVectorEnv(make)


training, validation = fields(16, "train"), fields(4, "validation")
space, actions = training.observation_space[0], training.action_space[0]


def trunk() -> Net:
    """Return the hidden layers of a network."""
    return Net(state_shape=space.shape, hidden_sizes=(64, 64), activation=nn.Tanh)


actor = DiscreteActor(preprocess_net=trunk(), action_shape=actions.n, softmax_output=False)
policy = DiscreteActorPolicy(
    actor=actor, action_space=actions, observation_space=space, deterministic_eval=True
)
algorithm = PPO(
    policy=policy,
    critic=DiscreteCritic(preprocess_net=trunk()),
    optim=AdamOptimizerFactory(lr=3e-4),
    ent_coef=0.0,
    max_grad_norm=0.5,
)
collected = 1024
result = algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=Collector[CollectStats](algorithm, training, VectorReplayBuffer(collected, 16)),
        test_collector=Collector[CollectStats](algorithm, validation),
        max_epochs=-(-options.steps // (4 * collected)),
        epoch_num_steps=min(4 * collected, options.steps),
        collection_step_num_env_steps=min(collected, options.steps),
        test_step_num_episodes=8,
        update_step_num_repetitions=10,
        batch_size=256,
        show_progress=False,
    )
)
print(f"best scaled return on validation {result.best_reward:.2f}")
