"""What a dataset says of itself: `metadata.json`, the same in every format."""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.task import Task
from agbench.datasets.plan import Plan
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map, observer
from agbench.errors import AgBenchError, ConfigError, DatasetError, UnknownNameError
from agbench.evaluation import anchors, provenance
from agbench.evaluation.references import ROLES, policy_name
from agbench.variables import Variable

VERSION: Final = 1
"""The version of the layout of datasets."""
FILE: Final = "metadata.json"
LICENCE: Final = "MIT, as AgBench; for the weather see the file of the site"
_NEEDED: Final = (
    *("id", "recipe", "task_hash", "simulator_hash", "overrides", "split", "years", "scenarios", "behaviour"),
    *("episodes", "seed", "observations", "actions", "states", "metrics", "reward_unit", "references"),
    *("data", "command", "transitions", "returns", "files"),
)
_NOT_IN_ID: Final = re.compile(r"[^a-z0-9]+")


def describe(plan: Plan, format: str) -> dict[str, Any]:
    """Return what is known of a dataset before it is made."""
    task, parts = plan.task, plan.parts()
    return {
        "version": VERSION,
        "format": format,
        "id": plan.name or made_up(plan),
        "recipe": plan.name,
        "summary": _summary(plan),
        **plan.content(),
        "observations": [_variable(entry) for entry in observer(task).entries],
        "actions": _actions(task),
        "states": [_variable(v) for v in parts.make_simulator(1).variables] if plan.state else [],
        "metrics": {name: {"unit": m.unit, "meaning": m.meaning} for name, m in task.metrics.items()},
        "reward_unit": task.protocol.objective_unit if task.protocol.objective == "return" else "-",
        "objective": task.protocol.objective,
        "references": _references(task),
        "data": parts.hashes(),
        "versions": provenance.versions(),
        "licence": LICENCE,
        "command": command(plan, format),
    }


def _variable(entry: Variable) -> dict[str, Any]:
    bounds = {key: value for key, value in asdict(entry).items() if key in ("low", "high")}
    finite = {key: float(value) if np.isfinite(value) else None for key, value in bounds.items()}
    return {"name": entry.name, "unit": entry.unit, "meaning": entry.meaning, **finite}


def _actions(task: Task) -> dict[str, Any]:
    meaning = action_map(task)
    space = meaning.space
    kind = "menu" if menu_sizes(space) else "amounts"
    sizes = {"menus": menu_sizes(space)} if menu_sizes(space) else {}
    width = int(np.prod(space.shape or (), dtype=np.int64))
    return {"kind": kind, "width": width, **sizes, "labels": meaning.describe()}


def _references(task: Task) -> dict[str, Any] | None:
    """Return the mean objective of the reference policies on test; None for a task without anchors."""
    if "test" not in task.splits:
        return None
    try:
        values = anchors.of_split(task, "test")
    except AgBenchError:  # overrides made another task of it, or its anchors are not made yet
        return None
    result: dict[str, Any] = {
        "split": "test",
        "unit": task.protocol.objective_unit,
        "episodes": len(values.floor),
    }
    for role in ROLES:
        objective = getattr(values, role)
        if objective is not None:
            result[role] = {"policy": policy_name(task, role), "mean": float(objective.mean())}
    return result


def made_up(plan: Plan) -> str:
    """Return an id, as Minari asks for one, for a dataset that is no recipe."""
    task = re.sub(r"-v\d+$", "", plan.task.task)
    stems = [Path(b.spec.policy).stem for b in plan.behaviours]
    own = _NOT_IN_ID.sub("-", "-".join(stems).lower())[:60].strip("-") or "own"
    return f"{task}/{own}-v0"


def _summary(plan: Plan) -> str:
    from agbench.data.dataset import recipe

    if plan.name is not None:
        return recipe(plan.name)[1].summary
    return f"{plan.task.task} played by {', '.join(b.spec.policy for b in plan.behaviours)}"


