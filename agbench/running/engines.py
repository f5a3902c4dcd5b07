"""Engines: what runs a job's items, chosen by a text such as `processes:4` or `ray://10.0.0.1:10001`."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from agbench.errors import ConfigError, did_you_mean
from agbench.running.cores import cores
from agbench.running.work import Results, Work

_TEXT = re.compile(r"(?P<processes>processes)(:(?P<count>\d+))?|(?P<ray>ray)(?P<address>://[^\s/]+:\d{1,5})?")

_ENGINES = ("processes", "ray")


class Engine(Protocol):
    """Runs the items of a job. Whatever the engine, an item gives the same result."""

    is_here: bool
    """Whether its workers see the files of this process."""
    workers: int
    """How many items run at once; of a cluster that is not reached yet, 0."""

    def run(self, work: Work, items: Iterable[Any]) -> Results:
        """Yield the number of each item and its result, as they come.

        What an item raises comes through, and ends the others. An item whose worker dies is run again.
        Raises `WorkerError` where workers die again and again.
        """

    def kept(self) -> AbstractContextManager[None]:
        """Keep workers, and the job that they have prepared, from one run to the next inside the block."""


class Here:
    """This process."""

    is_here = True
    workers = 1

    def run(self, work: Work, items: Iterable[Any]) -> Results:
        """Yield results in order."""
        function = None
        for number, item in enumerate(items):
            function = function or work.prepare({path: path for path in work.files()})
            yield number, function(item)

    def kept(self) -> AbstractContextManager[None]:
        """Do nothing: this process stays."""
        return nullcontext()


def engine_of(on: "str | Engine | None" = None, workers: int = 1) -> Engine:
    """Return the engine that a text names; without one, so many processes, of which one is this one.

    `processes`, `processes:4`; `ray`, for the cluster of this machine, or one that is started; `ray://HOST:PORT`.
    Raises `ConfigError` for another text, `MissingExtraError` without Ray.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ConfigError(f"workers must be a whole number, at least 1; got {workers!r}.")
    if on is None:
        return _processes(workers)
    if not isinstance(on, str):
        return on
    if workers != 1:
        raise ConfigError(f"give workers ({workers}) or an engine to run on ({on}), not both.")
    match = _TEXT.fullmatch(on)
    if match is None or match["count"] == "0":
        word = re.split(":|/", on)[0]
        hint = "" if word in _ENGINES else did_you_mean(word, _ENGINES)
        raise ConfigError(
            f"--on {on!r} is no engine; write processes, processes:4, ray, or ray://HOST:10001.{hint}"
        )
    if match["processes"]:
        return _processes(int(match["count"] or cores()))
    from agbench.running.ray_cluster import RayCluster

    return RayCluster(on if match["address"] else None)


def _processes(count: int) -> Engine:
    if count == 1:
        return Here()
    from agbench.running.processes import Processes

    return Processes(count)


def in_order(results: Iterator[tuple[int, Any]]) -> Iterator[Any]:
    """Yield results by their numbers, from 0 on; what comes too early waits."""
    waiting: dict[int, Any] = {}
    due = 0
    for number, result in results:
        waiting[number] = result
        while due in waiting:
            yield waiting.pop(due)
            due += 1


@contextmanager
def mapping(engine: Engine, work: Work) -> "Iterator[Callable[[Sequence[Any]], list[Any]]]":
    """Yield a function from items to their results, in order, for searches that ask again and again.

    The job is prepared once, not for each call.
    """
    if isinstance(engine, Here):
        function = work.prepare({path: path for path in work.files()})
        yield lambda items: [function(item) for item in items]
        return
    with engine.kept():
        yield lambda items: list(in_order(engine.run(work, items)))
