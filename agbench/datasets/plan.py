"""The plan of a dataset: which episode has which seed, scenario and behaviour; nothing about workers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.dataset import Mix, Scenarios
from agbench.data.overrides import override
from agbench.data.task import Task
from agbench.datasets.behaviour import Behaviour, read_behaviours
from agbench.envs.core import Parts
from agbench.envs.family import action_map, build, family, observer
from agbench.envs.years import chosen_years
from agbench.errors import ConfigError, unknown
from agbench.evaluation import provenance
from agbench.variables import Floats

_ROWS: Final = 512  # of a batch; more gain nothing, and keep more weather in memory
_PART_BYTES: Final = 48_000_000


@dataclass(frozen=True)
class Plan:
    """All that a dataset follows from. Episode i of a plan is the same in any process and any batch."""

    task: Task
    behaviours: tuple[Behaviour, ...]
    episodes: int
    split: str = "train"
    scenarios: Scenarios | Sequence[str] = "drawn"
    mix: Mix = "episode"
    seed: int = 0
    state: bool = False
    years: tuple[int, ...] | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    """The recipe's full name, if it is one."""

    def __post_init__(self) -> None:
        """Raise `ConfigError` or `UnknownNameError` for what cannot be."""
        for key, least in (("episodes", 1), ("seed", 0)):
            value = getattr(self, key)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
                raise ConfigError(f"{key} must be a whole number, at least {least}; got {value!r}.")
        if self.mix not in ("episode", "step", "order"):
            raise unknown("mix", str(self.mix), ["episode", "step", "order"])
        if isinstance(self.scenarios, str) and self.scenarios not in ("drawn", "split"):
            raise ConfigError(
                f"scenarios {self.scenarios!r}: write 'drawn', 'split', or a list of keys such as "
                f"['{self.scenarios}']."
            )
        if not isinstance(self.scenarios, str) and not self.scenarios:
            raise ConfigError("scenarios: the list of keys is empty.")
        if not isinstance(self.state, bool):
            raise ConfigError(
                f"state must be True or False, whether to keep the simulator's whole state; got "
                f"{self.state!r}. What the agent observes of it is the key observation.state: "
                '**{"observation.state": ["DVS", "LAI"]}.'
            )
        self.task.check_split(self.split)

    def parts(self) -> Parts:
        """Return the parts of the task, on the split."""
        return build(self.task, self.split, years=self.years)

    @cached_property
    def rows(self) -> int:
        """The episodes of a part, which are played side by side; the last part may have fewer."""
        own = family(self.task)
        steps = -(-own.longest(self.task) // self.task.step)
        width = 4 * len(observer(self.task).entries) + 40
        rows = max(1, min(_ROWS, _PART_BYTES // (steps * width), self.episodes))
        limits = [getattr(b.policy(self.task), "together", rows) for b in self.behaviours]
        return min(rows, *limits)

    @property
    def ranges(self) -> list[range]:
        """The numbers of the episodes of each part."""
        return [range(i, min(i + self.rows, self.episodes)) for i in range(0, self.episodes, self.rows)]

    def seed_of(self, episode: int) -> int:
        """Return the seed of an episode: that of its environment, and of what its policy draws."""
        digest = hashlib.sha256(f"{self.seed}/dataset/{episode}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1

    def key_of(self, episode: int, parts: Parts) -> str | None:
        """Return the scenario of an episode; None where its seed draws one."""
        if self.scenarios == "drawn":
            return None
        keys = parts.scenarios.keys if self.scenarios == "split" else self.scenarios
        return keys[episode % len(keys)]

    @cached_property
    def bounds(self) -> Floats:
        """Where the share of each behaviour ends, of all shares, (behaviours,)."""
        shares = np.array([float(b.spec.share) for b in self.behaviours])
        result: Floats = np.cumsum(shares) / shares.sum()
        result[-1] = 1.0
        return result

    def in_order(self, episodes: range) -> tuple[NDArray[np.intp], Floats]:
        """Return each episode's behaviour where they come in order, and how far it has come, 0 to 1."""
        numbers = np.arange(self.episodes)
        which = np.searchsorted(self.bounds, (numbers + 0.5) / self.episodes)
        first = np.searchsorted(which, np.arange(len(self.behaviours)), "left")
        last = np.searchsorted(which, np.arange(len(self.behaviours)), "right") - 1
        chosen = which[episodes.start : episodes.stop]
        length = np.maximum(last[chosen] - first[chosen], 1)
        return chosen, (numbers[episodes.start : episodes.stop] - first[chosen]) / length

    def progress(self, episodes: range) -> Floats:
        """Return how far the dataset has come at some episodes, 0 at its first and 1 at its last."""
        return np.array(episodes, dtype=np.float64) / max(self.episodes - 1, 1)

    def content(self) -> dict[str, Any]:
        """Return the plan as plain data: what makes two datasets the same, hashes of code and data too."""
        scenarios = self.scenarios if isinstance(self.scenarios, str) else list(self.scenarios)
        return {
            "task": self.task.task,
            "task_hash": provenance.task_hash(self.task),
            "simulator_hash": provenance.simulator_hash(self.task),
            "overrides": {key: provenance.plain(value) for key, value in self.overrides.items()},
            "split": self.split,
            "years": None if self.years is None else list(self.years),
            "scenarios": scenarios,
            "behaviour": [b.content(self.task) for b in self.behaviours],
            "mix": self.mix,
            "episodes": int(self.episodes),
            "seed": int(self.seed),
            "state": self.state,
        }

    @property
    def is_known(self) -> bool:
        """Whether its policies can be told from others of their names; see `Behaviour.is_known`."""
        return all(b.is_known(self.task) for b in self.behaviours)

    def identity(self) -> str:
        """Return the text that is equal for equal plans."""
        return json.dumps({**self.content(), "rows": self.rows}, sort_keys=True, default=str)


def plan_of(
    task: str | Task,
    policy: Any,
    episodes: int,
    *,
    split: str = "train",
    scenarios: Scenarios | Sequence[str] = "drawn",
    mix: Mix = "episode",
    seed: int = 0,
    epsilon: Any = 0.0,
    noise: Any = 0.0,
    state: bool = False,
    years: Sequence[int] | None = None,
    overrides: Mapping[str, Any] | None = None,
    name: str | None = None,
    other_task: bool = False,
) -> Plan:
    """Return the plan of a dataset; the arguments are those of `agbench.collect`."""
    spec = override(catalog.task(task) if isinstance(task, str) else task, overrides or {})
    action_map(spec)
    behaviours = read_behaviours(policy, spec, epsilon, noise, name or "policy", other_task)
    chosen = None if years is None else tuple(chosen_years(years))
    keys = scenarios if isinstance(scenarios, str) else tuple(scenarios)
    return Plan(
        spec, behaviours, episodes, split, keys, mix, seed, state, chosen, dict(overrides or {}), name
    )
