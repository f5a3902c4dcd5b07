"""SQIL: reinforcement learning where the expert's transitions pay 1 and the agent's own pay 0.

Reddy, Dragan, Levine 2020, SQIL: imitation learning via reinforcement learning with sparse rewards, ICLR.
Half of each batch are demonstrations. Any algorithm with a replay buffer learns from it: DQN for menus, SAC
for amounts.
"""

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples

from agbench.envs.scaling import Scaling
from agbench.training.demonstrations import Demonstrations


def arrays(data: Demonstrations, scaling: Scaling) -> dict[str, Any]:
    """Return the demonstrations as the buffer takes them: scaled, a row a transition, float32 but actions."""
    return {
        "observations": scaling.observations(data.observations),
        "actions": data.actions.reshape(len(data), -1),
        "next_observations": scaling.observations(data.next_observations),
        "dones": data.terminations.astype(np.float32)[:, None],
    }


class SqilBuffer(ReplayBuffer):
    """A replay buffer half of whose samples are demonstrations.

    Args:
        *sizes: as in Stable-Baselines3.
        demonstrations: what `arrays` returns.
        **more: as in Stable-Baselines3.
    """

    def __init__(self, *sizes: Any, demonstrations: dict[str, Any], **more: Any) -> None:
        super().__init__(*sizes, **more)
        self._demonstrations = {name: torch.from_numpy(values) for name, values in demonstrations.items()}

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> None:
        """Keep transitions of the agent's own, which pay nothing."""
        super().add(obs, next_obs, action, np.zeros_like(reward), done, infos)

    def sample(self, batch_size: int, env: Any = None) -> ReplayBufferSamples:
        """Return a batch, the second half of it demonstrations."""
        half = batch_size // 2
        own = super().sample(batch_size - half, env)
        count = len(self._demonstrations["actions"])
        rows = torch.from_numpy(np.random.randint(count, size=half))  # noqa: NPY002  as the base class draws
        shown = {name: values[rows] for name, values in self._demonstrations.items()}
        shown["rewards"] = torch.ones(half, 1)
        joined = {name: torch.cat((getattr(own, name), values)) for name, values in shown.items()}
        return own._replace(**joined)
