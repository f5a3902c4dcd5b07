"""The reference policies of a task: floor, blind calendar, expert, oracle, each evaluated once and stored.

Anchors and the first rows of the leaderboard are made of the same results. A kept result is used again as
long as task, data, simulator and the policy's settings are those it was made with.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from agbench.compiled.closure import closure_hash
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.data.suites import suites
from agbench.data.task import Task
from agbench.envs.family import build, family
from agbench.errors import ResultError
from agbench.evaluation import provenance
from agbench.evaluation.result import Result
from agbench.evaluation.runner import evaluate, replay_in
from agbench.files import REFERENCES
from agbench.policies.base import Policy
from agbench.policies.registry import load_policy
from agbench.running import Engine, engine_of

Role = Literal["floor", "blind", "expert", "oracle"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
REPORTED: Final = ("test", "shift")
"""The splits that are reported, hence anchored."""
_SEEN: Final = ("task", "summary", "source", "tags", "hard", "simplified", "observation", "history")
"""What views of one task may differ in, for a season of actions to give the same in all of them."""


@dataclass(frozen=True)
class Part:
    """One evaluation of a reference: which policy of which task on which split."""

    task: str
    role: Role
    split: str

    def __str__(self) -> str:
        return f"{self.task}  {self.role}  {self.split}"


def policy_name(task: Task, role: Role) -> str | None:
    """Return the name of a reference policy; None where the task has no such reference."""
    name: str | None = getattr(task.references, role)
    return name


def parts(task: Task) -> list[Part]:
    """Return the evaluations that a task's anchors take."""
    roles = [role for role in ROLES if policy_name(task, role) is not None]
    return [Part(task.task, role, split) for role in roles for split in reported(task, role)]


def reported(task: Task, role: Role) -> list[str]:
    """Return the splits that a reference is run on; an oracle, which scores take on test alone, on that."""
    splits = [split for split in REPORTED if split in task.splits]
    return splits if role != "oracle" else [split for split in splits if split == "test"]


def effort(part: Part) -> int:
    """Return roughly how long a part takes, in model steps: what to start with in a pool."""
    task = catalog.task(part.task)
    return (
        len(task.scenarios(part.split)) * family(task).longest(task) * (100 if part.role == "oracle" else 1)
    )


