"""Tuning a policy's settings on the training scenarios: `agbench fit TASK POLICY`."""

from pathlib import Path

import yaml

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.families import load
from agbench.data.reading import read_file
from agbench.data.task import Task
from agbench.envs.family import family
from agbench.errors import ConfigError
from agbench.files import write_text
from agbench.policies.tuning.cross_entropy import Search


def fit_file(task: Task, policy: str, search: Search | None = None) -> tuple[Path, float]:
    """Fit a policy's settings file in place and return its path and what it reaches in training.

    That is the mean objective of a greenhouse's grower, the mean return of others. `search` says how
    long to search for a grower's settings; others take none.
    """
    path = catalog.find_baseline(task.task, policy)
    if path is None:
        raise ConfigError(f"{task.task} has no settings for {policy!r} to start from.")
    baseline = read_file(Baseline, path)
    tuner = family(task).tuners.get(baseline.policy)
    if tuner is None:
        raise ConfigError(f"{path}: a {baseline.policy} has nothing to fit.")
    fitted, mean = load(tuner)(task, baseline.settings, f"{path}: settings", search)
    changed = baseline.model_copy(update={"settings": fitted})
    text = yaml.safe_dump(changed.model_dump(), sort_keys=False, indent=4, width=100)
    write_text(path, text)
    return path, mean
