"""Data files under fuzz: a damaged one is refused with a sentence, or is good and runs."""

import shlex
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.data.families import read_task
from agbench.data.places import roots
from agbench.data.reading import load_yaml
from agbench.envs import AgBenchVectorEnv
from agbench.envs.family import build
from agbench.errors import AgBenchError, described
from agbench.testing.data_files import check_file
from agbench.testing.fuzzing.damage import damaged, flawed

KINDS: Final = {
    "task": "tasks/*.yaml",
    "crop": "crops/*.yaml",
    "site": "sites/*.yaml",
    "soil": "sites/soils/*.yaml",
    "prices": "prices/*.yaml",
    "policy": "baselines/*-v*/[!a]*.yaml",
    "anchors": "baselines/*-v*/anchors.yaml",
    "training of a task": "baselines/*-v*/train/*.yaml",
    "algorithm": "baselines/algorithms/*.yaml",
    "sweep": "baselines/sweeps/*.yaml",
    "recipes of datasets": "tasks/datasets/*.yaml",
}
"""Kinds of files, and where they lie in a folder of data."""
_STEPS: Final = 3
"""Steps that a damaged task plays which is found good."""


@dataclass(frozen=True)
class FileFailure:
    """What was found, and the command that finds it again."""

    command: str
    done: str
    found: str


@dataclass
class FilesReport:
    """What the fuzzing of a kind of files did."""

    kind: str
    files: int = 0
    tried: int = 0
    refused: int = 0
    """With a sentence; the others are good files still."""
    seconds: float = 0.0
    failures: list[FileFailure] = field(default_factory=list)


def files_of(kind: str) -> list[Path]:
    """Return the files of a kind that ship, in order."""
    return sorted(path for folder in roots() for path in folder.glob(KINDS[kind]))


def fuzz_files(kind: str, paths: Sequence[Path], count: int, seed: int = 0) -> FilesReport:
    """Damage files of a kind `count` times, each drawn in turn, and check each copy.

    Copy `n` follows from the seed, its number and the name of its file.
    """
    report = FilesReport(kind, len(paths))
    begun = time.perf_counter()
    if paths:
        generator = np.random.default_rng([seed, 0])
        chosen = [paths[int(i)] for i in generator.integers(len(paths), size=count)]
        for number, path in enumerate(chosen):
            fuzz_file(report, path, [number], seed)
    report.seconds = time.perf_counter() - begun
    return report


def fuzz_file(report: FilesReport, path: Path, numbers: Iterable[int], seed: int) -> None:
    """Damage a file, once for each number, and check what comes of it."""
    for number in numbers:
        generator = np.random.default_rng([seed, number, *path.name.encode()])
        original = path.read_bytes()
        content, done = (flawed if generator.random() < 0.7 else damaged)(original, generator)
        report.tried += 1
        try:
            report.refused += _refused(path, content)
        except Exception as error:
            words = ["agbench", "fuzz", "files", str(path), "--seed", str(seed), "--number", str(number)]
            report.failures.append(FileFailure(shlex.join(words), done, described(error)))


def _refused(path: Path, content: bytes) -> bool:
    """Check a copy in a folder laid out alike; return whether it was refused. A good task is played."""
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder, *path.resolve().parts[1:][-3:])
        copied.parent.mkdir(parents=True, exist_ok=True)
        for beside in path.parent.glob("*.csv*"):  # of a site
            (copied.parent / beside.name).symlink_to(beside.resolve())
        copied.write_bytes(content)
        if check_file(copied) is not None:
            return True
        if path.parent.name == "tasks":
            return not _runs(load_yaml(content.decode(), str(copied)), str(copied))
        return False


def _runs(content: Any, source: str) -> bool:
    """Play a task that was found good for a few steps; return False where it refuses with a sentence."""
    if "suites" in content or "task" not in content:
        return True
    try:
        task = read_task(content, source)
        envs = AgBenchVectorEnv(build(task, next(iter(task.splits))), 2)
        envs.reset(seed=0)
        envs.action_space.seed(0)
        for _ in range(_STEPS):
            observed, rewards, *_ = envs.step(envs.action_space.sample())
            if not (np.isfinite(observed).all() and np.isfinite(rewards).all()):
                raise ArithmeticError("an observation or reward is no number")
    except AgBenchError:
        return False
    return True


def kind_of(path: Path) -> str:
    """Return the kind of a file by where it lies."""
    return next((kind for kind, pattern in KINDS.items() if path.resolve().match(pattern)), "file")
