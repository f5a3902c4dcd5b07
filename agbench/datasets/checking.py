"""Checking a dataset: its files, its content, and episodes of it simulated again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.datasets import card, collecting, description
from agbench.datasets.dataset import read_part
from agbench.datasets.part import ContentHash, PlayedPart
from agbench.datasets.sample import Sample
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import AgBenchError, UnknownNameError
from agbench.evaluation import provenance
from agbench.policies.playing import spread


@dataclass(frozen=True)
class DatasetFinding:
    """What was checked, and what is wrong with it; nothing where all is right."""

    what: str
    problem: str | None = None


def check(folder: str | Path, episodes: int | None = 32) -> list[DatasetFinding]:
    """Return what a dataset's check found: files, content, recipe, physics, and episodes simulated again.

    `episodes` of them are, evenly spread; all for None. Raises `DatasetError` for a folder that holds none.
    """
    folder = description.folder_of(folder)
    told = description.read(folder)
    findings = [DatasetFinding("files", _files(folder, told))]
    if findings[0].problem is not None:
        return findings
    part = read_part(folder, told)
    findings += [DatasetFinding("content", _content(part, told)), DatasetFinding("recipe", _recipe(told))]
    task = description.task_of(folder, told)
    findings.append(DatasetFinding("physics", _physics(task, told)))
    chosen = [int(i) for i in spread([str(i) for i in range(part.episodes)], episodes)]
    played = "1 episode" if len(chosen) == 1 else f"{len(chosen)} episodes"
    findings.append(DatasetFinding(f"{played} simulated again", _again(task, part, told, chosen)))
    return findings


def _files(folder: Path, told: Mapping[str, Any]) -> str | None:
    if "sha256" in told and description.sealed(told) != told:
        return f"{description.FILE} was changed or is damaged: its own SHA-256 is another one."
    if problem := description.damage(folder, told):
        return problem
    known = {description.FILE, *card.FILES, *told["files"]}
    added = [name for name in description.files_in(folder) if name not in known]
    return f"{', '.join(added[:4])} in its folder: not part of the dataset." if added else None


def _content(part: PlayedPart, told: Mapping[str, Any]) -> str | None:
    total = ContentHash()
    total.add(part)
    if (found := total.hexdigest()) != told["content"]:
        return f"the SHA-256 of the arrays is {found}, not {told['content']}."
    if (part.episodes, len(part.rewards)) != (told["episodes"], told["transitions"]):
        return (
            f"{part.episodes} episodes with {len(part.rewards)} transitions; {description.FILE} says "
            f"{told['episodes']} with {told['transitions']}."
        )
    sample = Sample()
    sample.add(part)
    if (returns := sample.returns()) != told["returns"]:
        return f"the returns of its episodes are {returns}; {description.FILE} says {told['returns']}."
    return None


def _recipe(told: Mapping[str, Any]) -> str | None:
    """Return how a named dataset differs from what its recipe makes now."""
    if told["recipe"] is None:
        return None
    try:
        now = collecting.plan_of_recipe(told["recipe"]).content()
    except UnknownNameError as error:
        return str(error)
    other = [
        key
        for key, value in now.items()
        if told[key] != (_as_old(value, told[key]) if key == "behaviour" else value)
        and not key.endswith("_hash")
    ]
    return f"the recipe {told['recipe']} has another {', '.join(other)} now." if other else None


def _as_old(behaviours: Sequence[Any], told: Sequence[Any]) -> list[Any]:
    """Return behaviours without the hashes of policies that a dataset does not say."""
    pairs = zip(behaviours, told, strict=False)
    kept = [{k: v for k, v in one.items() if k != "sha256" or k in old} for one, old in pairs]
    return [*kept, *behaviours[len(kept) :]]


def _physics(task: Task, told: Mapping[str, Any]) -> str | None:
    """Return how task, code or weather differ from those that the dataset was made with."""
    now: dict[str, tuple[Callable[[], Any], str]] = {
        "task_hash": (lambda: provenance.task_hash(task), "the definition of the task"),
        "simulator_hash": (lambda: provenance.simulator_hash(task), "the code of the simulator"),
        "data": (lambda: build(task, told["split"], years=told["years"]).hashes(), "crops, soils or weather"),
    }
    other = [words for key, (read, words) in now.items() if told[key] != read()]
    return f"{', '.join(other)} changed since it was made." if other else None


def _again(task: Task, part: PlayedPart, told: Mapping[str, Any], chosen: Sequence[int]) -> str | None:
    """Return the first difference between episodes and what their seeds and actions give now."""
    parts = build(task, told["split"], years=told["years"])
    slices = list(part.slices)
    for start in range(0, len(chosen), 64):
        group = chosen[start : start + 64]
        core = BatchCore(parts, len(group))
        if (now := core.observations.shape[1]) != (kept := part.observations.shape[1]):
            return f"the task has {now} observations now; the dataset has {kept}."
        for row, episode in enumerate(group):
            core.seed(row, int(part.seeds[episode]))
        drawn = told["scenarios"] == "drawn"
        keys = [None if drawn else str(part.scenarios[episode]) for episode in group]
        try:
            core.reset(range(core.n), keys)
            problem = _replay(core, part, group, [slices[e] for e in group])
        except AgBenchError as error:
            return f"episodes {group[0]} to {group[-1]}: {error}"
        if problem is not None:
            return problem
    return None


def _replay(
    core: BatchCore, part: PlayedPart, episodes: Sequence[int], slices: Sequence[slice]
) -> str | None:
    """Step all rows through their recorded actions; return the first difference."""
    lengths = np.array([one.stop - one.start for one in slices])
    starts = np.array([one.start for one in slices])
    for row, episode in enumerate(episodes):
        if str(core.scenario[row]) != str(part.scenarios[episode]):
            return f"episode {episode}: its seed draws {core.scenario[row]}, not {part.scenarios[episode]}."
    for step in range(int(lengths.max())):
        moving = step < lengths
        now = np.where(moving, starts + step, starts)
        if problem := _differing(
            "observation", core.observations, part.observations[now], moving, episodes, step
        ):
            return problem
        if core.over[moving].any():
            return f"episode {episodes[int(np.argmax(core.over & moving))]}: it is over at step {step}."
        rewards, terminated, _ = core.step(part.actions[now], moving)
        for name, values, kept in (
            ("reward", rewards, part.rewards),
            ("cost", core.reward.cost, part.costs),
            ("termination", terminated, part.terminations),
        ):
            if problem := _differing(name, values, kept[now], moving, episodes, step):
                return problem
    ends = np.ones(core.n, dtype=np.bool_)
    last = part.final_observations[list(episodes)]
    return _differing("final observation", core.observations, last, ends, episodes, int(lengths.max()))


def _differing(
    name: str,
    values: NDArray[Any],
    kept: NDArray[Any],
    rows: NDArray[np.bool_],
    episodes: Sequence[int],
    step: int,
) -> str | None:
    other = (values != kept).reshape(len(values), -1).any(axis=1) & rows
    if not other.any():
        return None
    row = int(np.argmax(other))
    return (
        f"episode {episodes[row]}, step {step}: the {name} is {values[row]} now; the dataset has {kept[row]}."
    )
