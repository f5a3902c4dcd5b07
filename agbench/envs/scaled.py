"""The single environment as learners want it: scaled observations, and rewards where asked."""

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import Parts
from agbench.envs.scaling import Scaling
from agbench.envs.single import AgBenchEnv


class ScaledEnv(AgBenchEnv):
    """An `AgBenchEnv` whose observations are scaled; with `scaled_reward` its rewards too.

    The episode is the same; `core`, `info` and pictures stay in physical units.
    """

    def __init__(
        self, parts: Parts, scaling: Scaling, scaled_reward: bool = False, render_mode: str | None = None
    ) -> None:
        super().__init__(parts, render_mode)
        self.scaling = scaling
        self.scaled_reward = scaled_reward
        self.observation_space = scaling.space  # type: ignore[assignment]

    def step(self, action: Any) -> tuple[NDArray[np.float32], SupportsFloat, bool, bool, dict[str, Any]]:
        """Apply an action and simulate one step of the episode."""
        observation, reward, terminated, truncated, info = super().step(action)
        if self.scaled_reward:
            reward = float(reward) / self.scaling.reward
        return observation, reward, terminated, truncated, info

    def _observed(self) -> NDArray[np.float32]:
        return self.scaling.observations(self.core.observations[0])
