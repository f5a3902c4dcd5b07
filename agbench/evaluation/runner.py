"""The runner: runs a policy in every episode of a task's protocol, with progress, and can resume."""

import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.task import Task
from agbench.envs import AgBenchEnv
from agbench.envs.family import build
from agbench.errors import AgBenchWarning, ResultError
from agbench.evaluation import batches, provenance
from agbench.evaluation.batches import Together
from agbench.evaluation.protocol import Episode, episodes
from agbench.evaluation.result import FORMAT, Result, require_place
from agbench.evaluation.rollout import Rollout, roll_out
from agbench.files import alone, place_of, recover, sha256, write, write_text
from agbench.policies.base import Policy
from agbench.policies.registry import as_policy
from agbench.policies.simple import Recorded
from agbench.running import Engine, engine_of
from agbench.running.engines import Here

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    task: str | Task,
    policy: Any,
    split: str = "test",
    out: str | Path | None = None,
    workers: int = 1,
    *,
    on: "str | Engine | None" = None,
    progress: bool | None = None,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    other_task: bool = False,
    **overrides: Any,
) -> Result:
    """Run a policy through a task's protocol and return the result.

    Args:
        task: an id, or a task.
        policy: a name, a path or `package.module:Name` (see `load_policy`), a policy, or a model
            with `predict`.
        split: the scenarios, all of them, in order.
        out: a folder for the result. A run that was cut off goes on where it stopped, but for the
            episodes that were played side by side then: `batches.ROWS` where the policy is a `Batching`.
        workers: processes; the result is the same for any number of them.
        on: where episodes run, in place of `workers`: `processes`, `processes:4`, `ray`, `ray://HOST:10001`;
            see docs/cluster.md.
        progress: show a progress bar; by default where standard error is a terminal.
        weather: daily weather that replaces the site's.
        years: years that replace the split's.
        other_task: run a network's file that says it was made for another task or other observations.
        **overrides: keys of the task file, as in `agbench.make`. The result says so.

    An episode that raises is recorded as failed and scored at the task's worst bound; warns where all do.
    """
    out = None if out is None else place_of(Path(out), ResultError)
    with nullcontext() if out is None else alone(out, ResultError):
        return _evaluated(
            task, policy, split, out, engine_of(on, workers), progress, weather, years, other_task, overrides
        )


def _evaluated(
    task: str | Task,
    policy: Any,
    split: str,
    out: Path | None,
    engine: Engine,
    progress: bool | None,
    weather: "pd.DataFrame | None",
    years: Sequence[int] | None,
    other_task: bool,
    overrides: Mapping[str, Any],
) -> Result:
    """Do what `evaluate` says; no other process writes `out` meanwhile."""
    spec = override(catalog.task(task) if isinstance(task, str) else task, overrides)
    if out is not None:
        recover(out)
        require_place(out)  # before it is played
    parts = build(spec, split, weather=weather, years=years)
    runner = as_policy(policy, spec, other_task=other_task)
    todo = episodes(spec, parts.scenarios)
    started = time.perf_counter()
    keep = (
        None if out is None else _Partial(out, _identity(spec, split, runner, policy, parts.hashes(), todo))
    )
    done = {} if keep is None else keep.read()
    left = [e for i, e in enumerate(todo) if i not in done]
    places = [i for i in range(len(todo)) if i not in done]
    rollouts: Iterator[tuple[int, Rollout]]
    if isinstance(engine, Here):
        env = AgBenchEnv(parts)
        rollouts = enumerate(
            batches.played(
                parts, left, lambda _, episode: roll_out(env, runner, episode), batches.of_policy(runner)
            )
        )
    else:
        job = _Job(spec, split, weather, years, policy if isinstance(policy, (str, Path)) else runner)
        rollouts = engine.run(job, left)
    label = f"{spec.task}  {runner.name}  {split}"
    for number, rollout in _shown(rollouts, len(left), label, progress):
        done[places[number]] = rollout
        if keep is not None:
            keep.write(places[number], rollout)
    result = _assemble(spec, split, runner, [done[i] for i in range(len(todo))], dict(overrides))
    result.record.update(wall_time_s=round(time.perf_counter() - started, 3), data=parts.hashes())
    if out is not None:
        result.put(out)
    if keep is not None:
        keep.remove()
    _warn_of_failures(result)
    return result


