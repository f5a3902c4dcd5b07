"""Where the numbers of a training go: `progress.csv`, TensorBoard, Weights & Biases."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from stable_baselines3.common.logger import CSVOutputFormat, KVWriter, Logger, TensorBoardOutputFormat

from agbench.errors import MissingExtraError

TABLE: Final = "progress.csv"
"""The table of a training that began in a folder."""


def logger(
    folder: Path,
    tensorboard: str | Path | None,
    wandb: str | None,
    settings: Mapping[str, Any],
    begun: int = 0,
) -> Logger:
    """Return the logger of a training that begins, or goes on, after so many steps.

    A run that goes on has a table of its own, `progress-STEPS.csv`. Raises `MissingExtraError` where a
    service's package lacks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"progress-{begun}.csv" if begun else TABLE
    writers: list[KVWriter] = [CSVOutputFormat(str(folder / name))]
    if tensorboard is not None:
        if find_spec("tensorboard") is None:
            raise MissingExtraError("TensorBoard is not installed. Install it with: pip install tensorboard")
        writers.append(TensorBoardOutputFormat(str(tensorboard)))
    if wandb is not None:
        writers.append(WandbWriter(wandb, folder.name, settings))
    return Logger(str(folder), writers)


class WandbWriter(KVWriter):
    """Sends the numbers of each step to a run of Weights & Biases."""

    def __init__(self, project: str, name: str, settings: Mapping[str, Any]) -> None:
        """Start a run in a project; its configuration is the training's settings."""
        try:
            import wandb
        except ImportError:
            raise MissingExtraError(
                "Weights & Biases is not installed. Install it with: pip install wandb"
            ) from None
        self._run = wandb.init(project=project, name=name, config=dict(settings))

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Send what belongs to a step."""
        self._run.log(dict(key_values), step=step)

    def close(self) -> None:
        """End the run."""
        self._run.finish()
