"""Holding a task's oracle against a search like its own that draws other random numbers.

An oracle is the best that was found with the weather known. Whether it is a bound is seen by searching
again: the same policy and settings, other seeds. Plans that lie above the oracle can be kept for it, in a
file of the kind `found`, and the oracle begins its last rounds from them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.data.task import Task
from agbench.data.writing import yaml_text
from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import action_map, build
from agbench.envs.threads import with_threads
from agbench.errors import ConfigError
from agbench.evaluation import anchors
from agbench.evaluation.anchors import SplitAnchors
from agbench.evaluation.challenge import SHARE, by_task, play
from agbench.evaluation.references import policy_name
from agbench.files import require_writable, write_text
from agbench.policies.field.found import FoundSettings, read, written
from agbench.policies.field.solver import JoiningSettings, Solver, SolverSettings
from agbench.policies.playing import padded, seeds_of
from agbench.policies.registry import interface_of, kind_of
from agbench.policies.tuning.search import number_of_decisions
from agbench.running import Engine
from agbench.variables import Floats

Actions = NDArray[Any]

FILE: Final = "found"
"""The name of the policy that keeps plans."""
_APART: Final = 1_000_000  # between the seeds of two searches, more than one search uses


@dataclass(frozen=True)
class Another:
    """What a second search found.

    `plans` has the actions of each scenario, (steps, ...), and `objective` what they reach, (scenarios,).
    """

    task: Task
    split: str
    seed: int
    scenarios: list[str]
    plans: list[Actions]
    objective: Floats
    references: SplitAnchors

    @property
    def excess(self) -> Floats:
        """By how much each plan lies above the oracle, as a share of oracle less floor in the mean."""
        oracle = self.references.oracle
        assert oracle is not None
        every = dict(zip(self.task.scenarios(self.split), oracle, strict=True))
        own = np.array([every[key] for key in self.scenarios])
        excess: Floats = (self.objective - own) / (oracle.mean() - self.references.floor.mean())
        return excess

    @property
    def beaten(self) -> list[str]:
        """The scenarios in which the oracle is no bound."""
        return [key for key, one in zip(self.scenarios, self.excess, strict=True) if one > SHARE]


def another(name: str, split: str = "test", seed: int = 1, every: int = 1, threads: int = 1) -> Another:
    """Return what the oracle's own search finds with other random numbers, in every nth scenario of a split.

    `seed`, 1 or more, tells searches apart. Other scenarios' solutions help as they help the oracle where
    all are searched. What the oracle's file keeps of searches before is not used.
    Raises `ConfigError` where the task has no anchors that fit, or an oracle that searches in another way.
    """
    task = catalog.task(name)
    references = anchors.of_split(task, split)
    policy = searching(task, seed, alone=every > 1)
    parts = with_threads(build(task, split), threads)
    keys = list(parts.scenarios.keys)[::every]
    steps = number_of_decisions(parts)
    plans = [_plan(parts, policy, key, steps) for key in keys]
    objective = [_reached(parts, plan, key) for plan, key in zip(plans, keys, strict=True)]
    return Another(task, split, seed, keys, plans, np.array(objective), references)


def _reached(parts: Parts, plan: Actions, key: str) -> float:
    return float(play(parts, plan[None], [key]).objective.mean())


def searching(task: Task, seed: int, *, alone: bool = False) -> Solver:
    """Return the task's oracle with other random numbers; `alone` without other scenarios' solutions.

    Raises `ConfigError` where the oracle is none that searches episodes whole.
    """
    name = policy_name(task, "oracle")
    path = None if name is None else catalog.find_baseline(task.task, name)
    if name is None or path is None:
        raise ConfigError(f"{task.task}: it has no oracle that searches; there is none to search like.")
    baseline = read_file(Baseline, path)
    kind = kind_of(baseline, task, path)
    settings = kind.read(baseline.settings, f"{path}: settings")
    if not isinstance(settings, SolverSettings):
        raise ConfigError(
            f"{task.task}: its oracle, {name}, is of the kind {baseline.policy}, which does not search whole "
            "episodes with random numbers: there is no other search like it."
        )
    changes: dict[str, Any] = {"seed": settings.seed + _APART * seed}
    if isinstance(settings, JoiningSettings):
        changes |= {"known": None, "neighbours": settings.neighbours and not alone}
    policy = kind.make(name, settings.model_copy(update=changes), interface_of(task))
    assert isinstance(policy, Solver)
    return policy


def _plan(parts: Parts, policy: Solver, key: str, steps: int) -> Actions:
    core = BatchCore(parts, 1)
    core.start([key], seeds_of(parts, [key]))
    policy.plan(core, 0)
    policy.reset(0)
    return np.array([policy(None) for _ in range(steps)])


def others(names: Sequence[str], engine: Engine, **options: Any) -> Iterator[Another]:
    """Yield the second searches of tasks in order, each an item of an engine; options as for `another`.

    A task that is named twice is searched once.
    """
    for name in names:  # before any is searched
        searching(catalog.task(name), options.get("seed", 1))
    return by_task(another, names, engine, options)


def keep(result: Another, root: Path | None = None) -> tuple[Path, int] | None:
    """Keep the plans above the oracle in `baselines/TASK/found.yaml`; return the file, and how many it has.

    A plan that is kept already stays where it is the better one. Returns None where no plan is new. `root`
    is the folder of data to write to, by default that of the task.
    Raises `ConfigError` for actions that are not numbers of a menu.
    """
    task = result.task
    path = require_keepable(task, root) / f"{FILE}.yaml"
    before = read_file(Baseline, path) if path.is_file() else None
    plans = {} if before is None else FoundSettings.model_validate(before.settings).plans
    parts, new = build(task, result.split), {}
    found = zip(result.scenarios, result.plans, result.objective, result.excess, strict=True)
    for key, plan, reached, more in found:
        old = padded(read(plans.get(key, "")), len(plan), 0)
        if more > 0.0 and (key not in plans or reached > _reached(parts, old, key)):
            new[key] = written(plan)
    if not new:
        return None
    content = {
        "policy": FILE,
        "summary": "Plans of seasons that other searches found above the oracle, which goes on from them.",
        "source": "agbench challenge --again --keep",
        "settings": {"plans": dict(sorted((plans | new).items()))},
    }
    write_text(path, yaml_text(content))
    return path, len(plans | new)


def require_keepable(task: Task, root: Path | None = None) -> Path:
    """Return the folder that plans of a task are kept in; raises `ConfigError` where they cannot be.

    So it is where actions are not numbers of a menu, and where the folder cannot be written.
    """
    if not isinstance(action_map(task), Menu):
        raise ConfigError(f"{task.task}: its actions are no numbers of one menu; plans cannot be kept.")
    folder = catalog.baseline_folder(root or catalog.find("task", task.task).parents[1], task.task)
    require_writable(folder, ConfigError)
    return folder


def lines(result: Another) -> list[str]:
    """Return the result in words."""
    excess, unit = result.excess, result.task.protocol.objective_unit
    most = int(np.argmax(excess))
    how = f"is beaten in {len(result.beaten)} scenarios" if result.beaten else "holds"
    return [
        f"{result.task.task}  {result.split}: the oracle's search with other random numbers (seed "
        f"{result.seed}) in {len(result.scenarios)} scenarios reaches {result.objective.mean():.4g} {unit}",
        f"    oracle      {how}: the other search lies {100 * excess[most]:+.1f} % of oracle - floor from it "
        f"in {result.scenarios[most]}, {100 * excess.mean():+.1f} % in the mean",
    ]


def content(result: Another) -> dict[str, Any]:
    """Return the result as plain data."""
    return {
        "task": result.task.task,
        "split": result.split,
        "seed": result.seed,
        "oracle_holds": not result.beaten,
        "beaten_in": result.beaten,
        "objective": dict(zip(result.scenarios, result.objective.tolist(), strict=True)),
        "excess": dict(zip(result.scenarios, result.excess.tolist(), strict=True)),
    }
