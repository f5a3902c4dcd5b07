"""Machine code of entries on disk: one file for an entry, its argument types, its code and this machine.

The name of a file is the hash of its key, which holds everything that the machine code depends on. So
there is no index that two processes could write at once, and each file has one meaning.
"""

import json
import os
import pickle
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import llvmlite
import numba
import numpy as np

from agbench.cache import cache_folder
from agbench.compiled import cache_file, symbols
from agbench.compiled.arithmetic import IEEE
from agbench.compiled.closure import PACKAGE, closure_hash

_SUFFIX: Final = ".kernel"
_SHARED: Final = ("agbench.compiled:entry", "agbench.compiled:kernel", "agbench.compiled.elementary")
"""What every entry may contain, whatever its own source says."""
_SETTINGS: Final = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
"""Numba's settings that change the code it makes."""


def folder() -> Path:
    """Return where machine code is kept: in `NUMBA_CACHE_DIR` where that is set, else in the cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "agbench" if chosen else cache_folder() / "kernels"


class CodeCache:
    """The kept machine code of one entry, as Numba's dispatchers ask for it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = True

    @property
    def _keeps(self) -> bool:
        """Whether code is kept: of a function of a module, which alone another process finds again."""
        return self._enabled and self._function.__module__ is not None

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for these argument types, or None."""
        if not self._keeps:
            return None
        from numba.core.compiler import CompileResult
        from numba.core.runtime.nrt import rtsys

        # What machine code calls; refreshing the whole context would load Numba's compiler, for nothing.
        start: Any = rtsys.initialize
        start(target_context)
        key = self._key(sig, target_context.codegen())
        content = cache_file.read(_path(key), key)
        if content is None:
            return None
        rebuild: Any = CompileResult._rebuild
        try:
            return rebuild(target_context, *pickle.loads(content))
        except Exception:  # any damaged file can be compiled again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if all its names follow its content."""
        if not self._keeps or data.lifted or data.library.has_dynamic_globals:
            return
        defined = [function.name for function in data.library.get_defined_functions()]
        if symbols.misnamed(defined) is None:
            from numba.core import serialize

            dumps: Any = serialize.dumps
            key = self._key(sig, data.codegen)
            cache_file.write(_path(key), key, dumps(data._reduce()))

    def enable(self) -> None:
        """Use the files."""
        self._enabled = True

    def disable(self) -> None:
        """Do not use the files."""
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: a file that is out of date is never read."""

    def _key(self, sig: Any, codegen: Any) -> str:
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        types = sha256("\n".join(repr(kind) for kind in sig).encode()).hexdigest()
        values = symbols.content(self._function)
        content = {"entry": name, "code": code_hash(self._function), "values": values, "types": types}
        return json.dumps(content | machine(codegen.magic_tuple()), sort_keys=True)


def code_hash(function: Callable[..., Any]) -> str:
    """Return the hash of the source that an entry can reach.

    Of an entry outside this package it covers what kernels can call here; its own code, and all that it
    uses, comes from `symbols.content`.
    """
    file = Path(function.__code__.co_filename)
    if function.__module__.partition(".")[0] == PACKAGE.name and PACKAGE in file.parents:
        return closure_hash(*_SHARED, f"{function.__module__}:{function.__qualname__.partition('.')[0]}")
    return closure_hash(*_SHARED)


def machine(target: Any) -> dict[str, Any]:
    """Return what machine code depends on apart from the code: versions, processor, Numba's settings.

    `target` is the triple, the name and the features of the processor, as Numba has them.
    """
    return {
        "python": f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "processor": list(target),
        "arithmetic": IEEE,
        "settings": {name: str(getattr(numba.config, name, None)) for name in _SETTINGS},
    }


def _path(key: str) -> Path:
    entry = json.loads(key)["entry"]
    return folder() / f"{entry}-{cache_file.name(key)}{_SUFFIX}"


@dataclass(frozen=True)
class Kept:
    """A file of the folder: what it is, and of what use it is in this process.

    `state` is `current`, `other code` (of a version of the package that is not this one), `other machine`
    (of other versions of Python or libraries, another processor, or other settings), `another package's`
    (only that package can check it) or `damaged`.
    """

    path: Path
    entry: str
    state: str
    size: int
    """Bytes."""


def kept() -> list[Kept]:
    """Return the files of the folder, in order of their names."""
    present = machine(_processor())
    return [_describe(path, present) for path in sorted(folder().glob(f"*{_SUFFIX}")) if not path.is_dir()]


def _describe(path: Path, present: dict[str, Any]) -> Kept:
    text, size = cache_file.key_of(path), path.lstat().st_size
    try:
        key = json.loads(text or "")
        entry = str(key["entry"])
    except (ValueError, KeyError, TypeError):
        return Kept(path, "", "damaged", size)
    state = "current"
    if any(key.get(name) != value for name, value in present.items()):
        state = "other machine"
    elif entry.partition(".")[0] != PACKAGE.name:
        state = "another package's"
    elif key["code"] != _code_of(entry):
        state = "other code"
    return Kept(path, entry, state, size)


def _code_of(entry: str) -> str | None:
    """Return the hash of an entry's code as it is now; None where there is no such entry."""
    module, _, name = entry.rpartition(".")
    try:
        return closure_hash(*_SHARED, f"{module}:{name}")
    except KeyError:
        return None


def _processor() -> tuple[str, ...]:
    """Return triple, name and features of the processor, as Numba compiles for it."""
    from numba.core.registry import cpu_target

    target: Any = cpu_target.target_context
    result: tuple[str, ...] = target.codegen().magic_tuple()
    return result
