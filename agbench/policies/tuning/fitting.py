"""Tuning a policy's settings on the training scenarios: `agbench fit TASK POLICY`."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.packages import load_place
from agbench.data.reading import Strict, read_file
from agbench.data.task import Task
from agbench.data.writing import yaml_text
from agbench.envs.threads import in_threads
from agbench.errors import ConfigError
from agbench.files import require_writable, write_text
from agbench.policies.registry import kind_of
from agbench.policies.tuning.cross_entropy import Search
from agbench.policies.tuning.trials import require_here
from agbench.running import Engine, engine_of
from agbench.simulators.threads import require_threads


def fit_file(
    task: Task,
    policy: str,
    search: Search | None = None,
    kind_name: str | None = None,
    root: Path | None = None,
    start: str | None = None,
    *,
    workers: int = 1,
    on: str | Engine | None = None,
    threads: int = 1,
) -> tuple[Path, float]:
    """Fit a policy's settings file and return the path that was written and what it reaches in training.

    That is the mean objective of a greenhouse's grower, the mean return of others. `search` says how
    long to search for a grower's settings; others take none. A policy without a file starts from the
    defaults of the kind `kind_name`. With `start`, the name of a policy of the task, it starts from the
    settings of that. `root` is the folder of data to write to, by default that of the file, or of the task.

    Candidates of rules are tried by so many `workers`, or on an engine (`on`); batches of all others run in
    so many `threads`. The file is the same for any number; see docs/cluster.md.
    """
    engine = engine_of(on, workers)
    require_threads(threads)
    path = catalog.find_baseline(task.task, start or policy)
    if path is None and start is not None:
        raise ConfigError(f"{task.task} has no settings for {start!r} to start from.")
    if path is None and kind_name is None:
        raise ConfigError(
            f"{task.task} has no settings for {policy!r} to start from. Name its kind to start from the "
            "defaults of that, such as --kind calendar."
        )
    if path is None:
        text = f"fitted by `agbench fit {task.task} {policy} --kind {kind_name}`"
        content = {"policy": kind_name, "summary": "Fitted on training scenarios.", "source": text}
        path = (
            catalog.baseline_folder(catalog.find("task", task.task).parents[1], task.task) / f"{policy}.yaml"
        )
        baseline = Baseline.model_validate({**content, "settings": {}})
    else:
        baseline = read_file(Baseline, path)
    kind = kind_of(baseline, task, path)
    if kind.fit is None:
        raise ConfigError(f"{path}: a {kind.name} policy has no settings to fit.")
    folder = path.parent if root is None else catalog.baseline_folder(root, task.task)
    fit, settings = load_place(kind.fit), kind.read(baseline.settings, f"{path}: settings")
    require_writable(folder, ConfigError)
    fitted, mean = _fitted(fit, task, settings, search, engine, threads, f"{path}: a {kind.name}")
    content = fitted.model_dump(exclude_defaults=True) if isinstance(fitted, Strict) else fitted
    update: dict[str, object] = {"settings": content}
    if start is not None:
        update["source"] = f"agbench fit {task.task} {policy} --start {start}{_options(search)}"
    text = yaml_text(baseline.model_copy(update=update).model_dump())
    target = folder / f"{policy}.yaml"
    write_text(target, text)
    return target, mean


def _fitted(
    fit: Callable[..., Any],
    task: Task,
    settings: Strict,
    search: Search | None,
    engine: Engine,
    threads: int,
    what: str,
) -> tuple[Any, float]:
    """Return what a kind's function finds, given what it takes; raises `ConfigError` for what it does not."""
    takes = signature(fit).parameters
    more: dict[str, Any] = {}
    if "search" in takes:
        more["search"] = search or Search()
    elif search is not None:
        raise ConfigError(f"{what}: candidates and rounds are for greenhouses and farms, not for this kind.")
    if "engine" in takes:
        more["engine"] = engine
    else:
        require_here(engine, what)
    with in_threads(threads):
        fitted, mean = fit(task, settings, **more)
    return fitted, mean


def _options(search: Search | None) -> str:
    """Return a search as options of `agbench fit`."""
    return "" if search is None else f" --candidates {search.candidates} --rounds {search.rounds}"
