"""Policies of field tasks on `test`, as a table.

`policies.py` prints it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

import agbench
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.overrides import override
from agbench.evaluation import references
from agbench.evaluation.references import ROLES, Part
from agbench.policies.registry import policies
from agbench.variables import Floats

_BOUND: Final = "potential (bound)"


@dataclass(frozen=True)
class Played:
    """A task and its test seasons: by policy, in the order of their medians, and the bound's returns.

    A model that cannot be freed of its limits has no bound.
    """

    task: FieldTask
    results: dict[str, agbench.Result]
    bound: Floats | None

    def role(self, policy: str) -> str | None:
        """Return what a policy is to the task: floor, expert, oracle, or nothing."""
        return next((role for role in ROLES if getattr(self.task.references, role) == policy), None)

    def label(self, policy: str) -> str:
        """Return a policy's name, and what it is to the task."""
        role = self.role(policy)
        return policy if role is None else f"{policy} ({role})"


def play(name: str) -> Played:
    """Play every policy of a task on `test`; the references' seasons are kept, and used where kept."""
    task = catalog.task(name)
    if not isinstance(task, FieldTask):
        raise TypeError(f"{name} is no field task.")
    result = {policy: agbench.evaluate(task, policy, progress=False) for policy in _others(task)}
    for role in ROLES:
        policy = references.policy_name(task, role)
        if policy is not None:
            result[policy] = agbench.Result.load(references.run(Part(name, role, "test"))[0])
    ordered = dict(sorted(result.items(), key=lambda item: -float(np.median(item[1].by_scenario("return")))))
    return Played(task, ordered, _bound(task))


def _bound(task: FieldTask) -> Floats | None:
    """Return the returns of potential production, on the days of the task's floor."""
    if task.simulator.model != "wofost-npk":
        return None
    potential = override(task, {"simulator.limitation": "pp"})
    returns: Floats = agbench.evaluate(potential, task.references.floor, progress=False).by_scenario("return")
    return returns


def _others(task: FieldTask) -> list[str]:
    names = {references.policy_name(task, role) for role in ROLES}
    return [policy for policy in policies(task) if policy not in names]


def table(played: Played) -> Iterator[str]:
    """Return the lines of a task's table in Markdown: median and mean return, mean metrics."""
    task = played.task
    yield f"| {task.task} | median return | mean | {' | '.join(task.metrics)} |"
    yield "|---" * (3 + len(task.metrics)) + "|"
    if played.bound is not None:
        means = f"{np.median(played.bound):,.0f} | {played.bound.mean():,.0f}"
        yield f"| {_BOUND} | {means} {'| ' * len(task.metrics)}|"
    for policy, result in played.results.items():
        returns = result.by_scenario("return")
        metrics = [f"{result.by_scenario(m).mean():.{spec.digits}f}" for m, spec in task.metrics.items()]
        means = f"{np.median(returns):,.0f} | {returns.mean():,.0f} | {' | '.join(metrics)}"
        yield f"| {played.label(policy)} | {means} |"
