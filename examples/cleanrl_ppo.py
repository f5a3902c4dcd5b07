"""PPO in one file, in the manner of CleanRL, on the compiled batch of a task.

    pip install agbench torch
    python examples/cleanrl_ppo.py --steps 400000

Read it from top to bottom and change what you like. Schulman et al. 2017, with the details of Huang et al.
2022, "The 37 implementation details of proximal policy optimization".
"""

import argparse

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.distributions import Categorical, Normal

import agbench

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1", help="a task of amounts or of one menu")
parser.add_argument("--steps", type=int, default=400_000, help="environment steps in all")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--envs", type=int, default=64)
parser.add_argument("--rollout", type=int, default=64, help="steps of each environment between updates")
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--batch", type=int, default=256)
parser.add_argument("--rate", type=float, default=3e-4)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--gae", type=float, default=0.95, help="lambda of the advantages")
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--value-weight", type=float, default=0.5)
parser.add_argument("--entropy-weight", type=float, default=0.0)
parser.add_argument("--norm", type=float, default=0.5, help="largest norm of a gradient")
options = parser.parse_args()


def layer(inputs: int, outputs: int, gain: float = 2.0**0.5) -> nn.Linear:
    """Return a layer with orthogonal weights and no bias."""
    result = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(result.weight, gain)
    nn.init.zeros_(result.bias)
    return result


def network(inputs: int, outputs: int, gain: float) -> nn.Sequential:
    """Return a perceptron of two hidden layers."""
    hidden = layer(inputs, 64), nn.Tanh(), layer(64, 64), nn.Tanh()
    return nn.Sequential(*hidden, layer(64, outputs, gain))


class Agent(nn.Module):
    """An actor and a critic."""

    def __init__(self, seen: spaces.Box, actions: spaces.Box | spaces.Discrete) -> None:
        super().__init__()
        self.menu = isinstance(actions, spaces.Discrete)
        outputs = int(actions.n) if isinstance(actions, spaces.Discrete) else actions.shape[0]
        self.actor = network(seen.shape[0], outputs, 0.01)
        self.critic = network(seen.shape[0], 1, 1.0)
        self.log_deviation = nn.Parameter(torch.zeros(outputs))

    def distribution(self, seen: torch.Tensor) -> Categorical | Normal:
        """Return the distribution of actions for observations (n, inputs)."""
        outputs = self.actor(seen)
        return Categorical(logits=outputs) if self.menu else Normal(outputs, self.log_deviation.exp())

    def judged(self, seen: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities (n,) of actions and entropies (n,) of their distributions."""
        chosen = self.distribution(seen)
        logs, entropies = chosen.log_prob(actions), chosen.entropy()
        return (logs, entropies) if self.menu else (logs.sum(1), entropies.sum(1))

    def value(self, seen: torch.Tensor) -> torch.Tensor:
        """Return the critic's values (n,)."""
        return self.critic(seen).flatten()


torch.manual_seed(options.seed)
torch.set_num_threads(1)
fields = agbench.make_vec(
    options.task, options.envs, autoreset_mode="same_step", scaled=True, scaled_reward=True
)
space = fields.single_action_space
if not isinstance(space, (spaces.Box, spaces.Discrete)):
    raise SystemExit(f"{options.task}: its action is {space}; this file knows amounts and one menu.")
agent = Agent(fields.single_observation_space, space)
optimiser = torch.optim.Adam(agent.parameters(), lr=options.rate, eps=1e-5)
length, count = options.rollout, options.envs
per_update = length * count
updates = -(-options.steps // per_update)
generator = np.random.default_rng(options.seed)

seen, _ = fields.reset(seed=options.seed)
sums, returns = np.zeros(count), []
for update in range(updates):
    optimiser.param_groups[0]["lr"] = options.rate * (1.0 - update / updates)

    # Collect.
    rows = {"seen": torch.zeros(length, count, seen.shape[1]), "logs": torch.zeros(length, count)}
    rows["actions"] = torch.zeros(
        length, count, *space.shape, dtype=torch.long if agent.menu else torch.float32
    )
    rewards, values, ended = (np.zeros((length + 1, count), np.float32) for _ in range(3))
    with torch.no_grad():
        for step in range(length):
            state = torch.from_numpy(seen)
            actions = agent.distribution(state).sample()
            rows["seen"][step], rows["actions"][step] = state, actions
            rows["logs"][step] = agent.judged(state, actions)[0]
            values[step] = agent.value(state)
            given = actions.numpy() if agent.menu else np.clip(actions.numpy(), space.low, space.high)
            seen, rewards[step], terminated, truncated, info = fields.step(given)
            ended[step] = terminated | truncated
            sums += rewards[step]
            returns += sums[ended[step] > 0].tolist()
            sums[ended[step] > 0] = 0.0
        values[length] = agent.value(torch.from_numpy(seen))

    # Advantages. Nothing is paid beyond an end: every end of a task is `terminated`.
    advantages = np.zeros((length + 1, count), np.float32)
    for step in reversed(range(length)):
        going = 1.0 - ended[step]
        error = rewards[step] + options.gamma * going * values[step + 1] - values[step]
        advantages[step] = error + options.gamma * options.gae * going * advantages[step + 1]
    rows["advantages"] = torch.from_numpy(advantages[:length])
    rows["returns"] = torch.from_numpy(advantages[:length] + values[:length])
    flat = {name: value.reshape(per_update, *value.shape[2:]) for name, value in rows.items()}

    # Learn.
    for _ in range(options.epochs):
        for chosen in np.array_split(generator.permutation(per_update), -(-per_update // options.batch)):
            batch = {name: value[torch.from_numpy(chosen)] for name, value in flat.items()}
            gained = batch["advantages"]
            gained = (gained - gained.mean()) / (gained.std() + 1e-8)
            logs, entropies = agent.judged(batch["seen"], batch["actions"])
            ratio = (logs - batch["logs"]).exp()
            clipped = ratio.clamp(1.0 - options.clip, 1.0 + options.clip)
            policy_loss = -torch.min(gained * ratio, gained * clipped).mean()
            value_loss = 0.5 * (agent.value(batch["seen"]) - batch["returns"]).square().mean()
            loss = policy_loss + options.value_weight * value_loss - options.entropy_weight * entropies.mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), options.norm)
            optimiser.step()

    mean = np.mean(returns[-100:]) if returns else float("nan")
    print(f"{(update + 1) * per_update:>8} steps  scaled return of the last 100 episodes {mean:.2f}")


class Greedy:
    """The agent as a policy of AgBench: it scales what it observes and takes the likeliest action."""

    name, information = "cleanrl-ppo", "observation"

    def reset(self, seed: int) -> None:
        """Do nothing: the agent has no memory."""

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        """Return the action for a physical observation."""
        with torch.no_grad():
            output = agent.actor(torch.from_numpy(fields.scaling.observations(observation[None])))[0]
        return output.argmax().numpy() if agent.menu else np.clip(output.numpy(), space.low, space.high)


result = agbench.evaluate(options.task, Greedy(), "validation")
print(f"{options.task}: mean return on validation {result.objective.mean():.1f}")
