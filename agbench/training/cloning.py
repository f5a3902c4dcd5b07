"""Behavioural cloning, and DAgger: actions learned from an expert's, by the library imitation.

Cloning learns from demonstrations alone. DAgger (Ross, Gordon, Bagnell 2011) lets the agent act more and more
of the time, asks the expert what it would have done there, and clones all that was gathered.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from stable_baselines3.common.logger import Logger

from agbench.training.experts import Expert
from agbench.training.learner import ActorLearner, Lesson, actor, quiet

_GATHERED: Final = "dagger-"
"""How the folder begins in which DAgger gathers episodes."""


def transitions(lesson: Lesson) -> Any:
    """Return the demonstrations as imitation's `Transitions`, their observations scaled."""
    from imitation.data.types import Transitions

    data, scaled = lesson.data, lesson.scaling.observations
    return Transitions(
        obs=scaled(data.observations),
        acts=data.actions,
        infos=np.array([{}] * len(data)),
        next_obs=scaled(data.next_observations),
        dones=data.terminations,
    )


def hierarchical(logger: Logger) -> Any:
    """Return a logger as imitation takes one, which writes what `logger` writes and nothing else."""
    from imitation.util.logger import HierarchicalLogger

    return HierarchicalLogger(logger, ())


class Cloning(ActorLearner):
    """Behavioural cloning.

    Args:
        lesson: task, network and demonstrations. Its steps are gradient steps, one a batch.
        batch_size: transitions a batch.
        learning_rate: of Adam.
        ent_weight: of the entropy of the agent's choices, which the loss rewards.
        l2_weight: of the squares of the weights, which it punishes.
    """

    extra = "il"

    def __init__(
        self,
        lesson: Lesson,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        ent_weight: float = 1e-3,
        l2_weight: float = 0.0,
    ) -> None:
        super().__init__(lesson)
        self.policy = actor(self)
        self._clone: Any = _cloner(self, batch_size, learning_rate, ent_weight, l2_weight)
        if lesson.expert is None:
            lesson.require(batch_size)
            self._clone.set_demonstrations(transitions(lesson))

    def set_logger(self, logger: Logger) -> None:
        """Log to a logger."""
        super().set_logger(logger)
        self._clone.logger = hierarchical(logger)

    def round(self, most: int) -> None:
        """Take so many gradient steps."""
        with _without_warning():
            self._clone.train(n_batches=most, log_interval=most, progress_bar=False)
        self.num_timesteps += most


def _cloner(learner: ActorLearner, batch: int, rate: float, entropy: float, squares: float) -> Any:
    """Return imitation's trainer of a learner's policy."""
    from imitation.algorithms.bc import BC

    return BC(
        observation_space=learner.observation_space,
        action_space=learner.action_space,
        rng=np.random.default_rng(learner.lesson.seed),
        policy=learner.policy,
        batch_size=batch,
        optimizer_kwargs={"lr": rate},
        ent_weight=entropy,
        l2_weight=squares,
        device="cpu",
        custom_logger=hierarchical(quiet()),
    )


class Dagger(Cloning):
    """DAgger.

    Args:
        lesson: task, network, environments and the expert. Its steps are steps of the environments.
        round_episodes: episodes a round, at least.
        expert_rounds: the expert's share of the actions falls from 1 to 0 in so many rounds.
        n_epochs: passes through all that was gathered, after each round.
        **settings: of `Cloning`.
    """

    def __init__(
        self,
        lesson: Lesson,
        round_episodes: int = 8,
        expert_rounds: int = 10,
        n_epochs: int = 4,
        **settings: Any,
    ) -> None:
        super().__init__(lesson, **settings)
        from imitation.algorithms.dagger import DAggerTrainer, LinearBetaSchedule

        self._episodes, self._epochs = round_episodes, n_epochs
        self._expert = Expert(lesson.expert, lesson.task, lesson.envs, seed=lesson.seed)
        for left in lesson.folder.glob(f"{_GATHERED}*"):  # by a run that was killed
            rmtree(left, ignore_errors=True)
        self._folder = TemporaryDirectory(dir=lesson.folder, prefix=_GATHERED)
        _without_bars()
        self._trainer = DAggerTrainer(
            venv=lesson.envs,
            scratch_dir=self._folder.name,
            rng=np.random.default_rng(lesson.seed),
            beta_schedule=LinearBetaSchedule(expert_rounds),
            bc_trainer=self._clone,
            custom_logger=hierarchical(quiet()),
        )

    def set_logger(self, logger: Logger) -> None:
        """Log to a logger."""
        super().set_logger(logger)
        self._trainer.logger = hierarchical(logger)

    def round(self, most: int) -> None:
        """Gather whole episodes, and clone all that was gathered so far."""
        from imitation.data import rollout

        collector = self._trainer.create_trajectory_collector()
        enough: Callable[[Any], bool] = rollout.make_sample_until(
            min_timesteps=self._clone.batch_size, min_episodes=self._episodes
        )
        played = rollout.generate_trajectories(self._expert, collector, enough, collector.rng)
        quietly = {"progress_bar": False, "log_rollouts_venv": None}
        with _without_warning():
            self._trainer.extend_and_update({"n_epochs": self._epochs, **quietly})
        self.num_timesteps += sum(len(one) for one in played)

    def learn(self, total_timesteps: int, callback: Any, reset_num_timesteps: bool = False) -> None:
        """Learn, and remove what was gathered."""
        with self._folder:
            super().learn(total_timesteps, callback, reset_num_timesteps)


@contextmanager
def _without_warning() -> Iterator[None]:
    """Keep torch from warning of how imitation logs its losses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Converting a tensor with requires_grad")
        yield


def _without_bars() -> None:
    """Keep the library that imitation saves episodes with from drawing bars."""
    import datasets

    datasets.disable_progress_bars()
