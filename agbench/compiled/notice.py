"""A notice while the compiler runs."""

import sys
from functools import cache
from typing import Any

from numba.core import event


class _CompilationNotice(event.Listener):
    """Prints to standard error, once in a process, that the first call compiles and takes longer."""

    def __init__(self) -> None:
        self.depth = 0
        self.announced = False

    def on_start(self, event: Any) -> None:
        name = event.data["dispatcher"].py_func.__module__ or ""
        if self.depth == 0 and not self.announced and name.startswith("agbench."):
            self.announced = True
            print(
                "agbench: compiling the simulators, once per installation (some 10 s) ...",
                file=sys.stderr,
                flush=True,
            )
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1


@cache
def install() -> None:
    """Enable the notice."""
    register: Any = event.register
    register("numba:compile", _CompilationNotice())
