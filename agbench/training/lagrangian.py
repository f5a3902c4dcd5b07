"""PPO that holds the constraint cost of an episode below a limit, by a multiplier that learns too.

The Lagrangian of a constrained task is return - multiplier (cost - limit). The agent climbs it; the
multiplier goes up while episodes cost more than the limit, and down to 0 while they cost less (Ray, Achiam,
Amodei 2019, section 5; Altman 1999). Rewards are those of the Lagrangian, divided by 1 + multiplier so that
their size stays, and one critic learns their sum.
"""

from typing import Any, Final

import numpy as np

from agbench.training.ppo import QuickPPO

EPISODES: Final = 100
"""The multiplier follows the mean cost of at most so many of the last episodes."""


class LagrangianPPO(QuickPPO):
    """PPO with a multiplier on `cost`.

    Args:
        policy: as in PPO.
        env: environments of `agbench.training.sb3_env`.
        cost_limit: the mean cost of an episode that is allowed.
        multiplier: of the cost, at the start.
        multiplier_rate: by which the multiplier follows the cost in excess, as a part of the limit.
        **settings: of PPO.
    """

    def __init__(
        self,
        policy: Any,
        env: Any,
        cost_limit: float = 0.0,
        multiplier: float = 1.0,
        multiplier_rate: float = 0.05,
        **settings: Any,
    ) -> None:
        self.cost_limit, self.multiplier, self.multiplier_rate = cost_limit, multiplier, multiplier_rate
        self._cost_unit = cost_limit if cost_limit > 0.0 else 1.0
        self._episode_costs: list[float] = []
        super().__init__(policy, env, **settings)

    def _paid(self, rewards: Any, dones: Any, infos: Any) -> Any:
        """Return the rewards of the Lagrangian, and note what episodes cost."""
        costs = np.array([info["cost"] for info in infos])
        ended = [infos[row]["episode"]["cost"] for row in np.flatnonzero(dones)]
        self._episode_costs = [*self._episode_costs, *ended][-EPISODES:]
        priced = rewards - self.multiplier * costs / self._cost_unit
        return (priced / (1.0 + self.multiplier)).astype(np.float32)

    def train(self) -> None:
        """Improve the agent, then move the multiplier."""
        super().train()
        if not self._episode_costs:
            return
        cost = float(np.mean(self._episode_costs))
        excess = (cost - self.cost_limit) / self._cost_unit
        self.multiplier = max(0.0, self.multiplier + self.multiplier_rate * excess)
        self.logger.record("rollout/cost", cost)
        self.logger.record("train/multiplier", self.multiplier)
