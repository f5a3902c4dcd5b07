"""Making datasets: parts are played by processes, kept, and written in order into one folder."""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agbench.data.dataset import Mix, Scenarios, recipe
from agbench.datasets import card, description, tables
from agbench.datasets.part import ContentHash, PlayedPart
from agbench.datasets.plan import Plan, plan_of
from agbench.datasets.playing import Player
from agbench.datasets.sample import Sample
from agbench.datasets.writing import Format, writer_of
from agbench.errors import DatasetError
from agbench.files import alone, require_movable, write_text
from agbench.running import Engine, engine_of

FOLDER: Final = Path("runs/datasets")
"""Where named datasets lie unless a caller says otherwise."""
_IDENTITY: Final = "identity.json"
_HDF5_REASON: Final = re.compile(r"error message = '([^']*)'")


def collect(
    task: str,
    policy: Any,
    episodes: int,
    out: str | Path,
    format: Format = "minari",
    *,
    workers: int = 1,
    on: str | Engine | None = None,
    split: str = "train",
    scenarios: Scenarios | Sequence[str] = "drawn",
    mix: Mix = "episode",
    seed: int = 0,
    epsilon: float | Mapping[str, float] = 0.0,
    noise: float | Mapping[str, float] = 0.0,
    state: bool = False,
    years: Sequence[int] | None = None,
    other_task: bool = False,
    progress: bool | None = None,
    **overrides: Any,
) -> Path:
    """Play episodes of a task and write them as a dataset; return its folder.

    Args:
        task: an id.
        policy: what `agbench.evaluate` takes, or a list of policies or of mappings such as
            `{"policy": "advisor", "share": 0.5, "epsilon": 0.2}`.
        episodes: how many.
        out: the folder to make. A run that was cut off goes on where it stopped.
        format: `minari`, `parquet` or `npz`.
        workers: processes; the dataset has the same bytes for any number of them.
        on: where parts are played, in place of `workers`: `processes`, `processes:4`, `ray`,
            `ray://HOST:10001`; see docs/cluster.md.
        split: the scenarios.
        scenarios: `drawn` as an environment draws them, `split` for those of the split in turn, or keys.
        mix: whether the policy is drawn for each `episode` or `step`, or policies come in `order`.
        seed: what all else follows from.
        epsilon: the probability that an action is drawn uniformly from the action space; `{"start": 1.0,
            "end": 0.1}` for a straight line from the first episode to the last.
        noise: the standard deviation of normal noise on amounts, which reach from -1 to 1; or such a line.
        state: also keep the simulator's whole state.
        years: years that replace the split's.
        other_task: take networks' files that say they were made for another task or other observations.
        progress: show a progress bar; by default where standard error is a terminal.
        **overrides: keys of the task file, as in `agbench.make`.

    Raises:
        DatasetError: where a policy raises, where `out` cannot be written or holds something else.
    """
    plan = plan_of(
        task,
        policy,
        episodes,
        split=split,
        scenarios=scenarios,
        mix=mix,
        seed=seed,
        epsilon=epsilon,
        noise=noise,
        state=state,
        years=years,
        overrides=overrides,
        other_task=other_task,
    )
    return make(plan, description.folder_of(out, "out"), format, workers, progress, on)


def plan_of_recipe(name: str, episodes: int | None = None) -> Plan:
    """Return the plan of a recipe; with fewer `episodes` it is no longer that recipe, but begins like it."""
    task, one = recipe(name)
    return plan_of(
        task,
        list(one.behaviour),
        one.episodes if episodes is None else episodes,
        split=one.split,
        scenarios=one.scenarios if isinstance(one.scenarios, str) else tuple(one.scenarios),
        mix=one.mix,
        seed=one.seed,
        state=one.state,
        years=one.years,
        overrides=one.overrides,
        name=name if episodes in (None, one.episodes) else None,
    )


def make_recipe(
    name: str,
    out: str | Path | None = None,
    format: Format = "minari",
    *,
    workers: int = 1,
    on: str | Engine | None = None,
    progress: bool | None = None,
) -> Path:
    """Make a named dataset, such as `wheat-nitrogen/medium-v1`; return its folder, below `FOLDER` by default.

    Raises `UnknownNameError` for a recipe that there is not, with the nearest names.
    """
    folder = FOLDER / name if out is None else description.folder_of(out, "out")
    return make(plan_of_recipe(name), folder, format, workers, progress, on)


def make(
    plan: Plan,
    out: Path,
    format: Format,
    workers: int = 1,
    progress: bool | None = None,
    on: str | Engine | None = None,
) -> Path:
    """Make the dataset of a plan, or go on with it; return its folder."""
    engine = engine_of(on, workers)
    writer_of(format)
    out = Path(os.path.realpath(description.folder_of(out, "out")))  # a link's target: a link gives no room
    told = description.describe(plan, format)
    if _is_there(out, told, plan) and not unfinished_folder(out).exists():
        return out
    require_movable(out, DatasetError)
    with _saying_where(out), alone(out, DatasetError):
        if _is_there(out, told, plan):  # another process made it, or was killed at the very end
            shutil.rmtree(unfinished_folder(out), ignore_errors=True)
            return out
        partial = _Unfinished(out, plan.identity() if plan.is_known else None)
        parts = _played(plan, partial, engine)
        label = f"{told['id']}  {plan.episodes:,} episodes"
        with partial.keeping_parts():
            _write(partial, _shown(parts, plan, label, progress), told)
            os.replace(partial.assembled, out)
        partial.remove()
    return out


