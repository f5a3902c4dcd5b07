"""Kernels in several threads: each runs contiguous rows of a batch, with the bits of one thread.

Kernels release Python's lock, and no row influences another. The caller's thread takes the first rows;
the others are taken by threads that all simulators of a process share.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError, NotApplicableError
from agbench.simulators.base import Simulator
from agbench.simulators.field.farm import FarmSimulator
from agbench.simulators.field.simulator import DailySimulator

_LEAST_FIELDS: Final = 64  # rows of a daily model that are worth a thread
_OF_ROWS: Final = frozenset((*range(6), 9, 15))
"""The arguments of a daily model's entries whose first axis are the rows; see `day_loop`."""
_OF_DAYS_AND_ROWS: Final = frozenset((10, 12))
"""Those whose second axis are the rows."""

_Answer = tuple[int, Any, BaseException | None]
"""The number of a call, what it returned, and what it raised."""
_Work = tuple[Callable[[], Any], int, "SimpleQueue[_Answer]"]
"""A call, its number, and where its answer goes: a queue costs a fifth of a pool's futures."""


def require_threads(threads: int) -> None:
    """Raise `ConfigError` for what is no number of threads."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ConfigError(f"threads must be a whole number, at least 1; got {threads!r}.")


def run_in_threads(simulator: Simulator, threads: int) -> None:
    """Let a simulator advance its rows in so many threads from now on.

    Raises `NotApplicableError` for one whose code is not compiled, such as PCSE.
    """
    if isinstance(simulator, FarmSimulator):
        run_in_threads(simulator.batch, threads)
    elif isinstance(simulator, DailySimulator):
        simulator._kernels = _Kernels(simulator._kernels, slices(simulator.n, threads, _LEAST_FIELDS))
    elif not _run_greenhouse_in_threads(simulator, threads):
        raise NotApplicableError(
            f"threads={threads}: {type(simulator).__name__} runs in one thread; compiled models run in "
            "several."
        )


def _run_greenhouse_in_threads(simulator: Simulator, threads: int) -> bool:
    """Do it where the simulator is a greenhouse with a compiled stepper; return whether it is."""
    from agbench.simulators.greenlight.simulator import GreenLightSimulator
    from agbench.simulators.greenlight.stepping import RosenbrockStepper

    if not isinstance(simulator, GreenLightSimulator):
        return False
    if not isinstance(simulator._stepper, RosenbrockStepper):
        return False
    simulator._stepper = _Stepper(simulator._stepper, threads)
    return True


def slices(rows: int, threads: int, least: int = 1) -> list[slice]:
    """Return contiguous slices of so many rows, one a thread, each of `least` rows if there are as many."""
    count = max(1, min(threads, rows // least))
    ends = [rows * i // count for i in range(count + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


def run_all(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run calls side by side and return their results in order.

    All have ended when this returns or raises; what is raised is the first call's own exception.
    """
    answers: SimpleQueue[_Answer] = SimpleQueue()
    if len(calls) > 1:
        work = _threads(len(calls) - 1, os.getpid())
        for number, call in enumerate(calls[1:]):
            work.put((call, number, answers))
    try:
        first = calls[0]()
    finally:
        given = sorted((answers.get() for _ in calls[1:]), key=lambda one: one[0])
    for _, _, error in given:
        if error is not None:
            raise error
    return [first, *(result for _, result, _ in given)]


@cache
def _threads(count: int, process: int) -> "SimpleQueue[_Work]":
    """Return the queue that the threads of a process take work from; a fork has none of its parent's.

    It is kept for good: its threads wait for work until the process ends.
    """
    work: SimpleQueue[_Work] = SimpleQueue()
    for number in range(count):
        Thread(target=_serve, args=(work,), name=f"agbench_{number}", daemon=True).start()
    return work


def _serve(work: "SimpleQueue[_Work]") -> None:
    """Run calls as they come; what they return or raise goes back."""
    while True:
        call, number, answers = work.get()
        try:
            answer: _Answer = number, call(), None
        except BaseException as error:  # it is raised where the call came from
            answer = number, None, error
        answers.put(answer)
        del call, answers, answer


class _Kernels:
    """The entries of a daily model, each called once for every slice of the rows."""

    def __init__(self, kernels: Any, parts: Sequence[slice]) -> None:
        self._kernels = kernels
        self._parts = parts

    def begin(self, *arguments: Any) -> None:
        """Put the masked rows on the first day of their worlds."""
        self._run(self._kernels.begin, arguments)

    def advance(self, *arguments: Any) -> None:
        """Advance the masked rows."""
        self._run(self._kernels.advance, arguments)

    def _run(self, entry: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        chosen = [part for part in self._parts if arguments[9][part].any()]
        if len(chosen) < 2:
            entry(*arguments)
            return
        run_all([_call(entry, arguments, part) for part in chosen])


def _call(entry: Callable[..., None], arguments: tuple[Any, ...], part: slice) -> Callable[[], None]:
    """Return the call of an entry for some rows."""
    own = []
    for place, value in enumerate(arguments):
        if place in _OF_ROWS:
            own.append(value[part])
        elif place in _OF_DAYS_AND_ROWS:
            own.append(np.ascontiguousarray(value[:, part]))
        else:
            own.append(value)
    return lambda: entry(*own)


class _Stepper:
    """The compiled stepper of greenhouses, with memory to work in for each thread."""

    def __init__(self, stepper: Any, threads: int) -> None:
        self._method = stepper.method
        self._threads = threads
        first = stepper.memory
        memories = [type(first)(*map(np.zeros_like, first)) for _ in range(threads - 1)]
        self._steppers = [stepper, *(replace(stepper, memory=memory) for memory in memories)]

    def advance(self, batch: Any) -> bool:
        """Advance the chosen rows of a batch; return whether all succeeded."""
        parts = slices(len(batch.rows), self._threads, self._method.lanes)
        calls = [
            _greenhouses(stepper, batch._replace(rows=batch.rows[part]))
            for stepper, part in zip(self._steppers, parts, strict=False)
        ]
        return all(run_all(calls))


def _greenhouses(stepper: Any, batch: Any) -> Callable[[], bool]:
    return lambda: bool(stepper.advance(batch))
