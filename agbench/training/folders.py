"""One folder, one thing: what the folder of a training or of a sweep may not hold already."""

from pathlib import Path
from typing import Final

from agbench.errors import ConfigError

TRAINING: Final = "training.yaml"
CHECKPOINT: Final = "checkpoint.pkl"
SWEEP: Final = "sweep.yaml"
JOURNAL: Final = "journal.log"
_RESULT: Final = {"result.yaml": "a result of agbench evaluate"}
_SWEEPS: Final = {SWEEP: "a sweep", JOURNAL: "a sweep"}
_TRAININGS: Final = {TRAINING: "a training", CHECKPOINT: "a training", "policy.npz": "a policy"}


def require_for_training(folder: Path) -> None:
    """Raise `ConfigError` where a training cannot be kept: a file, a sweep's folder or a result's."""
    _require(folder, "training", _SWEEPS | _RESULT)


def require_for_sweep(folder: Path) -> None:
    """Raise `ConfigError` where a sweep cannot be kept: a file, a training's folder or a result's."""
    _require(folder, "sweep", _TRAININGS | _RESULT)


def _require(folder: Path, wanted: str, others: dict[str, str]) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; a {wanted} needs a folder.")
    for name, what in others.items():
        if (folder / name).is_file():
            raise ConfigError(
                f"{folder} holds {what} ({name}); a {wanted} needs a folder of its own. Name another "
                "one with --out."
            )