def command(plan: Plan, format: str) -> str:
    """Return the command that makes the dataset again, as far as policies have names."""
    own = "" if format == "minari" else f" --format {format}"
    if plan.name is not None:
        return f"agbench dataset {plan.name}{own}"
    words = [f"agbench dataset {plan.task.task}"]
    for behaviour in plan.behaviours:
        spec = behaviour.spec
        words.append(f"--policy {shlex.quote(spec.policy)}")
        if len(plan.behaviours) > 1:
            words.append(f"--share {_exact(spec.share)}")
        for option, value in (("epsilon", spec.epsilon), ("noise", spec.noise)):
            ends = [value] if isinstance(value, (int, float)) else [value.start, value.end]
            text = "..".join(map(_exact, ends))
            if any(getattr(b.spec, option) != 0.0 for b in plan.behaviours):
                words.append(f"--{option} {text}")
    words.append(f"--episodes {plan.episodes} --seed {plan.seed} --split {plan.split}")
    if plan.mix != "episode":
        words.append(f"--mix {plan.mix}")
    if isinstance(plan.scenarios, str):
        words += [f"--scenarios {plan.scenarios}"] if plan.scenarios != "drawn" else []
    else:
        words += [f"--scenarios {shlex.quote(','.join(plan.scenarios))}"]
    words += [f"--years {','.join(map(str, plan.years))}"] if plan.years else []
    words += ["--state"] if plan.state else []
    words += ["--other-task"] if any(b.other_task for b in plan.behaviours) else []
    for key, value in plan.overrides.items():
        words.append(f"--set {shlex.quote(f'{key}={json.dumps(provenance.plain(value))}')}")
    return " ".join(words) + own


def _exact(value: float) -> str:
    """Return the shortest text that is read as this number."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def text(description: Mapping[str, Any]) -> str:
    """Return a description as the text of its file."""
    return (
        json.dumps(provenance.plain(dict(description)), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )


def folder_of(place: Any, what: str = "folder") -> Path:
    """Return a folder that a user names; raises `ConfigError` for what is no path."""
    if not isinstance(place, (str, os.PathLike)):
        raise ConfigError(
            f"{what} must be the path of a folder, such as 'runs/datasets/mine-v0'; got {place!r}."
        )
    return Path(place)


def read(folder: Path) -> dict[str, Any]:
    """Return the description of a dataset; raises `DatasetError` where there is none that can be read."""
    path = folder / FILE
    try:
        content = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        what = "is not a folder" if not folder.is_dir() else f"has no {FILE}: it is no dataset, or not whole"
        raise DatasetError(f"{folder} {what}. Make one: agbench dataset NAME --out {folder}") from None
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}.") from None
    if not isinstance(content, dict) or not {"version", "format", "task", "content"} <= content.keys():
        raise DatasetError(f"{path}: is not the description of a dataset of AgBench.")
    if content["version"] != VERSION:
        raise DatasetError(
            f"{path}: the dataset has the version {content['version']!r}; this AgBench reads {VERSION}. "
            f"Make it again: {content.get('command', 'agbench dataset NAME')}"
        )
    missing = [key for key in _NEEDED if key not in content]
    if missing or not isinstance(content["task"], str) or not isinstance(content["files"], dict):
        lacks = f": it lacks {', '.join(missing[:4])}" if missing else ""
        raise DatasetError(f"{path}: is not the description of a dataset of AgBench{lacks}.")
    return content


def task_of(folder: Path, told: Mapping[str, Any]) -> Task:
    """Return the task that a dataset is of; raises `DatasetError` where no folder of data has its file."""
    try:
        task = catalog.task(told["task"])
    except UnknownNameError:
        raise DatasetError(
            f"{folder} is of the task {told['task']!r}, which is in no folder of data here. Name the folder "
            "that has its tasks/ in AGBENCH_PATH."
        ) from None
    return override(task, told["overrides"])


def sealed(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description with the SHA-256 of all the rest of it, by which a change in it is seen."""
    rest = {key: value for key, value in told.items() if key != "sha256"}
    return {**rest, "sha256": hashlib.sha256(text(rest).encode()).hexdigest()}


def files_in(folder: Path) -> list[str]:
    """Return the files of a dataset but for hidden ones, which are others', by their places in its folder."""
    places = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(place.as_posix() for place in places if not any(p.startswith(".") for p in place.parts))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file that may be too large for memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damage(folder: Path, told: Mapping[str, Any], without: Sequence[str] = ()) -> str | None:
    """Return which file of a dataset is missing or changed, but for those `without`; None if none is."""
    for name, expected in told["files"].items():
        if name in without:
            continue
        if not (folder / name).is_file():
            return f"{name} is missing."
        if (found := sha256(folder / name)) != expected:
            return f"{name} has the SHA-256 {found}, not {expected}: it was changed or is damaged."
    return None
