"""Any policy of a task as learners call one: on batches, and with the state going round.

Stable-Baselines3 (`evaluate_policy`) and imitation (`rollout`, DAgger) call policies so. Ours act in one
episode at a time, so each row of a batch gets a policy of its own.
"""

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.policies import BasePolicy

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs.core import BatchCore
from agbench.envs.family import action_map, observer
from agbench.envs.scaling import Scaled, Scaling, scaling_of
from agbench.errors import ConfigError
from agbench.policies.base import Planner, Policy
from agbench.policies.registry import as_policy

States = tuple[Policy, ...]
"""What experts remember: the policy of each row, where it stands in its episode."""

_SEEDS: Final = 2**31


class Expert(BasePolicy):
    """A policy of ours behind `predict(observation, state, episode_start, deterministic)`.

    `observation_space` and `action_space` are those of one environment. A call `expert(observations, states,
    starts)` is the same as `predict`. It is a `BasePolicy`, as DAgger of imitation asks for, with nothing to
    learn in it.
    """

    observation_space: spaces.Box
    action_space: spaces.Space[Any]

    def __init__(
        self,
        policy: Any,
        task: str | Task,
        envs: Any = None,
        *,
        scaled: Scaled | None = None,
        seed: int | None = None,
    ) -> None:
        """Take a policy, which itself stays as it is.

        Args:
            policy: a name, a path, `package.module:Name`, a policy, or a model with `predict`.
            task: an id, or a task with overrides.
            envs: the environments that it acts in, `sb3_env(...)` or `make_vec(...)`, with wrappers or
                without, or a `DummyVecEnv` of single ones. A policy that plans needs them: it looks into
                them. Others read physical observations from them to the last bit.
            scaled: how observations come, as in `sb3_env`; by default as those of `envs`, without these
                scaled. Scaled observations are rounded: without `envs` a policy may do at a threshold
                what it would otherwise do a step earlier or later.
            seed: of policies that draw; by default the protocol's.

        Raises:
            ConfigError: for a policy that plans without `envs`, and for `envs` of another task.
        """
        spec = catalog.task(task) if isinstance(task, str) else task
        scaling = _scaling_of(spec, envs, scaled)
        space = observer(spec).space if scaling is None else scaling.space
        super().__init__(space, action_map(spec).space)
        self.task, self._scaling = spec, scaling
        self.policy = as_policy(policy, self.task)
        self._cores = None if envs is None else _cores(envs)
        if self._cores is not None:
            _require_task(self._cores, self.task)
        if self._cores is None and isinstance(self.policy, Planner):
            raise ConfigError(
                f"{self.policy.name} looks into the environment that it acts in. Name it: "
                f"Expert({self.policy.name!r}, {self.task.task!r}, envs)."
            )
        self._generator = np.random.default_rng(self.task.protocol.seed if seed is None else seed)

    def predict(  # type: ignore[override]  # the state holds policies instead of arrays
        self,
        observation: NDArray[Any],
        state: States | None = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], States]:
        """Return the actions (n, ...) for observations (n, size), and what is to be remembered.

        One observation, (size,), gives one action. Without `state`, and where `episode_start` says so, a
        row's policy begins an episode. The policies in `state` go on with each call. `deterministic` changes
        nothing: a policy of ours draws only where that is what it does.
        """
        seen = np.asarray(observation)
        rows = np.atleast_2d(seen)
        if rows.ndim != 2 or rows.shape[1:] != self.observation_space.shape or not len(rows):
            raise ConfigError(
                f"observations of the shape {seen.shape}; those of {self.task.task} are "
                f"(n, {self.observation_space.shape[0]})."
            )
        count = len(rows)
        if self._cores is not None and count != len(self._cores) and isinstance(self.policy, Planner):
            raise ConfigError(
                f"{count} observations of {len(self._cores)} environments; {self.policy.name} looks into "
                "each of them."
            )
        states = self._begun(state, episode_start, count)
        actions = [one(row.copy()) for one, row in zip(states, self._physical(rows), strict=True)]
        result = np.array(actions, dtype=self.action_space.dtype).reshape(
            -1, *(self.action_space.shape or ())
        )
        return (result[0] if seen.ndim == 1 else result), states

    def __call__(
        self, observation: NDArray[Any], state: States | None, episode_start: NDArray[np.bool_] | None
    ) -> tuple[NDArray[Any], States]:
        """Return what `predict` does: imitation calls policies so."""
        return self.predict(observation, state, episode_start)

    def _predict(self, observation: Any, deterministic: bool = False) -> Any:
        """Return the actions for the first observations of episodes, both tensors."""
        import torch

        return torch.as_tensor(self.predict(observation.cpu().numpy(), deterministic=deterministic)[0])

    def _begun(self, state: States | None, starts: NDArray[np.bool_] | None, count: int) -> States:
        """Return a policy a row, reset where an episode begins."""
        states = tuple(copy.deepcopy(self.policy) for _ in range(count)) if state is None else state
        if len(states) != count:
            raise ConfigError(f"{count} observations, but a state of {len(states)} rows.")
        beginning = np.ones(count, np.bool_) if state is None else np.zeros(count, np.bool_)
        if starts is not None:
            beginning |= _required(np.asarray(starts, np.bool_), count)
        for row in np.flatnonzero(beginning).tolist():
            states[row].reset(int(self._generator.integers(_SEEDS)))
            if self._cores is not None and isinstance(states[row], Planner):
                core, place = self._cores[row]
                states[row].plan(core, place)  # type: ignore[attr-defined]
        return states

    def _physical(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Return observations in physical units.

        Scaling rounds, and cuts off at its clip. So where the environments show just these observations now,
        their own are taken.
        """
        if self._scaling is None:
            return rows
        if self._cores is not None and len(rows) == len(self._cores):
            shown = np.array([core.observations[place] for core, place in self._cores])
            if np.array_equal(self._scaling.observations(shown), rows):
                return shown
        return self._scaling.physical(rows)


def _scaling_of(task: Task, envs: Any, scaled: Scaled | None) -> Scaling | None:
    """Return how observations are scaled; None for physical ones."""
    if scaled is None and envs is not None:
        space = getattr(envs, "single_observation_space", envs.observation_space)
        found: Scaling | None = getattr(space, "scaling", None)
        return found
    return None if scaled is False else scaling_of(task, True if scaled is None else scaled)


def _required(starts: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    if starts.shape != (count,):
        raise ConfigError(
            f"episode_start has the shape {starts.shape}; it is one truth value a row, ({count},)."
        )
    return starts


def _cores(envs: Any) -> Sequence[tuple[BatchCore, int]]:
    """Return the batch and the row in it of each environment."""
    bare = envs.unwrapped
    batch = getattr(getattr(bare, "envs", bare), "core", None)
    if isinstance(batch, BatchCore):
        return [(batch, row) for row in range(batch.n)]
    singles = getattr(bare, "envs", None)
    cores = [getattr(one.unwrapped, "core", None) for one in singles] if isinstance(singles, list) else []
    if not cores or not all(isinstance(core, BatchCore) for core in cores):
        raise ConfigError(
            f"{type(bare).__name__} does not show environments of AgBench in this process. Take "
            "agbench.training.sb3_env(task, n)."
        )
    return [(core, 0) for core in cores if core is not None]


def _require_task(cores: Sequence[tuple[BatchCore, int]], task: Task) -> None:
    for core, _ in cores:
        if core.task != task:
            also = " with other overrides" if core.task.task == task.task else ""
            raise ConfigError(
                f"the environments are of {core.task.task}{also}, the expert is made for {task.task}. Give "
                "the task of the environments: Expert(policy, envs.get_attr('task')[0], envs)."
            )