def _warn_of_failures(result: Result) -> None:
    """Warn where no episode was played to its end: such a result says nothing of the policy."""
    if result.failed == len(result.episodes):
        warn(
            f"{result.task.task}: all {result.failed} episodes of {result.policy} failed, the first with "
            f"{str(result.episodes['error'].iloc[0]).rstrip('.')}. They count as the task's worst bound.",
            AgBenchWarning,
            stacklevel=4,
        )


def replay(result: Result, *, weather: "pd.DataFrame | None" = None) -> Result:
    """Simulate a result's recorded actions again and return what they give now."""
    actions = result.actions
    return run_again(
        result,
        lambda place: Recorded(list(actions[place]), result.policy),
        batches.of_recording(actions),
        weather=weather,
    )


def replay_in(task: Task, result: Result, out: str | Path) -> Result:
    """Return what a result's recorded actions give in a view of its task, saved to `out`.

    Raises `ResultError` where an episode gives anything else than in the result: it is no view.
    """
    started = time.perf_counter()
    own = Result(
        task, result.split, result.policy, result.information, result.episodes, result.actions, result.record
    )
    again = replay(own)
    name = task.protocol.objective
    other = np.flatnonzero(again.episodes[name].to_numpy() != result.episodes[name].to_numpy())
    if len(other):
        raise ResultError(
            f"{task.task}: actions of {result.policy} in {result.task.task} give something else here, in "
            f"{result.episodes['scenario'].iloc[other[0]]}: it is no view of that task."
        )
    data = build(task, result.split).hashes()
    again.record.update(wall_time_s=round(time.perf_counter() - started, 3), data=data)
    again.save(out)
    return again


def run_again(
    result: Result,
    policy: Callable[[int], Policy],
    together: Together | None = None,
    *,
    weather: "pd.DataFrame | None" = None,
) -> Result:
    """Run a result's episodes again, and return what they give now.

    `policy` gives each episode's own by its place; `together`, what acts for several at once.
    """
    keys = {key for split in result.task.splits for key in result.task.scenarios(split)}
    scenarios = set(result.episodes["scenario"])
    years = None if scenarios <= keys else _years_of(scenarios)
    parts = build(result.task, result.split, weather=weather, years=years)
    env = AgBenchEnv(parts)
    columns = (result.episodes[name] for name in ("scenario", "repeat", "seed"))
    todo = [Episode(str(key), int(repeat), int(seed)) for key, repeat, seed in zip(*columns, strict=True)]
    rollouts = list(
        batches.played(parts, todo, lambda place, episode: roll_out(env, policy(place), episode), together)
    )
    again = Recorded([], result.policy)
    again.information = result.information  # type: ignore[assignment]
    return _assemble(result.task, result.split, again, rollouts, result.record["overrides"])


def _years_of(keys: Iterable[str]) -> list[int] | None:
    """Return the measured years of scenarios; None where some are generated."""
    parts = [key.split("/")[1][:4] for key in keys]
    return sorted({int(part) for part in parts}) if all(part.isdigit() for part in parts) else None


def _sound(row: dict[str, Any], task: Task) -> dict[str, Any]:
    """Return the row of an episode; one with numbers that are none has failed, and has 0 in their place."""
    wrong = [name for name in ("return", "cost", *task.metrics) if not math.isfinite(row[name])]
    if not wrong:
        return row
    error = row["error"] or f"SimulationError: {wrong[0]} is {row[wrong[0]]}"
    values = {**dict.fromkeys(wrong, 0.0), task.protocol.objective: float(task.protocol.worst)}
    return {**row, **values, "failed": True, "error": error}


