"""Sparse LU factorisation with a fixed pattern, written out symbolically.

Pivots stay on the diagonal, in an order of least fill (Markowitz 1957). That is safe for the
matrices I / (h gamma) - J of a Rosenbrock step: small steps make the diagonal dominant, and the
error control shortens a step whose solution is poor.
"""

from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np


@dataclass(frozen=True)
class Elimination:
    """A factorisation: pivots in order, and the positions of the factors in one flat array."""

    size: int
    order: tuple[int, ...]
    place: dict[tuple[int, int], int]
    """Place of each nonzero of the factors; diagonal places hold inverse pivots."""


def plan(pattern: Any) -> Elimination:
    """Choose the pivots for a square `pattern` (booleans, shape (n, n)) and predict the fill."""
    n = len(pattern)
    filled = np.array(pattern, dtype=bool) | np.eye(n, dtype=bool)
    left = set(range(n))
    order: list[int] = []
    while left:
        rest = sorted(left)
        cost = {i: (filled[rest, i].sum() - 1) * (filled[i, rest].sum() - 1) for i in rest}
        pivot = min(rest, key=lambda i: (cost[i], i))
        left.remove(pivot)
        order.append(pivot)
        rest.remove(pivot)
        rows = [i for i in rest if filled[i, pivot]]
        columns = [j for j in rest if filled[pivot, j]]
        filled[np.ix_(rows, columns)] = True
    place = {(int(i), int(j)): k for k, (i, j) in enumerate(np.argwhere(filled))}
    return Elimination(n, tuple(order), place)


def factor_function(elimination: Elimination, jacobian: Any) -> Any:
    """Return (nonzeros of J, 1 / (h gamma)) -> factors, for a Jacobian of the given sparsity."""
    values = casadi.SX.sym("jacobian", jacobian.nnz())
    shift = casadi.SX.sym("shift")
    work = {place: casadi.SX(0) for place in elimination.place}
    for k, (row, column) in enumerate(zip(*jacobian.get_triplet(), strict=True)):
        work[row, column] = -values[k]
    for i in range(elimination.size):
        work[i, i] = work[i, i] + shift
    done: set[int] = set()
    for pivot in elimination.order:
        done.add(pivot)
        work[pivot, pivot] = 1 / work[pivot, pivot]
        rows = [i for i, j in work if j == pivot and i not in done]
        columns = [j for i, j in work if i == pivot and j not in done]
        for i in rows:
            work[i, pivot] = work[i, pivot] * work[pivot, pivot]
            for j in columns:
                work[i, j] = work[i, j] - work[i, pivot] * work[pivot, j]
    factors = casadi.vertcat(*(work[place] for place in elimination.place))
    return casadi.Function("factor", [values, shift], [factors])


def solve(elimination: Elimination, factors: Any, right: list[Any]) -> list[Any]:
    """Return the solution of the factored system for a right-hand side, all symbolic."""
    x = list(right)
    rank = {pivot: k for k, pivot in enumerate(elimination.order)}
    for pivot in elimination.order:
        for i, j in elimination.place:
            if j == pivot and rank[i] > rank[pivot]:
                x[i] = x[i] - factors[elimination.place[i, j]] * x[j]
    for pivot in reversed(elimination.order):
        for i, j in elimination.place:
            if i == pivot and rank[j] > rank[pivot]:
                x[i] = x[i] - factors[elimination.place[i, j]] * x[j]
        x[pivot] = x[pivot] * factors[elimination.place[pivot, pivot]]
    return x
