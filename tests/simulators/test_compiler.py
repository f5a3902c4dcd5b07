"""Compiled SX functions against CasADi's virtual machine, instruction by instruction."""

import os
import platform
import subprocess
import sys

import casadi
import numba
import numpy as np
import pytest

from agbench.compiled import object_code
from agbench.simulators.casadi_jit.calling import call
from agbench.simulators.casadi_jit.compiler import (
    UnsupportedOperationError,
    assembly,
    grouped,
    hoist,
    translate,
)
from agbench.simulators.casadi_jit.machine_code import compile_programs

EXACT = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x, y: -x,
    "sq": lambda x, y: x * x,
    "twice": lambda x, y: 2 * x,
    "inv": lambda x, y: 1 / x,
    "sqrt": lambda x, y: casadi.sqrt(x),
    "fabs": lambda x, y: casadi.fabs(x),
    "fmin": lambda x, y: casadi.fmin(x, y),
    "fmax": lambda x, y: casadi.fmax(x, y),
    "floor": lambda x, y: casadi.floor(x),
    "ceil": lambda x, y: casadi.ceil(x),
    "copysign": lambda x, y: casadi.copysign(x, y),
    "sign": lambda x, y: casadi.sign(x),
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "not": lambda x, y: casadi.logic_not(x),
    "and": lambda x, y: casadi.logic_and(x, y),
    "or": lambda x, y: casadi.logic_or(x, y),
    "if_else": lambda x, y: casadi.if_else(x > y, x, y, True),
    "if_else_zero": lambda x, y: casadi.if_else(y, x, 0),
}
ROUNDED = {
    "exp": lambda x, y: casadi.exp(x),
    "log": lambda x, y: casadi.log(x),
    "pow": lambda x, y: x**y,
    "constpow": lambda x, y: x**3.3,
    "whole power": lambda x, y: x**7,
    "expm1": lambda x, y: casadi.expm1(x),
    "sin": lambda x, y: casadi.sin(casadi.fmin(x, 1e9)),
    "cos": lambda x, y: casadi.cos(casadi.fmin(x, 1e9)),
    "tanh": lambda x, y: casadi.tanh(x),
    "asin": lambda x, y: casadi.asin(x),
    "atan": lambda x, y: casadi.atan(x),
    "atan2": lambda x, y: casadi.atan2(x, casadi.fmin(1.0 + y * y, 1e100)),
}


@numba.njit
def apply(address, x, y, out):
    call(address, (x, y, out))


def sample():
    """Ordinary values of either sign, ties, zeros, the ends of the range, infinities and NaN."""
    random = np.random.default_rng(1)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-310, 1e300, np.inf, -np.inf, np.nan]
    pairs = np.array([(a, b) for a in special for b in special])
    ordinary = random.normal(size=(400, 2)) * np.array([3.0, 2.0])
    x, y = np.concatenate([pairs, ordinary]).T.copy()
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def evaluate(operation, lanes):
    """Return (compiled, virtual machine) results of an operation over the sample."""
    a, b = casadi.SX.sym("a"), casadi.SX.sym("b")
    function = casadi.Function("f", [a, b], [operation(a, b)])
    address = compile_programs({"f": translate(function)}, lanes)["f"]
    x, y = sample()
    compiled = np.full_like(x, 7.0)
    for i in range(0, len(x) - len(x) % lanes, lanes):
        part = slice(i, i + lanes)
        apply(address, x[part].copy(), y[part].copy(), out := np.empty(lanes))
        compiled[part] = out
    with np.errstate(all="ignore"):
        expected = np.array([float(function(p, q)) for p, q in zip(x, y, strict=True)])
    n = len(x) - len(x) % lanes
    return compiled[:n], expected[:n], x[:n], y[:n]


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", EXACT)
def test_exact_operation_has_the_virtual_machines_bits(name, lanes):
    compiled, expected, *_ = evaluate(EXACT[name], lanes)
    np.testing.assert_array_equal(compiled, expected)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", ROUNDED)
def test_rounded_operation_agrees_with_the_virtual_machine(name, lanes):
    compiled, expected, *_ = evaluate(ROUNDED[name], lanes)
    same = (compiled == expected) | (np.isnan(compiled) & np.isnan(expected))
    with np.errstate(all="ignore"):
        assert np.all(same | (np.abs(compiled - expected) <= 1e-15 * np.abs(expected) + 5e-324))


def test_lanes_and_single_rows_have_the_same_bits():
    x, y = casadi.SX.sym("x", 3), casadi.SX.sym("y", 3)
    result = casadi.exp(x) / (1 + casadi.fabs(y) ** 0.33) + casadi.tanh(x * y) * casadi.log(2 + y * y)
    program = translate(casadi.Function("f", [x, y], [result]))
    one, four = compile_programs({"f": program})["f"], compile_programs({"f": program}, 4)["f"]
    a, b = np.random.default_rng(3).normal(size=(2, 3, 4))
    together, single = np.empty((3, 4)), np.empty(3)
    apply(four, a, b, together)
    for lane in range(4):
        apply(one, a[:, lane].copy(), b[:, lane].copy(), single)
        np.testing.assert_array_equal(together[:, lane], single)


