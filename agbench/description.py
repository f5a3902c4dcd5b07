"""A task in plain data, as `agbench show` prints it."""

from typing import Any

from gymnasium import spaces

from agbench import data
from agbench.building import build
from agbench.policies.loading import policies
from agbench.spec.task import Task


def describe(task: Task) -> dict[str, Any]:
    """Return what a task is: source, model, spaces with names and units, splits, protocol."""
    parts = build(task, next(iter(task.splits)))
    return {
        "task": task.task,
        "summary": task.summary,
        "source": task.source,
        "simulator": task.simulator.model_dump(),
        "season": task.season.model_dump(),
        "observation": [
            {"name": v.name, "unit": v.unit, "meaning": v.meaning, "low": v.low, "high": v.high}
            for v in parts.observer.entries
        ],
        "action": {
            "kind": "Discrete" if isinstance(parts.actions.space, spaces.Discrete) else "Box",
            "choices": parts.actions.describe(),
        },
        "reward": task.reward.model_dump(),
        "metrics": {name: m.model_dump(include={"unit", "meaning"}) for name, m in task.metrics.items()},
        "splits": {
            name: {"site": spec.site or task.simulator.site, "years": spec.all_years}
            for name, spec in task.splits.items()
        },
        "protocol": task.protocol.model_dump(),
        "references": task.references.model_dump(),
        "policies": policies(task),
        "file": str(data.find("task", task.task)),
        "history": task.history,
    }
