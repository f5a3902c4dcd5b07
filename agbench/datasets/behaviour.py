"""Behaviours: the policies of a dataset, and what is done to their actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agbench.data.dataset import MOST, BehaviourSpec, StraightLine
from agbench.data.reading import read_data
from agbench.data.task import Task
from agbench.datasets import fingerprint
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map
from agbench.errors import ConfigError
from agbench.policies.base import Policy
from agbench.policies.registry import as_policy
from agbench.variables import Floats


@dataclass(frozen=True)
class Behaviour:
    """A policy by name, path or object, its share, and how its actions are disturbed; see `BehaviourSpec`."""

    source: Any
    spec: BehaviourSpec
    other_task: bool = False
    """Whether a network's file may be one that was made for another task or other observations."""

    @property
    def explores(self) -> bool:
        """Whether some actions are drawn from the action space."""
        return self.spec.epsilon != 0.0

    @property
    def is_noisy(self) -> bool:
        """Whether noise is put on amounts."""
        return self.spec.noise != 0.0

    def policy(self, task: Task) -> Policy:
        """Return its policy; raises as `agbench.load_policy` does."""
        return as_policy(self.source, task, other_task=self.other_task)

    def content(self, task: Task) -> dict[str, Any]:
        """Return what a dataset records of it; what its policy is by a SHA-256 (see `fingerprint`)."""
        policy = self.policy(task)
        content: dict[str, Any] = {**self.spec.model_dump(mode="json"), "information": policy.information}
        found = fingerprint.of_source(self.source, task)
        if found is not None:
            content["sha256"] = found
        if not isinstance(self.source, (str, Path)):
            content["object"] = f"{type(self.source).__module__}:{type(self.source).__qualname__}"
        return content

    def is_known(self, task: Task) -> bool:
        """Whether its policy can be told from another one of that name, tomorrow and in another process."""
        return isinstance(self.source, (str, Path)) or fingerprint.of_source(self.source, task) is not None


def read_behaviours(
    policy: Any,
    task: Task,
    epsilon: Any = 0.0,
    noise: Any = 0.0,
    where: str = "policy",
    other_task: bool = False,
) -> tuple[Behaviour, ...]:
    """Return the behaviours of a policy, of a list of policies, or of mappings as recipes have them.

    `epsilon` and `noise` are those of policies that say none of their own; `other_task` is that of
    `agbench.load_policy`. Raises `ConfigError` for what
    cannot be, such as noise on a menu.
    """
    entries = list(policy) if isinstance(policy, (list, tuple)) else [policy]
    if not entries:
        raise ConfigError(f"{where}: no policy is named.")
    if len(entries) > MOST:
        raise ConfigError(f"{where}: {len(entries)} policies are named; a dataset has {MOST} at most.")
    result = []
    for number, entry in enumerate(entries):
        own = entry if isinstance(entry, Mapping) else {"policy": entry}
        given = {"epsilon": epsilon, "noise": noise, **own}
        if isinstance(entry, BehaviourSpec):
            given = entry.model_dump()
        source = given.get("policy")
        if source is not None:
            is_named = isinstance(source, (str, Path))
            given["policy"] = str(source) if is_named else as_policy(source, task, other_task=other_task).name
        spec = read_data(BehaviourSpec, given, f"{where} {number + 1}")
        result.append(Behaviour(source, spec, other_task))
    _check_noise(result, task)
    return tuple(result)


def _check_noise(behaviours: Sequence[Behaviour], task: Task) -> None:
    if menu_sizes(action_map(task).space) and any(b.is_noisy for b in behaviours):
        raise ConfigError(
            f"{task.task}: noise is for amounts; the actions of this task are menus, which take epsilon."
        )


def strength(value: float | StraightLine, progress: Floats) -> Floats:
    """Return epsilon or noise at points of a behaviour's course, 0 its first episode and 1 its last."""
    if isinstance(value, StraightLine):
        return float(value.start) + (float(value.end) - float(value.start)) * progress
    return np.full(progress.shape, float(value))
