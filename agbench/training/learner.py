"""Learners that are no model of Stable-Baselines3: they learn in rounds, and are run as one is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.utils import ConstantSchedule

from agbench.data.task import Task
from agbench.data.training import NetworkSettings
from agbench.envs.family import action_map
from agbench.envs.scaling import Scaling
from agbench.errors import ConfigError
from agbench.policies.base import Policy
from agbench.training.demonstrations import Demonstrations
from agbench.training.torch_layers import ACTIVATIONS


@dataclass(frozen=True)
class Lesson:
    """All that a learner is given beside its own settings.

    `envs`: environments of `sb3_env`, None for learners that play none; `demonstrations`: None for those
    that ask an `expert`. `every`: steps from one validation to the next, `steps`: in all.
    """

    task: Task
    scaling: Scaling
    network: NetworkSettings
    seed: int
    steps: int
    every: int
    folder: Path
    envs: Any = None
    demonstrations: Demonstrations | None = None
    expert: Policy | None = None

    @property
    def data(self) -> Demonstrations:
        """The demonstrations of a learner that has some."""
        assert self.demonstrations is not None
        return self.demonstrations

    def require(self, batch: int) -> None:
        """Raise `ConfigError` for a batch that is larger than the demonstrations."""
        if not 0 < batch <= len(self.data):
            raise ConfigError(
                f"a batch of {batch} transitions; the demonstrations hold {len(self.data)}. Take more of "
                "them (--demo-episodes), or a smaller batch (--set batch_size=32)."
            )


class Learner(ABC):
    """Learns in rounds; `learn` and `predict` are called as those of a model of Stable-Baselines3.

    `policy` is the module whose weights are kept when they are the best; `num_timesteps` counts what
    `steps` of the settings means to this learner.
    """

    extra: ClassVar[str] = ""
    """What must be installed, a name in `agbench.training.extras`."""
    policy: torch.nn.Module
    logger: Logger

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.observation_space: spaces.Box = lesson.scaling.space
        self.action_space = action_map(lesson.task).space
        self.num_timesteps = 0
        self._total_timesteps = lesson.steps

    @classmethod
    def settings_taken(cls) -> list[str] | None:
        """Return the names of the settings that it takes; None for the arguments of its constructor."""
        return None

    def set_logger(self, logger: Logger) -> None:
        """Log to a logger."""
        self.logger = logger

    def learn(self, total_timesteps: int, callback: Any, reset_num_timesteps: bool = False) -> None:
        """Learn so many steps more, rounds as long as they are; `callback` is asked between them."""
        callback.init_callback(self)
        callback.on_training_start({}, {})
        end = self.num_timesteps + total_timesteps
        while self.num_timesteps < end:
            callback.on_rollout_start()
            every = self.lesson.every
            due = every - self.num_timesteps % every
            self.round(min(due, end - self.num_timesteps))
            if not callback.on_step():
                break
        callback.on_training_end()

    @abstractmethod
    def round(self, most: int) -> None:
        """Learn one round, of at most so many steps where that can be chosen, and count its steps."""

    @abstractmethod
    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """Return actions (n, ...) for scaled observations (n, d), without chance, and no state."""

    def chain(self) -> tuple[list[torch.nn.Module], str] | None:
        """Return the layers from scaled observations to outputs, and the head of an exported network.

        None where `policy` is one of Stable-Baselines3, which export knows.
        """
        return None


class ActorLearner(Learner):
    """A learner whose policy is an actor of Stable-Baselines3."""

    policy: ActorCriticPolicy

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """Return the actor's likeliest actions."""
        actions, memory = self.policy.predict(observation, state, episode_start, deterministic)
        return actions, memory


def actor(learner: Learner) -> ActorCriticPolicy:
    """Return a new actor for a learner's spaces, its network as the settings say."""
    network = learner.lesson.network
    return ActorCriticPolicy(
        learner.observation_space,
        learner.action_space,
        ConstantSchedule(1.0),  # others' optimisers step
        net_arch=list(network.layers),
        activation_fn=ACTIVATIONS[network.activation],
    )


def quiet() -> Logger:
    """Return a logger that writes nothing."""
    return Logger(None, [])
