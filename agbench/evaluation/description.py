"""A task in plain data, as `agbench show` prints it."""

from typing import Any

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.evaluation import anchors
from agbench.evaluation.references import ROLES, Role
from agbench.policies.registry import policies

_ELSEWHERE = (
    "task",
    "summary",
    "source",
    "hard",
    "simplified",
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
        "hard": task.hard,
        "simplified": task.simplified,
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
        "anchors": _anchors(task),
        "policies": policies(task),
        "file": str(catalog.find("task", task.task)),
        "history": task.history,
    }


def _anchors(task: Task) -> dict[str, dict[Role, tuple[float, float]]]:
    """Return mean objective and score of each reference on each anchored split; none without anchors."""
    try:
        of_splits = {split: anchors.of_split(task, split) for split in anchors.load(task).splits}
    except ConfigError:  # a task that is new or has overrides
        return {}
    columns = {split: {role: getattr(of, role) for role in ROLES} for split, of in of_splits.items()}
    return {
        split: {
            role: (float(values.mean()), float(of_splits[split].scores(values).mean()))
            for role, values in of_roles.items()
            if values is not None
        }
        for split, of_roles in columns.items()
    }
