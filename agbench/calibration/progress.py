"""Stages that are finished, kept in the output folder, so that a run that was broken off goes on there."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

from agbench import __version__
from agbench.calibration.problem import Problem
from agbench.calibration.result import StageFit
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.files import require_writable, sha256, write

_FOLDER: Final = "stages"


def fingerprint(problem: Problem) -> str:
    """Return the hash of all that a calibration follows from."""
    spec = problem.spec
    parts = {
        "version": __version__,
        "specification": spec.model_dump(mode="json"),
        "observations": problem.observations.sha256,
        "crop": sha256(catalog.find("crop", spec.crop)),
        "soil": sha256(catalog.find("soil", spec.soil)),
        "weather": {site: series.sha256 for site, series in problem.series.items()},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Progress:
    """The finished stages of one calibration; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, fingerprint: str) -> None:
        if folder is not None:
            require_writable(folder, ConfigError)
        self._folder = None if folder is None else folder / _FOLDER
        self._fingerprint = fingerprint

    def finished(self, stage: str) -> StageFit | None:
        """Return a stage that an earlier run of the same calibration finished, or None."""
        if self._folder is None or not (path := self._path(stage)).is_file():
            return None
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                kept = dict(file)
        except (OSError, EOFError, ValueError, BadZipFile):  # cut short by something else than this program
            return None
        if str(kept.get("fingerprint")) != self._fingerprint:
            return None
        return StageFit(
            stage,
            [str(name) for name in kept["parameters"]],
            kept["values"],
            float(kept["before"]),
            float(kept["after"]),
            kept["points"],
            kept["losses"],
        )

    def finish(self, fit: StageFit) -> None:
        """Keep a finished stage."""
        if self._folder is None:
            return
        arrays: dict[str, Any] = {
            "fingerprint": np.array(self._fingerprint),
            "parameters": np.array(fit.parameters),
            "values": fit.values,
            "before": np.array(fit.before),
            "after": np.array(fit.after),
            "points": fit.points,
            "losses": fit.losses,
        }
        write(self._path(fit.name), lambda temporary: np.savez_compressed(temporary, **arrays))

    def _path(self, stage: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{hashlib.sha256(stage.encode()).hexdigest()[:12]}.npz"
