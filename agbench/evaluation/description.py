"""A task in plain data, as `agbench show` prints it."""

from typing import Any

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs.family import build
from agbench.policies.registry import policies

_ELSEWHERE = (
    "task",
    "summary",
    "source",
    "observation",
    "action",
    "metrics",
    "splits",
    "protocol",
    "references",
    "history",
)


def describe(task: Task) -> dict[str, Any]:
    """Return what a task is: source, model, spaces with names and units, splits, protocol."""
    parts = build(task, next(iter(task.splits)))
    content = task.content()
    return {
        "task": task.task,
        "summary": task.summary,
        "source": task.source,
        **{key: content[key] for key in content if key not in _ELSEWHERE},
        "observation": [
            {"name": v.name, "unit": v.unit, "meaning": v.meaning, "low": v.low, "high": v.high}
            for v in parts.observer.entries
        ],
        "action": {"kind": type(parts.actions.space).__name__, "choices": parts.actions.describe()},
        "metrics": {name: m.model_dump(include={"unit", "meaning"}) for name, m in task.metrics.items()},
        "splits": {name: task.scenarios(name) for name in task.splits},
        "protocol": task.protocol.model_dump(),
        "references": task.references.model_dump(),
        "policies": policies(task),
        "file": str(catalog.find("task", task.task)),
        "history": task.history,
    }
