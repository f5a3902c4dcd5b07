"""How physics becomes machine code: two decorators over Numba, and a notice while it compiles.

`kernel` marks a process function; it is compiled into whatever calls it. `entry` marks a function
that Python calls; its machine code is kept on disk (`code_cache`), under a key that covers all code
that it can contain (`closure`), with names that follow its content (`symbols`).
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

from agbench.compiled import notice, symbols
from agbench.compiled.arithmetic import IEEE
from agbench.compiled.code_cache import CodeCache

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a process function into its callers (IEEE arithmetic).

    Called from Python it stays the plain function that it is: an entry point from Python to each of a model's
    kernels would take as long to compile as the model itself.
    """
    compiled: Any = register_jitable(**IEEE)(function)
    return compiled  # type: ignore[no-any-return, unused-ignore]


def inlined(function: Function) -> Function:
    """As `kernel`, for a function of a few calls: its body takes the place of each call to it."""
    compiled: Any = register_jitable(**IEEE, forceinline=True)(function)
    return compiled  # type: ignore[no-any-return, unused-ignore]


def entry(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code by the content of its code."""
    if getattr(numba.config, "DISABLE_JIT", False):
        return function
    notice.install()
    named = symbols.install()
    compile: Any = numba.njit(nogil=True, **IEEE)
    dispatcher = compile(function)
    if named:
        dispatcher._cache = CodeCache(function)
    return dispatcher  # type: ignore[no-any-return]
