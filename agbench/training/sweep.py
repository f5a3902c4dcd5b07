"""A sweep: settings drawn by Optuna, judged on validation, the best ones written with their evidence.

All that a sweep knows is in its journal, to which each trial writes what it finds at once: a sweep that was
killed loses the trials that ran, and the same command goes on. Trials draw from generators of their own, so
that with one worker it goes on to the same settings as a sweep that was never cut off.
"""

import shlex
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from agbench.data import catalog
from agbench.data.sweep import changed, sweep_space
from agbench.data.task import Task
from agbench.data.training import CHANGES as FOLDER
from agbench.data.training import EVIDENCE
from agbench.envs.family import action_map
from agbench.envs.scaling import scaling_of
from agbench.errors import AgBenchWarning, ConfigError, TrainingError, WorkerError, did_you_mean
from agbench.evaluation import provenance
from agbench.files import write_text
from agbench.running import Engine, engine_of
from agbench.training import journal, trial
from agbench.training.algorithms import algorithm, arguments, require_costs
from agbench.training.difference import difference
from agbench.training.folders import JOURNAL, SWEEP, require_for_sweep
from agbench.training.following import progress_bar
from agbench.training.journal import TrialState
from agbench.training.trial import Job
from agbench.training.validation import Mark, split_of

PRUNERS: Final = ("median", "none")
RECORD: Final = SWEEP
_IDENTITY: Final = "identity"
_DEFAULT: Final = -1
_LIBRARIES: Final = ("torch", "stable-baselines3", "sb3-contrib", "optuna")
_STATES: Final = {TrialState.COMPLETE: "done", TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}


class TrialRecord(NamedTuple):
    """A trial that has ended. `state`: `done`, `pruned` (ended early) or `failed` (it raised `error`).

    `changes`: its settings, where they are not the task's. `mark`: what it reached; None where it failed.
    """

    place: int
    state: str
    changes: dict[str, Any]
    mark: Mark | None
    error: str | None


@dataclass(frozen=True)
class Swept:
    """A finished sweep.

    `default`: what the settings before the sweep reach on validation. `best`: the best trial, None where
    none is better than that. `settings`: the file of the task's changes that the best trial makes, empty
    without one; `file`: where it was written.
    """

    task: Task
    algorithm: str
    folder: Path
    seeds: list[int]
    steps: int
    trials: list[TrialRecord]
    default: Mark
    best: TrialRecord | None
    settings: dict[str, Any]
    file: Path | None


