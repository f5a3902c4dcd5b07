"""Cases: a task, how it is changed, what acts on it; all of it drawn from a seed and written as a command."""

import shlex
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import yaml

from agbench.data.task import Task
from agbench.testing.fuzzing.actions import DRAWS

ROWS: Final = (1, 2, 7, 64)
STEPS: Final = (50, 400)
"""The least and the most steps of a case."""

CHANGES: Final[tuple[dict[str, Any], ...]] = (
    {"action.kind": "continuous"},
    {"season.step": "1 d"},
    {"season.step": "30 d"},
    {"season.step": "1 d", "action.kind": "continuous"},
    {"observation.window": "1 d"},
    {"observation.weather_form": "daily", "season.step": "5 d", "observation.window": "5 d"},
    {"observation.forecast": {"days": 5, "variables": ["RAIN", "TEMP"], "error": {"TEMP": 2.0}}},
    {"reward.kind": "growth"},
    {"simulator.limitation": "pp"},
    {"simulator.limitation": "lnpkw"},
    {"simulator.setting": "published"},
    {"action.doses": {"N": [0, 150], "IRRIG": [0, 5]}},
    {"action.doses": {"N": [0, 300], "IRRIG": [0, 10]}, "action.kind": "continuous"},
    {"farm.control": "joint"},
    {"farm.control": "each"},
    {"episode.length": "1 d"},
    {"episode.length": "2 d", "action.kind": "absolute"},
    {"episode.length": "2 d", "episode.step": "15 min"},
    {"episode.length": "1 d", "simulator.accuracy": "fast"},
    {"episode.length": "60 d", "episode.step": "10 d"},
    {"action.kind": "absolute", "episode.crop": {"cLeaf": 20_000.0}},
    {"uncertainty.parameters": "sound", "uncertainty.level": 0.4},
)
"""Changes of tasks; a task that has no such key, or cannot be so, refuses it, which is counted."""


@dataclass(frozen=True)
class FuzzCase:
    """What one case plays: everything follows from these values."""

    task: str
    split: str
    actions: str
    rows: int
    steps: int
    seed: int
    mode: str = "next_step"
    scaled: bool = False
    overrides: dict[str, Any] = field(default_factory=dict)

    def command(self) -> str:
        """Return the command that plays this case again."""
        words = ["agbench", "fuzz", "tasks", self.task, "--split", self.split, "--actions", self.actions]
        words += ["--rows", str(self.rows), "--steps", str(self.rows * self.steps), "--seed", str(self.seed)]
        words += ["--mode", self.mode, *(["--scaled"] if self.scaled else [])]
        for key, value in self.overrides.items():
            text = (
                yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("\n...\n").strip()
            )
            words += ["--set", f"{key}={text}"]
        return shlex.join(words)


def draw_case(task: Task, seed: int, number: int) -> FuzzCase:
    """Return case `number` of a task; the same for the same seed."""
    generator = np.random.default_rng([seed, number, *task.task.encode()])
    return FuzzCase(
        task=task.task,
        split=str(generator.choice(sorted(task.splits))),
        actions=str(generator.choice(list(DRAWS))),
        rows=int(generator.choice(ROWS, p=[0.1, 0.1, 0.3, 0.5])),
        steps=int(generator.integers(*STEPS)),
        seed=int(generator.integers(2**31)),
        mode=str(generator.choice(["next_step", "same_step"])),
        scaled=bool(generator.random() < 0.2),
        overrides=dict(CHANGES[generator.integers(len(CHANGES))]) if generator.random() < 0.6 else {},
    )
