"""One season of a policy, step by step, and its picture."""

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from agbench.building import build
from agbench.envs import FieldEnv
from agbench.policies.base import Planner
from agbench.policies.loading import as_policy
from agbench.spec.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.spec.task import Task

_MOST_COLUMNS = 6


@dataclass(frozen=True)
class Step:
    """One decision: the day it led to, the action in words, what was seen then, the reward."""

    date: date
    action: str
    observation: dict[str, float]
    reward: float


@dataclass(frozen=True)
class ToldSeason:
    """A whole episode, told; `columns` are the first few observations, as many as fit on a screen."""

    task: Task
    policy: str
    scenario: str
    columns: list[str]
    steps: list[Step]
    total: float
    metrics: dict[str, float]
    picture: Path

    def content(self) -> dict[str, Any]:
        """Return the season as plain data."""
        return {
            "task": self.task.task,
            "policy": self.policy,
            "scenario": self.scenario,
            "return": self.total,
            **self.metrics,
            "picture": str(self.picture),
            "steps": [asdict(step) for step in self.steps],
        }


def run_season(
    task: Task,
    policy: Any,
    split: str = "test",
    scenario: str | None = None,
    seed: int = 0,
    picture: Path | None = None,
) -> ToldSeason:
    """Run one season of a task and draw it; by default the split's first scenario."""
    env = FieldEnv(build(task, split), render_mode="rgb_array")
    actor = as_policy(policy, task)
    key = env.scenarios.keys[0] if scenario is None else scenario
    observation, info = env.reset(seed=seed, options={"scenario": key})
    actor.reset(seed)
    if isinstance(actor, Planner):
        actor.plan(env.core, 0)
    start = env.core.worlds[0].first_day if isinstance(task, GreenhouseTask) else env.core.worlds[0].start
    unit = timedelta(seconds=INTERVAL) if isinstance(task, GreenhouseTask) else timedelta(days=1)
    names = [entry.name for entry in env.observation_entries]
    steps: list[Step] = []
    over = False
    while not over:
        action = actor(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        seen = dict(zip(names, map(float, observation), strict=True))
        day = start + int(info["elapsed"]) * unit
        steps.append(Step(day, _in_words(env, action), seen, float(reward)))
        over = terminated or truncated
    target = picture or Path("runs") / f"{actor.name}-{key.replace('/', '-')}.png"
    env.save_picture(target)
    env.close()
    return ToldSeason(
        task=task,
        policy=actor.name,
        scenario=key,
        columns=names[:_MOST_COLUMNS],
        steps=steps,
        total=sum(step.reward for step in steps),
        metrics={name: float(info[name]) for name in task.metrics},
        picture=target,
    )


def _in_words(env: FieldEnv, action: Any) -> str:
    """Return an action as a person would say it."""
    if isinstance(env.action_space, spaces.Discrete):
        return env.action_labels[int(action)]
    inputs = env.core.parts.actions.inputs(np.asarray(action)[None])[0]
    table = env.core.simulator.inputs
    given = [f"{x:g} {v.unit} {v.name}" for x, v in zip(inputs, table, strict=True) if x > 0.0]
    return ", ".join(given) or "nothing"
