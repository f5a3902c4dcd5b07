"""The plan as a nonlinear program over all intervals, solved by IPOPT through CasADi.

Intervals are chained: what comes before one is the end of the one before. The Jacobian and the
Hessian are put together from the intervals' own, so that their cost grows with the horizon only linearly.
"""

from dataclasses import dataclass
from typing import Any, Final

import casadi
import numpy as np
from numpy.typing import NDArray

from agbench.policies.greenhouse.mpc.interval import ControlInterval
from agbench.variables import Floats

_OPTIONS: Final = {
    "print_time": False,
    "ipopt.print_level": 0,
    "ipopt.sb": "yes",
    "ipopt.linear_solver": "mumps",
    "ipopt.mu_init": 1e-3,  # money of a day is about 1 EUR m-2
    "ipopt.acceptable_iter": 3,
    "ipopt.acceptable_obj_change_tol": 1e-3,
    "ipopt.acceptable_compl_inf_tol": 1e-3,
    "ipopt.acceptable_dual_inf_tol": 0.1,
}
_SLACK: Final = 1e-3  # of full scale, beyond a guess's violations
_FINE: Final = ("Solve_Succeeded", "Solved_To_Acceptable_Level")


@dataclass(frozen=True)
class Bounds:
    """Bounds of variables and constraints, in their order."""

    low: Floats
    high: Floats
    low_rows: Floats
    high_rows: Floats


@dataclass(frozen=True)
class Solution:
    """What the solver returned: the variables (intervals, own), their cost [EUR m-2], how it went."""

    variables: Floats
    cost: float
    status: str
    iterations: int

    @property
    def solved(self) -> bool:
        """Whether the solver met its tolerance."""
        return self.status in _FINE


