"""Whether a split has seasons enough to tell agents apart: python docs/studies/enough_seasons.py [TASK ...].

For each candidate of `enough_seasons.yaml` (or --candidates FILE), and for the task's own splits, it prints
a row a split in Markdown: the number of seasons; what floor and expert earn, mean and standard deviation
between seasons; the expert's score with its 95 % interval, resampled over seasons as the protocol's bootstrap
does, and half its width; and how many seasons would bring half of it to 15 points. A score is 0 at the floor;
100 points are what the expert gains over it in the mean of that split.

--fit tunes the expert's settings on the candidate's training split first. --oracle plays the oracle too: 100
points are then what the oracle gains, and `joint` is the expert's interval where both gains are resampled
together, season by season.
"""

import argparse
import copy
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

import agbench
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.families import read_task
from agbench.data.packages import load_place
from agbench.data.reading import load_file, read_file
from agbench.data.task import Task
from agbench.evaluation.statistics import Interval, bootstrap, interval
from agbench.policies.registry import kind_of
from agbench.variables import Floats

CANDIDATES: Final = Path(__file__).with_name("enough_seasons.yaml")
ALLOWED: Final = 15.0  # points; half the width of the expert's interval that a test split is to have
OWN: Final = "as it is"
_HEAD: Final = ("task", "splits", "split", "seasons", "floor", "expert", "expert's score", "+-", "needed")


@dataclass(frozen=True)
class Played:
    """What floor, expert and oracle (if it was played) earn in the seasons of a split, (seasons,) each."""

    floor: Floats
    expert: Floats
    oracle: Floats | None = None

    @property
    def gain(self) -> Floats:
        """What the expert earns more than the floor."""
        return self.expert - self.floor

    @property
    def scale(self) -> float:
        """The mean gain that 100 points are: the oracle's where it was played, else the expert's."""
        return float(self.gain.mean() if self.oracle is None else (self.oracle - self.floor).mean())

    def score(self, resamples: int, seed: int) -> Interval:
        """Return the expert's mean score and its interval over seasons."""
        return interval(100.0 * self.gain / self.scale, "mean", resamples, seed)

    def joint(self, resamples: int, seed: int) -> Interval:
        """Return the expert's score where its gain and the oracle's are resampled together."""
        assert self.oracle is not None
        both = (bootstrap(gain, "mean", resamples, seed) for gain in (self.gain, self.oracle - self.floor))
        drawn = 100.0 * np.divide(*both)
        return Interval(100.0 * float(self.gain.mean()) / self.scale, *np.quantile(drawn, (0.025, 0.975)))


def half_width(of: Interval) -> float:
    """Return half the width of an interval."""
    return (of.high - of.low) / 2.0


def needed(seasons: int, half: float, allowed: float = ALLOWED) -> int:
    """Return how many seasons narrow an interval to `allowed`: its width falls with their square root."""
    return math.ceil(seasons * (half / allowed) ** 2)


def with_splits(task: Task, splits: dict[str, Any]) -> Task:
    """Return a task with other splits."""
    content = copy.deepcopy(task.content())
    return read_task(content | {"splits": splits}, f"{task.task} with other splits")


def expert_of(task: Task, folder: Path, fitted: bool) -> str | Path:
    """Return a task's expert: its name, or a settings file in `folder` that is tuned on the train split."""
    name = task.references.expert
    path = catalog.find_baseline(task.task, name)
    if not fitted or path is None:
        return name
    baseline = read_file(Baseline, path)
    kind = kind_of(baseline, task, path)
    if kind.fit is None:
        return name
    settings, _ = load_place(kind.fit)(task, kind.read(baseline.settings, str(path)))
    tuned = baseline.model_copy(update={"settings": settings.model_dump(exclude_defaults=True)})
    result = folder / f"{name}.yaml"
    result.write_text(yaml.safe_dump(tuned.model_dump(), sort_keys=False), encoding="utf-8")
    return result


def play(task: Task, split: str, expert: str | Path, oracle: bool = False) -> Played:
    """Return what the reference policies of a task earn on a split."""
    names = [task.references.floor, expert, *([task.references.oracle] if oracle else [])]
    returns = [agbench.evaluate(task, name, split=split, progress=False).objective for name in names]
    return Played(*returns)


def rows(task: Task, label: str, fitted: bool, oracle: bool, only: list[str]) -> Iterator[str]:
    """Return a row in Markdown for each split of a task, or for those of them that are in `only`."""
    protocol = task.protocol
    with tempfile.TemporaryDirectory() as folder:
        expert = expert_of(task, Path(folder), fitted)
        for split in (name for name in task.splits if not only or name in only):
            played = play(task, split, expert, oracle)
            score = played.score(protocol.bootstrap, protocol.seed)
            half, seasons = half_width(score), len(played.floor)
            cells = [task.task, label, split, str(seasons)]
            cells += [f"{x.mean():.1f} ± {x.std(ddof=1):.1f}" for x in (played.floor, played.expert)]
            cells += [_written(score), f"{half:.0f}", str(needed(seasons, half))]
            if played.oracle is not None:
                joint = played.joint(protocol.bootstrap, protocol.seed)
                cells += [f"{played.oracle.mean():.1f} ± {played.oracle.std(ddof=1):.1f}", _written(joint)]
                cells += [str(needed(seasons, half_width(joint)))]
            yield _row(cells)


def table(
    names: list[str], candidates: dict[str, Any], fitted: bool, oracle: bool, only: list[str]
) -> Iterator[str]:
    """Return the lines of the table, the tasks' own splits first."""
    head = [*_HEAD, *(("oracle", "joint", "needed") if oracle else ())]
    yield _row(head)
    yield "|---" * len(head) + "|"
    for name in names:
        task = catalog.task(name)
        yield from rows(task, OWN, False, oracle, only)
        for label, splits in candidates.get(name, {}).items():
            yield from rows(with_splits(task, splits), label, fitted, oracle, only)


def _written(of: Interval) -> str:
    return f"{of.value:.0f} [{of.low:.0f}, {of.high:.0f}]"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="field tasks; else those of the candidates")
    parser.add_argument("--candidates", type=Path, default=CANDIDATES, metavar="FILE", help="splits to try")
    parser.add_argument(
        "--fit", action="store_true", help="tune the expert on each candidate's training split"
    )
    parser.add_argument("--oracle", action="store_true", help="play the oracle too")
    parser.add_argument("--split", action="append", default=[], help="only this split; may come again")
    chosen = parser.parse_args()
    options = load_file(chosen.candidates)
    for line in table(chosen.tasks or list(options), options, chosen.fit, chosen.oracle, chosen.split):
        print(line, flush=True)
