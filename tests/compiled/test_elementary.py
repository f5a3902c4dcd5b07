"""Our own functions against values of many digits and C's special values, through each entry point."""

import ctypes
import math
import re

import llvmlite.binding as llvm
import mpmath
import numba
import numpy as np
import pytest

from agbench.compiled import elementary, object_code
from agbench.compiled.elementary import functions
from agbench.compiled.object_code import _library_address, load_assembly

INF, NAN = math.inf, math.nan
FEW = 4000


def uniform(low, high, seed=0):
    return np.random.default_rng(seed).uniform(low, high, FEW)


def powers(low, high, seed=1):
    """Numbers evenly spread in the logarithm."""
    return 10.0 ** uniform(low, high, seed)


QUARTERS = np.pi / 2 * np.arange(1, FEW)
ACCURACY = {
    "exp": (1, [(uniform(-2, 2),), (uniform(-708, 709.7),)]),
    "exp10": (1, [(uniform(-5, 5),), (uniform(-307, 308),)]),
    "expm1": (3, [(uniform(-2, 2),), (uniform(-40, 700),), (powers(-12, 0),)]),
    "log": (1, [(uniform(0.5, 2),), (powers(-308, 308),), (1 + powers(-16, -2),), (powers(-323, -308),)]),
    "pow": (
        1,
        [
            (uniform(0.1, 10), uniform(-5, 5, 2)),
            (uniform(0.5, 2), uniform(-700, 700, 2)),
            (powers(-10, 10), uniform(-30, 30, 2)),
            (1 + uniform(-1e-4, 1e-4), uniform(-1e6, 1e6, 2)),
        ],
    ),
    "sin": (0.9, [(uniform(-7, 7),), (uniform(-(2.0**30), 2.0**30),), (QUARTERS,), (powers(-12, 0),)]),
    "cos": (0.9, [(uniform(-7, 7),), (uniform(-(2.0**30), 2.0**30),), (QUARTERS,), (powers(-12, 0),)]),
    "tanh": (4, [(uniform(-3, 3),), (powers(-12, 2),)]),
    "asin": (1, [(uniform(-1, 1),), (1 - powers(-16, -1),), (powers(-12, 0),)]),
    "atan": (2.2, [(uniform(-3, 3),), (powers(-12, 12),)]),
    "atan2": (2.5, [(uniform(-3, 3), uniform(-3, 3, 2)), (powers(-6, 6), powers(-6, 6, 2))]),
}
"""For each function the error that its docstring states [ulp], and samples of its arguments."""


def exact(name, *arguments):
    """Return the value of many digits."""
    numbers = [mpmath.mpf(float(x)) for x in arguments]
    if name == "exp10":
        return mpmath.power(10, numbers[0])
    return getattr(mpmath, "power" if name == "pow" else name)(*numbers)


@pytest.mark.slow_except("*-each fourth")
@pytest.mark.parametrize("every", [4, 1], ids=["each fourth", "all"])
@pytest.mark.parametrize("name", ACCURACY)
def test_error_is_within_what_is_stated(name, every):
    bound, samples = ACCURACY[name]
    assert f"within {bound:g} ulp" in getattr(elementary, name).__doc__
    with mpmath.workprec(160):
        for sample in samples:
            arguments = [values[::every] for values in sample]
            result = getattr(elementary, name)(*arguments)
            for value, *row in zip(result, *arguments, strict=True):
                expected = exact(name, *row)
                step = mpmath.mpf(float(np.spacing(abs(float(expected)))))
                assert abs(mpmath.mpf(float(value)) - expected) <= bound * step or math.isinf(
                    float(expected)
                ), row


def test_subnormal_results_of_exp_are_within_one_step():
    x = uniform(-745.2, -708.3)
    with mpmath.workprec(160):
        for value, at in zip(elementary.exp(x), x, strict=True):
            assert abs(mpmath.mpf(float(value)) - exact("exp", at)) <= mpmath.mpf(5e-324)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 5e-324, -1e-310, 1e300, -1e300, INF, -INF, NAN]
SPECIAL += [709.0, 709.79, 745.0, -745.0, -746.5, 1e-20, -1e-20, 2.0**53, 2.0**53 + 2, 1e16]


_C_POW = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(_library_address("pow"))


def library(name, *arguments):
    """Return what NumPy's function, which follows C, gives."""
    names = {"asin": "arcsin", "atan": "arctan"}
    with np.errstate(all="ignore"):
        if name == "exp10":
            return np.power(10.0, *arguments)
        if name == "pow":  # NumPy takes a root for the exponent 0.5
            return np.float64(_C_POW(*arguments))
        return getattr(np, names.get(name, name))(*arguments)


def same(result, expected):
    """Return whether a value is the wanted one but for rounding, signs of zero included."""
    if math.isnan(expected) or math.isinf(expected) or expected == 0.0:
        return np.array_equal(result, expected, equal_nan=True) and (
            math.isnan(expected) or math.copysign(1.0, result) == math.copysign(1.0, expected)
        )
    return abs(result - expected) <= 4e-16 * abs(expected) + 5e-324


