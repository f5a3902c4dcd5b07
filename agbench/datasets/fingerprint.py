"""Fingerprints of policies: what tells two of one name apart, so that a dataset holds one of them only."""

import hashlib
import io
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

import cloudpickle

from agbench.data import catalog
from agbench.data.task import Task
from agbench.files import sha256

_NOT_OF_CLASSES: Final = ("__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__")


def of_source(source: Any, task: Task) -> str | None:
    """Return the SHA-256 of the file that a policy's name, path or code stands for, or of an object.

    None for a policy without a file, such as `random`, and for an object of which none can be taken.
    """
    if not isinstance(source, (str, Path)):
        return of_object(source)
    file = _file(str(source), task)
    return None if file is None else sha256(file)


def of_object(value: Any) -> str | None:
    """Return the SHA-256 of what an object holds and of its code; None where it cannot be pickled.

    It is the same in every process. Of a model of Stable-Baselines3 the weights count, and not where its
    training stands.
    """
    weights = getattr(value, "get_parameters", None)
    code = _code_of(type(value).__module__)
    try:
        held = weights().get("policy") if callable(weights) else value
        return _digest((type(value).__qualname__, None if code is None else sha256(code), held))
    except Exception:  # anybody's object
        return None


def _file(name: str, task: Task) -> Path | None:
    """Return the file of a policy's settings, weights or code."""
    if Path(name).is_file():
        return Path(name)
    module, colon, _ = name.partition(":")
    return _code_of(module) if colon else catalog.find_baseline(task.task, name)


def _code_of(module: str) -> Path | None:
    """Return the file of a module; None for one without, and for the script that runs."""
    found = None if module == "__main__" else find_spec(module)
    own = None if found is None or found.origin is None else Path(found.origin)
    return own if own is not None and own.is_file() else None


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles to be hashed: of what pickles depend on, only that which an object does follows from.

    Sets have an order of their own, tensors are their numbers and not their address, code is what it does and
    not the lines where it stands, and the classes of scripts and notebooks are what they hold.
    """

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=5)
        self._known: dict[Any, int] = {}

    def persistent_id(self, value: Any) -> Any:
        """Return what stands for a value in the pickle; None for one that is pickled as it is."""
        if isinstance(value, (set, frozenset)):
            return "set", sorted(_digest(one) for one in value)
        if isinstance(value, CodeType):
            names = value.co_names, value.co_varnames, value.co_freevars
            return "code", value.co_code, value.co_consts, names
        if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
            return "tensor", value.detach().cpu().numpy()
        if isinstance(value, (type, FunctionType)) and value.__module__ == "__main__":
            if value in self._known:
                return "known", self._known[value]
            self._known[value] = len(self._known)
            return value.__qualname__, _of_class(value) if isinstance(value, type) else _of_function(value)
        return None


def _of_class(value: type) -> Any:
    """Return what a class holds."""
    return value.__bases__, {n: one for n, one in vars(value).items() if n not in _NOT_OF_CLASSES}


def _of_function(value: FunctionType) -> Any:
    """Return what a function does: its code, its defaults, and what it refers to."""
    used = {name: value.__globals__[name] for name in _names(value.__code__) if name in value.__globals__}
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    return value.__code__, value.__defaults__, value.__kwdefaults__, cells, used


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that code refers to, and functions inside it."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names(one)


def _digest(value: Any) -> str:
    stream = io.BytesIO()
    _Pickler(stream).dump(value)
    return hashlib.sha256(stream.getvalue()).hexdigest()
