"""The vector environment: n rows of the batch core behind `gymnasium.vector.VectorEnv`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agbench.envs.actions import written
from agbench.envs.core import BatchCore, Parts
from agbench.envs.scaling import Scaling
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import ActionError, ConfigError, SimulationError, did_you_mean
from agbench.variables import Booleans

Arrays = NDArray[Any]
_MODES = {mode.name.lower(): mode for mode in AutoresetMode} | {mode.value: mode for mode in AutoresetMode}
"""Gymnasium's modes by name, as we write them and as it does (`NextStep`)."""


class AgBenchVectorEnv(VectorEnv[NDArray[np.float32], Any, Arrays]):
    """n fields or greenhouses together; row i seeded with s + i equals a single environment seeded so.

    `autoreset_mode` is `next_step` (default), `same_step` or `disabled`, or Gymnasium's `AutoresetMode`.
    `reset(options=...)` takes `reset_mask` (n booleans) and `scenario` (a key, or one a row that is
    reset). With `copy=False` the returned observations are the environment's own memory. With a `scaling`
    observations are scaled, and with `scaled_reward` rewards too; `core` and info stay in physical units.
    """

    def __init__(
        self,
        parts: Parts,
        num_envs: int,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        scaling: Scaling | None = None,
        scaled_reward: bool = False,
    ) -> None:
        if not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
            raise ConfigError(f"num_envs must be a whole number, at least 1; got {num_envs!r}.")
        if not isinstance(autoreset_mode, AutoresetMode):
            if autoreset_mode not in _MODES:
                hint = did_you_mean(autoreset_mode, [mode for mode in _MODES if mode.islower()])
                raise ConfigError(f"autoreset_mode {autoreset_mode!r} is unknown.{hint}")
            autoreset_mode = _MODES[autoreset_mode]
        self.autoreset_mode = autoreset_mode
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.num_envs = num_envs
        self.copy = copy
        self.core = BatchCore(parts, num_envs)
        self.task = parts.task
        self.observation_entries = parts.observer.entries
        self.action_labels = parts.actions.describe()
        self.scaling = scaling
        self.scaled_reward = scaled_reward
        self.single_observation_space = parts.observer.space if scaling is None else scaling.space
        self.single_action_space = parts.actions.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(parts.actions.space, num_envs)
        self._all = np.ones(num_envs, dtype=np.bool_)
        self._begun = np.zeros(num_envs, dtype=np.bool_)

    @property
    def scenarios(self) -> ScenarioSet:
        """The scenarios of the split."""
        return self.core.parts.scenarios

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start episodes in all rows, or in those of `options["reset_mask"]`."""
        mask, scenarios = self._read_options(options)
        rows = np.flatnonzero(mask)
        seeds = self._seeds(seed)
        for row in rows:
            if seeds[row] is not None or self.core.generators[row] is None:
                self.core.seed(int(row), seeds[row])
        keys = (
            [scenarios] * len(rows) if scenarios is None or isinstance(scenarios, str) else (list(scenarios))
        )
        if len(keys) != len(rows):
            raise ConfigError(f"reset options: {len(keys)} scenarios for {len(rows)} rows that are reset.")
        self.core.reset(rows.tolist(), keys)
        self._begun[rows] = True
        return self._observed(), _masked(self.core.info(), mask)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigError(f"{len(seed)} seeds for {self.num_envs} environments.")
        return list(seed)

    def _read_options(self, options: dict[str, Any] | None) -> tuple[Booleans, Any]:
        """Return which rows to reset and in which scenarios."""
        options = dict(options or {})
        mask = options.pop("reset_mask", self._all)
        scenarios = options.pop("scenario", None)
        for key in options:
            hint = did_you_mean(key, ["reset_mask", "scenario"])
            raise ConfigError(f"reset options: unknown key {key!r}.{hint}")
        good = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not good or mask.shape != (self.num_envs,) or not mask.any():
            raise ConfigError(
                f"reset options: reset_mask must be {self.num_envs} booleans (a NumPy array), at "
                f"least one of them true; got {mask!r}."
            )
        return mask, scenarios

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Arrays, Arrays, Arrays, dict[str, Any]]:
        """Step all rows; ended rows restart as the autoreset mode defines."""
        try:
            count = len(actions)
        except TypeError:
            raise ActionError(f"{written(actions)} is not a list of {self.num_envs} actions.") from None
        if count != self.num_envs:
            raise ActionError(f"{count} actions for {self.num_envs} environments.")
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            return self._step_and_reset(actions)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            return self._reset_or_step(actions)
        if self.core.over.any():
            ended = np.flatnonzero(self.core.over).tolist()
            raise SimulationError(
                f"rows {ended} have ended; reset them with options={{'reset_mask': ...}} first."
            )
        rewards, terminated, truncated = self._stepped(actions, self._all)
        return (self._observed(), rewards, terminated, truncated, _masked(self.core.info(), self._all))

    def _step_and_reset(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], Arrays, Arrays, Arrays, dict[str, Any]]:
        """Step; rows that end are reset at once, their last observation and info kept apart."""
        self._require_begun()
        rewards, terminated, truncated = self._stepped(actions, self._all)
        ended = terminated | truncated
        if not ended.any():
            return (self._observed(), rewards, terminated, truncated, _masked(self.core.info(), self._all))
        rows = np.flatnonzero(ended).tolist()
        final_observations = np.full(self.num_envs, None, dtype=object)
        last = self._observed()
        for row in rows:
            final_observations[row] = last[row].copy()
        final_info = _masked(self.core.info(), ended)
        self.core.reset(rows, [None] * len(rows))
        info = _masked(self.core.info(), self._all)
        info |= {"final_obs": final_observations, "_final_obs": ended.copy()}
        info |= {"final_info": final_info, "_final_info": ended.copy()}
        return self._observed(), rewards, terminated, truncated, info

    def _reset_or_step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], Arrays, Arrays, Arrays, dict[str, Any]]:
        """Reset the rows that ended last time, whose actions are ignored; step the others."""
        self._require_begun()
        waiting = self.core.over.copy()
        rewards, terminated, truncated = self._stepped(actions, ~waiting)
        if waiting.any():
            rows = np.flatnonzero(waiting).tolist()
            self.core.reset(rows, [None] * len(rows))
        return (self._observed(), rewards, terminated, truncated, _masked(self.core.info(), self._all))

    def _require_begun(self) -> None:
        if not self._begun.all():
            raise SimulationError("call reset() before the first step.")

    def _stepped(self, actions: Any, moving: Booleans) -> tuple[Arrays, Arrays, Arrays]:
        rewards, terminated, truncated = self.core.step(actions, moving)
        if self.scaling is not None and self.scaled_reward:
            rewards = self.scaling.rewards(rewards)
        return rewards, terminated, truncated

    def _observed(self) -> NDArray[np.float32]:
        if self.scaling is not None:
            return self.scaling.observations(self.core.observations)
        return self.core.observations.copy() if self.copy else self.core.observations


def _masked(info: dict[str, Arrays], mask: Booleans) -> dict[str, Any]:
    """Return an info with, beside each key, the mask of the rows that it speaks of."""
    result: dict[str, Any] = {}
    for name, values in info.items():
        result[name] = values
        result[f"_{name}"] = mask.copy()
    return result
