"""The episodes of an evaluation: every scenario of a split, every repeat, each with its seed."""

import hashlib
from dataclasses import dataclass

from agbench.data.task import Task
from agbench.envs.scenarios import ScenarioSet


@dataclass(frozen=True)
class Episode:
    """One episode of an evaluation."""

    scenario: str
    repeat: int
    seed: int


def episodes(task: Task, scenarios: ScenarioSet) -> list[Episode]:
    """Return the episodes of an evaluation in order, repeats of a scenario together."""
    protocol = task.protocol
    return [
        Episode(key, repeat, episode_seed(protocol.seed, key, repeat))
        for key in scenarios.keys
        for repeat in range(protocol.repeats)
    ]


def episode_seed(seed: int, scenario: str, repeat: int) -> int:
    """Return the seed of an episode: it depends on nothing but the protocol's seed and its name."""
    digest = hashlib.sha256(f"{seed}/{scenario}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
