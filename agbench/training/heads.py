"""What a PPO agent chooses from the outputs of its network: its distribution, with slopes written out.

The formulas are those of categorical and normal distributions; Stable-Baselines3 takes the same ones. Chance
is torch's.
"""

import math
from typing import Any, Final, Protocol

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.envs.actions import menu_sizes
from agbench.training.perceptron import Singles

_HALF_LOG_2PI: Final = 0.5 * math.log(2.0 * math.pi)


class Head(Protocol):
    """A distribution of actions, (n, ...), by outputs (n, outputs)."""

    def sample(self, out: Singles) -> tuple[NDArray[Any], Singles]:
        """Return drawn actions, (n, columns) of the rollout buffer, and their log probabilities, (n,)."""

    def log_probability(self, out: Singles, actions: Singles) -> Singles:
        """Return log probabilities of actions (n,); `slopes` and `entropies` are for the same."""

    def entropies(self) -> Singles:
        """Return the entropies of the distributions (n,)."""

    def slopes(self, of_probability: Singles, of_entropy: float) -> Singles:
        """Return the slopes of a loss by the outputs, (n, outputs).

        `of_probability` (n,): its slope by each log probability; `of_entropy`: that by each entropy.
        """


class Categoricals:
    """One choice of each menu: categorical distributions side by side."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        sizes = menu_sizes(space)
        ends = np.cumsum(sizes)
        self._parts = [slice(int(end) - size, int(end)) for size, end in zip(sizes, ends, strict=True)]
        self._kept: list[tuple[Singles, Singles]] = []
        self._picks: NDArray[np.intp] = np.empty((0, len(sizes)), np.intp)
        self._rows: NDArray[np.intp] = np.arange(0)

    def sample(self, out: Singles) -> tuple[NDArray[Any], Singles]:
        """Return drawn choices and their log probabilities.

        The largest of p / q, q being exponential, is choice i with the probability p_i.
        """
        noise = torch.empty(out.shape[1], len(out)).exponential_().numpy()
        picks = np.empty((len(out), len(self._parts)), np.intp)
        for column, part in enumerate(self._parts):
            picks[:, column] = (_shares(out[:, part])[1] / noise[part]).argmax(0)
        return picks, self._log_probability(out, picks)

    def log_probability(self, out: Singles, actions: Singles) -> Singles:
        """Return log probabilities of choices."""
        return self._log_probability(out, actions.astype(np.intp))

    def _log_probability(self, out: Singles, picks: NDArray[np.intp]) -> Singles:
        if len(self._rows) != len(out):
            self._rows = np.arange(len(out))
        self._picks, self._kept = picks, [_shares(out[:, part]) for part in self._parts]
        chosen = [logs[picks[:, i], self._rows] for i, (logs, _) in enumerate(self._kept)]
        return chosen[0] if len(chosen) == 1 else np.sum(chosen, axis=0)

    def entropies(self) -> Singles:
        """Return the entropies: of independent choices they add up."""
        result: Singles = -sum((shares * logs).sum(0) for logs, shares in self._kept)
        return result

    def slopes(self, of_probability: Singles, of_entropy: float) -> Singles:
        """Return d/dx_k: log p_a has (k = a) - p_k, the entropy H has -p_k (log p_k + H)."""
        result = np.empty((len(self._rows), self._parts[-1].stop), np.float32)
        for i, (part, (logs, shares)) in enumerate(zip(self._parts, self._kept, strict=True)):
            slope = shares * -of_probability
            slope[self._picks[:, i], self._rows] += of_probability
            if of_entropy:
                slope -= of_entropy * shares * (logs - (shares * logs).sum(0))
            result[:, part] = slope.T
        return result


def _shares(part: Singles) -> tuple[Singles, Singles]:
    """Return log probabilities and probabilities (choices, n) by outputs (n, choices)."""
    logs = np.ascontiguousarray(part.T)
    logs -= logs.max(0)
    shares = np.exp(logs)
    total = shares.sum(0)
    logs -= np.log(total)
    shares /= total
    return logs, shares


class Normals:
    """Normal amounts around the outputs; the logarithms of their deviations are parameters."""

    def __init__(self, log_deviation: torch.nn.Parameter) -> None:
        assert log_deviation.grad is not None
        self._log_deviation: Singles = log_deviation.detach().numpy()
        self._gradient: Singles = log_deviation.grad.numpy()
        self._kept: tuple[Singles, Singles] = (np.empty((0, 0), np.float32), np.empty(0, np.float32))

    def sample(self, out: Singles) -> tuple[NDArray[Any], Singles]:
        """Return drawn amounts and their log probabilities."""
        standard = torch.randn(out.shape).numpy()
        logs = -0.5 * np.square(standard) - self._log_deviation - np.float32(_HALF_LOG_2PI)
        return out + standard * np.exp(self._log_deviation), logs.sum(1)

    def log_probability(self, out: Singles, actions: Singles) -> Singles:
        """Return log probabilities of amounts."""
        inverse = np.exp(-self._log_deviation)
        standard = (actions - out) * inverse
        self._kept = standard, inverse
        logs = -0.5 * np.square(standard) - self._log_deviation - np.float32(_HALF_LOG_2PI)
        result: Singles = logs.sum(1)
        return result

    def entropies(self) -> Singles:
        """Return the entropies, which the deviations alone make."""
        entropy = (0.5 + _HALF_LOG_2PI + self._log_deviation).sum()
        return np.full(len(self._kept[0]), entropy, np.float32)

    def slopes(self, of_probability: Singles, of_entropy: float) -> Singles:
        """Return the slopes by the means, and write those by the logarithms of the deviations."""
        standard, inverse = self._kept
        column = of_probability[:, None]
        np.sum((np.square(standard) - 1.0) * column, 0, out=self._gradient)
        self._gradient += of_entropy * len(standard)
        return standard * inverse * column
