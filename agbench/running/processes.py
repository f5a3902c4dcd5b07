"""Processes of this machine."""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any, Final

import cloudpickle

from agbench.errors import WorkerError
from agbench.running.work import Results, Work, answered

TRIES: Final = 3
"""How often workers may die one after the other, without a result in between."""
_AHEAD: Final = 2  # items a process that wait for it


class Processes:
    """So many processes, each of which prepares the job for itself."""

    is_here = True

    def __init__(self, count: int) -> None:
        self.workers = count
        self._keeps = False
        self._held: tuple[bytes, ProcessPoolExecutor] | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the processes from one run of a job to the next inside the block."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False
            self._let_go()

    def run(self, work: Work, items: Iterable[Any]) -> Results:
        """Yield results as they come; see `agbench.running.engines.Engine`."""
        job = cloudpickle.dumps((work, {path: path for path in work.files()}))
        waiting = enumerate(items)
        under_way: dict[int, Any] = {}
        deaths = 0
        while True:
            try:
                for number, result in self._attempt(job, waiting, under_way):
                    del under_way[number]
                    deaths = 0
                    yield number, result
                return
            except BrokenProcessPool:
                deaths += 1
                if deaths == TRIES:
                    raise WorkerError(
                        f"worker processes ended without a word {TRIES} times one after the other, perhaps "
                        "for lack of memory: fewer workers need less. (A script needs the line "
                        "if __name__ == '__main__': above what it runs.) What is finished is kept."
                    ) from None

    def _attempt(
        self, job: bytes, waiting: Iterator[tuple[int, Any]], under_way: dict[int, Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield results, first of what was under way when a worker died, until one dies."""
        pool = self._pool(job)
        running: dict[Future[tuple[bool, Any]], int] = {}
        try:
            running |= {pool.submit(_work, item): number for number, item in under_way.items()}
            while True:
                while len(running) < self.workers * (1 + _AHEAD):
                    number, item = next(waiting, (-1, None))
                    if number < 0:
                        break
                    under_way[number] = item
                    running[pool.submit(_work, item)] = number
                if not running:
                    break
                yield from _finished(running)
        except BaseException as error:
            self._held = None
            if isinstance(error, GeneratorExit) and not running:  # who asked has all: nothing to cut off
                pool.shutdown()
                raise
            children = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for child in children:
                child.terminate()
            raise
        if not self._keeps:
            pool.shutdown()

    def _pool(self, job: bytes) -> ProcessPoolExecutor:
        """Return processes for a job: those that are kept, if it is theirs, else new ones."""
        if self._held is not None and self._held[0] == job:
            return self._held[1]
        self._let_go()
        pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _start, (job,))
        if self._keeps:
            self._held = job, pool
        return pool

    def _let_go(self) -> None:
        """End the processes that are kept."""
        if self._held is not None:
            self._held[1].shutdown()
            self._held = None


def _finished(running: dict[Future[tuple[bool, Any]], int]) -> Iterator[tuple[int, Any]]:
    """Yield what has finished, one piece of work at least."""
    for future in wait(running, None, FIRST_COMPLETED).done:
        number = running.pop(future)
        good, result = future.result()
        if not good:
            raise result
        yield number, result


_job: bytes = b""
_function: Callable[[Any], Any] | None = None


def _start(job: bytes) -> None:
    """Prepare a worker: Ctrl-C is for the process that the user sees, with which it ends."""
    global _job, _function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _job, _function = job, None


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(item: Any) -> tuple[bool, Any]:
    return answered(lambda: _prepared()(item))


def _prepared() -> Callable[[Any], Any]:
    global _function
    if _function is None:
        work, place = pickle.loads(_job)
        _function = work.prepare(place)
    assert _function is not None
    return _function