@pytest.mark.parametrize("name", ["exp", "exp10", "expm1", "log", "tanh", "asin", "atan"])
def test_special_values_are_those_of_c(name):
    for x in SPECIAL:
        assert same(getattr(elementary, name)(x), library(name, x)), x


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_angles_are_those_of_c_up_to_a_limit_and_undefined_beyond(name):
    function = getattr(elementary, name)
    for x in SPECIAL:
        if abs(x) <= 2.0**30:
            assert same(function(x), library(name, x)), x
        else:
            assert math.isnan(function(x))


def test_special_values_of_pow_are_those_of_c():
    for x in SPECIAL:
        for y in [*SPECIAL, 7.0, -7.0, 0.25, -1.5, 1023.0]:
            assert same(elementary.pow(x, y), library("pow", x, y)), (x, y)


def test_an_angle_of_a_point_lies_in_its_quarter():
    for y in (1.0, -1.0, 0.0, -0.0):
        for x in (1.0, -1.0, 0.0):
            if (x, y) not in [(0.0, 0.0), (0.0, -0.0)]:
                assert elementary.atan2(y, x) == pytest.approx(math.atan2(y, x), abs=0)


@pytest.mark.parametrize("name", ACCURACY)
def test_kernel_python_array_and_vector_have_the_same_bits(name):
    _, samples = ACCURACY[name]
    function = getattr(elementary, name)
    arity = len(samples[0])
    if arity == 1:

        @numba.njit
        def kernel(x, y):
            return np.array([function(v) for v in x])
    else:

        @numba.njit
        def kernel(x, y):
            return np.array([function(x[i], y[i]) for i in range(x.size)])

    special = np.array([(x, y) for x in SPECIAL for y in SPECIAL]).T[:arity]
    for arguments in [*samples, special]:
        arguments = [np.ascontiguousarray(a[:FEW]) for a in arguments]
        together = function(*arguments)
        numbers = np.array([function(*map(float, row)) for row in zip(*arguments, strict=True)])
        np.testing.assert_array_equal(together, numbers)
        np.testing.assert_array_equal(kernel(arguments[0], arguments[-1]), numbers)
        np.testing.assert_array_equal(vectors(name, arguments), numbers[: len(numbers) // 4 * 4])


def vectors(name, arguments):
    """Return the function's values computed four at a time."""
    arity = len(arguments)
    pointers = ", ".join(f"ptr %p{i}" for i in range(arity))
    loads = "\n".join(f"%x{i} = load <4 x double>, ptr %p{i}, align 8" for i in range(arity))
    listed = ", ".join(f"<4 x double> %x{i}" for i in range(arity))
    text = (
        f"define void @four(ptr %out, {pointers}) {{\n{loads}\n"
        f"%y = call <4 x double> @own_{name}_4({listed})\n"
        "store <4 x double> %y, ptr %out, align 8\nret void\n}"
    )
    address = load_assembly(f"{functions.definitions(text)}\n{text}")("four")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (1 + arity))(address)
    result = np.empty(len(arguments[0]) // 4 * 4)
    for i in range(0, len(result), 4):
        call(result[i:].ctypes.data, *(a[i:].ctypes.data for a in arguments))
    return result


def test_four_exponentials_at_once_are_those_of_each():
    @numba.njit
    def kernel(a, b, c, d):
        return elementary.exp_of_four(a, b, c, d)

    for row in (0.1, -3.0, 700.0, 12.5), (INF, NAN, -746.0, 1.0):
        each = [elementary.exp(x) for x in row]
        np.testing.assert_array_equal(kernel(*row), each)
        np.testing.assert_array_equal(elementary.exp_of_four(*row), each)


def test_arrays_of_any_shape_and_a_number_beside_them_are_taken():
    x = np.linspace(0.1, 2.0, 12).reshape(3, 4)
    assert elementary.pow(x, 0.3).shape == (3, 4)
    assert elementary.pow(2.0, x.T)[1, 2] == elementary.pow(2.0, float(x[2, 1]))
    assert elementary.exp(np.empty((0, 2))).shape == (0, 2)
    assert type(elementary.exp(1)) is float


def test_a_symbol_names_what_its_function_holds():
    """Two kernels that were compiled apart may share a function only where it is the same one."""

    @numba.njit
    def kernel(x):
        return elementary.exp(x)

    kernel(1.0)
    (text,) = kernel.inspect_llvm().values()
    symbols = set(re.findall(r"@(own_\w+)", text))
    assert symbols == {f"own_exp_1_{functions._contents('exp', 1)}"}


def test_an_arm_processor_needs_no_library_and_rounds_where_it_is_written():
    """Its instructions: no call, and a product and a sum stay two."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    calls = [
        f"define double @one_{name}(double %x, double %y) {{\n"
        f"%z = call double @own_{name}_1({', '.join(['double %x', 'double %y'][:arity])})\nret double %z\n}}"
        for name, (arity, _) in functions.ALGORITHMS.items()
    ]
    plain = "define double @plain(double %x, double %y) {\n%p = fmul double %x, %y\n"
    text = "\n".join([*calls, plain + "%s = fadd double %p, %y\nret double %s\n}"])
    module = llvm.parse_assembly(object_code._with_declarations(f"{functions.definitions(text)}\n{text}"))
    target = llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    written = target.create_target_machine(cpu="generic", opt=2).emit_assembly(module)
    called = set(re.findall(r"\bbl\s+(\S+)", written))
    assert called == {f"own_{name}_1" for name in functions.ALGORITHMS}
    assert re.search(r"plain:.*?fmul.*?fadd.*?ret", written, re.DOTALL)
