"""Who shows an agent what to do: a policy that is played or asked, or a dataset."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agbench.data import catalog
from agbench.data.task import Task
from agbench.data.training import TrainingSettings
from agbench.errors import ConfigError
from agbench.evaluation import provenance
from agbench.files import sha256
from agbench.policies.base import Policy
from agbench.policies.registry import load_policy, policies
from agbench.training import demonstrations
from agbench.training.algorithms import ALGORITHMS, Algorithm
from agbench.training.demonstrations import Demonstrations
from agbench.training.following import progress_bar

DEMOS: Final = "demos"
"""The folder of a training's demonstrations, in its own."""


@dataclass(frozen=True)
class Teacher:
    """What an agent learns from beside rewards; nothing for those that learn from these alone.

    `about`: what the training's record says of it.
    """

    demonstrations: Demonstrations | None = None
    expert: Policy | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


def teacher(
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    seed: int,
    folder: Path,
    demos: str | Path | None = None,
    dataset: str | Path | None = None,
    episodes: int | None = None,
    progress: bool | None = None,
) -> Teacher:
    """Return the teacher of a training.

    Args:
        task: what is trained for.
        chosen: the algorithm.
        settings: the algorithm's.
        seed: of the episodes that a policy plays.
        folder: of the training; demonstrations that are played are kept in it.
        demos: a policy or a folder.
        dataset: a folder.
        episodes: so many of a folder; all, if None.
        progress: show a progress bar.

    Raises:
        ConfigError: for a teacher that an algorithm cannot learn from, and where it needs one and has none.
    """
    require_teacher(task, chosen, settings, demos, dataset)
    given = dataset if demos is None else demos
    if given is None:
        return Teacher()
    in_folder = _in_folder(task, demos, dataset)
    named = {"teacher": named_by(task, demos, dataset)}
    if chosen.learns_from == "an expert":
        expert = load_policy(_no_folder(settings, given, in_folder), task)
        return Teacher(expert=expert, about=named | {"expert": _file_of(task, str(given))})
    if in_folder:
        found = demonstrations.read(Path(given), task)
        found = found if episodes is None else found.first(episodes)
    else:
        found = _played(task, settings, seed, folder / DEMOS, str(given), progress)
    return Teacher(found, about=named | {"demonstrations": _described(found)})


def require_teacher(
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    demos: str | Path | None,
    dataset: str | Path | None,
) -> None:
    """Raise `ConfigError` where an algorithm is not given what it learns from, or what it does not need."""
    given = dataset if demos is None else demos
    name = settings.algorithm
    if chosen.learns_from == "rewards":
        if given is not None or settings.demo_episodes is not None:
            others = sorted(key for key, one in ALGORITHMS.items() if one.learns_from != "rewards")
            raise ConfigError(f"{name} learns from rewards; demonstrations are for {', '.join(others)}.")
        return
    if demos is not None and dataset is not None:
        raise ConfigError("--demos and --dataset are both given; one of them says what to learn from.")
    if given is None:
        raise ConfigError(
            f"{name} learns from {chosen.learns_from}. Name a policy{_or_folder(chosen)}: --demos NAME. "
            f"{task.task} has {', '.join(policies(task))}."
        )
    if dataset is not None and not os.path.isdir(dataset):
        raise ConfigError(f"--dataset {dataset}: there is no such folder.")


def named_by(task: Task, demos: str | Path | None, dataset: str | Path | None) -> dict[str, Any]:
    """Return what tells a teacher from others wherever its files lie: a name, and the SHA-256 of a file."""
    given = Path(str(dataset if demos is None else demos))
    if not _in_folder(task, demos, dataset):
        return _file_of(task, str(given)) | {"policy": given.name}
    files = (given / demonstrations.METADATA, given / "data" / demonstrations.METADATA)
    return {"dataset": next((sha256(file) for file in files if file.is_file()), None)}


def _in_folder(task: Task, demos: str | Path | None, dataset: str | Path | None) -> bool:
    """Return whether a dataset's folder is given, not a policy."""
    given = dataset if demos is None else demos
    return os.path.isdir(str(given)) and (demos is None or str(given) not in policies(task))


def _or_folder(chosen: Algorithm) -> str:
    return "" if chosen.learns_from == "an expert" else " or a dataset's folder"


def _no_folder(settings: TrainingSettings, given: str | Path, in_folder: bool) -> str | Path:
    """Return what names a policy that is asked while an agent learns; raises `ConfigError` for a dataset."""
    if in_folder:
        raise ConfigError(
            f"{settings.algorithm} asks its expert in states that no dataset holds. Name a policy: "
            "--demos NAME."
        )
    if settings.demo_episodes is not None:
        raise ConfigError(
            f"{settings.algorithm}: demo_episodes: the expert plays as many as the steps say. Leave it out."
        )
    return given


def _played(
    task: Task, settings: TrainingSettings, seed: int, folder: Path, name: str, progress: bool | None
) -> Demonstrations:
    """Return demonstrations of a policy: those that a run that was cut off has kept, or new ones."""
    if settings.demo_episodes is None:
        raise ConfigError(f"{settings.algorithm}: {name} plays how many episodes? Say --demo-episodes 100.")
    made_of = {
        **_file_of(task, name),
        "episodes": settings.demo_episodes,
        "seed": seed,
        "task_hash": provenance.task_hash(task),
        "simulator_hash": provenance.simulator_hash(task),
    }
    if (folder / demonstrations.METADATA).is_file():
        kept = demonstrations.read(folder, task)
        if kept.about.get("made_of") == made_of:
            return kept
    policy = load_policy(name, task)
    bar = progress_bar(progress)
    with bar:
        line = bar.add_task(f"demonstrations of {policy.name}", total=settings.demo_episodes)
        found = demonstrations.collect(
            task, policy, settings.demo_episodes, seed, lambda done: bar.update(line, completed=done)
        )
    found = replace(found, about={**found.about, "made_of": made_of})
    found.save(folder)
    return found


def _file_of(task: Task, name: str) -> dict[str, Any]:
    """Return what a policy is called, and the SHA-256 of its file if it has one."""
    path = Path(name) if os.path.isfile(name) else catalog.find_baseline(task.task, name)
    return {"policy": name} | ({} if path is None else {"sha256": sha256(path)})


def _described(found: Demonstrations) -> dict[str, Any]:
    """Return what a training's record says of demonstrations."""
    named = ("policy", "split", "recipe", "content")
    about = {key: found.about[key] for key in named if found.about.get(key) is not None}
    return about | {
        "episodes": len(found.episode_lengths),
        "transitions": len(found),
        "mean_return": float(found.returns.mean()),
        "sha256": found.sha256,
    }
