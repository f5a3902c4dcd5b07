"""A training from its settings to an exported, evaluated policy; one that was cut off goes on."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from agbench.data import catalog
from agbench.data.task import Task
from agbench.data.training import TrainingSettings, training_settings
from agbench.envs.family import action_map
from agbench.envs.scaling import scaling_of
from agbench.envs.threads import in_threads
from agbench.errors import ConfigError
from agbench.evaluation import Result, evaluate, provenance
from agbench.evaluation.references import REPORTED
from agbench.evaluation.result import require_place
from agbench.files import alone, write_text
from agbench.policies.base import Policy
from agbench.policies.networks import mlp
from agbench.policies.registry import load_policy
from agbench.training import checkpoint, logs, onnx_file
from agbench.training.algorithms import Algorithm, algorithm, require_costs, require_network
from agbench.training.export import export
from agbench.training.extras import EXTRAS, require
from agbench.training.folders import TRAINING, require_for_training
from agbench.training.following import Following, diverged, is_finite, progress_bar
from agbench.training.learner import Learner
from agbench.training.starting import begun
from agbench.training.teachers import named_by, require_teacher, teacher
from agbench.training.threads import one_thread
from agbench.training.validation import Mark, Validation

RECORD: Final = TRAINING
RESULT: Final = "test"
_SEEDS: Final = 2**32
"""NumPy's generators, from which Stable-Baselines3 draws, take seeds below this."""
_LIBRARIES: Final = ("torch", "stable-baselines3", "sb3-contrib", "numpy")


@dataclass(frozen=True)
class Trained:
    """A finished training: the best agent of its validations, exported, and what it reaches on test.

    `score`: 0 is the floor, 100 the oracle; None where the task has no anchors. `steps`: environment steps
    that were made. `seconds`: CPU time of this process, without what a run that was cut off had taken.
    """

    task: Task
    settings: TrainingSettings
    seed: int
    folder: Path
    policy: Policy
    marks: list[Mark]
    best: Mark
    steps: int
    seconds: float
    result: Result
    score: float | None
    chosen: Algorithm
    shown: int
    """Transitions of the demonstrations that it learned from."""

    @property
    def results(self) -> list[Path]:
        """The folders of the results that a submission needs, that on test first."""
        return [self.folder / split for split in _reported(self.task)]

    @property
    def environment_steps(self) -> int:
        """Steps of environments that the agent has seen, its own and those of its demonstrations."""
        return self.shown + (self.steps if self.chosen.plays else 0)


def train(
    task: str,
    algo: str,
    steps: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    *,
    demos: str | Path | None = None,
    dataset: str | Path | None = None,
    demo_episodes: int | None = None,
    settings: Mapping[str, Any] | None = None,
    tensorboard: str | Path | None = None,
    wandb: str | None = None,
    threads: int = 1,
    progress: bool | None = None,
) -> Policy:
    """Train an agent on a task's train split and return it: the best of its validations.

    Args:
        task: an id.
        algo: an algorithm; `agbench.data.training.algorithms()` lists them.
        steps: environment steps; by default those of the algorithm's file.
        seed: of networks, exploration and scenarios.
        out: a folder for policy, settings, learning curve and result. A run that was cut off goes on
            there. Without a folder nothing is kept.
        demos: for algorithms that imitate: a policy, by name or file, that shows what to do, or the folder
            of a dataset.
        dataset: the folder of a dataset, as for `demos`.
        demo_episodes: so many episodes of it; by default those of the algorithm's file, and of a folder all.
        settings: what differs from `baselines/algorithms/ALGO.yaml`, such as `{"gamma": 1.0}`.
        tensorboard: a folder for TensorBoard's files.
        wandb: a project of Weights & Biases.
        threads: in which the environments of a greenhouse step; the agent is the same for any number. Fields
            take 64 of them a thread (`settings={"envs": 128}`). A run that goes on keeps what it began with.
        progress: show a progress bar; by default where standard error is a terminal.

    Raises:
        UnknownNameError: for an unknown task or algorithm.
        ConfigError: for wrong settings, an algorithm that cannot choose such actions, or a folder of another
            run.
        MissingExtraError: without Stable-Baselines3, or what else the algorithm needs.
    """
    more: dict[str, Any] = {"tensorboard": tensorboard, "wandb": wandb, "progress": progress}
    more |= {"demos": demos, "dataset": dataset, "demo_episodes": demo_episodes, "threads": threads}
    if out is not None:
        return run(task, algo, steps, seed, out, settings, **more).policy
    with TemporaryDirectory() as folder:
        return run(task, algo, steps, seed, folder, settings, **more).policy


