"""GAIL and AIRL: an agent that a discriminator cannot tell from the expert, by the library imitation.

The discriminator learns which transitions are the agent's; what it takes for the expert's pays. GAIL: Ho and
Ermon 2016. AIRL: Fu, Luo, Levine 2018; its discriminator holds a reward that it learns.
"""

from abc import abstractmethod
from collections.abc import Sequence
from shutil import rmtree
from typing import Any

from stable_baselines3.common.logger import Logger

from agbench.training.cloning import hierarchical, transitions
from agbench.training.learner import ActorLearner, Lesson, quiet
from agbench.training.ppo import QuickPPO
from agbench.training.torch_layers import ACTIVATIONS


class Adversarial(ActorLearner):
    """What GAIL and AIRL share: PPO as the agent, and rounds of both.

    Args:
        lesson: task, network, environments and demonstrations. Its steps are steps of the environments.
        demo_batch_size: transitions of the expert, and as many of the agent, in a batch of the discriminator.
        n_disc_updates_per_round: batches of the discriminator after each rollout.
        disc_learning_rate: of the discriminator's Adam.
        disc_layers: widths of the discriminator's hidden layers.
        n_steps, batch_size, n_epochs, learning_rate, gamma, gae_lambda, clip_range, ent_coef, vf_coef,
            max_grad_norm: of PPO.
    """

    extra = "il"

    def __init__(
        self,
        lesson: Lesson,
        demo_batch_size: int = 256,
        n_disc_updates_per_round: int = 4,
        disc_learning_rate: float = 1e-3,
        disc_layers: Sequence[int] = (32, 32),
        n_steps: int = 64,
        batch_size: int = 256,
        n_epochs: int = 10,
        learning_rate: float = 3e-4,
        gamma: float = 0.99,
        gae_lambda: float = 0.95,
        clip_range: float = 0.2,
        ent_coef: float = 0.0,
        vf_coef: float = 0.5,
        max_grad_norm: float = 0.5,
    ) -> None:
        super().__init__(lesson)
        lesson.require(demo_batch_size)
        self._updates = n_disc_updates_per_round
        network = {
            "net_arch": list(lesson.network.layers),
            "activation_fn": ACTIVATIONS[lesson.network.activation],
        }
        self._agent = QuickPPO(
            "MlpPolicy",
            lesson.envs,
            learning_rate=learning_rate,
            n_steps=n_steps,
            batch_size=batch_size,
            n_epochs=n_epochs,
            gamma=gamma,
            gae_lambda=gae_lambda,
            clip_range=clip_range,
            ent_coef=ent_coef,
            vf_coef=vf_coef,
            max_grad_norm=max_grad_norm,
            policy_kwargs=network,
            seed=lesson.seed,
            device="cpu",
        )
        self._trainer: Any = self._trainer_of(
            self._reward(list(disc_layers), gamma),
            demonstrations=transitions(lesson),
            demo_batch_size=demo_batch_size,
            n_disc_updates_per_round=n_disc_updates_per_round,
            venv=lesson.envs,
            gen_algo=self._agent,
            disc_opt_kwargs={"lr": disc_learning_rate},
            custom_logger=hierarchical(quiet()),
            log_dir=lesson.folder,
            allow_variable_horizon=True,  # crops are ripe when they are: what docs/imitation.md says of it
        )
        self.policy = self._agent.policy
        self.judges = (self._trainer.reward_train,)

    @abstractmethod
    def _reward(self, layers: list[int], gamma: float) -> Any:
        """Return the network of the discriminator."""

    @abstractmethod
    def _trainer_of(self, reward: Any, **settings: Any) -> Any:
        """Return imitation's trainer."""

    def set_logger(self, logger: Logger) -> None:
        """Log to a logger."""
        super().set_logger(logger)
        self._trainer.logger = hierarchical(logger)

    def learn(self, total_timesteps: int, callback: Any, reset_num_timesteps: bool = False) -> None:
        """Learn, and remove the folders of imitation's loggers, which hold nothing."""
        try:
            super().learn(total_timesteps, callback, reset_num_timesteps)
        finally:
            rmtree(self.lesson.folder / "raw", ignore_errors=True)

    def round(self, most: int) -> None:
        """Take one rollout and improve the agent on it, then the discriminator."""
        self._trainer.train_gen(self._trainer.gen_train_timesteps)
        for _ in range(self._updates):
            self._trainer.train_disc()
        self.num_timesteps = self._agent.num_timesteps


class Gail(Adversarial):
    """GAIL; arguments as in `Adversarial`."""

    def _reward(self, layers: list[int], gamma: float) -> Any:
        from imitation.rewards.reward_nets import BasicRewardNet

        return BasicRewardNet(self.observation_space, self.action_space, hid_sizes=layers)

    def _trainer_of(self, reward: Any, **settings: Any) -> Any:
        from imitation.algorithms.adversarial.gail import GAIL

        return GAIL(reward_net=reward, **settings)


class Airl(Adversarial):
    """AIRL; arguments as in `Adversarial`. Its reward has a shaping part, of the same layers."""

    def _reward(self, layers: list[int], gamma: float) -> Any:
        from imitation.rewards.reward_nets import BasicShapedRewardNet

        return BasicShapedRewardNet(
            self.observation_space,
            self.action_space,
            reward_hid_sizes=layers,
            potential_hid_sizes=layers,
            discount_factor=gamma,
        )

    def _trainer_of(self, reward: Any, **settings: Any) -> Any:
        from imitation.algorithms.adversarial.airl import AIRL

        return AIRL(reward_net=reward, **settings)
