"""Batches whose rows run in several threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Final

from agbench.envs.core import Parts
from agbench.envs.field.compiled_observer import CompiledFieldObserver
from agbench.envs.field.observations import FieldObserver
from agbench.simulators.base import Simulator
from agbench.simulators.threads import require_threads, run_in_threads

_IN_FORCE: Final = ContextVar("threads", default=1)


@contextmanager
def in_threads(threads: int) -> Iterator[None]:
    """Let the batches of `threaded` parts that are asked for inside the block run in so many threads.

    For fits, which build parts where their candidates play. Raises `ConfigError` for what is no number of
    threads.
    """
    require_threads(threads)
    before = _IN_FORCE.set(int(threads))
    try:
        yield
    finally:
        _IN_FORCE.reset(before)


def threads_in_force() -> int:
    """Return how many threads `in_threads` says; outside of it one."""
    return _IN_FORCE.get()


def threaded(parts: Parts) -> Parts:
    """Return parts whose batches run in the threads in force."""
    return with_threads(parts, threads_in_force())


def with_threads(parts: Parts, threads: int) -> Parts:
    """Return parts whose batches run their rows in so many threads; every row keeps its bits.

    Raises `ConfigError` for what is no number of threads, `NotApplicableError` for an engine that has one.
    """
    require_threads(threads)
    if threads == 1:
        return parts
    make = partial(_made, parts, int(threads))
    rebuild = None if parts.rebuild is None else partial(_rebuilt, parts, int(threads))
    observer = parts.observer
    if type(observer) is FieldObserver:
        observer = CompiledFieldObserver(observer)
    return replace(parts, make_simulator=make, observer=observer, rebuild=rebuild)


def _made(parts: Parts, threads: int, n: int) -> Simulator:
    simulator = parts.make_simulator(n)
    run_in_threads(simulator, threads)
    return simulator


def _rebuilt(parts: Parts, threads: int) -> Parts:
    return with_threads(parts, threads)
