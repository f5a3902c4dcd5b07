"""Implicit Q-learning of menus: d3rlpy has it for amounts alone.

Kostrikov, Nair, Levine 2022, Offline reinforcement learning with implicit Q-learning, ICLR. The numbers of
their equations stand at the losses. A menu's choice enters the critics as ones and zeros, so that any number
of menus will do.
"""

import copy
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import set_random_seed
from torch import nn

from agbench.data.training import NetworkSettings
from agbench.envs.actions import menu_sizes
from agbench.policies.networks import heads
from agbench.training.batches import Batches, DrawnBatch
from agbench.training.learner import Learner, Lesson
from agbench.training.torch_layers import ACTIVATIONS

Tensor = torch.Tensor
_LOGGED: Final = 500
"""Losses are logged after so many gradient steps."""


class ImplicitQ:
    """An actor, a value of states and two critics, learned from batches.

    `inputs`: columns of observations; `sizes`: choices of each menu. The other arguments are those of
    `IqlMenus`.
    """

    def __init__(
        self,
        inputs: int,
        sizes: Sequence[int],
        network: NetworkSettings,
        learning_rate: float = 3e-4,
        gamma: float = 0.99,
        tau: float = 0.005,
        expectile: float = 0.7,
        weight_temp: float = 3.0,
        max_weight: float = 100.0,
    ) -> None:
        self._sizes, self._gamma, self._tau = list(sizes), gamma, tau
        self._expectile, self._temperature, self._most = expectile, weight_temp, max_weight
        choices = sum(sizes)
        self.actor = _perceptron(inputs, choices, network)
        self._value = _perceptron(inputs, 1, network)
        self._critics = nn.ModuleList(_perceptron(inputs + choices, 1, network) for _ in range(2))
        self._targets = copy.deepcopy(self._critics)
        learned = [*self.actor.parameters(), *self._value.parameters(), *self._critics.parameters()]
        self._optimiser = torch.optim.Adam(learned, lr=learning_rate)

    def step(self, batch: DrawnBatch) -> dict[str, Tensor]:
        """Take one gradient step and return the losses before it."""
        losses = self._losses(batch)
        self._optimiser.zero_grad()
        torch.stack(list(losses.values())).sum().backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        with torch.no_grad():
            for target, own in zip(self._targets.parameters(), self._critics.parameters(), strict=True):
                target.lerp_(own, self._tau)
        return losses

    def _losses(self, batch: DrawnBatch) -> dict[str, Tensor]:
        """Return the losses of value, critics and actor, which share no weights."""
        seen, chosen, rewards, after, _, ends = map(torch.from_numpy, batch)
        picks = chosen.long()
        pair = torch.cat([seen, *self._ones(picks)], 1)
        value = self._value(seen)
        with torch.no_grad():
            worth = torch.minimum(*(critic(pair) for critic in self._targets))
            goal = rewards + self._gamma * (1.0 - ends) * self._value(after)
            weight = (self._temperature * (worth - value)).exp().clamp(max=self._most)
        error = worth - value
        side = torch.where(error < 0.0, 1.0 - self._expectile, self._expectile)
        logs = [
            torch.log_softmax(part, 1).gather(1, picks[:, i : i + 1])
            for i, part in enumerate(torch.split(self.actor(seen), self._sizes, 1))
        ]
        misses = [(critic(pair) - goal).square().mean() for critic in self._critics]
        return {
            "value": (side * error.square()).mean(),  # equation 5
            "critic": torch.stack(misses).sum(),  # 6
            "actor": -(weight * torch.stack(logs).sum(0)).mean(),  # 7
        }

    def _ones(self, picks: Tensor) -> Iterable[Tensor]:
        """Return of each menu a one in the column of its choice, (n, choices)."""
        return (nn.functional.one_hot(picks[:, i], size).float() for i, size in enumerate(self._sizes))


def _perceptron(inputs: int, outputs: int, network: NetworkSettings) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs, *network.layers]):
        layers += [nn.Linear(before, after), ACTIVATIONS[network.activation]()]
    return nn.Sequential(*layers, nn.Linear(network.layers[-1], outputs))


class IqlMenus(Learner):
    """Implicit Q-learning of one menu or several.

    Args:
        lesson: task, network and dataset. Its steps are gradient steps, one a batch.
        batch_size: transitions a batch.
        learning_rate: of all networks' Adam.
        gamma: discount of a step.
        tau: share of the critics that their targets take over in a step.
        expectile: which value of a state is taken: 0.5 its mean over the data's choices, near 1 its best.
        weight_temp: how much more a better choice counts; 0 clones.
        max_weight: of a choice.
    """

    policy: nn.Sequential

    def __init__(
        self,
        lesson: Lesson,
        batch_size: int = 256,
        learning_rate: float = 3e-4,
        gamma: float = 0.99,
        tau: float = 0.005,
        expectile: float = 0.7,
        weight_temp: float = 3.0,
        max_weight: float = 100.0,
    ) -> None:
        super().__init__(lesson)
        lesson.require(batch_size)
        set_random_seed(lesson.seed)
        self._size, self._batches = batch_size, Batches(lesson)
        numbers = (learning_rate, gamma, tau, expectile, weight_temp, max_weight)
        width, sizes = self.observation_space.shape[0], menu_sizes(self.action_space)
        self._learns = ImplicitQ(width, sizes, lesson.network, *numbers)
        self.policy = self._learns.actor

    def round(self, most: int) -> None:
        """Take so many gradient steps."""
        for _ in range(most):
            losses = self._learns.step(self._batches.draw(self._size))
            self.num_timesteps += 1
            if self.num_timesteps % _LOGGED == 0:
                for name, loss in losses.items():
                    self.logger.record(f"train/{name}_loss", float(loss.detach()))
                self.logger.dump(self.num_timesteps)

    @torch.no_grad()
    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """Return the likeliest choices."""
        outputs = self.policy(torch.from_numpy(observation)).numpy()
        return heads.actions(outputs, "argmax", self.action_space), None

    def chain(self) -> tuple[list[nn.Module], str]:
        """Return the actor's layers and their head."""
        return list(self.policy), "argmax"
