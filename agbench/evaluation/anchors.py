"""A task's anchors: the objective of floor, expert and oracle, scenario by scenario, as constants."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
import yaml

from agbench import data
from agbench.errors import ConfigError, ResultError
from agbench.evaluation import provenance
from agbench.evaluation.runner import evaluate
from agbench.files import write_text
from agbench.simulators.base import Floats
from agbench.spec.anchors import Anchors, AnchorValues
from agbench.spec.reading import read_file
from agbench.spec.task import Task

Role = Literal["floor", "expert", "oracle"]
FOLDER: Final = "anchors"


@dataclass(frozen=True)
class SplitAnchors:
    """The anchors of one split, each (scenarios,) in the split's order; no oracle, no array."""

    floor: Floats
    expert: Floats
    oracle: Floats | None

    def scores(self, objective: Floats) -> Floats:
        """Return 100 * (objective - floor) / (expert - floor), by the means over the split.

        Never by scenario: in a dry year the expert can lie below the floor.
        """
        floor = self.floor.mean()
        found: Floats = 100.0 * (objective - floor) / (self.expert.mean() - floor)
        return found


def compute(task: Task, splits: Sequence[str] | None = None) -> Anchors:
    """Run the task's floor, expert and oracle on its splits and return what they reach.

    Raises `ConfigError` where the expert does not beat the floor on the test split: such a task
    measures nothing.
    """
    found = {split: _split(task, split) for split in splits or task.splits}
    anchors = Anchors(
        task=task.task,
        task_hash=provenance.task_hash(task),
        objective=task.protocol.objective,
        unit=task.protocol.objective_unit,
        splits=found,
    )
    for split, values in found.items():
        gain = float(np.mean([v.expert - v.floor for v in values.values()]))
        if split == "test" and gain <= 0.0:
            raise ConfigError(
                f"{task.task}: the expert {task.references.expert} beats the floor "
                f"{task.references.floor} by {gain:.3g} {anchors.unit} on {split}; it must be more."
            )
    return anchors


def _split(task: Task, split: str) -> dict[str, AnchorValues]:
    """Return the values of all scenarios of a split."""
    names = {"floor": task.references.floor, "expert": task.references.expert}
    if task.references.oracle is not None:
        names["oracle"] = task.references.oracle
    reached = {role: evaluate(task, name, split, progress=False) for role, name in names.items()}
    failed = [names[role] for role, result in reached.items() if result.failed]
    if failed:
        raise ResultError(f"{task.task}: {failed[0]} failed on {split}; anchors need every episode.")
    columns = {role: result.objective.tolist() for role, result in reached.items()}
    return {
        key: AnchorValues(**{role: values[i] for role, values in columns.items()})
        for i, key in enumerate(task.scenarios(split))
    }


def save(anchors: Anchors, root: Path) -> Path:
    """Write anchors to `anchors/TASK.yaml` under a root of data folders and return the path."""
    path = root / FOLDER / f"{anchors.task}.yaml"
    text = yaml.safe_dump(anchors.model_dump(), sort_keys=False, indent=4, width=100)
    write_text(path, text)
    return path


def load(task: Task) -> Anchors:
    """Return the stored anchors of a task; raises `ConfigError` where there are none that fit."""
    remedy = f"Make them: agbench anchors {task.task}"
    for root in data.roots():
        path = root / FOLDER / f"{task.task}.yaml"
        if path.is_file():
            anchors = read_file(Anchors, path)
            break
    else:
        raise ConfigError(f"{task.task} has no anchors to be scored by. {remedy}")
    if anchors.task != task.task or anchors.task_hash != provenance.task_hash(task):
        raise ConfigError(f"{path}: task_hash: made for another version of {task.task}. {remedy}")
    return anchors


def of_split(task: Task, split: str) -> SplitAnchors:
    """Return the stored anchors of one split of a task, in the split's order."""
    values = load(task).splits.get(split, {})
    missing = [key for key in task.scenarios(split) if key not in values]
    if missing:
        raise ConfigError(
            f"{task.task}: anchors of {split} lack {missing[0]}. Make them: agbench anchors {task.task}"
        )
    rows = [values[key] for key in task.scenarios(split)]
    oracle = None if any(r.oracle is None for r in rows) else np.array([r.oracle for r in rows], float)
    return SplitAnchors(np.array([r.floor for r in rows]), np.array([r.expert for r in rows]), oracle)
