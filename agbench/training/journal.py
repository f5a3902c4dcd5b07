"""The journal of a sweep: a file that holds all its trials, whole however the sweep ended."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from agbench.errors import ConfigError, MissingExtraError

try:
    import optuna
    from filelock import FileLock, Timeout
    from optuna.exceptions import TrialPruned as TrialPruned
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend
    from optuna.trial import TrialState as TrialState
except ImportError:
    raise MissingExtraError(
        'Optuna is not installed. Install it with: pip install "agbench[rl,sweep]"'
    ) from None

TRIALS: Final = "trials"
"""The study of the trials."""
DEFAULT: Final = "default"
"""The study of one trial, never ended early: the settings as they are without the sweep."""
_STARTING: Final = 10
"""Trials that are drawn at random before the sampler learns from them: Optuna's default."""
_FINISHED: Final = 5
"""Trials that must have reached their end before others are ended early: Optuna's default."""
_LOCK: Final = "sweep.lock"


def study(journal: str, name: str, seed: int, warm_up: int | None) -> Any:
    """Return a study of a journal, made where there is none.

    `seed`: of its sampler. `warm_up`: validations before which no trial is ended early; None ends none.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    pruner: Any = optuna.pruners.NopPruner()
    if warm_up is not None:
        pruner = optuna.pruners.MedianPruner(n_startup_trials=_FINISHED, n_warmup_steps=warm_up)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.create_study(
            storage=JournalStorage(JournalFileBackend(journal)),
            sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=_STARTING),
            pruner=pruner,
            study_name=name,
            direction="maximize",
            load_if_exists=True,
        )


def end_running(study: Any) -> None:
    """End the trials that a killed sweep left running, as failed; nothing else may use the journal."""
    for one in study.get_trials(deepcopy=False):
        if one.state is TrialState.RUNNING:
            study.tell(one.number, state=TrialState.FAIL)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other sweeps out of a folder; the lock goes with the process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ConfigError(f"{folder}: another sweep is at work there. Name another folder: --out.") from None
    try:
        yield
    finally:
        lock.release()


def mend(journal: Path) -> None:
    """Take from a journal what a killed process left behind: half a line, and its lock."""
    for name in journal.parent.glob(f"{journal.name}.lock*"):
        name.unlink(missing_ok=True)
    if journal.is_file() and not (content := journal.read_bytes()).endswith(b"\n") and content:
        whole = content[: content.rfind(b"\n") + 1]
        with journal.open("r+b") as file:
            file.truncate(len(whole))
