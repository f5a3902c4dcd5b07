"""The list of functions, and their algorithms as LLVM functions."""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from llvmlite import ir

from agbench.compiled.elementary import circular, exponential, logarithm, power
from agbench.compiled.elementary.number import Number, kind_of

ALGORITHMS: Final[dict[str, tuple[int, Callable[..., Number]]]] = {
    "exp": (1, exponential.exp),
    "exp10": (1, exponential.exp10),
    "expm1": (1, exponential.expm1),
    "log": (1, logarithm.log),
    "pow": (2, power.pow),
    "sin": (1, circular.sin),
    "cos": (1, circular.cos),
    "tanh": (1, exponential.tanh),
    "asin": (1, circular.asin),
    "atan": (1, circular.atan),
    "atan2": (2, circular.atan2),
}
"""Number of arguments and algorithm of each function."""


def define(module: Any, name: str, lanes: int) -> Any:
    """Return a function of a kernel's module, written into it where it is not there yet.

    Its symbol holds a hash of its instructions: where kernels that were compiled apart come together,
    equal functions become one and no other takes its place.
    """
    symbol = f"own_{name}_{lanes}_{_contents(name, lanes)}"
    function = module.globals.get(symbol)
    return function if function is not None else _written(module, name, lanes, symbol, "linkonce_odr")


def definitions(text: str) -> str:
    """Return the assembly of the functions that an assembly text calls, as `@own_<name>_<lanes>`."""
    module = ir.Module()
    calls = sorted(set(re.findall(r"@own_([a-z0-9]+)_(\d+)\(", text)))
    functions = [_written(module, name, int(n), f"own_{name}_{n}", "internal") for name, n in calls]
    return "\n".join(map(str, [*functions, *module.metadata]))


@cache
def _contents(name: str, lanes: int) -> str:
    """Return a hash of a function's instructions."""
    text = str(_written(ir.Module(), name, lanes, "own", "internal"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _written(module: Any, name: str, lanes: int, symbol: str, linkage: str) -> Any:
    """Write a function into a module."""
    arity, algorithm = ALGORITHMS[name]
    kind = kind_of(lanes)
    function = ir.Function(module, ir.FunctionType(kind, [kind] * arity), symbol)
    function.linkage = linkage
    function.attributes.add("noinline")  # inlined, it makes large kernels slower
    # So that LLVM makes one of equal calls and takes them out of loops; llvmlite knows only the first two.
    for attribute in ("nounwind", "readnone", "willreturn", "speculatable"):
        set.add(function.attributes, attribute)
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(algorithm(*(Number(builder, argument) for argument in function.args)).value)
    return function
