"""How kernels and Python call the functions: inlined into a kernel, or by address."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from agbench.compiled.elementary.functions import ALGORITHMS, define, definitions
from agbench.compiled.elementary.number import kind_of
from agbench.compiled.object_code import Facts, load_built


def for_kernels(function: Callable[..., Any]) -> None:
    """Let kernels call an elementary function through its Python function."""
    name = function.__name__
    arity, _ = ALGORITHMS[name]
    arguments = (types.float64,) * arity

    def typed(*arguments: Any) -> Any:
        fits = all(isinstance(a, (types.Float, types.Integer)) for a in arguments)
        return types.float64(*arguments) if fits else None

    # Numba reads the arguments' names.
    typer = (lambda x: typed(x)) if arity == 1 else (lambda x, y: typed(x, y))
    register: Any = type_callable
    register(function)(lambda context: typer)

    def lowered(context: Any, builder: Any, kind: Any, values: Any) -> Any:
        return builder.call(define(builder.module, name, 1), values)

    lower: Any = lower_builtin
    lower(function, *arguments)(lowered)


def four_for_kernels(function: Callable[..., Any], name: str) -> None:
    """Let kernels call a function of four numbers, which holds the function `name` of each, as a vector."""
    four = (types.float64,) * 4
    tuple_of: Any = types.UniTuple
    four_numbers = tuple_of(types.float64, 4)

    def typer(a: Any, b: Any, c: Any, d: Any) -> Any:
        fits = all(isinstance(argument, types.Float) for argument in (a, b, c, d))
        return four_numbers(*four) if fits else None

    def lowered(context: Any, builder: Any, kind: Any, values: Any) -> Any:
        vector = ir.Constant(kind_of(4), ir.Undefined)
        places = [ir.Constant(ir.IntType(32), i) for i in range(4)]
        for place, value in zip(places, values, strict=True):
            vector = builder.insert_element(vector, value, place)
        result = builder.call(define(builder.module, name, 4), [vector])
        return context.make_tuple(
            builder, kind.return_type, [builder.extract_element(result, place) for place in places]
        )

    register: Any = type_callable
    register(function)(lambda context: typer)
    lower: Any = lower_builtin
    lower(function, *four)(lowered)


def from_python(name: str, *arguments: Any) -> Any:
    """Return the function's value of numbers, or of each element of arrays."""
    single, many = _addresses()[name]
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            break
    else:
        return single(*arguments)
    arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in np.broadcast_arrays(*arguments)]
    result = np.empty(arrays[0].shape)
    many(result.size, result.ctypes.data, *(a.ctypes.data for a in arrays))
    return result.reshape(np.broadcast_shapes(*map(np.shape, arguments)))


@cache
def _addresses() -> dict[str, tuple[Any, Any]]:
    """Return for each function what computes one value, and what fills an array."""

    def build() -> tuple[str, Facts]:
        entries = "\n".join(map(_outer, ALGORITHMS))
        return f"{definitions(entries)}\n{entries}", {}

    address, _ = load_built("elementary", f"{__name__}:{_addresses.__name__}", (), build)
    result = {}
    for name, (arity, _) in ALGORITHMS.items():
        single = ctypes.PYFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * arity)
        many = ctypes.PYFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (1 + arity))
        result[name] = single(address(f"one_{name}")), many(address(f"many_{name}"))
    return result


def _outer(name: str) -> str:
    """Return the assembly of a function's two entry points: one value, and a loop over arrays."""
    arity, _ = ALGORITHMS[name]
    numbers = [f"%x{i}" for i in range(arity)]
    listed = ", ".join(f"double {x}" for x in numbers)
    reads = "\n".join(
        f"%p{i} = getelementptr double, ptr %in{i}, i64 %k\n{x} = load double, ptr %p{i}, align 8"
        for i, x in enumerate(numbers)
    )
    inputs = ", ".join(f"ptr noalias %in{i}" for i in range(arity))
    call = f"call double @own_{name}_1({listed})"
    return f"""
define double @one_{name}({listed}) {{
%y = {call}
ret double %y
}}
define void @many_{name}(i64 %n, ptr noalias %out, {inputs}) {{
start:
%some = icmp sgt i64 %n, 0
br i1 %some, label %loop, label %end
loop:
%k = phi i64 [ 0, %start ], [ %next, %loop ]
{reads}
%y = {call}
%q = getelementptr double, ptr %out, i64 %k
store double %y, ptr %q, align 8
%next = add i64 %k, 1
%more = icmp slt i64 %next, %n
br i1 %more, label %loop, label %end
end:
ret void
}}"""