def _assemble(
    task: Task, split: str, policy: Policy, rollouts: Sequence[Rollout], overrides: Mapping[str, Any]
) -> Result:
    """Return the result of finished episodes."""
    import pandas as pd

    table = pd.DataFrame([_sound(rollout.row, task) for rollout in rollouts])
    record = {
        "format": FORMAT,
        "task": task.task,
        "task_hash": provenance.task_hash(task),
        "overrides": {key: provenance.plain(value) for key, value in overrides.items()},
        "split": split,
        "policy": policy.name,
        "information": policy.information,
        "seed": task.protocol.seed,
        "episodes": len(rollouts),
        "failed": int(table["failed"].sum()),
        "wall_time_s": 0.0,
        "simulator_hash": provenance.simulator_hash(task),
        "data": {},
        "versions": provenance.versions(),
        "machine": provenance.machine(),
    }
    actions = [rollout.actions for rollout in rollouts]
    return Result(task, split, policy.name, policy.information, table, actions, record)


def _shown(
    rollouts: Iterator[tuple[int, Rollout]], count: int, label: str, progress: bool | None
) -> Iterator[tuple[int, Rollout]]:
    """Yield the rollouts under a progress bar on standard error."""
    console = Console(stderr=True)
    if not (console.is_terminal if progress is None else progress):
        yield from rollouts
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        line = bar.add_task(label, total=count)
        for rollout in rollouts:
            bar.advance(line)
            yield rollout


class _Job:
    """What a worker needs to make its own environment and policy; its items are episodes."""

    def __init__(self, task: Task, split: str, weather: Any, years: Any, policy: Any) -> None:
        self.task, self.split, self.weather, self.years = task, split, weather, years
        self.policy = policy

    def files(self) -> list[str]:
        """Return the policy's file, if it is one."""
        named = isinstance(self.policy, (str, Path)) and os.path.isfile(self.policy)
        return [str(self.policy)] if named else []

    def prepare(self, place: Mapping[str, str]) -> Callable[[Episode], Rollout]:
        """Return the function that runs an episode."""
        env = AgBenchEnv(build(self.task, self.split, weather=self.weather, years=self.years))
        source = place.get(str(self.policy), self.policy)
        policy = as_policy(source, self.task, other_task=True)  # asked for already
        return lambda episode: roll_out(env, policy, episode)


def _identity(
    task: Task, split: str, policy: Policy, source: Any, hashes: dict[str, str], todo: Sequence[Episode]
) -> dict[str, Any]:
    """Return what must be equal for a cut-off run to be gone on with; `source` is what names the policy."""
    return {
        "task_hash": provenance.task_hash(task),
        "simulator_hash": provenance.simulator_hash(task),
        "split": split,
        "policy": policy.name,
        "information": policy.information,
        "file": _file_hash(source, task),
        "data": hashes,
        "episodes": [[e.scenario, e.repeat, e.seed] for e in todo],
    }


def _file_hash(source: Any, task: Task) -> str | None:
    """Return the SHA-256 of a policy's file, which may be another one under the same name; None without."""
    if not isinstance(source, (str, Path)):
        return None
    path = Path(source) if os.path.isfile(source) else catalog.find_baseline(task.task, str(source))
    return None if path is None else sha256(path)


class _Partial:
    """The finished episodes of a run that has not ended, beside the folder of its result."""

    def __init__(self, out: Path, identity: dict[str, Any]) -> None:
        self._folder = out.parent / f".{out.name}.partial"
        self._identity = json.dumps(identity, sort_keys=True)
        self._label = self._folder / "identity.json"

    def read(self) -> dict[int, Rollout]:
        """Return finished episodes by their place; those of another run are thrown away."""
        if not self._label.is_file() or self._label.read_text("utf-8") != self._identity:
            self.remove()
            write_text(self._label, self._identity)
            return {}
        result = {}
        for path in sorted(self._folder.glob("[0-9]*.npz")):
            with np.load(path, allow_pickle=False) as stored:
                result[int(path.stem)] = Rollout(json.loads(str(stored["row"])), stored["actions"])
        return result

    def write(self, place: int, rollout: Rollout) -> None:
        """Keep a finished episode."""
        row = np.array(json.dumps(provenance.plain(rollout.row)))

        def fill(path: Path) -> None:
            with path.open("wb") as file:
                np.savez(file, row=row, actions=rollout.actions)

        write(self._folder / f"{place:05d}.npz", fill)

    def remove(self) -> None:
        """Forget the run."""
        shutil.rmtree(self._folder, ignore_errors=True)
