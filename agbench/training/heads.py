"""What a PPO agent chooses from the outputs of its network: its distribution, with slopes written out.

The formulas are those of categorical and normal distributions; Stable-Baselines3 takes the same ones.
"""

import math
from typing import Any, Final, Protocol

import torch
from gymnasium import spaces

from agbench.envs.actions import menu_sizes

Tensor = torch.Tensor
_HALF_LOG_2PI: Final = 0.5 * math.log(2.0 * math.pi)


class Head(Protocol):
    """A distribution of actions, (n, ...), by outputs (n, outputs)."""

    def sample(self, out: Tensor) -> tuple[Tensor, Tensor]:
        """Return drawn actions, (n, columns) of the rollout buffer, and their log probabilities, (n,)."""

    def log_probability(self, out: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Return log probabilities of actions and the entropies, (n,) each; `slopes` is for the same."""

    def slopes(self, of_probability: Tensor, of_entropy: float) -> Tensor:
        """Return the slopes of a loss by the outputs, (n, outputs).

        `of_probability` (n,): its slope by each log probability; `of_entropy`: that by each entropy.
        """


class Categoricals:
    """One choice of each menu: categorical distributions side by side."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self._sizes = menu_sizes(space)
        self._kept: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []

    def sample(self, out: Tensor) -> tuple[Tensor, Tensor]:
        """Return drawn choices and their log probabilities.

        The largest of p / q, q being exponential, is choice i with the probability p_i.
        """
        chosen, total = [], torch.zeros(len(out))
        for part in torch.split(out, self._sizes, dim=1):
            logs = torch.log_softmax(part, 1)
            pick = logs.exp().div_(torch.empty_like(logs).exponential_()).argmax(1, keepdim=True)
            total += logs.gather(1, pick).squeeze(1)
            chosen.append(pick)
        return torch.cat(chosen, 1), total

    def log_probability(self, out: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Return log probabilities and entropies."""
        self._kept = []
        picks = actions.long()
        total, entropies = torch.zeros(len(out)), torch.zeros(len(out))
        for i, part in enumerate(torch.split(out, self._sizes, dim=1)):
            logs = torch.log_softmax(part, 1)
            shares, pick = logs.exp(), picks[:, i : i + 1]
            entropy = -(shares * logs).sum(1)
            total += logs.gather(1, pick).squeeze(1)
            entropies += entropy
            self._kept.append((logs, shares, pick, entropy))
        return total, entropies

    def slopes(self, of_probability: Tensor, of_entropy: float) -> Tensor:
        """Return d/dx_k: log p_a has (k = a) - p_k, the entropy H has -p_k (log p_k + H)."""
        column = of_probability[:, None]
        parts = []
        for logs, shares, pick, entropy in self._kept:
            slope = shares * -column
            slope.scatter_add_(1, pick, column)
            if of_entropy:
                slope -= of_entropy * shares * (logs + entropy[:, None])
            parts.append(slope)
        return parts[0] if len(parts) == 1 else torch.cat(parts, 1)


class Normals:
    """Normal amounts around the outputs; the logarithms of their deviations are parameters."""

    def __init__(self, log_deviation: torch.nn.Parameter) -> None:
        self._log_deviation = log_deviation
        log_deviation.grad = torch.zeros_like(log_deviation)
        self._kept: tuple[Tensor, Tensor] = (torch.empty(0), torch.empty(0))

    def sample(self, out: Tensor) -> tuple[Tensor, Tensor]:
        """Return drawn amounts and their log probabilities."""
        standard = torch.randn_like(out)
        logs = -0.5 * standard.square() - self._log_deviation - _HALF_LOG_2PI
        return out + standard * self._log_deviation.exp(), logs.sum(1)

    def log_probability(self, out: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Return log probabilities and entropies."""
        inverse = (-self._log_deviation).exp()
        standard = (actions - out) * inverse
        self._kept = standard, inverse
        logs = -0.5 * standard.square() - self._log_deviation - _HALF_LOG_2PI
        entropy = (0.5 + _HALF_LOG_2PI + self._log_deviation).sum()
        return logs.sum(1), entropy.expand(len(out))

    def slopes(self, of_probability: Tensor, of_entropy: float) -> Tensor:
        """Return the slopes by the means, and write those by the logarithms of the deviations."""
        standard, inverse = self._kept
        column = of_probability[:, None]
        assert self._log_deviation.grad is not None
        torch.sum((standard.square() - 1.0) * column, 0, out=self._log_deviation.grad)
        self._log_deviation.grad += of_entropy * len(standard)
        return standard * inverse * column
