"""Policies without observations: no action, random actions, and recorded actions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from agbench.envs.actions import menu_sizes
from agbench.errors import SimulationError
from agbench.policies.base import Information, Interface, policy


@policy("zero")
class Zero:
    """Applies nothing: the floor of most tasks."""

    information: Information = "observation"

    def __init__(self, name: str, settings: None, interface: Interface[Any]) -> None:
        self.name = name
        space = interface.actions.space
        shape = space.shape or ()
        nothing = np.zeros(shape, np.int64) if menu_sizes(space) else np.full(shape, -1.0, np.float32)
        self._action: Any = nothing if shape else 0

    def reset(self, seed: int) -> None:
        """Do nothing: there is nothing to remember."""

    def __call__(self, observation: Any) -> Any:
        """Return the action that applies nothing."""
        return self._action


@policy("random")
class Random:
    """Draws actions uniformly from the action space."""

    information: Information = "observation"

    def __init__(self, name: str, settings: None, interface: Interface[Any]) -> None:
        self.name = name
        self._space = interface.actions.space
        self._generator = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Start the episode's own stream of draws."""
        self._generator = np.random.default_rng(seed)

    def __call__(self, observation: Any) -> Any:
        """Return a draw."""
        if isinstance(self._space, spaces.Discrete):
            return int(self._generator.integers(self._space.n))
        if sizes := menu_sizes(self._space):
            return self._generator.integers(sizes)
        return self._generator.uniform(-1.0, 1.0, self._space.shape).astype(np.float32)


class Recorded:
    """Plays recorded actions again, in order."""

    information: Information = "observation"

    def __init__(self, actions: Sequence[Any], name: str = "recorded") -> None:
        self.name = name
        self._actions = actions
        self._next = 0

    def reset(self, seed: int) -> None:
        """Go back to the first action."""
        self._next = 0

    def __call__(self, observation: Any) -> Any:
        """Return the next recorded action; raises `SimulationError` when there is none left."""
        if self._next >= len(self._actions):
            raise SimulationError(
                f"the recording holds {len(self._actions)} actions, but the episode continues."
            )
        self._next += 1
        return self._actions[self._next - 1]


class Predicting:
    """Any object with `predict(observation, ...)` as Stable-Baselines3 has it.

    `deterministic` is what the task's protocol says.
    """

    information: Information = "observation"

    def __init__(self, model: Any, deterministic: bool = True) -> None:
        self.name = type(model).__name__.lower()
        self._deterministic = deterministic
        self._model = model
        self._recurrent: Any = None
        self._first = True

    def __deepcopy__(self, memo: dict[int, Any]) -> "Predicting":
        """Return one with a recurrent state of its own; the model is fixed, hence shared."""
        result = Predicting(self._model, self._deterministic)
        result._recurrent, result._first = self._recurrent, self._first
        return result

    def reset(self, seed: int) -> None:
        """Forget the recurrent state, if there is one."""
        self._recurrent = None
        self._first = True

    def __call__(self, observation: Any) -> Any:
        """Return the model's action."""
        start = np.array([self._first])
        action, self._recurrent = self._model.predict(
            observation, state=self._recurrent, episode_start=start, deterministic=self._deterministic
        )
        self._first = False
        return action
