"""Batches whose rows run in several threads."""

from dataclasses import replace
from functools import partial

import numpy as np

from agbench.envs.core import Parts
from agbench.envs.field.compiled_observer import CompiledFieldObserver
from agbench.envs.field.observations import FieldObserver
from agbench.errors import ConfigError
from agbench.simulators.base import Simulator
from agbench.simulators.threads import run_in_threads


def with_threads(parts: Parts, threads: int) -> Parts:
    """Return parts whose batches run their rows in so many threads; every row keeps its bits.

    Raises `ConfigError` for what is no number of threads, `NotApplicableError` for an engine that has one.
    """
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ConfigError(f"threads must be a whole number, at least 1; got {threads!r}.")
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
