"""One episode of a policy, step by step, and its picture."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from agbench import plotting
from agbench.data.task import Task
from agbench.envs import AgBenchEnv
from agbench.envs.family import build, family
from agbench.errors import AgBenchError, ResultError, described
from agbench.policies import playing
from agbench.policies.registry import as_policy

_MOST_COLUMNS = 6
_DAY = 86_400  # s


@dataclass(frozen=True)
class Step:
    """One decision: the day it led to, the action in words, what was seen then, the reward.

    Where steps are shorter than a day the day is a moment; `commands` is what controls or set points the
    action led to, where there are any.
    """

    date: date
    action: str
    observation: dict[str, float]
    reward: float
    commands: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class EpisodeReport:
    """The report of an episode; `columns` are the first few observations, as many as fit on a screen."""

    task: Task
    policy: str
    scenario: str
    columns: list[str]
    steps: list[Step]
    total: float
    metrics: dict[str, float]
    picture: Path

    def by_day(self) -> list[Step]:
        """Return the episode with at most one step a day: means of commands and observations, reward sums."""
        unit = family(self.task).step_seconds
        if unit >= _DAY:
            return self.steps
        many = max(1, _DAY // (self.task.step * unit))
        days = [self.steps[i : i + many] for i in range(0, len(self.steps), many)]
        return [_day(steps) for steps in days]

    def content(self) -> dict[str, Any]:
        """Return the episode as plain data."""
        return {
            "task": self.task.task,
            "policy": self.policy,
            "scenario": self.scenario,
            "return": self.total,
            **self.metrics,
            "picture": str(self.picture),
            "steps": [asdict(step) for step in self.steps],
        }


def run_episode(
    task: Task,
    policy: Any,
    split: str = "test",
    scenario: str | None = None,
    seed: int = 0,
    picture: Path | None = None,
    other_task: bool = False,
) -> EpisodeReport:
    """Run one episode of a task and draw it; by default the split's first scenario.

    `other_task`: as in `agbench.load_policy`.
    """
    env = AgBenchEnv(build(task, split), render_mode="rgb_array")
    actor = as_policy(policy, task, other_task=other_task)
    key = env.scenarios.keys[0] if scenario is None else scenario
    target = picture or Path("runs") / f"{actor.name}-{key.replace('/', '-')}.png"
    plotting.require_place(target)
    decisions = playing.episode(env, actor, seed, key)
    info, own = next(decisions).info, family(task)
    start = own.start(env.core.worlds[0])
    unit = timedelta(seconds=own.step_seconds)
    names = [entry.name for entry in env.observation_entries]
    steps: list[Step] = []
    try:
        for decision in decisions:
            info = decision.info
            seen = dict(zip(names, map(float, decision.observation), strict=True))
            day = start + int(info["elapsed"]) * unit
            values = own.set_points(env.core)
            words = _values_in_words(values) or _in_words(env, decision.action)
            steps.append(Step(day, words, seen, decision.reward, values))
    except AgBenchError:
        raise
    except (Exception, SystemExit) as error:  # a policy is anybody's code
        raise ResultError(
            f"policy {actor.name}: it raised {described(error)}, at decision {len(steps) + 1} of {key}."
        ) from error
    env.save_picture(target)
    env.close()
    return EpisodeReport(
        task=task,
        policy=actor.name,
        scenario=key,
        columns=names[:_MOST_COLUMNS],
        steps=steps,
        total=sum(step.reward for step in steps),
        metrics={name: float(info[name]) for name in task.metrics},
        picture=target,
    )


def _day(steps: Sequence[Step]) -> Step:
    """Return the steps of one day as one: it is dated by its first."""
    values = {name: float(np.mean([s.commands[name] for s in steps])) for name in steps[0].commands}
    seen = {name: float(np.mean([s.observation[name] for s in steps])) for name in steps[0].observation}
    first = steps[0].date
    day = first.date() if isinstance(first, datetime) else first
    return Step(
        day, _values_in_words(values) or f"{len(steps)} decisions", seen, sum(s.reward for s in steps), values
    )


def _values_in_words(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def _in_words(env: AgBenchEnv, action: Any) -> str:
    """Return an action as a person would say it."""
    if isinstance(env.action_space, spaces.Discrete):
        return env.action_labels[int(action)]
    inputs = env.core.parts.actions.inputs(np.asarray(action)[None])[0]
    table = env.core.simulator.inputs
    parts = [f"{x:g} {v.unit} {v.name}" for x, v in zip(inputs, table, strict=True) if x > 0.0]
    return ", ".join(parts) or "nothing"
