"""A task's anchors: the objective of its reference policies, scenario by scenario, as constants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import yaml

from agbench.data import catalog
from agbench.data.anchors import Anchors, AnchorValues
from agbench.data.plain import read_plain_file
from agbench.data.task import Task
from agbench.errors import ConfigError, ResultError
from agbench.evaluation import provenance, references
from agbench.evaluation.blindness import check_blind
from agbench.evaluation.references import ROLES, Part, Role, policy_name
from agbench.evaluation.result import Result
from agbench.evaluation.runner import evaluate
from agbench.evaluation.scores import scores
from agbench.files import REFERENCES, write_text
from agbench.variables import Floats


@dataclass(frozen=True)
class SplitAnchors:
    """The anchors of one split, each (scenarios,) in the split's order; no such reference, no array.

    `cost` is the expert's constraint cost, `limit` the largest mean of it that is feasible; `gain` is the
    task's constant, by which all its scores are divided (see `agbench.evaluation.scores`).
    """

    floor: Floats
    expert: Floats
    oracle: Floats | None
    cost: Floats
    limit: float
    blind: Floats | None = None
    gain: float = field(kw_only=True)

    def scores(self, objective: Floats) -> Floats:
        """Return the scores of objectives (..., scenarios) in these scenarios."""
        return scores(objective, self.floor, self.gain)


def compute(task: Task, splits: Sequence[str]) -> Anchors:
    """Run the task's reference policies on splits and return what they reach.

    Raises `ConfigError` where the expert does not beat the floor on the test split: such a task
    measures nothing.
    """
    names = {role: references.policy_name(task, role) for role in ROLES}
    results: dict[tuple[Role, str], Result] = {}
    for role, name in names.items():
        for split in splits if name is not None else ():
            if split not in references.reported(task, role):
                continue
            results[role, split] = evaluate(task, name, split, progress=False)
    return assemble(task, results)


def of_kept(name: str, root: Path = REFERENCES) -> Anchors:
    """Return a task's anchors, made of results that `references` keeps; what is missing is run."""
    task = catalog.task(name)
    result: dict[tuple[Role, str], Result] = {}
    for part in references.parts(task):
        folder, _ = references.run(part, root)
        result[part.role, part.split] = Result.load(folder)
    return assemble(task, result)


def assemble(task: Task, results: Mapping[tuple[Role, str], Result]) -> Anchors:
    """Return the anchors that results of the reference policies, by role and split, make."""
    for (role, split), result in results.items():
        if result.failed:
            raise ResultError(
                f"{Part(task.task, role, split)}: an episode failed; anchors need all episodes."
            )
        if role == "blind":
            check_blind(task, result)
    splits = list(dict.fromkeys(split for _, split in results))
    anchors = Anchors(
        task=task.task,
        task_hash=provenance.task_hash(task),
        data_hash=references.data_hash(task),
        references_hash=references.references_hash(task),
        objective=task.protocol.objective,
        unit=task.protocol.objective_unit,
        limits={s: task.feasible_cost(results["expert", s].by_scenario("cost").mean()) for s in splits},
        splits={split: _values(task, split, results) for split in splits},
    )
    for role in ("expert", "oracle"):
        gains = [_gain(values, role) for values in anchors.splits.get("test", {}).values()]
        known = [gain for gain in gains if gain is not None]
        if known and np.mean(known) <= 0.0:
            raise ConfigError(
                f"{task.task}: the {role} {policy_name(task, role)} beats the floor {task.references.floor} "
                f"by {np.mean(known):.3g} {anchors.unit} on test; it must be more."
            )
    return anchors


def _gain(values: AnchorValues, role: Role) -> float | None:
    """Return what a reference earns above the floor in a scenario; None where there is no such reference."""
    reached = getattr(values, role)
    return None if reached is None else float(reached - values.floor)


def gain(anchors: Anchors) -> float:
    """Return the constant by which a task's scores are divided, in the unit of its objective.

    It is the mean of oracle less floor over test; of a task without an oracle, that of expert less floor.
    Raises `ConfigError` where the anchors have no test split.
    """
    rows = list(anchors.splits.get("test", {}).values())
    if not rows:
        raise ConfigError(f"{anchors.task}: the anchors have no split test. {remedy(anchors.task)}")
    best: Role = "expert" if any(row.oracle is None for row in rows) else "oracle"
    return float(np.mean([_gain(row, best) for row in rows]))