def test_independent_calls_of_one_row_go_into_vectors():
    """Six exponentials at once, then those that need them; the order of the rest does not matter."""
    x = casadi.SX.sym("x", 6)
    inner = casadi.exp(x)
    result = casadi.vertcat(inner[0] + 1, casadi.exp(inner[1:4]), casadi.log(1 + inner[4:]))
    program = translate(casadi.Function("f", [x], [result]))
    ordered, groups = grouped(program)
    calls = [(ordered.nodes[i][0], size) for i, size in enumerate(groups) if size > 1]
    assert calls == [("EXP", 4), ("EXP", 2), ("EXP", 3), ("LOG", 2)]
    operations = [(i, a, b) for i, (op, a, b) in enumerate(ordered.nodes) if op not in ("CONST", "INPUT")]
    assert all(j < i for i, *operands in operations for j in operands if j is not None)
    text = assembly("f", program)
    assert text.count("@own_exp_4(") == 3
    assert text.count("@own_exp_1(") == 0


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names an x86 processor")
def test_old_processor_gives_the_same_bits(monkeypatch, tmp_path):
    """One without fused multiply-add and vectors of four, such as the first of its kind."""
    a, b = casadi.SX.sym("a", 2), casadi.SX.sym("b", 2)
    result = casadi.exp(a) * b + casadi.floor(a) - casadi.fabs(b) ** 0.7
    program = translate(casadi.Function("f", [a, b], [result]))
    x, y = np.random.default_rng(6).normal(size=(2, 2, 4))
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    results = []
    for processor in (object_code.processor(), ("x86-64", "")):
        monkeypatch.setattr(object_code, "processor", lambda processor=processor: processor)
        address = compile_programs({"f": program}, 4, fused=True)["f"]
        apply(address, x, y, out := np.empty((2, 4)))
        results.append(out)
    np.testing.assert_array_equal(*results)


def test_hoisted_program_gives_the_same_bits():
    x, u = casadi.SX.sym("x", 2), casadi.SX.sym("u", 2)
    result = casadi.vertcat(x * casadi.exp(u), casadi.sqrt(1 + u * u) + x, u[0], 5)
    program = translate(casadi.Function("f", [x, u], [result]))
    prepare, rest = hoist(program, [1])
    addresses = compile_programs({"whole": program, "prepare": prepare, "rest": rest})
    a, b = np.array([0.3, -1.2]), np.array([0.7, 2.0])
    carried, whole, split = np.empty(rest.input_sizes[1]), np.empty(6), np.empty(6)

    @numba.njit
    def both(w, p, r, a, b, carried, whole, split):
        call(w, (a, b, whole))
        call(p, (b, carried))
        call(r, (a, carried, split))

    both(*addresses.values(), a, b, carried, whole, split)
    np.testing.assert_array_equal(split, whole)
    assert not any(op in ("EXP", "SQRT") for op, *_ in rest.nodes)


def test_constants_are_not_carried_along_with_what_is_hoisted():
    x, u = casadi.SX.sym("x"), casadi.SX.sym("u")
    program = translate(casadi.Function("f", [x, u], [5 * x + casadi.exp(u) - 0.25]))
    prepare, rest = hoist(program, [1])
    assert [len(output) for output in prepare.outputs] == [1]
    assert rest.input_sizes == (1, 1)


@pytest.mark.parametrize(
    ("operation", "exact"),
    [
        (lambda x, y: x * y - 1, -(2.0**-60)),
        (lambda x, y: 1 - x * y, 2.0**-60),
        (lambda x, y: x * y + (-1), -(2.0**-60)),
        (lambda x, y: x * x - (1 + 2.0**-29), 2.0**-60),
    ],
)
def test_fused_sum_rounds_once(operation, exact):
    a, b = casadi.SX.sym("a"), casadi.SX.sym("b")
    program = translate(casadi.Function("f", [a, b], [operation(a, b)]))
    x, y = np.array([1 + 2.0**-30]), np.array([1 - 2.0**-30])
    for fused, expected in ((True, exact), (False, 0.0)):
        address = compile_programs({"f": program}, fused=fused)["f"]
        apply(address, x, y, out := np.empty(1))
        assert out[0] == expected


@pytest.mark.parametrize("name", ["erfinv", "erf", "tan", "acos", "sinh", "cosh", "log1p"])
def test_unsupported_operation_is_named(name):
    """Also what only the C library has, whose last bits depend on the machine."""
    x = casadi.SX.sym("x")
    with pytest.raises(UnsupportedOperationError, match=f"OP_{name.upper()},"):
        translate(casadi.Function("f", [x], [getattr(casadi, name)(x)]))


def test_function_that_is_not_sx_is_refused():
    x = casadi.MX.sym("x")
    with pytest.raises(UnsupportedOperationError, match=r"expand\(\)"):
        translate(casadi.Function("f", [x], [x * x]))


def test_object_code_is_kept_and_used_again(tmp_path):
    script = (
        "import casadi; from agbench.simulators.casadi_jit import compiler, machine_code as m;"
        "x = casadi.SX.sym('x'); p = compiler.translate(casadi.Function('f', [x], [x * 3]));"
        "print(m.compile_programs({'f': p})['f'] > 0)"
    )
    environment = {**os.environ, "AGBENCH_CACHE_DIR": str(tmp_path)}
    times = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == "True", done.stderr
        times.append([(file.name, file.stat().st_mtime_ns) for file in tmp_path.rglob("*.object")])
    assert len(times[0]) == 1
    assert times[0] == times[1]
    (kept,) = tmp_path.rglob("*.object")
    kept.write_bytes(kept.read_bytes()[:-7])
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
    assert [file.stat().st_mtime_ns for file in tmp_path.rglob("*.object")] != [times[0][0][1]]
