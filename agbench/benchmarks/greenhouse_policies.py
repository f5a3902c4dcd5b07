"""Policies of greenhouse tasks on `test`, all their seasons side by side in one batch."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.building import build
from agbench.envs.core import BatchCore
from agbench.evaluation.protocol import episodes
from agbench.policies.base import Planner, Policy
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.policies.loading import load_policy, policies
from agbench.spec.greenhouse_task import GreenhouseTask
from agbench.spec.overrides import override

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = ("profit", "fruit", "heat", "electricity", "co2", "temperature", "humidity")


def table(task: GreenhouseTask, oracles: bool = False) -> Iterator[str]:
    """Return the lines of a task's table in Markdown: means over its test scenarios.

    Where scenarios have levels, the mean objective at each of them.
    """
    found = seasons(task, _names(task, oracles))
    if found["level"].any():
        yield from _by_level(task, found)
        return
    shown = [name for name in _SHOWN if name in task.metrics]
    yield f"| {task.task} | return | {' | '.join(shown)} |"
    yield "|---" * (2 + len(shown)) + "|"
    for policy, part in found.groupby("policy", sort=False):
        means = [f"{part[name].mean():.{task.metrics[name].digits}f}" for name in shown]
        yield f"| {policy} | {part['return'].mean():,.{_digits(task)}f} | {' | '.join(means)} |"


def _by_level(task: GreenhouseTask, found: "pd.DataFrame") -> Iterator[str]:
    """Return the lines of a table with the mean objective of each policy at each level."""
    objective = task.protocol.objective
    levels = list(dict.fromkeys(found["level"]))
    yield f"| {task.task}, {objective} | {' | '.join(levels)} |"
    yield "|---" * (1 + len(levels)) + "|"
    means = found.groupby(["policy", "level"], sort=False)[objective].mean()
    for policy in dict.fromkeys(found["policy"]):
        yield f"| {policy} | {' | '.join(f'{means[policy, level]:.2f}' for level in levels)} |"


def accuracy(task: GreenhouseTask, scenarios: int = 3) -> Iterator[str]:
    """Return the lines of a table: the mean objective in both settings, and how far they are apart.

    In parts of the objective itself, and of the way from the task's floor to its expert.
    """
    names = _names(task, oracles=False)
    both = [
        seasons(override(task, {"simulator.setting": setting}), names, scenarios)
        for setting in ("accurate", "fast")
    ]
    objective = task.protocol.objective
    means = [found.groupby("policy", sort=False)[objective].mean() for found in both]
    way = abs(means[0][task.references.expert] - means[0][task.references.floor])
    yield f"| {task.task} | accurate | fast | difference | of itself | of floor to expert |"
    yield "|---" * 6 + "|"
    for name in names:
        exact, quick = float(means[0][name]), float(means[1][name])
        apart = abs(quick - exact)
        shares = f"{apart / abs(exact):.3%} | {apart / way:.3%}"
        yield f"| {name} | {exact:.4f} | {quick:.4f} | {apart:.4f} | {shares} |"


def seasons(task: Any, names: Sequence[str], scenarios: int | None = None) -> "pd.DataFrame":
    """Return metrics of policies in test scenarios, a row each; all are simulated side by side.

    `scenarios` takes as many of them, evenly spread. Seeds are the protocol's, so that every season
    is the one that `agbench evaluate` plays.
    """
    import pandas as pd

    parts = build(task, "test")
    every = episodes(task, parts.scenarios)
    chosen = every[:: max(1, len(every) // scenarios)][:scenarios] if scenarios else every
    core = BatchCore(parts, len(names) * len(chosen))
    for row in range(core.n):
        core.seed(row, chosen[row % len(chosen)].seed)
    core.reset(range(core.n), [episode.scenario for episode in chosen] * len(names))
    many = len(chosen)
    players = [
        _Player(core, load_policy(name, task), [load_policy(name, task) for _ in chosen], i * many)
        for i, name in enumerate(names)
    ]
    for player in players:
        player.start([episode.seed for episode in chosen])
    returns = np.zeros(core.n)
    while not core.over.all():
        actions = np.concatenate([player.actions() for player in players])
        returns += core.step(actions, ~core.over)[0]
    info = core.info()
    keys = [episode.scenario.split("/") for episode in chosen] * len(names)
    return pd.DataFrame(
        {
            "policy": np.repeat(list(names), many),
            "scenario": info["scenario"],
            "level": [key[2] if len(key) > 2 else "" for key in keys],
            "return": returns,
            **{name: info[name] for name in task.metrics},
        }
    )


class _Player:
    """One policy on some rows of a core; the rules act on all their rows at once."""

    def __init__(self, core: BatchCore, policy: Policy, each: Sequence[Policy], first: int) -> None:
        self._core, self._policy, self._each = core, policy, each
        self._rows = slice(first, first + len(each))

    def start(self, seeds: Sequence[int]) -> None:
        """Start the policy's episodes."""
        for i, (policy, seed) in enumerate(zip(self._each, seeds, strict=True)):
            policy.reset(seed)
            if isinstance(policy, Planner):
                policy.plan(self._core, self._rows.start + i)

    def actions(self) -> Any:
        """Return the actions of the rows, (rows, ...)."""
        seen = self._core.observations[self._rows]
        if isinstance(self._policy, RuleBased):
            return self._policy.actions(seen, self._policy.settings.repeat(len(seen), axis=0))
        return np.array([p(row.copy()) for p, row in zip(self._each, seen, strict=True)])


def _names(task: GreenhouseTask, oracles: bool) -> list[str]:
    """Return the task's policies, without those that look ahead unless they are asked for."""
    known = [name for name in policies(task) if oracles or not isinstance(load_policy(name, task), Planner)]
    ends = [task.references.floor, task.references.expert]
    return [*ends, *(name for name in known if name not in ends)]


def _digits(task: GreenhouseTask) -> int:
    return 0 if task.reward.kind == "yield-and-energy" else 2
