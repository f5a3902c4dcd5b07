"""What an agent learns in: the train split's batch, its observations and rewards scaled by fixed numbers."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper

from agbench.envs.registry import make_vec
from agbench.training.sb3 import sb3_env


@dataclass(frozen=True)
class Scaling:
    """Of each observation a typical centre and spread, (observations,) each; of rewards a typical size."""

    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    reward: float

    def observations(self, physical: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return scaled observations."""
        return np.clip((physical - self.centre) / self.spread, -10.0, 10.0).astype(np.float32)


@cache
def scaling_of(task: str) -> Scaling:
    """Return the scaling of a task, from random actions in its train split."""
    envs = make_vec(task, 8)
    envs.single_action_space.seed(0)
    observation, _ = envs.reset(seed=0)
    seen, returns, total = [observation], [], np.zeros(8)
    for _ in range(200):
        actions = np.array([envs.single_action_space.sample() for _ in range(8)])
        observation, rewards, over, _, _ = envs.step(actions)
        total = 0.99 * total * ~over + rewards
        seen.append(observation)
        returns.append(total)
    values = np.concatenate(seen).astype(np.float64)
    spread = values.std(axis=0)
    return Scaling(values.mean(axis=0), np.where(spread > 1e-9, spread, 1.0), float(np.std(returns)) or 1.0)


class _Scaled(VecEnvWrapper):
    """Scales what a batch shows and pays."""

    def __init__(self, venv: Any, scaling: Scaling) -> None:
        super().__init__(venv)
        self._scaling = scaling

    def reset(self) -> Any:
        return self._scaling.observations(self.venv.reset())  # type: ignore[arg-type]

    def step_wait(self) -> Any:
        observations, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            infos[row]["terminal_observation"] = self._scaling.observations(
                infos[row]["terminal_observation"]
            )
        scaled = self._scaling.observations(observations)  # type: ignore[arg-type]
        return scaled, (rewards / self._scaling.reward).astype(np.float32), dones, infos


def training_env(task: str, num_envs: int) -> Any:
    """Return the scaled environments of the train split for Stable-Baselines3."""
    return _Scaled(sb3_env(task, num_envs), scaling_of(task))