class NonlinearProgram:
    """The nonlinear program of a chain of intervals, built once and solved again and again."""

    def __init__(self, functions: ControlInterval, count: int, iterations: int, tolerance: float) -> None:
        self._f = functions
        self._n = count
        layout = functions.layout
        variables = casadi.MX.sym("variables", layout.own * count)
        parameters = casadi.MX.sym("parameters", layout.before + layout.data * count)
        first, each = casadi.vertsplit(parameters, [0, layout.before, parameters.numel()])
        own = casadi.reshape(variables, layout.own, count)
        each = casadi.reshape(each, layout.data, count)
        n_u, points, states = len(layout.controls), layout.points, layout.states
        last = n_u + (points - 1) * states
        ends = casadi.vertcat(own[:n_u, :-1], own[last : last + states, :-1])
        before = casadi.horzcat(first, ends)
        arguments = [before, own, each]
        self._places = self._variable_places()
        cost, rows = functions.value.map(count)(*arguments)
        total, constraints = casadi.sum2(cost), casadi.vec(rows)
        slopes = functions.gradient.map(count)(*arguments)
        jacobians = functions.slope.map(count)(*arguments)
        sigma = casadi.MX.sym("sigma")
        multipliers = casadi.MX.sym("multipliers", layout.rows * count)
        curvature = functions.curvature.map(count)(
            *arguments, casadi.repmat(sigma, 1, count), casadi.reshape(multipliers, layout.rows, count)
        )
        gradient = self._gathered_gradient(slopes)
        jacobian = self._gathered_jacobian(jacobians)
        hessian = self._gathered_hessian(curvature)
        options: Any = {
            **_OPTIONS,
            "ipopt.max_iter": iterations,
            "ipopt.tol": tolerance,
            "ipopt.constr_viol_tol": tolerance,
            "ipopt.acceptable_tol": 10.0 * tolerance,
            "ipopt.acceptable_constr_viol_tol": 10.0 * tolerance,
            "grad_f": casadi.Function("grad_f", [variables, parameters], [total, gradient]),
            "jac_g": casadi.Function("jac_g", [variables, parameters], [constraints, jacobian]),
            "hess_lag": casadi.Function("hess_lag", [variables, parameters, sigma, multipliers], [hessian]),
        }
        problem = {"x": variables, "p": parameters, "f": total, "g": constraints}
        self._solver = casadi.nlpsol("plan", "ipopt", problem, options)
        self._constraints = casadi.Function("constraints", [variables, parameters], [constraints])

    def with_slack(self, guess: Floats, parameters: Floats) -> Floats:
        """Return a guess (intervals, own) with the violations that its states have."""
        layout = self._f.layout
        limits = slice(layout.defects, layout.rows - len(layout.controls))
        rows = self.rows(guess, parameters)[:, limits].reshape(self._n, 2, -1)
        result = guess.copy()
        result[:, -rows.shape[2] :] = np.maximum(-rows.min(axis=1), 0.0) + _SLACK
        return result

    def rows(self, variables: Floats, parameters: Floats) -> Floats:
        """Return the constraints of variables (intervals, own): defects, limits, changes of controls."""
        return np.array(self._constraints(variables.ravel(), parameters)).reshape(self._n, -1)

    def solve(self, guess: Floats, parameters: Floats, bounds: Bounds) -> Solution:
        """Return the solution from a guess (intervals, own) of the variables."""
        result = self._solver(
            x0=guess.ravel(),
            p=parameters,
            lbx=bounds.low,
            ubx=bounds.high,
            lbg=bounds.low_rows,
            ubg=bounds.high_rows,
        )
        stats = self._solver.stats()
        return Solution(
            np.array(result["x"]).reshape(self._n, self._f.layout.own),
            float(result["f"]),
            str(stats["return_status"]),
            int(stats["iter_count"]),
        )

    def _variable_places(self) -> NDArray[np.int64]:
        """Return where an interval's (before, own) stand among all variables, -1 for what is given."""
        layout = self._f.layout
        n_u, states = len(layout.controls), layout.states
        last = n_u + (layout.points - 1) * states
        end = np.r_[np.arange(n_u), np.arange(last, last + states)]
        places = np.empty((self._n, layout.before + layout.own), dtype=np.int64)
        for k in range(self._n):
            places[k, : layout.before] = -1 if k == 0 else end + (k - 1) * layout.own
            places[k, layout.before :] = np.arange(layout.own) + k * layout.own
        return places

    def _gathered_gradient(self, slopes: Any) -> Any:
        sparsity = self._f.gradient.sparsity_out(0)
        rows = np.array(sparsity.row())
        places = self._places[:, rows].ravel()
        return _gather(slopes, places, np.zeros_like(places), (self._n * self._f.layout.own, 1))

    def _gathered_jacobian(self, jacobians: Any) -> Any:
        sparsity = self._f.slope.sparsity_out(0)
        rows, columns = (np.array(part) for part in sparsity.get_triplet())
        height = self._f.layout.rows
        down = (rows[None] + height * np.arange(self._n)[:, None]).ravel()
        across = self._places[:, columns].ravel()
        shape = (self._n * height, self._n * self._f.layout.own)
        return _gather(jacobians, down, across, shape)

    def _gathered_hessian(self, curvature: Any) -> Any:
        sparsity = self._f.curvature.sparsity_out(0)
        rows, columns = (np.array(part) for part in sparsity.get_triplet())
        size = self._n * self._f.layout.own
        return _gather(
            curvature, self._places[:, rows].ravel(), self._places[:, columns].ravel(), (size, size)
        )


def _gather(parts: Any, rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """Return the sparse matrix of all intervals' nonzeros at their places; those at -1 are left out."""
    kept = np.flatnonzero((rows >= 0) & (columns >= 0))
    key = columns[kept] * shape[0] + rows[kept]
    unique, where = np.unique(key, return_inverse=True)
    pattern = casadi.Sparsity.triplet(*shape, (unique % shape[0]).tolist(), (unique // shape[0]).tolist())
    add = casadi.DM.triplet(where.tolist(), kept.tolist(), np.ones(len(kept)), len(unique), len(rows))
    return casadi.MX(pattern, add @ parts.nz[:])
