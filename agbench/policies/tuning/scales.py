"""A task's scaling, measured: what a mixture of policies observes and earns on the train split.

Four ways to act, an equal number of episodes each: the task's floor, its expert, random actions, and random
actions held for long, which lead further from the usual. Centre and spread are mean and standard deviation of
values within the 1 % and 99 % quantiles, so that a few extreme values do not flatten the others; flags are
mapped to +-1. The spread of rewards is the standard deviation of discounted sums (gamma 0.99) over all steps,
as VecNormalize of Stable-Baselines3 takes it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from agbench.data import places
from agbench.data.reading import read_file
from agbench.data.scaling import ScalingTable
from agbench.data.task import Task
from agbench.envs import BatchCore
from agbench.envs.core import Parts
from agbench.envs.family import build, family
from agbench.envs.rollout import steps
from agbench.errors import ConfigError
from agbench.files import require_kind, write_text
from agbench.policies.base import Information, Planner, Policy
from agbench.policies.registry import load_policy
from agbench.variables import Floats, Variable

GAMMA: Final = 0.99
_TAILS: Final = (0.01, 0.99)
_DIGITS: Final = 4
_SEED: Final = 20_240
_STEPS: Final = 100_000  # model steps of a measurement, more or less
_SAMPLES: Final = 20_000  # of observations a way to act, spread evenly
_HELD: Final = 0.1  # of an episode: the mean time for which a held action stays


class HeldActions:
    """Plays random actions, each held for a random time: a tenth of an episode on average."""

    information: Information = "observation"

    def __init__(self, inner: Policy, steps: int) -> None:
        self.name = "held"
        self._inner, self._mean = inner, max(_HELD * steps, 2.0)
        self._generator = np.random.default_rng(0)
        self._left, self._action = 0, None

    def reset(self, seed: int) -> None:
        """Start the episode's own stream of draws."""
        self._inner.reset(seed)
        self._generator = np.random.default_rng(seed)
        self._left = 0

    def __call__(self, observation: Any) -> Any:
        """Return the action that is held, or a new one when its time is over."""
        if self._left == 0:
            self._left = int(self._generator.geometric(1.0 / self._mean))
            self._action = self._inner(observation)
        self._left -= 1
        return self._action


def usual_episodes(task: Task) -> int:
    """Return how many episodes are enough for a task: 100, fewer of long ones, at least 24."""
    return int(np.clip(_STEPS // family(task).longest(task), 24, 100))


def measure(task: Task, episodes: int, done: Callable[[str], None] = lambda _: None) -> ScalingTable:
    """Return the scaling of a task from about `episodes` of its first training split.

    `done` is called with the name of each way to act when its episodes have been played.
    """
    parts = build(task, task.protocol.training_splits[0])
    each = max(episodes // 4, 1)
    length = _longest(parts)
    ways: dict[str, Callable[[], Policy]] = {
        task.references.floor: lambda: load_policy(task.references.floor, task),
        task.references.expert: lambda: load_policy(task.references.expert, task),
        "random": lambda: load_policy("random", task),
        "held": lambda: HeldActions(load_policy("random", task), length),
    }
    seen, discounted = [], []
    for i, (name, make) in enumerate(ways.items()):
        observations, sums = _played(parts, [make() for _ in range(each)], _SEED + i * each)
        seen.append(observations[:: max(len(observations) // _SAMPLES, 1)])
        discounted.append(sums)
        done(name)
    columns = np.concatenate(seen).astype(np.float64)
    entries = parts.observer.entries
    played = f"{len(ways) * each} episodes of {parts.scenarios.split} under {', '.join(ways)}"
    return ScalingTable(
        task=task.task,
        source=f"agbench scale: {played}",
        reward=_rounded(_spread_of_rewards(np.concatenate(discounted))),
        observations={entry.name: list(typical(entry, columns[:, i])) for i, entry in enumerate(entries)},
    )


def place(table: ScalingTable, root: Path) -> Path:
    """Return where the scaling of a task lies under a root of data folders."""
    return places.baseline_folder(root, table.task) / f"{places.SCALING}.yaml"


def require_file(path: Path) -> None:
    """Raise `ConfigError` where a file lies that is no scaling, before one is measured to replace it."""
    require_kind(path, _is_scaling, "a scaling", ConfigError)


def _is_scaling(path: Path) -> bool:
    try:
        read_file(ScalingTable, path)
    except ConfigError:
        return False
    return True


def save(table: ScalingTable, path: Path) -> None:
    """Write a scaling, a line for each variable."""
    head = {"task": table.task, "source": table.source, "reward": table.reward}
    rows = [f"    {_text(name)}: [{c!r}, {s!r}]" for name, (c, s) in table.observations.items()]
    lines = [f"{key}: {_text(value)}" for key, value in head.items()]
    lines += ["observations:  # centre and spread, in each variable's unit", *rows, ""]
    write_text(path, "\n".join(lines))


def _text(value: Any) -> str:
    return yaml.safe_dump(value, default_style=None, width=10_000).removesuffix("...\n").strip()


def _longest(parts: Parts) -> int:
    core = BatchCore(parts, 1)
    core.start([parts.scenarios.keys[0]], [_SEED])
    return max(int(core.simulator.horizon[0]) // parts.task.step, 1)


def _played(parts: Parts, policies: list[Policy], seed: int) -> tuple[NDArray[np.float32], Floats]:
    """Play each policy in an episode; return all observations, and the discounted sums of rewards."""
    core = BatchCore(parts, len(policies))
    for row, policy in enumerate(policies):
        core.seed(row, seed + row)
        policy.reset(seed + row)
    core.reset(range(core.n), [None] * core.n)
    for row, policy in enumerate(policies):
        if isinstance(policy, Planner):
            policy.plan(core, row)
    seen, sums = [core.observations.copy()], []
    idle = parts.actions.encode(parts.actions.names[0], 0.0)[0]
    total, going = np.zeros(core.n), np.ones(core.n, dtype=np.bool_)

    def act(observations: NDArray[np.float32], _: int) -> NDArray[Any]:
        going[:] = ~core.over
        return np.array(
            [p(row) if on else idle for p, row, on in zip(policies, observations, going, strict=True)]
        )

    for rewards in steps(core, act):
        total = GAMMA * total + rewards
        seen.append(core.observations[going].copy())
        sums.append(total[going])
    return np.concatenate(seen), np.concatenate(sums)


def typical(entry: Variable, values: Floats) -> tuple[float, float]:
    """Return centre and spread of a variable's values; one that never changes has its size as spread."""
    if np.isin(values, (0.0, 1.0)).all() and entry.unit == "-":
        return 0.5, 0.5
    low, high = np.quantile(values, _TAILS)
    usual = values[(values >= low) & (values <= high)]
    for some in (usual, values):
        spread = float(some.std())
        if spread > 1e-6 * max(float(np.abs(some).max()), 1e-30):
            return _rounded(float(some.mean())), _rounded(spread)
    centre = _rounded(float(values.mean()))
    return centre, abs(centre) or 1.0


def _spread_of_rewards(discounted: Floats) -> float:
    spread = float(discounted.std())
    return spread if spread > 0.0 else 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