def settings_hash(task: Task, name: str) -> str:
    """Return the SHA-256 of a policy's name and settings; prose in its file is not part of it."""
    content: dict[str, Any] = {"name": name}
    path = catalog.find_baseline(task.task, name)
    if path is not None:
        baseline = read_file(Baseline, path)
        content |= {"policy": baseline.policy, "settings": baseline.settings}
        content |= _begun_from(task, baseline.settings)
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _begun_from(task: Task, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hashes of what an oracle begins from: other policies, and the plans that it knows."""
    result: dict[str, Any] = {}
    for key in ("start", "known", "along"):
        named = settings.get(key)
        if isinstance(named, str):
            result[key] = settings_hash(task, named)
        elif isinstance(named, list):
            result[key] = [settings_hash(task, other) for other in named]
    season = settings.get("season")  # of the set points' oracle
    if isinstance(season, dict) and (begun := _begun_from(task, season)):
        result["season"] = begun
    return result


def code_hash(task: Task, name: str) -> str:
    """Return the SHA-256 of the code of a policy, and of the policies that it starts from."""
    result = load_policy(name, task)
    held = [
        part for value in vars(result).values() for part in (value if isinstance(value, list) else [value])
    ]
    parts = [result, *(part for part in held if isinstance(part, Policy))]
    return closure_hash(*sorted({f"{type(part).__module__}:{type(part).__qualname__}" for part in parts}))


def references_hash(task: Task) -> str:
    """Return the SHA-256 of the settings of all reference policies together."""
    names = [policy_name(task, role) for role in ROLES]
    hashes = [settings_hash(task, name) for name in names if name is not None]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def data_hash(task: Task) -> str:
    """Return the SHA-256 of all weather, soils and crops that the reported splits rest on."""
    result = {split: build(task, split).hashes() for split in REPORTED if split in task.splits}
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()


def place(part: Part, root: Path = REFERENCES) -> Path:
    """Return the folder of a part's result; other settings, or other code of the policy, are another."""
    task = catalog.task(part.task)
    name = policy_name(task, part.role)
    assert name is not None
    mark = f"{settings_hash(task, name)[:12]}-{code_hash(task, name)[:12]}"
    return root / part.task / f"{part.role}-{part.split}-{mark}"


def kept(part: Part, root: Path = REFERENCES) -> Result | None:
    """Return a part's result if it was kept and still holds."""
    folder = place(part, root)
    if not (folder / "result.yaml").is_file():
        return None
    task = catalog.task(part.task)
    try:
        result = Result.load(folder)
    except ResultError:
        return None
    now = {
        "task_hash": provenance.task_hash(task),
        "simulator_hash": provenance.simulator_hash(task),
        "data": build(task, part.split).hashes(),
    }
    return result if all(result.record[key] == value for key, value in now.items()) else None


def original(part: Part) -> Part | None:
    """Return the part whose actions may be played again in this one; None where there is none.

    An oracle that looks ahead finds in a view of a task, as a suite names it, what it finds in the task
    itself, as long as both differ in what is observed alone.
    """
    if part.role != "oracle":
        return None
    for group in (group for suite in suites().values() for group in suite.groups):
        if part.task in group[1:]:
            task, other = catalog.task(part.task), catalog.task(group[0])
            names = [policy_name(one, part.role) for one in (task, other)]
            if names[0] != names[1] or names[0] is None or _world(task) != _world(other):
                continue
            if settings_hash(task, names[0]) == settings_hash(other, names[0]):
                return Part(group[0], part.role, part.split)
    return None


def _world(task: Task) -> dict[str, Any]:
    """Return all of a task but what is seen of it."""
    return {key: value for key, value in task.content().items() if key not in _SEEN}


def run(part: Part, root: Path = REFERENCES, on: Engine | None = None) -> tuple[Path, float]:
    """Evaluate a part unless its result is kept; return its folder and the seconds that it took.

    The oracle of a view plays the kept actions of the task's own oracle, where there are any. A run that
    was cut off goes on where it stopped. Episodes run on the engine `on`, else here.

    Raises `ResultError` where an episode fails.
    """
    folder = place(part, root)
    result = kept(part, root)
    if result is None:
        task = catalog.task(part.task)
        name = policy_name(task, part.role)
        other = original(part)
        solved = None if other is None else kept(other, root)
        if solved is None:
            result = evaluate(task, name, part.split, folder, on=on, progress=False)
        else:
            result = replay_in(task, solved, folder)
    if result.failed:
        error = result.episodes.loc[result.episodes["failed"], "error"].iloc[0]
        raise ResultError(f"{part}: {result.policy} failed ({error}); a reference needs all episodes.")
    return folder, float(result.record["wall_time_s"])


def run_all(
    todo: list[Part],
    root: Path = REFERENCES,
    workers: int = 1,
    done: Any = lambda part, seconds: None,
    on: str | Engine | None = None,
) -> None:
    """Evaluate parts, by workers or on an engine (see `agbench.running`); `done` is called after each.

    Workers of this machine take a part each; those of others the episodes of one part after the other.
    Oracles of views come last, to play what those of their tasks found. What was finished before an error
    or an interruption is kept.
    """
    engine = engine_of(on, workers)
    views = [part for part in todo if original(part) in todo]
    for wave in ([part for part in todo if part not in views], views):
        if engine.is_here:
            for number, seconds in engine.run(_Evaluations(root), wave):
                done(wave[number], seconds)
        else:
            for part in wave:
                done(part, run(part, root, engine)[1])


@dataclass(frozen=True)
class _Evaluations:
    """Evaluates parts that do not need each other, which are its items; results are the seconds they took."""

    root: Path

    def files(self) -> list[str]:
        """Return none."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Callable[[Part], float]:
        """Return the function that evaluates a part."""
        return lambda part: run(part, self.root)[1]
