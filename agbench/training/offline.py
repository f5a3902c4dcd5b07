"""Offline learning by the library d3rlpy: from a dataset alone, no environment is played.

Each class here is one configuration of d3rlpy for one kind of actions. Data go to it in batches as they are,
the policy comes back as plain arrays.
"""

import dataclasses
from typing import Any, ClassVar, Final

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.utils import set_random_seed

from agbench.envs.actions import menu_sizes
from agbench.errors import ConfigError
from agbench.training.batches import Batches
from agbench.training.extras import require
from agbench.training.learner import Learner, Lesson

_ACTIVATIONS: Final = ("relu", "tanh")
_LOGGED: Final = 500
"""Losses are logged as means of so many gradient steps."""


class Offline(Learner):
    """An algorithm of d3rlpy.

    Args:
        lesson: task, network and dataset. Its steps are gradient steps, one a batch.
        **settings: fields of the configuration.
    """

    extra = "offline"
    configuration: ClassVar[str]
    """The class in `d3rlpy.algos`."""
    left_out: ClassVar[frozenset[str]] = frozenset()
    """Fields of the configuration that stay as they are, beside those that are objects."""

    def __init__(self, lesson: Lesson, **settings: Any) -> None:
        super().__init__(lesson)
        set_random_seed(lesson.seed)
        config = self._config(settings)
        lesson.require(config.batch_size)
        self._size = config.batch_size
        self._learns = config.create(device="cpu")
        sizes = menu_sizes(self.action_space)
        outputs = sizes[0] if sizes else int(np.prod(self.action_space.shape or ()))
        self._learns.create_impl(self.observation_space.shape, outputs)
        self._batches = Batches(lesson)
        self.policy = self._chooser(self._learns.impl.modules)

    @classmethod
    def _class(cls) -> Any:
        require("offline")
        from d3rlpy import algos

        return getattr(algos, cls.configuration)

    @classmethod
    def settings_taken(cls) -> list[str]:
        """Return the fields of the configuration that are numbers, texts or switches."""
        fields = (one for one in dataclasses.fields(cls._class()) if one.type in (int, float, str, bool))
        return sorted({one.name for one in fields} - cls.left_out)

    def _config(self, settings: dict[str, Any]) -> Any:
        """Return the configuration; every network of it is the one of the lesson's settings."""
        from d3rlpy.models.encoders import VectorEncoderFactory

        network = self.lesson.network
        if network.activation not in _ACTIVATIONS:
            raise ConfigError(
                f"network: activation: d3rlpy has {' and '.join(_ACTIVATIONS)}, not {network.activation}."
            )
        encoder = VectorEncoderFactory(list(network.layers), network.activation)
        fields = [one.name for one in dataclasses.fields(self._class())]
        encoders = dict.fromkeys((one for one in fields if one.endswith("encoder_factory")), encoder)
        try:
            return self._class()(**encoders, **settings)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"d3rlpy refuses the settings {settings}: {error}.") from None

    def _chooser(self, modules: Any) -> torch.nn.Module:
        """Return the module that actions are made of."""
        found = getattr(modules, "policy", None) or getattr(modules, "imitator", None) or modules.q_funcs[0]
        assert isinstance(found, torch.nn.Module)
        return found

    def round(self, most: int) -> None:
        """Take so many gradient steps."""
        losses: list[dict[str, float]] = []
        for _ in range(most):
            losses.append(self._learns.update(self._batch()))
            self.num_timesteps += 1
            if len(losses) == _LOGGED:
                self._log(losses)
        self._log(losses)

    def _batch(self) -> Any:
        from d3rlpy.dataset import TransitionMiniBatch

        drawn = self._batches.draw(self._size)
        return TransitionMiniBatch(**drawn._asdict(), intervals=np.ones_like(drawn.rewards), transitions=())

    def _log(self, losses: list[dict[str, float]]) -> None:
        """Log the means of losses, and forget them."""
        if losses:
            for name in losses[-1]:
                self.logger.record(f"train/{name}", float(np.mean([one[name] for one in losses])))
            self.logger.dump(self.num_timesteps)
        losses.clear()

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """Return d3rlpy's own best actions."""
        actions = self._learns.predict(observation)
        shaped = actions.reshape(len(observation), *(self.action_space.shape or ()))
        return shaped.astype(self.action_space.dtype), None

    def chain(self) -> tuple[list[torch.nn.Module], str]:
        """Return the layers and their head; amounts are the hyperbolic tangent of the outputs."""
        parts = self.policy.named_modules(remove_duplicate=False)  # one activation serves all layers
        leaves = [module for name, module in parts if not list(module.children()) and "_logstd" not in name]
        return leaves, "argmax" if isinstance(self.action_space, spaces.Discrete) else "squash"


class CloningMenu(Offline):
    """Behavioural cloning of one menu."""

    configuration = "DiscreteBCConfig"


class CloningAmounts(Offline):
    """Behavioural cloning of amounts."""

    configuration = "BCConfig"


class CqlMenu(Offline):
    """Conservative Q-learning of one menu."""

    configuration = "DiscreteCQLConfig"
    left_out = frozenset({"n_critics"})  # the exported network is one


class CqlAmounts(Offline):
    """Conservative Q-learning of amounts."""

    configuration = "CQLConfig"


class IqlAmounts(Offline):
    """Implicit Q-learning of amounts."""

    configuration = "IQLConfig"


class Td3BcAmounts(Offline):
    """TD3 with behavioural cloning, of amounts."""

    configuration = "TD3PlusBCConfig"
