"""The model of a training: a new one, or the one that a run that was cut off has left."""

from pathlib import Path
from typing import Any
from warnings import warn

from stable_baselines3.common.utils import set_random_seed

from agbench.data.task import Task
from agbench.data.training import TrainingSettings
from agbench.envs.family import action_map
from agbench.envs.scaling import scaling_of
from agbench.envs.threads import threads_in_force
from agbench.errors import AgBenchWarning
from agbench.training import checkpoint, logs, sqil
from agbench.training.algorithms import Algorithm, arguments, constructed, make
from agbench.training.following import Following
from agbench.training.learner import Learner, Lesson
from agbench.training.sb3 import FieldVecEnv, sb3_env
from agbench.training.teachers import Teacher
from agbench.training.validation import limit_of


def begun(
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    seed: int,
    folder: Path,
    identity: dict[str, Any],
    following: Following,
    teaching: Teacher,
) -> Any:
    """Return the model of a new run, or of one that was cut off, its environment where it stood."""
    path, cls = folder / checkpoint.FILE, chosen.load()
    if is_learner(cls):
        return _learner(cls, task, chosen, settings, seed, folder, teaching)
    if not path.is_file():
        return make(
            chosen, settings, _environments(task, settings), seed, limit_of(task), _shown(task, teaching)
        )
    kept = checkpoint.read(path, identity)
    following.resume(kept.progress)
    return checkpoint.restored(chosen.load(), kept)


def _environments(task: Task, settings: TrainingSettings) -> FieldVecEnv:
    return sb3_env(task.task, settings.envs or 1, reuse=settings.reuse, threads=threads_in_force())


def is_learner(cls: Any) -> bool:
    """Return whether a class is AgBench's own kind of learner, which cannot go on."""
    return isinstance(cls, type) and issubclass(cls, Learner)


def _shown(task: Task, teaching: Teacher) -> dict[str, Any]:
    """Return the arguments of a model that learns from demonstrations by its replay buffer."""
    if teaching.demonstrations is None:
        return {}
    shown = sqil.arrays(teaching.demonstrations, scaling_of(task))
    return {"replay_buffer_class": sqil.SqilBuffer, "replay_buffer_kwargs": {"demonstrations": shown}}


def _learner(
    cls: type[Learner],
    task: Task,
    chosen: Algorithm,
    settings: TrainingSettings,
    seed: int,
    folder: Path,
    teaching: Teacher,
) -> Learner:
    """Return a new learner; what an earlier run of it left is begun again."""
    if (folder / logs.TABLE).is_file():
        warn(
            f"{folder} holds a training that was cut off. {settings.algorithm} cannot go on: it starts "
            "again.",
            AgBenchWarning,
            stacklevel=2,
        )
    folder.mkdir(parents=True, exist_ok=True)
    set_random_seed(seed)
    lesson = Lesson(
        task,
        scaling_of(task),
        settings.network,
        seed,
        settings.steps,
        settings.validation.every,
        folder,
        _environments(task, settings) if settings.envs else None,
        teaching.demonstrations,
        teaching.expert,
    )
    if lesson.envs is not None:
        lesson.envs.seed(seed)
    given = arguments(chosen, settings, action_map(task).space)
    made: Learner = constructed(settings.algorithm, given, lambda: cls(lesson, **given))
    return made
