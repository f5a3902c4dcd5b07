"""How physics becomes machine code: two decorators over Numba, and a word to whoever waits for it.

`kernel` marks a process function; it is compiled into whatever calls it. `entry` marks a function
that Python calls; its machine code is kept on disk (`code_cache`), under a key that covers all code
that it can contain (`closure`), with names that follow its content (`symbols`).
"""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.extending import register_jitable

from agbench.compiled import symbols
from agbench.compiled.arithmetic import IEEE
from agbench.compiled.code_cache import CodeCache

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a process function into its callers (IEEE arithmetic).

    Called from Python it stays the plain function that it is: a door for Python to each of a model's
    kernels would take as long to compile as the model itself.
    """
    compiled: Any = register_jitable(**IEEE)(function)
    return compiled  # type: ignore[no-any-return, unused-ignore]


def entry(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code by the content of its code."""
    if getattr(numba.config, "DISABLE_JIT", False):
        return function
    named = symbols.install()
    compile: Any = numba.njit(nogil=True, **IEEE)
    dispatcher = compile(function)
    if named:
        dispatcher._cache = CodeCache(function)
    return dispatcher  # type: ignore[no-any-return]


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
