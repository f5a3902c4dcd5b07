"""The episodes of an evaluation: every scenario of a split, every repeat, each with its seed."""

from dataclasses import dataclass

from agbench.data.task import Task
from agbench.envs.scenarios import ScenarioSet, episode_seed


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
