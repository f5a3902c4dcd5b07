"""How physics becomes machine code: two decorators over Numba, and a word to whoever waits for it.

`kernel` marks a process function; it is compiled into whatever calls it. `entry` marks a function
that Python calls; its machine code is cached on disk. Numba's own cache looks only at the file of
the entry, so a change in a process function would leave stale code behind: here the cache of every
entry is keyed by the contents of all physics files that it may contain.
"""

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.extending import register_jitable

_PACKAGE = Path(__file__).parents[1]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a process function into its callers (IEEE arithmetic).

    Called from Python it stays the plain function that it is: a door for Python to each of a model's
    kernels would take as long to compile as the model itself.
    """
    compiled: Any = register_jitable(error_model="numpy", fastmath=False)(function)
    return compiled  # type: ignore[no-any-return, unused-ignore]


def entry(function: Function) -> Function:
    """Compile a function that Python calls, and cache its machine code by the physics' contents."""
    dispatcher: Any = numba.njit(error_model="numpy", fastmath=False, nogil=True)(function)
    dispatcher.enable_caching()
    package = Path(function.__code__.co_filename).parent
    dispatcher._cache._cache_file._source_stamp = _contents_of(package)
    return dispatcher  # type: ignore[no-any-return, unused-ignore]


@functools.cache
def _contents_of(package: Path) -> str:
    """Return the SHA-256 of a package, and of the simulators and the weather compiled into it."""
    digest = hashlib.sha256()
    for file in sorted(
        {*package.rglob("*.py"), *_PACKAGE.glob("simulators/*.py"), *_PACKAGE.glob("weather/*.py")}
    ):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _CompilationNotice(event.Listener):
    """Tells on standard error, once a process, that the first call compiles and why it takes long."""

    def __init__(self) -> None:
        self.depth = 0
        self.told = False

    def on_start(self, event: Any) -> None:
        name = event.data["dispatcher"].py_func.__module__
        if self.depth == 0 and not self.told and name.startswith("agbench."):
            self.told = True
            print(
                "agbench: compiling the simulators, once per installation (some 10 s) ...",
                file=sys.stderr,
                flush=True,
            )
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1


event.register("numba:compile", _CompilationNotice())  # type: ignore[no-untyped-call]
