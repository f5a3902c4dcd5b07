"""The one place that changes Numba's inner workings: names of machine code that follow its content.

Numba names a compiled function by its Python name, the types of its arguments and a number that counts
the functions of a process; a record type it names by another such number. Two processes count alike, so
that functions of different content get one name. Code that both kept on disk and a third process loads
is then linked by that name, and one function runs in the place of the other. Here the name of each
function also gets the hash of its content, and the name of a record that of its fields. `PROVED` has the
versions of Numba on which this was shown to work; on others no code is kept on disk.
"""

import hashlib
import re
import sys
import types as python
import typing
import uuid
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

import numba
import numpy as np

PROVED: Final = ("0.68",)
"""Major and minor versions of Numba."""

_LIBRARIES: Final = sys.stdlib_module_names | {"numba", "numpy", "llvmlite"}
"""Packages whose functions are identified by name and code: their versions are part of the keys."""
_OURS: Final = "agbench.compiled"
"""What serves all kernels; the hash of its source is part of every key (`code_cache`)."""
_TAGGED: Final = re.compile(r"v\d+c[0-9a-f]{16}")
_PYTHON: Final = "_ZN"
"""How the names of all compiled Python functions begin."""
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{6,}")


@cache
def install() -> bool:
    """Make Numba name by content; return whether its version is one on which that was proved.

    On another version nothing is changed, and a warning says that nothing is kept on disk.
    """
    version = ".".join(numba.__version__.split(".")[:2])
    if version not in PROVED:
        warnings.warn(
            f"agbench keeps no compiled code: Numba {numba.__version__} is none of the versions on which "
            f"that was proved to be safe ({', '.join(f'{v}.x' for v in PROVED)}). Everything works, but each "
            f'process compiles again. Remedy: pip install "numba=={PROVED[-1]}.*".',
            RuntimeWarning,
            stacklevel=3,
        )
        return False
    from numba.core.bytecode import FunctionIdentity
    from numba.core.types import Record

    named: Any = FunctionIdentity
    original = named.from_function.__func__

    def from_function(cls: Any, function: Any) -> Any:
        identity = original(cls, function)
        identity.unique_id = f"{identity.unique_id}c{content(identity.func)}"
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        return identity

    named.from_function = classmethod(from_function)
    changed: Any = Record
    changed.mangling_args = property(lambda self: ("Record", (_digest(self.name),)))
    return True


def misnamed(symbols: Iterable[str]) -> str | None:
    """Return a symbol of a Python function that does not follow its content; None if there is none."""
    for symbol in symbols:
        if _ADDRESS.search(symbol) or (_PYTHON in symbol and not _TAGGED.search(symbol)):
            return symbol
    return None


def content(function: Callable[..., Any]) -> str:
    """Return a hash of a function: its code, what it closes over, and the present values of all its names.

    Functions, numbers, texts and arrays are followed, through modules and closures; what has no
    content of its own, such as an object of some class, makes the hash differ in every process.
    """
    return _digest("\n".join(_of_function(function, {})))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _of_function(function: Any, seen: dict[int, int]) -> list[str]:
    """Return lines that identify a function; `seen` numbers the functions described before."""
    if id(function) in seen:
        return [f"function {seen[id(function)]}"]
    seen[id(function)] = len(seen)
    code = function.__code__
    lines = [f"{function.__module__} {function.__qualname__}", *_of_code(code)]
    for value in (*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())):
        lines += _of_value(value, seen)
    for cell in function.__closure__ or ():
        try:
            lines += _of_value(cell.cell_contents, seen)
        except ValueError:  # an empty cell
            lines.append("empty")
    if not _from_library(function.__module__):
        for name in sorted(_names(code)):
            if name in function.__globals__:
                lines += [name, *_of_global(function.__globals__[name], _names(code), seen)]
    return lines


def _from_library(module: str | None) -> bool:
    """Return whether other parts of the keys of kept code cover a module."""
    name = module or ""
    return name != "__main__" and (name.partition(".")[0] in _LIBRARIES or name.startswith(_OURS))


def _names(code: python.CodeType) -> set[str]:
    """Return the names that code uses, that of functions within it among them."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, python.CodeType)]
    return set(code.co_names).union(*inner)


def _of_global(value: Any, names: set[str], seen: dict[int, int]) -> list[str]:
    """Return lines about the value of a name; for a module, about the attributes that the code may read."""
    if not isinstance(value, python.ModuleType) or _from_library(value.__name__):
        return _of_value(value, seen)
    lines = [f"module {value.__name__}"]
    if id(value) not in seen:
        seen[id(value)] = len(seen)
        for name in sorted(names & vars(value).keys()):
            lines += [name, *_of_global(vars(value)[name], names, seen)]
        del seen[id(value)]
    return lines


def _of_code(code: python.CodeType) -> list[str]:
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    lines = [code.co_code.hex(), repr(names)]
    for constant in code.co_consts:
        lines += _of_code(constant) if isinstance(constant, python.CodeType) else [_plain(constant)]
    return lines


def _plain(value: Any) -> str:
    """Return a constant's text; that of a set in a fixed order."""
    if isinstance(value, (frozenset, set)):
        return f"set {sorted(map(repr, value))}"
    return repr(value)


def _of_value(value: Any, seen: dict[int, int]) -> list[str]:
    """Return lines that identify a value; for a value that cannot be identified, a random line."""
    for inner in ("py_func", "_defn", "__wrapped__"):  # of a dispatcher, an intrinsic, a cached function
        value = getattr(value, inner, value)
    if (
        value is None
        or value is Ellipsis
        or isinstance(value, (bool, int, float, complex, str, bytes, np.generic))
    ):
        return [f"{type(value).__name__} {value!r}"]
    if isinstance(value, (set, frozenset)) and all(isinstance(item, (int, float, str)) for item in value):
        return [_plain(value)]
    if isinstance(value, (tuple, list, dict)):
        items = [part for item in value.items() for part in item] if isinstance(value, dict) else value
        return [type(value).__name__, *(line for item in items for line in _of_value(item, seen)), "end"]
    if isinstance(value, python.FunctionType):
        return _of_function(value, seen)
    if isinstance(value, python.ModuleType):
        return [f"module {value.__name__}"]
    if isinstance(value, type) or isinstance(getattr(value, "__self__", None), python.ModuleType):
        return [f"{value.__module__} {value.__qualname__}"]
    if isinstance(value, (numba.types.Type, np.dtype)):
        return [f"{type(value).__name__} {value}"]
    if isinstance(value, np.ndarray):
        return [f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"]
    if isinstance(value, (typing.TypeVar, typing.NewType)) or type(value).__module__ == "typing":
        return [f"typing {value!r}"]
    return [f"{type(value).__qualname__} {uuid.uuid4().hex}"]