def _values(task: Task, split: str, results: Mapping[tuple[Role, str], Result]) -> dict[str, AnchorValues]:
    """Return the values of all scenarios of a split."""
    columns = {role: results[role, split].objective.tolist() for role in ROLES if (role, split) in results}
    columns["cost"] = results["expert", split].by_scenario("cost").tolist()  # type: ignore[index]
    return {
        key: AnchorValues(**{name: values[i] for name, values in columns.items()})
        for i, key in enumerate(task.scenarios(split))
    }


def save(anchors: Anchors, root: Path) -> Path:
    """Write anchors to `baselines/TASK/anchors.yaml` under a root of data folders and return the path."""
    path = catalog.baseline_folder(root, anchors.task) / f"{catalog.ANCHORS}.yaml"
    content = anchors.model_dump(exclude_none=True)
    text = yaml.safe_dump(content, sort_keys=False, indent=4, width=1000, default_flow_style=None)
    write_text(path, text)
    return path


def load(task: Task) -> Anchors:
    """Return the stored anchors of a task; raises `ConfigError` where there are none that fit."""
    return _read(*_file(task))


def _file(task: Task) -> tuple[Path, int]:
    """Return the file of a task's anchors, and when it was changed; raises `ConfigError` as `load` does."""
    path = catalog.find_anchors(task.task)
    if path is None:
        raise ConfigError(f"{task.task} has no anchors for scores. {remedy(task.task)}")
    changed = path.stat().st_mtime_ns
    anchors = _read(path, changed)
    if anchors.task != task.task or anchors.task_hash != provenance.task_hash(task):
        raise ConfigError(f"{path}: task_hash: made for another version of {task.task}. {remedy(task.task)}")
    return path, changed


def outdated(task: Task) -> str | None:
    """Return why stored anchors do not fit the present task, or None if they fit."""
    try:
        anchors = load(task)
    except ConfigError as error:
        return str(error)
    for what, text, now in (
        ("data_hash: other weather, soils or crops", anchors.data_hash, references.data_hash(task)),
        ("references_hash: other policies", anchors.references_hash, references.references_hash(task)),
    ):
        if text != now:
            return f"anchors of {task.task}: {what} than those they were made with. {remedy(task.task)}"
    expected = {split: task.scenarios(split) for split in references.REPORTED if split in task.splits}
    if {split: list(values) for split, values in anchors.splits.items()} != expected:
        return f"anchors of {task.task}: splits or scenarios lack. {remedy(task.task)}"
    return None


def of_split(task: Task, split: str) -> SplitAnchors:
    """Return the stored anchors of one split of a task, in the split's order; they cannot be changed."""
    task.check_split(split)
    return _of_split(*_file(task), split, tuple(task.scenarios(split)))


@lru_cache(maxsize=512)
def _of_split(path: Path, changed: int, split: str, keys: Sequence[str]) -> SplitAnchors:
    anchors = _read(path, changed)
    if split not in anchors.splits:
        has = " and ".join(anchors.splits)
        raise ConfigError(f"{anchors.task}: only {has} have anchors; {split} has none and is not scored.")
    values = anchors.splits[split]
    missing = [key for key in keys if key not in values]
    if missing:
        raise ConfigError(f"{anchors.task}: anchors of {split} lack {missing[0]}. {remedy(anchors.task)}")
    rows = [values[key] for key in keys]
    floor, expert, cost, oracle, blind = (
        _complete([getattr(row, name) for row in rows])
        for name in ("floor", "expert", "cost", "oracle", "blind")
    )
    assert floor is not None
    assert expert is not None
    assert cost is not None
    limit = float(anchors.limits[split])
    return SplitAnchors(floor, expert, oracle, cost, limit, blind, gain=gain(anchors))


def _complete(values: Sequence[float | None]) -> Floats | None:
    """Return values as an array that cannot be changed; None where any lacks."""
    if any(value is None for value in values):
        return None
    result = np.array(values, float)
    result.setflags(write=False)
    return result


def remedy(name: str) -> str:
    """Return the sentence that says how anchors are made."""
    return f"Make them: agbench anchors {name}"


@lru_cache(maxsize=512)
def _read(path: Path, changed: int) -> Anchors:
    return read_plain_file(Anchors, path)
