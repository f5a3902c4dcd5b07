"""Several seeds of one training, side by side: each in a folder of its own, as it would be alone."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from agbench.data.reading import load_file
from agbench.errors import ConfigError
from agbench.files import write_bytes
from agbench.running import Engine, engine_of
from agbench.training.difference import difference

_MOST: Final = 1000
_PART: Final = re.compile(r"(\d+)(?:-(\d+))?")


class SeedRun(NamedTuple):
    """What the training of a seed reached: on validation at best, on test in the mean, and its score."""

    seed: int
    folder: Path
    validation: float
    test: float
    score: float | None


def read_seeds(text: str) -> list[int]:
    """Return the seeds that a text such as `0-4` or `0,3,7-9` names; raises `ConfigError` for another."""
    result: list[int] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= _MOST:
            raise ConfigError(f"--seeds {text!r}: write seeds as 0-4, or 0,3,7-9; at most {_MOST:,}.")
        result += range(first, last + 1)
    if len(set(result)) < len(result):
        raise ConfigError(f"--seeds {text!r}: a seed is named twice.")
    return result


def train_seeds(
    task: str,
    algo: str,
    seeds: Sequence[int],
    out: str | Path | None = None,
    *,
    workers: int = 1,
    on: str | Engine | None = None,
    **options: Any,
) -> Iterator[SeedRun]:
    """Train an agent with each seed and yield what it reached, as they finish.

    Args:
        task: an id.
        algo: an algorithm.
        seeds: the seeds. Those that are finished in their folders are not trained again.
        out: the folder of seed 3 is `OUT-3`; by default `runs/TASK-ALGO-3`.
        workers: processes; an agent is the same for any number of them.
        on: where agents are trained, in place of `workers`; see docs/cluster.md.
        **options: `steps`, `settings`, `demos`, `dataset`, `demo_episodes`, `threads`, as in `agbench.train`.

    Raises what `agbench.train` raises; the agents that are finished stay.
    """
    engine = engine_of(on, workers)
    stem = Path(out) if out is not None else Path("runs") / f"{task}-{algo}"
    folders = {seed: stem.with_name(f"{stem.name}-{seed}") for seed in seeds}
    left = [seed for seed in seeds if not _is_finished(folders[seed])]
    done = [seed for seed in seeds if seed not in left]
    for seed in done:
        _require_same(folders[seed], task, algo, seed, options)
    yield from (_read(folders[seed]) for seed in done)
    items = [(seed, folders[seed] if engine.is_here else None) for seed in left]
    with closing(engine.run(_SeedTraining(task, algo, dict(options)), items)) as finished:
        for number, files in finished:
            folder = folders[left[number]]
            _write(folder, files)
            yield _read(folder)


@dataclass(frozen=True)
class _SeedTraining:
    """The work of several seeds; items are a seed and its folder, results the files of other machines."""

    task: str
    algo: str
    options: dict[str, Any]

    def files(self) -> list[str]:
        """Return the demonstrations or the dataset that it learns from, as far as they are files."""
        named = [self.options.get(name) for name in ("demos", "dataset")]
        paths = [Path(one) for one in named if one is not None]
        inside = [sorted(path.rglob("*")) if path.is_dir() else [path] for path in paths]
        return [str(path) for many in inside for path in many if path.is_file()]

    def prepare(self, place: Mapping[str, str]) -> Callable[[tuple[int, Path | None]], dict[str, bytes]]:
        """Return the function that trains a seed, and returns its files if it has no folder for them."""

        def work(item: tuple[int, Path | None]) -> dict[str, bytes]:
            seed, folder = item
            if folder is not None:
                self._train(seed, folder, place)
                return {}
            with TemporaryDirectory() as own:
                self._train(seed, Path(own) / "run", place)
                return _files(Path(own) / "run")

        return work

    def _train(self, seed: int, folder: Path, place: Mapping[str, str]) -> None:
        from agbench.training.run import run

        with TemporaryDirectory() as own:
            given = {**self.options, **self._moved(Path(own), place)}
            settings, steps = given.pop("settings", None), given.pop("steps", None)
            run(self.task, self.algo, steps, seed, folder, settings, **given, progress=False)

    def _moved(self, own: Path, place: Mapping[str, str]) -> dict[str, Path]:
        """Return where demonstrations and dataset lie here, put together again if they were sent."""
        result: dict[str, Path] = {}
        for name in ("demos", "dataset"):
            path = self.options.get(name)
            if path is None:
                continue
            inside = [one for one in place if Path(one).is_relative_to(path)]
            if not inside or all(place[one] == one for one in inside):
                continue
            for one in inside:
                target = own / name / Path(one).relative_to(path)
                target = own / Path(one).name if target == own / name else target
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(place[one])
            result[name] = own / name if (own / name).is_dir() else own / Path(inside[0]).name
        return result


def _files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a finished training, its record last."""
    from agbench.training.run import RECORD

    for name in sorted(files, key=lambda name: name == RECORD):
        content = files[name]
        write_bytes(folder / name, content)


def _is_finished(folder: Path) -> bool:
    from agbench.training.run import RECORD

    return (folder / RECORD).is_file()


def _require_same(folder: Path, task: str, algo: str, seed: int, options: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for a finished training that another command made, naming what differs."""
    from agbench.training.run import asked

    record = _record(folder)
    said = {name: value for name, value in options.items() if name != "threads"}  # which change nothing
    if apart := difference(record, asked(task, algo, seed, **said), "not "):
        raise ConfigError(
            f"{folder} holds a training of another kind: {apart}. Give another --out, or remove that folder."
        )


def _record(folder: Path) -> dict[str, Any]:
    from agbench.training.run import RECORD

    result: dict[str, Any] = load_file(folder / RECORD)
    return result


def _read(folder: Path) -> SeedRun:
    """Return what the record of a finished training says."""
    record = _record(folder)
    test = record["test"]["return"]["value"]
    return SeedRun(record["seed"], folder, record["best"]["objective"], test, record["score"])