def run(
    task: str,
    algo: str,
    steps: int | None,
    seed: int,
    out: str | Path,
    changes: Mapping[str, Any] | None = None,
    *,
    demos: str | Path | None = None,
    dataset: str | Path | None = None,
    demo_episodes: int | None = None,
    tensorboard: str | Path | None = None,
    wandb: str | None = None,
    threads: int = 1,
    progress: bool | None = None,
) -> Trained:
    """Train an agent and return all that there is to know of it; arguments as in `train`."""
    if not str(out):
        raise ConfigError("out is empty: name a folder for the training, or give none to keep nothing.")
    with alone(Path(out), ConfigError), in_threads(threads):
        more: dict[str, Any] = {"tensorboard": tensorboard, "wandb": wandb, "progress": progress}
        more |= {"demos": demos, "dataset": dataset, "demo_episodes": demo_episodes}
        return _run(task, algo, steps, seed, out, changes, **more)


def _run(
    task: str,
    algo: str,
    steps: int | None,
    seed: int,
    out: str | Path,
    changes: Mapping[str, Any] | None,
    *,
    demos: str | Path | None,
    dataset: str | Path | None,
    demo_episodes: int | None,
    tensorboard: str | Path | None,
    wandb: str | None,
    progress: bool | None,
) -> Trained:
    """Do what `run` says; no other process writes `out` meanwhile."""
    if not isinstance(task, str):
        raise ConfigError(f"task is an id, such as 'wheat-nitrogen-v1'; got {task!r}.")
    spec, folder, started = catalog.task(task), Path(out), time.process_time()
    if not isinstance(seed, int) or not 0 <= seed < _SEEDS:
        raise ConfigError(f"seed {seed!r}: seeds are whole numbers, 0 to {_SEEDS - 1:,}.")
    changes = _said(changes, steps, demo_episodes)
    settings = training_settings(algo, task, changes)
    space = action_map(spec).space
    chosen = algorithm(algo, task, space)
    require_teacher(spec, chosen, settings, demos, dataset)
    _require_fitting(chosen, settings)
    require_network(chosen, settings, space)
    require_costs(chosen, algo, spec)
    _require_unfinished(folder)
    for split in _reported(spec):
        require_place(folder / split)  # before it is trained
    identity = _identity(spec, chosen, settings, seed)
    if (folder / checkpoint.FILE).is_file():
        checkpoint.read(
            folder / checkpoint.FILE, identity
        )  # before its demonstrations are replaced by others
    teaching = teacher(
        spec, chosen, settings, seed, folder, demos, dataset, changes.get("demo_episodes"), progress
    )
    identity |= teaching.about
    following = _following(spec, chosen, settings, folder, identity, progress_bar(progress))
    with one_thread():
        model = begun(spec, chosen, settings, seed, folder, identity, following, teaching)
        model.set_logger(logs.logger(folder, tensorboard, wandb, identity, model.num_timesteps))
        with following.progress:
            left = settings.steps - model.num_timesteps
            try:
                model.learn(max(left, 0), callback=following, reset_num_timesteps=False)
            except ValueError as error:  # as torch's distributions raise of parameters that are no numbers
                if not is_finite(model):
                    raise diverged(model) from error
                raise
            finally:
                model.logger.close()
        made = model.num_timesteps
        model.policy.load_state_dict(following.best)
        _export(model, task, folder)
    policy = load_policy(folder / "policy.npz", spec)
    file = folder / "policy.npz"  # its bytes say whether episodes that a cut-off run has left are its own
    played = [evaluate(spec, file, split, folder / split, progress=progress) for split in _reported(spec)]
    result = played[0]
    seconds = time.process_time() - started
    marks, best = following.marks, following.best_mark
    shown = 0 if teaching.demonstrations is None else len(teaching.demonstrations)
    score = _score(result)
    finished = Trained(
        spec, settings, seed, folder, policy, marks, best, made, seconds, result, score, chosen, shown
    )
    write_text(folder / RECORD, yaml.safe_dump(_record(finished, identity), sort_keys=False, width=110))
    (folder / checkpoint.FILE).unlink(missing_ok=True)
    return finished


