"""Policies of greenhouse tasks on `test`, all their seasons side by side in one batch.

`policies.py` prints them.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.evaluation.protocol import episodes
from agbench.policies.base import Planner, Policy
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.policies.registry import load_policy, policies
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = ("profit", "fruit", "heat", "electricity", "co2", "temperature", "humidity")


def table(task: GreenhouseTask, oracles: bool = False) -> Iterator[str]:
    """Return the lines of a task's table in Markdown: means over its test scenarios.

    Where scenarios have levels, the mean objective at each of them.
    """
    result = seasons(task, _names(task, oracles))
    if result["level"].any():
        yield from _by_level(task, result)
        return
    shown = [name for name in _SHOWN if name in task.metrics]
    yield f"| {task.task} | return | {' | '.join(shown)} |"
    yield "|---" * (2 + len(shown)) + "|"
    for policy, part in result.groupby("policy", sort=False):
        means = [f"{part[name].mean():.{task.metrics[name].digits}f}" for name in shown]
        yield f"| {policy} | {part['return'].mean():,.{_digits(task)}f} | {' | '.join(means)} |"


def _by_level(task: GreenhouseTask, result: "pd.DataFrame") -> Iterator[str]:
    """Return the lines of a table with the mean objective of each policy at each level."""
    objective = task.protocol.objective
    levels = list(dict.fromkeys(result["level"]))
    yield f"| {task.task}, {objective} | {' | '.join(levels)} |"
    yield "|---" * (1 + len(levels)) + "|"
    means = result.groupby(["policy", "level"], sort=False)[objective].mean()
    for policy in dict.fromkeys(result["policy"]):
        yield f"| {policy} | {' | '.join(f'{means[policy, level]:.2f}' for level in levels)} |"


def accuracy(task: GreenhouseTask, scenarios: int = 3) -> Iterator[str]:
    """Return the lines of a table: the mean objective in both settings, and how far they are apart.

    First with the same actions in both, then with each policy acting on what it sees there: a threshold
    passed a step later is another season. In parts of the objective, and of the way from floor to expert.
    """
    names = _names(task, oracles=False)
    accurate, fast = (override(task, {"simulator.accuracy": accuracy}) for accuracy in ("accurate", "fast"))
    exact, actions = _play(accurate, names, scenarios)
    same, _ = _play(fast, names, scenarios, actions)
    free, _ = _play(fast, names, scenarios)
    objective = task.protocol.objective
    means = [result.groupby("policy", sort=False)[objective].mean() for result in (exact, same, free)]
    way = abs(means[0][task.references.expert] - means[0][task.references.floor])
    columns = (
        "accurate | fast, same actions | relative difference | fast, own actions | relative difference"
        " | difference over floor to expert"
    )
    yield f"| {task.task} | {columns} |"
    yield "|---" * 7 + "|"
    for name in names:
        of, replayed, acted = (float(mean[name]) for mean in means)
        shares = [f"{abs(other - of) / abs(of):.3%}" for other in (replayed, acted)]
        yield (
            f"| {name} | {of:.4f} | {replayed:.4f} | {shares[0]} | {acted:.4f} | {shares[1]} "
            f"| {abs(acted - of) / way:.3%} |"
        )


def seasons(task: Any, names: Sequence[str], scenarios: int | None = None) -> "pd.DataFrame":
    """Return metrics of policies in test scenarios, a row each; all are simulated side by side.

    `scenarios` takes as many of them, evenly spread. Seeds are the protocol's, so that every season
    is the one that `agbench evaluate` plays.
    """
    return _play(task, names, scenarios)[0]


def _play(
    task: Any, names: Sequence[str], scenarios: int | None, values: Sequence[Any] | None = None
) -> tuple["pd.DataFrame", list[Any]]:
    """Return the seasons of policies and the actions of each step; those `values` are taken instead."""
    parts = build(task, "test")
    every = episodes(task, parts.scenarios)
    chosen = every[:: max(1, len(every) // scenarios)][:scenarios] if scenarios else every
    core = BatchCore(parts, len(names) * len(chosen))
    for row in range(core.n):
        core.seed(row, chosen[row % len(chosen)].seed)
    core.reset(range(core.n), [episode.scenario for episode in chosen] * len(names))
    players = [
        _Player(core, load_policy(name, task), [load_policy(name, task) for _ in chosen], i * len(chosen))
        for i, name in enumerate(names)
    ]
    for player in players:
        player.start([episode.seed for episode in chosen])
    taken: list[Any] = []

    def act(_: Any, number: int) -> Any:
        actions = values[number] if values else np.concatenate([player.actions() for player in players])
        taken.append(actions)
        return actions

    return _frame(core, task, names, play(core, act)), taken


def _frame(core: BatchCore, task: Any, names: Sequence[str], returns: Floats) -> "pd.DataFrame":
    """Return the seasons that a core has played, the policies one after the other."""
    import pandas as pd

    info = core.info()
    keys = [scenario.split("/") for scenario in info["scenario"]]
    return pd.DataFrame(
        {
            "policy": np.repeat(list(names), core.n // len(names)),
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
    names = [name for name in policies(task) if oracles or not isinstance(load_policy(name, task), Planner)]
    ends = [task.references.floor, task.references.expert]
    return [*ends, *(name for name in names if name not in ends)]


def _digits(task: GreenhouseTask) -> int:
    return 0 if task.reward.kind == "yield-and-energy" else 2
