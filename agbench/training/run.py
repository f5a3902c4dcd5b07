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
from agbench.errors import ConfigError
from agbench.evaluation import Result, anchors, evaluate, provenance
from agbench.files import write_text
from agbench.policies.base import Policy
from agbench.policies.networks import mlp
from agbench.policies.registry import load_policy
from agbench.training import checkpoint, logs, onnx_file
from agbench.training.algorithms import Algorithm, algorithm, make
from agbench.training.export import export
from agbench.training.following import Following, progress_bar
from agbench.training.sb3 import sb3_env
from agbench.training.threads import one_thread
from agbench.training.validation import Mark, Validation, limit_of

CHECKPOINT: Final = "checkpoint.pkl"
RECORD: Final = "training.yaml"
RESULT: Final = "test"
_LIBRARIES: Final = ("torch", "stable-baselines3", "sb3-contrib", "numpy")


@dataclass(frozen=True)
class Trained:
    """A finished training: the best agent of its validations, exported, and what it reaches on test.

    `score`: 0 is the floor, 100 the expert; None where the task has no anchors. `steps`: environment steps
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


def train(
    task: str,
    algo: str,
    steps: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    tensorboard: str | Path | None = None,
    wandb: str | None = None,
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
        settings: what differs from `baselines/algorithms/ALGO.yaml`, such as `{"gamma": 1.0}`.
        tensorboard: a folder for TensorBoard's files.
        wandb: a project of Weights & Biases.
        progress: show a progress bar; by default where standard error is a terminal.

    Raises:
        UnknownNameError: for an unknown task or algorithm.
        ConfigError: for wrong settings, an algorithm that cannot choose such actions, or a folder of another
            run.
        MissingExtraError: without Stable-Baselines3.
    """
    more: dict[str, Any] = {"tensorboard": tensorboard, "wandb": wandb, "progress": progress}
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
    tensorboard: str | Path | None = None,
    wandb: str | None = None,
    progress: bool | None = None,
) -> Trained:
    """Train an agent and return all that there is to know of it; arguments as in `train`."""
    spec, folder, started = catalog.task(task), Path(out), time.process_time()
    changes = dict(changes or {}) | ({} if steps is None else {"steps": steps})
    settings = training_settings(algo, task, changes)
    chosen = algorithm(algo, task, action_map(spec).space)
    identity = _identity(spec, settings, seed)
    _require_unfinished(folder)
    following = _following(spec, settings, folder, identity, progress_bar(progress))
    with one_thread():
        model = _start(spec, chosen, settings, seed, folder, identity, following)
        model.set_logger(logs.logger(folder, tensorboard, wandb, identity, model.num_timesteps))
        with following.progress:
            left = settings.steps - model.num_timesteps
            model.learn(max(left, 0), callback=following, reset_num_timesteps=False)
        model.logger.close()
        made = model.num_timesteps
        model.policy.load_state_dict(following.best)
        _export(model, task, folder)
    policy = load_policy(folder / "policy.npz", spec)
    result = evaluate(spec, policy, "test", folder / RESULT, progress=progress)
    seconds = time.process_time() - started
    marks, best = following.marks, following.best_mark
    finished = Trained(
        spec, settings, seed, folder, policy, marks, best, made, seconds, result, _score(spec, result)
    )
    write_text(folder / RECORD, yaml.safe_dump(_record(finished, identity), sort_keys=False, width=110))
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return finished


def _start(
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    seed: int,
    folder: Path,
    identity: dict[str, Any],
    following: Following,
) -> Any:
    """Return the model of a new run, or of one that was cut off, its environment where it stood."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return make(
            chosen, settings, sb3_env(task.task, settings.envs, reuse=settings.reuse), seed, limit_of(task)
        )
    kept = checkpoint.read(path, identity)
    following.resume(kept.progress)
    return checkpoint.restored(chosen.load(), kept)


def _following(
    task: Task, settings: TrainingSettings, folder: Path, identity: dict[str, Any], bar: Any
) -> Following:
    """Return what follows a training: validations, and a checkpoint after each."""
    chosen, scaling = settings.validation, scaling_of(task)

    def keep(following: Following) -> None:
        kept = checkpoint.take(following.model, identity, following.state)
        kept.write(folder / CHECKPOINT)

    validation = Validation(task, chosen.episodes, scaling.observations)
    return Following(validation, chosen.every, chosen.patience, keep, bar)


def _identity(task: Task, settings: TrainingSettings, seed: int) -> dict[str, Any]:
    """Return all that a training follows from."""
    return {
        "task": task.task,
        "task_hash": provenance.task_hash(task),
        "simulator_hash": provenance.simulator_hash(task),
        "seed": seed,
        **settings.model_dump(),
        "versions": {name: metadata.version(name) for name in _LIBRARIES},
    }


def _require_unfinished(folder: Path) -> None:
    """Raise `ConfigError` for a folder that holds a finished training."""
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


def _score(task: Task, result: Result) -> float | None:
    """Return the score of a result on test: 0 is the floor, 100 the expert; None without anchors."""
    try:
        return float(anchors.of_split(task, "test").scores(result.objective.mean()))
    except ConfigError:
        return None


def _record(finished: Trained, identity: dict[str, Any]) -> dict[str, Any]:
    """Return what `training.yaml` says."""
    return {
        **identity,
        "steps_made": finished.steps,
        "cpu_seconds": round(finished.seconds, 1),
        "best": finished.best._asdict(),
        "test": {name: interval._asdict() for name, interval in finished.result.summary.items()},
        "score": finished.score,
        "curve": [mark._asdict() for mark in finished.marks],
    }