def _said(changes: Mapping[str, Any] | None, steps: int | None, demo_episodes: int | None) -> dict[str, Any]:
    """Return changes of settings with those that have arguments of their own."""
    if not isinstance(changes, Mapping | None):
        raise ConfigError(f"settings is a mapping such as {{'gamma': 1.0}}; got {changes!r}.")
    said = {"steps": steps, "demo_episodes": demo_episodes}
    return dict(changes or {}) | {key: value for key, value in said.items() if value is not None}


def asked(
    task: str,
    algo: str,
    seed: int,
    *,
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    demos: str | Path | None = None,
    dataset: str | Path | None = None,
    demo_episodes: int | None = None,
) -> dict[str, Any]:
    """Return what the record of such a training says of what it was asked for; arguments as in `train`."""
    spec = catalog.task(task)
    made = training_settings(algo, task, _said(settings, steps, demo_episodes))
    result = _identity(spec, algorithm(algo, task, action_map(spec).space), made, seed)
    del result["versions"]
    if demos is None and dataset is None:
        return result
    return result | {"teacher": named_by(spec, demos, dataset)}


def _reported(task: Task) -> list[str]:
    """Return the splits that a submission needs."""
    return [split for split in REPORTED if split in task.splits]


def _following(
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    folder: Path,
    identity: dict[str, Any],
    bar: Any,
) -> Following:
    """Return what follows a training: validations, and a checkpoint after each."""
    plan, scaling = settings.validation, scaling_of(task)

    def keep(following: Following) -> None:
        if not isinstance(following.model, Learner):
            kept = checkpoint.take(following.model, identity, following.state)
            kept.write(folder / checkpoint.FILE)

    validation = Validation(task, plan, scaling.observations)
    return Following(validation, plan.every, plan.patience, keep, bar)


def _require_fitting(chosen: Algorithm, settings: TrainingSettings) -> None:
    """Raise `ConfigError` where `envs` does not fit, `MissingExtraError` where a library lacks."""
    if chosen.plays != (settings.envs is not None):
        remedy = "add it: envs: 8" if chosen.plays else "it plays none, leave it out"
        raise ConfigError(f"{settings.algorithm}: envs is how many environments step together; {remedy}.")
    if settings.reuse > 1 and not chosen.plays:
        raise ConfigError(f"{settings.algorithm}: reuse is for seasons that are played; leave it out.")
    if extra := getattr(chosen.load(), "extra", ""):
        require(extra)


def _identity(task: Task, chosen: Algorithm, settings: TrainingSettings, seed: int) -> dict[str, Any]:
    """Return all that a training follows from."""
    extra = getattr(chosen.load(), "extra", "")
    libraries = (*_LIBRARIES, *((EXTRAS[extra].library,) if extra else ()))
    return {
        "task": task.task,
        "task_hash": provenance.task_hash(task),
        "simulator_hash": provenance.simulator_hash(task),
        "seed": seed,
        **settings.model_dump(),
        "versions": {name: metadata.version(name) for name in libraries},
    }


def _require_unfinished(folder: Path) -> None:
    """Raise `ConfigError` for a folder that holds a finished training or something else, and a file."""
    require_for_training(folder)
    if (folder / RECORD).is_file():
        raise ConfigError(
            f"{folder} holds a finished training. Name another folder with --out, or remove it."
        )


def _export(model: Any, task: str, folder: Path) -> None:
    """Write `policy.npz`, checked against the model, and `policy.onnx` where ONNX is installed."""
    export(model, task, folder / "policy.npz")
    if find_spec("onnx") is not None:
        content, inputs = (folder / "policy.npz").read_bytes(), model.observation_space.shape[0]
        network = mlp.read(content, "policy.npz", inputs, model.action_space)
        onnx_file.save(network, model.action_space, folder / "policy.onnx")


def _score(result: Result) -> float | None:
    """Return the score of a result on test; None without anchors."""
    return None if result.score is None else result.score.value


def _record(finished: Trained, identity: dict[str, Any]) -> dict[str, Any]:
    """Return what `training.yaml` says."""
    return {
        **identity,
        "method": finished.chosen.method,
        "steps_made": finished.steps,
        "environment_steps": finished.environment_steps,
        "cpu_seconds": round(finished.seconds, 1),
        "best": finished.best._asdict(),
        "test": {name: interval._asdict() for name, interval in finished.result.summary.items()},
        "score": finished.score,
        "curve": [mark._asdict() for mark in finished.marks],
    }