def sweep(
    task: str,
    algo: str,
    trials: int = 30,
    steps: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    *,
    workers: int = 1,
    on: str | Engine | None = None,
    seeds: int = 1,
    space: str | Path | None = None,
    pruner: str = "median",
    settings: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Swept:
    """Search settings of an algorithm for a task; the validation split judges them, never test.

    The settings as they are are trained too, to compare with. A trial whose validations stay below the
    median of the others is ended early; one that raises is recorded as failed.

    Args:
        task: an id.
        algo: an algorithm; `agbench.data.sweep.spaces()` lists those that have a space.
        trials: how many settings are tried in all. A larger number goes on with a finished sweep.
        steps: environment steps of each agent; by default those of the algorithm's file.
        seed: of the sampler; a trial's agents have the seeds `seed`, `seed + 1`, ...
        out: a folder for journal, record and the chosen settings; by default `runs/TASK-ALGO-sweep`. A
            sweep that was cut off goes on there.
        workers: processes, each of which runs a trial at a time.
        on: where trials run, in place of `workers`; see docs/cluster.md. Other machines must see `out`.
        seeds: agents a trial; their mean is judged.
        space: a file of what is varied, in place of `baselines/sweeps/ALGO.yaml`.
        pruner: `median`, or `none`, which ends no trial early.
        settings: what differs from the algorithm's file in all trials.
        progress: show a progress bar; by default where standard error is a terminal.

    Raises:
        UnknownNameError: for an unknown task or algorithm.
        ConfigError: for wrong settings, a wrong space, or a folder of another sweep.
        TrainingError: where every trial failed.
        WorkerError: where workers die again and again, or do not see `out`.
        MissingExtraError: without Stable-Baselines3 or Optuna.
    """
    engine = engine_of(on, workers)
    for name, number in (("trials", trials), ("seeds", seeds)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ConfigError(f"{name} must be a whole number, at least 1; got {number!r}.")
    if pruner not in PRUNERS:
        raise ConfigError(f"pruner {pruner!r} is unknown.{did_you_mean(pruner, PRUNERS)}")
    folder = Path(out) if out is not None else Path("runs") / f"{task}-{algo}-sweep"
    seen = str(folder.absolute() / JOURNAL)  # workers may run in other folders
    spec, base = catalog.task(task), dict(settings or {}) | ({} if steps is None else {"steps": steps})
    chosen = sweep_space(algo, task, None if space is None else Path(space))
    of_agents = list(range(seed, seed + seeds))
    job = Job(task, algo, base, chosen, seed, of_agents, pruner, seen)
    _check(job, spec)
    require_for_sweep(folder)
    with journal.alone(folder):
        journal.mend(folder / JOURNAL)
        _identify(job, spec, folder)
        for name in (journal.TRIALS, journal.DEFAULT):
            journal.end_running(job.study(name))
        there = {record.place for record in _records(job, journal.TRIALS)}
        left = [place for place in range(trials) if place not in there]
        with progress_bar(progress) as bar:
            _run(job, left, engine, bar, trials)
        return _finished(job, spec, folder, trials, workers, space)


def _check(job: Job, spec: Task) -> None:
    """Raise `ConfigError` for what would end every trial, before any begins."""
    space = action_map(spec).space
    chosen = algorithm(job.algorithm, job.task, space)
    if chosen.learns_from != "rewards":
        raise ConfigError(
            f"{job.algorithm}: sweeps train on rewards; {job.algorithm} learns from {chosen.learns_from}."
        )
    require_costs(chosen, job.algorithm, spec)
    scaling_of(spec)
    arguments(chosen, job.settings({}), space)
    for key, dimension in job.space.space.items():
        for value in dimension.probes:
            arguments(chosen, job.settings({key: value}), space)


def _identify(job: Job, spec: Task, folder: Path) -> None:
    """Write into the journal what the sweep follows from; raises `ConfigError` for one of another sweep."""
    identity = {
        "task": job.task,
        "task_hash": provenance.task_hash(spec),
        "simulator_hash": provenance.simulator_hash(spec),
        "settings": job.settings({}).model_dump(),
        "space": job.space.model_dump(exclude={"summary", "source"})["space"],
        "seed": job.seed,
        "seeds": job.seeds,
        "pruner": job.pruner,
        "versions": {name: metadata.version(name) for name in _LIBRARIES},
    }
    try:
        study = job.study(journal.TRIALS)
    except Exception as error:  # a journal that is none raises anything
        raise ConfigError(
            f"{folder / JOURNAL}: cannot be read ({error}). Remove it to sweep from the start."
        ) from None
    there = study.user_attrs.get(_IDENTITY)
    if there is None:
        study.set_user_attr(_IDENTITY, identity)
        return
    if apart := difference(there, identity):
        raise ConfigError(
            f"{folder}: is of another sweep: {apart}. Name another folder with --out, or remove that one."
        )


def _records(job: Job, name: str) -> list[TrialRecord]:
    """Return the trials of a study that have ended, by their place; not those that were cut off."""
    result = []
    for one in job.study(name).get_trials(deepcopy=False):
        kept = one.user_attrs
        cut_off = one.state is TrialState.FAIL and trial.ERROR not in kept
        if cut_off or one.state not in _STATES:
            continue
        mark = None if one.state is TrialState.FAIL else Mark(**kept[trial.MARK])
        changes = kept.get(trial.CHANGES, {})
        result.append(
            TrialRecord(kept[trial.PLACE], _STATES[one.state], changes, mark, kept.get(trial.ERROR))
        )
    return sorted(result, key=lambda record: record.place)


def _run(job: Job, left: list[int], engine: Engine, bar: Any, trials: int) -> None:
    """Run the default, unless it has been, and the trials that are left."""
    default = not any(record.state == "done" for record in _records(job, journal.DEFAULT))
    line = bar.add_task(f"{job.task} {job.algorithm}", total=trials + 1)
    bar.update(line, completed=trials - len(left) + (not default))
    items = [_DEFAULT, *left] if default else left
    with closing(engine.run(_Trials(job), items)) as finished:
        for _ in finished:
            bar.advance(line)


@dataclass(frozen=True)
class _Trials:
    """The trials of a sweep, by number; -1 is the training with the settings as they are."""

    job: Job

    def files(self) -> list[str]:
        """Return none: the journal lies in a folder that all workers see."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Callable[[int], None]:
        """Return the function that runs a trial."""
        if not Path(self.job.journal).is_file():
            raise WorkerError(
                f"a worker does not see {self.job.journal}: the folder of a sweep must be one that all its "
                "machines share. Name such a folder with --out."
            )

        def work(number: int) -> None:
            if number == _DEFAULT:
                trial.run_default(self.job)
            else:
                trial.run_trial(self.job, number)

        return work


def _finished(
    job: Job, spec: Task, folder: Path, trials: int, workers: int, space: str | Path | None
) -> Swept:
    """Choose the best trial, and write the record and the chosen settings."""
    records, default = _records(job, journal.TRIALS), _default(job)
    done = [record for record in records if record.state == "done" and record.mark is not None]
    if not done:
        errors = next((record.error for record in records if record.error), "")
        raise TrainingError(f"no trial of the sweep reached its end. The first one said: {errors}")
    best = max(done, key=lambda record: record.mark.order if record.mark else default.order)
    better = best if best.mark is not None and best.mark.order > default.order else None
    usual = job.settings({})
    content: dict[str, Any] = {}
    file = folder / "baselines" / job.task / FOLDER / f"{job.algorithm}.yaml"
    if better is not None:
        own = {key: value for key, value in job.base.items() if key != "steps"}
        content = changed(job.task, job.algorithm, {**own, **better.changes})
        command = _command(job, len(records), workers, space)
        evidence = _evidence(job, spec, records, better, default, command)
        write_text(file, _yaml({EVIDENCE: evidence, **content}))
    swept = Swept(
        spec,
        job.algorithm,
        folder,
        job.seeds,
        usual.steps,
        records,
        default,
        better,
        content,
        file if better is not None else None,
    )
    write_text(folder / RECORD, _yaml(_record(job, swept)))
    if failed := [record for record in records if record.state == "failed"]:
        warnings.warn(
            f"{len(failed)} of {len(records)} trials failed; the first one: {failed[0].error}",
            AgBenchWarning,
            stacklevel=3,
        )
    return swept


def _default(job: Job) -> Mark:
    """Return what the settings before the sweep reach; raises `TrainingError` where they raise."""
    records = _records(job, journal.DEFAULT)
    mark = next((record.mark for record in records if record.state == "done"), None)
    if mark is None:
        raise TrainingError(
            f"training with the settings as they are failed: {records[-1].error if records else 'cut off'}"
        )
    return mark


def _evidence(
    job: Job, spec: Task, records: list[TrialRecord], best: TrialRecord, default: Mark, command: str
) -> dict[str, Any]:
    """Return where the chosen settings come from, as `agbench.data.training.SweepEvidence` has it."""
    assert best.mark is not None
    return {
        "command": command,
        "trials": len(records),
        "pruned": sum(record.state == "pruned" for record in records),
        "failed": sum(record.state == "failed" for record in records),
        "steps": job.settings({}).steps,
        "seeds": job.seeds,
        "split": split_of(spec),
        "objective": spec.protocol.objective,
        "best": best.mark.objective,
        "default": default.objective,
        "versions": {name: metadata.version(name) for name in _LIBRARIES},
    }


def _command(job: Job, trials: int, workers: int, space: str | Path | None) -> str:
    """Return the command line of a sweep."""
    words = ["agbench", "sweep", job.task, "--algo", job.algorithm, "--trials", str(trials)]
    words += ["--workers", str(workers), "--seed", str(job.seed), "--seeds", str(len(job.seeds))]
    words += ["--pruner", job.pruner] + ([] if space is None else ["--space", str(space)])
    for key, value in job.base.items():
        text = yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("\n...\n").strip()
        words += ["--steps", str(value)] if key == "steps" else ["--set", f"{key}={text}"]
    return shlex.join(words)


def _record(job: Job, swept: Swept) -> dict[str, Any]:
    """Return what `sweep.yaml` says."""
    return {
        **job.study(journal.TRIALS).user_attrs[_IDENTITY],
        "default": swept.default._asdict(),
        "best": None if swept.best is None else swept.best.place,
        "trials": [_row(record) for record in swept.trials],
    }


def _row(record: TrialRecord) -> dict[str, Any]:
    mark = None if record.mark is None else record.mark._asdict()
    return {**record._asdict(), "mark": mark}


def _yaml(content: Mapping[str, Any]) -> str:
    """Return YAML whose innermost lists and mappings stand on one line."""
    return yaml.safe_dump(content, sort_keys=False, width=110, default_flow_style=None, allow_unicode=True)
