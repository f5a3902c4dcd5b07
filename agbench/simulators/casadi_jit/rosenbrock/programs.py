"""The programs of a Rosenbrock step for one model and one method, ready for the compiler."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np

from agbench.simulators.casadi_jit.compiler import Program, hoist, restrict, translate
from agbench.simulators.casadi_jit.rosenbrock.elimination import factor_function, plan, solve
from agbench.simulators.casadi_jit.rosenbrock.tableau import Tableau
from agbench.variables import Floats

SAFETY, LEAST_CHANGE, MOST_CHANGE = 0.9, 0.2, 6.0  # Hairer and Wanner 1996, Section IV.2


@dataclass(frozen=True)
class Sizes:
    """Lengths of the arrays that a step works on, each per row."""

    states: int
    held: int
    jacobian: int
    factors: int
    integrals: int


def step_programs(
    rates: Any, integrands: Any, tableau: Tableau, scales: Floats
) -> tuple[dict[str, Program], Sizes]:
    """Return the programs of a step of `rates`, a function (x, u, d, p) -> dx/dt, and their sizes.

    - `prepare` (u, d, p) -> held: what stays fixed while u, d and p do
    - `jacobian` (x, held) -> rates and J; `rates` (x, held) -> rates
    - `factor` (J, 1 / (h gamma)) -> factors
    - `solve` (factors, rates, sum of c k, 1 / h) -> k
    - `combine_i` (x, k) -> x of stage i and sum of c k
    - `finish` (x, k, tolerance) -> x after the step, its error over the tolerance, factor for the
      next step
    - `integrate` (x, u, d, p, k, 1 / h) -> what `integrands`, a function (x, u, d, p) or None, sum up to

    `scales` (n) are usual sizes of the states.
    """
    arguments = rates.sx_in()
    column = rates(*arguments)
    matrix = casadi.jacobian(column, arguments[0])
    both = casadi.Function("both", arguments, casadi.cse([column, matrix]))
    prepare, rest = hoist(translate(both), [1, 2, 3])
    n = column.numel()
    pattern = np.zeros((n, n), dtype=bool)
    pattern[tuple(np.array(matrix.sparsity().get_triplet()))] = True
    elimination = plan(pattern)
    programs = {
        "prepare": prepare,
        "jacobian": rest,
        "rates": restrict(rest, [0]),
        "factor": translate(factor_function(elimination, matrix.sparsity())),
        "solve": _symbolic(
            lambda factors, f, s, inverse: [
                casadi.vertcat(*solve(elimination, factors, casadi.vertsplit(f + inverse * s)))
            ],
            [len(elimination.place), n, n, 1],
        ),
        "finish": _symbolic(
            lambda x, k, tolerance: _finish(tableau, scales, x, k, tolerance), [n, tableau.stages * n, 1]
        ),
    }
    for stage in range(1, tableau.stages):
        programs[f"combine_{stage}"] = _symbolic(
            lambda x, k, stage=stage: [
                x + _weighted(tableau.a[stage], k, n),
                _weighted(tableau.c[stage], k, n),
            ],
            [n, tableau.stages * n],
        )
    integrals = 0
    if integrands is not None:
        programs["integrate"] = translate(_integrals(integrands, tableau))
        integrals = integrands.numel_out(0)
    held, factors = len(prepare.outputs[0]), len(elimination.place)
    return programs, Sizes(n, held, matrix.nnz(), factors, integrals)


def _integrals(integrands: Any, tableau: Tableau) -> Any:
    """Return (x, u, d, p, stages, 1 / h) -> the integral of `integrands` (x, u, d, p) over a step.

    It is what the method would make of q with dq/dt = g(x), were q a state that nothing reads: the
    stages of x are solved without it, and its own follow from theirs. A Rosenbrock method keeps linear
    balances to rounding, so q and the state that loses it add up however coarse the step.
    """
    x, u, d, p = integrands.sx_in()
    n, size = x.numel(), integrands.numel_out(0)
    stages, inverse = casadi.SX.sym("k", tableau.stages * n), casadi.SX.sym("inverse")
    gradient = casadi.jacobian(integrands(x, u, d, p), x)
    own = casadi.SX.zeros(0)
    for i in range(tableau.stages):
        rate = integrands(x + _weighted(tableau.a[i], stages, n), u, d, p)
        rate += casadi.mtimes(gradient, stages[i * n : (i + 1) * n])
        rate += inverse * _weighted(tableau.c[i], own, size)
        own = casadi.vertcat(own, rate * (tableau.gamma / inverse))
    total = casadi.densify(_weighted(tableau.m, own, size))
    return casadi.Function("integrate", [x, u, d, p, stages, inverse], [casadi.cse(total)])


def _finish(tableau: Tableau, scales: Floats, x: Any, k: Any, tolerance: Any) -> list[Any]:
    """Return the state after the step, its error over the tolerance, and the change of the step.

    The error is a 2-norm over the states: a sum passes NaN on, where a maximum would hide it.
    """
    n = len(scales)
    after = x + _weighted(tableau.m, k, n)
    size = casadi.fmax(casadi.fmax(casadi.fabs(x), casadi.fabs(after)), casadi.DM(scales))
    error = casadi.norm_2(_weighted(tableau.e, k, n) / (tolerance * size))
    change = SAFETY * casadi.fmax(error, 1e-10) ** (-1 / tableau.order)
    return [after, error, casadi.fmin(MOST_CHANGE, casadi.fmax(LEAST_CHANGE, change))]


def _weighted(weights: tuple[float, ...], k: Any, n: int) -> Any:
    """Return the sum of the stages `k` (stages times n) with weights; weights of 0 cost nothing."""
    total = casadi.SX.zeros(n)
    for i, weight in enumerate(weights):
        if weight:
            total = total + weight * k[i * n : (i + 1) * n]
    return total


def _symbolic(body: Callable[..., list[Any]], sizes: list[int]) -> Program:
    """Return the program of a symbolic function of columns of given sizes."""
    columns = [casadi.SX.sym(f"a{i}", size) for i, size in enumerate(sizes)]
    outputs = [casadi.densify(output) for output in body(*columns)]
    return translate(casadi.Function("f", columns, outputs))
