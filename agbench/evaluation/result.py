"""A result: the record of one evaluation, in memory and as a folder.

The folder holds `result.yaml` (what was run, with what, and the hashes of the other two files),
`episodes.parquet` (one row for each episode) and `actions.npz` (every action, in order; many or long
episodes go on in `actions-1.npz`, `actions-2.npz`, ..., so that no file grows large). It is complete or it
does not exist.
"""

import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from agbench.data.families import read_task
from agbench.data.reading import load_yaml
from agbench.data.task import Task
from agbench.errors import ConfigError, ResultError
from agbench.evaluation import provenance
from agbench.evaluation.statistics import Interval, interval
from agbench.files import alone, place_of, replacing, sha256

if TYPE_CHECKING:
    import pandas as pd

FORMAT: Final = 1
FILES: Final = ("result.yaml", "episodes.parquet", "actions.npz")
_PART: Final = re.compile(r"actions-[1-9]\d*\.npz", re.ASCII)
PART_BYTES: Final = 1_900_000
"""The most that one file of actions holds, before compression."""
_KEYS: Final = (
    "format",
    "task",
    "task_hash",
    "overrides",
    "split",
    "policy",
    "information",
    "seed",
    "episodes",
    "failed",
    "wall_time_s",
    "simulator_hash",
    "data",
    "versions",
    "machine",
    "files",
)


@dataclass(frozen=True)
class Result:
    """One policy's evaluation on one split of a task.

    `episodes` has the columns scenario, repeat, seed, return, cost (by how much constraints were
    violated, summed over steps), one a metric, steps, failed, error, final_state (SHA-256 of the
    simulator's last state); `actions` holds an array an episode, in
    the same order.
    """

    task: Task
    split: str
    policy: str
    information: str
    episodes: "pd.DataFrame"
    actions: list[NDArray[Any]]
    record: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def summary(self) -> dict[str, Interval]:
        """The aggregate and 95 % bootstrap interval of the return and of every metric."""
        protocol = self.task.protocol
        return {
            name: interval(self.by_scenario(name), protocol.aggregate, protocol.bootstrap)
            for name in ("return", *self.task.metrics)
        }

    @cached_property
    def score(self) -> Interval | None:
        """The score with its 95 % interval, as on the leaderboard; None without anchors for the scenarios."""
        from agbench.evaluation import comparison  # which reads results

        return comparison.score(self)

    @property
    def objective(self) -> NDArray[np.float64]:
        """The task's objective per scenario, repeats averaged, (scenarios,)."""
        return self.by_scenario(self.task.protocol.objective)

    def by_scenario(self, name: str) -> NDArray[np.float64]:
        """Return a column averaged over repeats, one value a scenario, in the split's order."""
        grouped = self.episodes.groupby("scenario", sort=False)[name].mean()
        return grouped.to_numpy(dtype=np.float64)

    @property
    def failed(self) -> int:
        """The number of episodes that failed."""
        return int(self.episodes["failed"].sum())

    def save(self, folder: str | Path) -> Path:
        """Write the result as a folder, whole or not at all; an older result there is replaced.

        Raises `ResultError` where something else would be lost, and while another process writes it.
        """
        target = place_of(Path(folder), ResultError)
        with alone(target, ResultError):
            self.put(target)
        return Path(folder)

    def put(self, folder: Path) -> None:
        """Do what `save` does, for who is `alone` in what `require_place` returned."""
        with replacing(folder) as draft:
            require_place(folder)
            self._write(draft)
            require_place(folder)  # in which others may have put something meanwhile

    def _write(self, folder: Path) -> None:
        # Open files, not paths: the library that reads and writes them refuses names that are not UTF-8.
        with (folder / "episodes.parquet").open("wb") as table:
            self.episodes.to_parquet(table, index=False)
        names = ["episodes.parquet"]
        for part, episodes in enumerate(_in_parts(self.actions)):
            names.append(part_name(part))
            stored: dict[str, Any] = {f"episode_{i:05d}": self.actions[i] for i in episodes}
            np.savez_compressed(folder / names[-1], **stored)
        hashes = {name: sha256(folder / name) for name in names}
        record = provenance.plain({**self.record, "files": hashes})
        record["content"] = self.task.content()
        text = yaml.safe_dump(record, sort_keys=False, width=100, allow_unicode=True)
        (folder / "result.yaml").write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> "Result":
        """Read a result; raises `ResultError` where it is incomplete, altered or damaged."""
        import pandas as pd

        path = Path(folder)
        record = _read_record(path)
        _check_files(path, record)
        try:
            with (path / "episodes.parquet").open("rb") as table:
                episodes = pd.read_parquet(table)
            actions = [a for name in action_files(record["files"]) for a in _actions(path / name)]
        except (OSError, ValueError, KeyError) as error:
            raise ResultError(f"{path}: cannot be read: {error}.") from None
        if not len(episodes) == len(actions) == record["episodes"]:
            raise ResultError(
                f"{path}: result.yaml has {record['episodes']} episodes; episodes.parquet has "
                f"{len(episodes)}, actions.npz {len(actions)}."
            )
        task = read_task(record.pop("content"), f"{path / 'result.yaml'}: content")
        if provenance.task_hash(task) != record["task_hash"]:
            raise ResultError(f"{path}/result.yaml: task_hash is not that of its content.")
        return cls(task, record["split"], record["policy"], record["information"], episodes, actions, record)


