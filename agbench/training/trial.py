"""One trial of a sweep: agents of the same settings, trained with given seeds and judged on validation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, Final

import numpy as np
from stable_baselines3.common.logger import Logger

from agbench.data import catalog
from agbench.data.sweep import SweepSpace, Varied
from agbench.data.training import TrainingSettings, training_settings
from agbench.envs.family import action_map
from agbench.envs.scaling import scaling_of
from agbench.errors import described
from agbench.training.algorithms import algorithm, make
from agbench.training.following import Following, progress_bar
from agbench.training.journal import DEFAULT, TRIALS, TrialPruned, TrialState, study
from agbench.training.sb3 import sb3_env
from agbench.training.threads import one_thread
from agbench.training.validation import Mark, Validation, limit_of

PLACE: Final = "place"
MARK: Final = "mark"
CHANGES: Final = "changes"
ERROR: Final = "error"
"""What a trial keeps: its place among the trials, what it reached, its settings, and what it raised."""
_INFEASIBLE: Final = -1e9
"""Below the objective of any agent that keeps the limit: where those that do not are placed, by cost."""
_DIGITS: Final = 3
"""Significant digits of a drawn number: more would say more than a trial can tell."""

Watch = Callable[[int, Mark], None]
"""What is told of each validation: how many fit in before it, and the mean over the agents so far."""


@dataclass(frozen=True)
class Job:
    """All that a process needs to run a trial. `pruner`: `median` or `none`."""

    task: str
    algorithm: str
    base: dict[str, Any]
    space: SweepSpace
    seed: int
    seeds: list[int]
    pruner: str
    journal: str

    def settings(self, changes: Mapping[str, Any]) -> TrainingSettings:
        """Return the settings of a trial."""
        return training_settings(self.algorithm, self.task, {**self.base, **changes})

    def study(self, name: str, place: int = 0) -> Any:
        """Return a study of the journal; its sampler draws what belongs to the trial at a place."""
        seed = int(np.random.SeedSequence([self.seed, place]).generate_state(1)[0])
        early = self.pruner == "median" and name == TRIALS
        checks = len(self.seeds) * per_agent(self.settings({}))
        return study(self.journal, name, seed, max(1, checks // 5) if early else None)


def run_default(job: Job) -> None:
    """Train agents with the settings as they are, and keep what they reach in the study `default`."""
    _run(job, job.study(DEFAULT), 0, vary=False)


def run_trial(job: Job, place: int) -> None:
    """Draw settings, train agents with them, keep what they reach; what is raised ends this trial only."""
    _run(job, job.study(TRIALS, place), place, vary=True)


def _run(job: Job, kept: Any, place: int, vary: bool) -> None:
    trial = kept.ask()
    trial.set_user_attr(PLACE, place)
    try:
        changes = drawn(trial, job.space) if vary else {}
        trial.set_user_attr(CHANGES, changes)
        mark = played(job.task, job.settings(changes), job.seeds, _watch(trial))
    except TrialPruned:
        kept.tell(trial, state=TrialState.PRUNED)
    except Exception as error:  # of any library: the other trials go on
        trial.set_user_attr(ERROR, described(error))
        kept.tell(trial, state=TrialState.FAIL)
    else:
        trial.set_user_attr(MARK, mark._asdict())
        kept.tell(trial, value_of(mark))


def _watch(trial: Any) -> Watch:
    """Return what reports validations to a trial, and ends it where the pruner says so."""
    seen: set[int] = set()

    def watch(place: int, mark: Mark) -> None:
        if place not in seen:
            seen.add(place)
            trial.report(value_of(mark), place)
            trial.set_user_attr(MARK, mark._asdict())
            if trial.should_prune():
                raise TrialPruned

    return watch


def drawn(trial: Any, space: SweepSpace) -> dict[str, Any]:
    """Return values for the keys of a space, as the trial's sampler draws them."""
    return {key: _drawn(trial, key, dimension) for key, dimension in space.space.items()}


def _drawn(trial: Any, key: str, dimension: Varied) -> Any:
    """Return a value of a key; choices are drawn by their text, which a journal can hold."""
    if dimension.choices is not None:
        texts = {repr(choice): choice for choice in dimension.choices}
        return texts[trial.suggest_categorical(key, list(texts))]
    low, high = dimension.low, dimension.high
    assert low is not None
    assert high is not None
    if dimension.whole:
        step = 1 if dimension.step is None else int(dimension.step)
        return int(trial.suggest_int(key, low, high, step=step, log=dimension.log))
    value = trial.suggest_float(key, low, high, step=dimension.step, log=dimension.log)
    return float(min(max(rounded(value), low), high))


def rounded(value: float) -> float:
    """Return a number with three significant digits."""
    return value if value == 0.0 else round(value, _DIGITS - 1 - floor(log10(abs(value))))


def played(task: str, settings: TrainingSettings, seeds: Sequence[int], watch: Watch) -> Mark:
    """Train an agent with each seed, one after the other; return the mean of their best validations."""
    spec = catalog.task(task)
    chosen = algorithm(settings.algorithm, task, action_map(spec).space)
    best: list[Mark] = []
    checks = settings.validation

    def told(following: Following) -> None:
        place = len(best) * per_agent(settings) + following.marks[-1].steps // checks.every
        watch(place, mean_of([*best, following.best_mark]))

    with one_thread():
        for seed in seeds:
            validation = Validation(spec, checks, scaling_of(spec).observations)
            following = Following(validation, checks.every, checks.patience, told, progress_bar(False))
            envs = sb3_env(task, settings.envs or 1, reuse=settings.reuse)
            model = make(chosen, settings, envs, seed, limit_of(spec))
            model.set_logger(Logger(None, []))
            model.learn(settings.steps, callback=following, reset_num_timesteps=False)
            best.append(following.best_mark)
    return mean_of(best)


def per_agent(settings: TrainingSettings) -> int:
    """Return how many validations fit into the training of an agent."""
    return settings.steps // settings.validation.every + 1


def mean_of(marks: Sequence[Mark]) -> Mark:
    """Return what agents reach on average; feasible where each one is."""
    objective, cost = (float(np.mean([getattr(m, name) for m in marks])) for name in ("objective", "cost"))
    return Mark(sum(mark.steps for mark in marks), objective, cost, all(mark.feasible for mark in marks))


def value_of(mark: Mark) -> float:
    """Return a number that orders marks as `Mark.order` does: what a sweep makes large."""
    return mark.objective if mark.feasible else _INFEASIBLE - mark.cost
