"""Policies on observed and on generated seasons: python docs/studies/weather_policies.py [TASK].

A generator stands for its site where medians on its seasons lie in the bootstrap intervals of those
on the observed years, and the other way round. Prints a table in Markdown, a row a policy.
Takes a minute and a half.
"""

import argparse
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.task import Task
from agbench.evaluation.statistics import Interval, interval

TASK: Final = "wheat-nitrogen-v1"
POLICIES: Final = ("zero", "standard-practice", "ceres")
SEASONS: Final = 100
_OBSERVED: Final = "observed"
_GENERATED: Final = "generated"


@dataclass(frozen=True)
class Comparison:
    """A policy's median return with its 95 % interval, on observed years and on generated seasons."""

    policy: str
    observed: Interval
    generated: Interval

    @property
    def agrees(self) -> bool:
        """Whether each median lies in the other's interval."""
        return _within(self.observed.value, self.generated) and _within(self.generated.value, self.observed)


def compare(task: str, policies: Sequence[str] = POLICIES, seasons: int = SEASONS) -> list[Comparison]:
    """Return how policies do on all measured years of a task's splits and on `seasons` generated ones."""
    spec = with_both(catalog.task(task), seasons)
    return [
        Comparison(policy, *(_median(spec, policy, split) for split in (_OBSERVED, _GENERATED)))
        for policy in policies
    ]


def with_both(task: Task, seasons: int) -> Task:
    """Return a task with two splits: its measured years all together, and generated seasons."""
    content = copy.deepcopy(task.content())
    home = f"{content['simulator']['site']}/"
    keys = [key for split in task.splits for key in task.scenarios(split)]
    years = sorted({int(key.removeprefix(home)) for key in keys if key.removeprefix(home).isdigit()})
    content["splits"] = {_OBSERVED: {"years": years}, _GENERATED: {"generated": [0, seasons - 1]}}
    content["protocol"]["training_splits"] = [_GENERATED]
    return read_task(content, f"{task.task} on observed and generated seasons")


def _median(task: Task, policy: str, split: str) -> Interval:
    """Return the median return of a policy on a split, as the task's protocol resamples it."""
    returns = agbench.evaluate(task, policy, split=split, progress=False).episodes["return"].to_numpy()
    return interval(returns, "median", task.protocol.bootstrap, task.protocol.seed)


def _within(value: float, of: Interval) -> bool:
    return of.low <= value <= of.high


def table(task: str) -> Iterator[str]:
    """Return the lines of the comparison in Markdown."""
    yield "| policy | observed | generated | medians inside each other's intervals |"
    yield "|---|---|---|---|"
    for policy in POLICIES:
        (result,) = compare(task, [policy])
        sides = (f"{x.value:.1f} [{x.low:.1f}, {x.high:.1f}]" for x in (result.observed, result.generated))
        yield f"| {result.policy} | {' | '.join(sides)} | {'yes' if result.agrees else 'no'} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", nargs="?", default=TASK, metavar="TASK", help=f"a field task; else {TASK}")
    for line in table(parser.parse_args().task):
        print(line, flush=True)