def _is_there(out: Path, told: Mapping[str, Any], plan: Plan) -> bool:
    """Return whether the dataset lies in the folder; raises `DatasetError` where something else does."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return False
    if not (out / description.FILE).is_file():
        raise DatasetError(f"{out} exists and is not a dataset. Give another folder.")
    there = description.read(out)
    differing = [key for key, value in told.items() if there.get(key) != value]
    if differing:
        raise DatasetError(
            f"{out} holds another dataset, {there['id']}: its {', '.join(differing[:4])} differ. Give "
            "another folder, or remove it."
        )
    if not plan.is_known:
        raise DatasetError(
            f"{out} holds a dataset of an object that cannot be pickled, so that nobody can tell whether it "
            "is the same as this one. Give another folder, or remove it."
        )
    return True


def _write(partial: "_Unfinished", parts: Iterator[PlayedPart], told: Mapping[str, Any]) -> None:
    """Write parts into the folder that will be the dataset."""
    folder = partial.begin()
    writer = writer_of(str(told["format"]))(folder, told)
    table, content, sample = tables.GrowingTable(folder / tables.EPISODES), ContentHash(), Sample()
    first = transitions = 0
    try:
        for part in parts:
            writer.add(part)
            table.add(tables.episodes(part, first, told))
            content.add(part)
            sample.add(part)
            first += part.episodes
            transitions += len(part.rewards)
        table.close()
        whole = {
            **told,
            "transitions": transitions,
            "returns": sample.returns(),
            "content": content.hexdigest(),
        }
        writer.finish(whole)
    finally:
        writer.close()
        table.close()
    card.write(folder, whole, sample)
    whole["files"] = {name: description.sha256(folder / name) for name in description.files_in(folder)}
    write_text(folder / description.FILE, description.text(description.sealed(whole)))
    folder.chmod(0o755)


class _Unfinished:
    """The finished parts of a dataset that is not whole yet, beside the folder where it will be."""

    def __init__(self, out: Path, identity: str | None) -> None:
        """Keep the parts of a run with this identity; of one without none are left from the last time."""
        self._folder = unfinished_folder(out)
        self.assembled = self._folder / "assembled"
        label = self._folder / _IDENTITY
        if identity is None or not label.is_file() or label.read_text("utf-8") != identity:
            self.remove()
            write_text(label, identity or "")

    def place(self, number: int) -> Path:
        """Return the file of a part."""
        return self._folder / f"{number:06d}.npz"

    def begin(self) -> Path:
        """Return an empty folder to write into."""
        shutil.rmtree(self.assembled, ignore_errors=True)
        self.assembled.mkdir()
        return self.assembled

    @contextmanager
    def keeping_parts(self) -> Iterator[None]:
        """Leave nothing but finished parts where the block raises, and nothing at all where there is none."""
        try:
            yield
        except BaseException:
            shutil.rmtree(self.assembled, ignore_errors=True)
            if not any(self._folder.glob("*.npz")):
                self.remove()
            raise

    def remove(self) -> None:
        """Forget the run."""
        shutil.rmtree(self._folder, ignore_errors=True)


def unfinished_folder(out: Path) -> Path:
    """Return where the parts of a dataset are kept until it is whole."""
    return out.parent / f".{out.name}.partial"


def _played(plan: Plan, partial: _Unfinished, engine: Engine) -> Iterator[PlayedPart]:
    """Yield all parts in order; those that are missing are played first.

    Workers that see these files write the parts themselves; others send them.
    """
    todo = [number for number in range(len(plan.ranges)) if not partial.place(number).is_file()]
    items = [(plan.ranges[n], partial.place(n) if engine.is_here else None) for n in todo]
    with closing(engine.run(_Recording(plan), items)) as finished:
        for number in range(len(plan.ranges)):
            while not partial.place(number).is_file():
                at, part = next(finished)
                if part is not None:
                    part.save(partial.place(todo[at]))
            yield PlayedPart.load(partial.place(number))


@dataclass(frozen=True)
class _Recording:
    """What a worker needs to play parts; its items are ranges of episodes and where to save them."""

    plan: Plan

    def files(self) -> list[str]:
        """Return the files of its policies."""
        sources = [str(b.source) for b in self.plan.behaviours if isinstance(b.source, (str, Path))]
        return [path for path in sources if os.path.isfile(path)]

    def prepare(self, place: Mapping[str, str]) -> Callable[[tuple[range, Path | None]], PlayedPart | None]:
        """Return the function that plays a part, and saves or returns it."""
        behaviours = (
            replace(b, source=place[str(b.source)])
            if isinstance(b.source, (str, Path)) and str(b.source) in place
            else b
            for b in self.plan.behaviours
        )
        player = Player(replace(self.plan, behaviours=tuple(behaviours)))

        def play(item: tuple[range, Path | None]) -> PlayedPart | None:
            episodes, path = item
            part = player.play(episodes)
            if path is None:
                return part
            part.save(path)
            return None

        return play


def _shown(
    parts: Iterator[PlayedPart], plan: Plan, label: str, progress: bool | None
) -> Iterator[PlayedPart]:
    """Yield the parts under a progress bar on standard error."""
    console = Console(stderr=True)
    if not (console.is_terminal if progress is None else progress):
        yield from parts
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        line = bar.add_task(label, total=plan.episodes)
        for part in parts:
            yield part
            bar.advance(line, part.episodes)


@contextmanager
def _saying_where(out: Path) -> Iterator[None]:
    """Turn what the system says about files into a sentence about the dataset."""
    try:
        yield
    except OSError as error:
        own = _HDF5_REASON.search(str(error))
        what = own[1] if own else (error.strerror or str(error)).splitlines()[0]
        full = error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in what
        remedy = "Free some space" if full else "Give a folder that can be written"
        raise DatasetError(
            f"{out}: cannot be written: {what}. {remedy}; finished parts are kept, and the "
            "same command goes on."
        ) from error
