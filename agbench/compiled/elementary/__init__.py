"""exp, log, pow, sin and their like, with the same bits on every machine.

The C library's functions differ in their last bits between libraries and between processors. These
consist of IEEE operations only, fused multiply-add among them (processors without it compute it slowly
but equally). One algorithm serves the kernels, which it is written into, the machine code of greenhouse
models (`definitions`, also for several rows at once) and Python, on numbers and on arrays.

Errors are stated in units in the last place (ulp) of the result: bounds above the largest that millions of
random arguments showed against values of many digits. Special values are those of IEEE 754 and C, but where
a function says which arguments it takes. Roots, absolute
values, floor, ceil and remainders are exact everywhere: `math` and NumPy serve for these.
"""

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from agbench.compiled.elementary.calling import for_kernels, four_for_kernels, from_python
from agbench.compiled.elementary.functions import definitions

Floats = NDArray[np.float64]


@overload
def exp(x: float) -> float: ...
@overload
def exp(x: Floats) -> Floats: ...
def exp(x: Any) -> Any:
    """e to the power of x; within 1 ulp, or one subnormal step."""
    return from_python("exp", x)


@overload
def exp10(x: float) -> float: ...
@overload
def exp10(x: Floats) -> Floats: ...
def exp10(x: Any) -> Any:
    """10 to the power of x; within 1 ulp."""
    return from_python("exp10", x)


@overload
def expm1(x: float) -> float: ...
@overload
def expm1(x: Floats) -> Floats: ...
def expm1(x: Any) -> Any:
    """exp(x) - 1; within 3 ulp."""
    return from_python("expm1", x)


@overload
def log(x: float) -> float: ...
@overload
def log(x: Floats) -> Floats: ...
def log(x: Any) -> Any:
    """Natural logarithm of x, NaN below zero; within 1 ulp."""
    return from_python("log", x)


@overload
def sin(x: float) -> float: ...
@overload
def sin(x: Floats) -> Floats: ...
def sin(x: Any) -> Any:
    """Sine of an angle in radians, NaN beyond 2^30; within 0.9 ulp."""
    return from_python("sin", x)


@overload
def cos(x: float) -> float: ...
@overload
def cos(x: Floats) -> Floats: ...
def cos(x: Any) -> Any:
    """Cosine of an angle in radians, NaN beyond 2^30; within 0.9 ulp."""
    return from_python("cos", x)


@overload
def tanh(x: float) -> float: ...
@overload
def tanh(x: Floats) -> Floats: ...
def tanh(x: Any) -> Any:
    """Hyperbolic tangent of x; within 4 ulp."""
    return from_python("tanh", x)


@overload
def asin(x: float) -> float: ...
@overload
def asin(x: Floats) -> Floats: ...
def asin(x: Any) -> Any:
    """Angle in radians whose sine is x, NaN beyond -1 and 1; within 1 ulp."""
    return from_python("asin", x)


@overload
def atan(x: float) -> float: ...
@overload
def atan(x: Floats) -> Floats: ...
def atan(x: Any) -> Any:
    """Angle in radians whose tangent is x; within 2.2 ulp."""
    return from_python("atan", x)


@overload
def pow(x: float, y: float) -> float: ...
@overload
def pow(x: Floats, y: Floats | float) -> Floats: ...
@overload
def pow(x: float, y: Floats) -> Floats: ...
def pow(x: Any, y: Any) -> Any:
    """x to the power of y, special values as in C; within 1 ulp of results from 1e-30 to 1e30, else 2."""
    return from_python("pow", x, y)


@overload
def atan2(y: float, x: float) -> float: ...
@overload
def atan2(y: Floats, x: Floats | float) -> Floats: ...
@overload
def atan2(y: float, x: Floats) -> Floats: ...
def atan2(y: Any, x: Any) -> Any:
    """Angle in radians of the point (x, y), both finite and not both zero; within 2.5 ulp."""
    return from_python("atan2", y, x)


def exp_of_four(a: float, b: float, c: float, d: float) -> tuple[float, float, float, float]:
    """`exp` of each of four numbers, for little more than the time of one."""
    return exp(a), exp(b), exp(c), exp(d)


four_for_kernels(exp_of_four, "exp")
for _function in (exp, exp10, expm1, log, pow, sin, cos, tanh, asin, atan, atan2):
    for_kernels(_function)

__all__ = [
    "asin",
    "atan",
    "atan2",
    "cos",
    "definitions",
    "exp",
    "exp10",
    "exp_of_four",
    "expm1",
    "log",
    "pow",
    "sin",
    "tanh",
]