def part_name(part: int) -> str:
    """Return the name of a file of actions."""
    return f"actions-{part}.npz" if part else "actions.npz"


def action_files(names: Iterable[str]) -> list[str]:
    """Return those of a result's file names that hold its actions, in order, as far as none lacks."""
    valid = set(names)
    return list(itertools.takewhile(valid.__contains__, map(part_name, itertools.count())))


def _in_parts(actions: Sequence[NDArray[Any]]) -> list[list[int]]:
    """Return the numbers of the episodes that each file of actions holds."""
    parts: list[list[int]] = [[]]
    size = 0
    for i, episode in enumerate(actions):
        if parts[-1] and size + episode.nbytes > PART_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(i)
        size += episode.nbytes
    return parts


def _actions(path: Path) -> list[NDArray[Any]]:
    with path.open("rb") as file:  # of what is no zip NumPy says that it can be loaded unsafely
        if file.read(2) != b"PK":
            raise ValueError(f"{path.name} is no npz file of arrays")
    with np.load(path, allow_pickle=False) as stored:
        return [stored[name] for name in sorted(stored.files)]


def require_place(folder: Path) -> Path:
    """Return the folder that a result can be written as, where `folder` is a link the one that it names.

    Raises `ResultError` where anything but an older result lies there, and for what `files.place_of` refuses.
    """
    target = place_of(folder, ResultError)
    if target.is_dir():
        inside = sorted(os.listdir(target))
        other = next((name for name in inside if not _is_own(target / name)), None)
        if inside and "result.yaml" not in inside:
            raise ResultError(
                f"{folder} is a folder of something else (it has {other or inside[0]}, and no result.yaml): "
                "a result would replace it. Name another folder, or remove it."
            )
        if other is not None:
            raise ResultError(
                f"{folder} has {other} beside its result: a result would replace it. Name another folder, or "
                f"move {other} elsewhere."
            )
    elif target.exists():
        raise ResultError(
            f"{folder} is a file, not a folder: a result would replace it. Name another folder, or remove it."
        )
    return target


def _is_own(path: Path) -> bool:
    """Whether `save` writes a file of this name."""
    return (path.name in FILES or _PART.fullmatch(path.name) is not None) and path.is_file()


def _read_record(path: Path) -> dict[str, Any]:
    """Return what result.yaml says, all of its keys there."""
    if not path.is_dir():
        raise ResultError(f"{path}: there is no such result folder.")
    missing = [name for name in FILES if not (path / name).is_file()]
    if missing:
        raise ResultError(
            f"{path}: incomplete result, {', '.join(missing)} missing. Run the evaluation again."
        )
    try:
        record = load_yaml((path / "result.yaml").read_text("utf-8"), str(path / "result.yaml"))
    except (ConfigError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: result.yaml is damaged: {error}") from None
    lost = [key for key in (*_KEYS, "content") if not isinstance(record, dict) or key not in record]
    if lost:
        raise ResultError(f"{path}/result.yaml: the key {lost[0]!r} is missing; the file is incomplete.")
    if record["format"] != FORMAT:
        raise ResultError(f"{path}/result.yaml: format {record['format']!r}; this version reads {FORMAT}.")
    return dict(record)


def _check_files(path: Path, record: dict[str, Any]) -> None:
    """Raise where a file is not the one that was written with the record."""
    for name in sorted({*FILES[1:], *map(str, record["files"])}):
        if not (path / name).is_file():
            raise ResultError(f"{path}: incomplete result, {name} missing. Run the evaluation again.")
        if sha256(path / name) != record["files"].get(name):
            raise ResultError(
                f"{path}/{name}: its SHA-256 is not the one in result.yaml; the file is damaged "
                "or was changed. Run the evaluation again."
            )
