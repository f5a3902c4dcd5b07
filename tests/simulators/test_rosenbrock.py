"""The Rosenbrock methods and the symbolic factorisation on problems whose solution is known."""

import casadi
import numpy as np
import pytest

from agbench.errors import UnknownNameError
from agbench.simulators.casadi_jit.rosenbrock.driver import (
    Batch,
    Control,
    accept,
    advance,
    make_workspace,
    workspace,
)
from agbench.simulators.casadi_jit.rosenbrock.elimination import factor_function, plan, solve
from agbench.simulators.casadi_jit.rosenbrock.method import TABLEAUS, compile_method
from agbench.simulators.casadi_jit.rosenbrock.programs import _finish


def equations():
    """Prothero and Robinson's stiff problem around sin(t), with the time as a state; u, d, p idle."""
    x = casadi.SX.sym("x", 2)
    u, d, p = (casadi.SX.sym(letter) for letter in "udp")
    slow = -p * (x[0] - casadi.sin(x[1])) + casadi.cos(x[1])
    return casadi.Function("rates", [x, u, d, p], [casadi.vertcat(slow, 1 + 0 * u + 0 * d)])


def flows():
    """What adds to and what takes from the first state of `equations`, and a rate of u, d and p alone."""
    x = casadi.SX.sym("x", 2)
    u, d, p = (casadi.SX.sym(letter) for letter in "udp")
    both = (p * casadi.sin(x[1]) + casadi.cos(x[1]), p * x[0], 2 + u + d + 0 * p)
    return casadi.Function("flows", [x, u, d, p], [casadi.vertcat(*both)])


def solution(name, tolerance, first, stiffness, interval=1.0):
    """Return the state after an interval and the attempts it took."""
    method = compile_method(name, equations(), np.ones(2), 1, flows())
    state, weather = np.array([[0.0, 0.0]]), np.zeros(1)
    batch = Batch(
        rows=np.array([0]),
        state=state,
        controls=np.zeros((1, 1)),
        parameters=np.array([[stiffness]]),
        weather=np.array([weather.ctypes.data]),
        width=1,
        elapsed=np.array([0]),
        horizon=np.array([1]),
        steps=1,
        attempts=np.zeros((1, 2), dtype=np.int64),
        integrals=np.full((1, 3), np.nan),
        failed=np.zeros(1, dtype=bool),
    )
    advance(method, Control(interval, first, tolerance), make_workspace(method, 2, 3), batch)
    return state[0], batch


@pytest.mark.parametrize("name", TABLEAUS)
def test_one_step_has_the_order_of_the_method(name):
    """Halving a step divides its error by 2 to the order plus one."""
    errors = []
    for interval in (0.1, 0.05):
        state, _ = solution(name, 1e9, interval, 1.0, interval)
        errors.append(abs(state[0] - np.sin(interval)))
    order = np.log2(errors[0] / errors[1]) - 1
    assert order == pytest.approx(TABLEAUS[name].order, abs=0.35)


@pytest.mark.parametrize("name", TABLEAUS)
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6])
def test_stiff_problem_is_solved_to_the_tolerance(name, stiffness):
    state, batch = solution(name, 1e-6, 1e-3, stiffness)
    assert state[0] == pytest.approx(np.sin(1.0), abs=2e-5)
    assert batch.attempts.sum() < 200
    assert not batch.failed.any()


@pytest.mark.parametrize("name", TABLEAUS)
@pytest.mark.parametrize(("stiffness", "tolerance"), [(1.0, 1e9), (50.0, 1e-2), (1e3, 1e-6)])
def test_integrals_add_up_with_the_state_however_coarse_the_steps(name, stiffness, tolerance):
    state, batch = solution(name, tolerance, 0.3, stiffness)
    gain, loss, constant = batch.integrals[0]
    assert gain - loss == pytest.approx(state[0], abs=1e-12 * max(stiffness, 1.0))
    assert constant == pytest.approx(2.0, rel=1e-14)


@pytest.mark.parametrize("name", TABLEAUS)
def test_integrals_are_exact_to_the_tolerance(name):
    _, batch = solution(name, 1e-7, 1e-3, 3.0)
    assert batch.integrals[0, 0] == pytest.approx(3 * (1 - np.cos(1.0)) + np.sin(1.0), abs=1e-5)


def test_row_that_does_not_move_integrates_nothing():
    _, batch = solution("rodas4", 1e-6, 1e-3, 1.0)
    assert batch.integrals.any()
    method = compile_method("rodas4", equations(), np.ones(2), 1, flows())
    advance(method, Control(1.0, 1e-3, 1e-6), make_workspace(method, 2, 3), batch)
    assert not batch.integrals.any()


def test_unsolvable_row_is_marked_and_keeps_its_state():
    state, batch = solution("rodas4", 1e-6, 1e-3, np.nan)
    assert batch.failed.all()
    np.testing.assert_array_equal(state, [0.0, 0.0])


def test_refused_step_is_always_shorter():
    """Also a last step, refused for an error just above one, which fitting would stretch again."""
    method = compile_method("rodas4", equations(), np.ones(2), 1)
    _, batch = solution("rodas4", 1e-6, 1e-3, 1.0)
    lanes, scratch = workspace(method, make_workspace(method, 2, 3), batch)
    lanes.row[0], lanes.step[0], lanes.elapsed[0] = 0, 10.0, 290.0
    scratch.error[0], scratch.change[0] = np.nextafter(1.0, 2.0), 0.95
    assert not accept(lanes, scratch, batch, 0, Control(300.0, 1.0, 1e-6))
    assert lanes.step[0] == 9.0


def test_unknown_method_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="'rodas4'"):
        compile_method("rodas5", equations(), np.ones(2), 1)


def test_symbolic_factorisation_solves_a_sparse_system():
    random = np.random.default_rng(4)
    jacobian = random.normal(size=(12, 12)) * (random.uniform(size=(12, 12)) < 0.25)
    sparse = casadi.sparsify(casadi.DM(jacobian))
    pattern = np.zeros((12, 12), dtype=bool)
    pattern[tuple(np.array(sparse.sparsity().get_triplet()))] = True
    elimination = plan(pattern)
    factors = factor_function(elimination, sparse.sparsity())(sparse.nonzeros(), 7.0)
    right = random.normal(size=12)
    result = [float(v) for v in solve(elimination, factors, casadi.vertsplit(casadi.DM(right)))]
    np.testing.assert_allclose(result, np.linalg.solve(7 * np.eye(12) - jacobian, right), rtol=1e-12)


@pytest.mark.parametrize("name", TABLEAUS)
@pytest.mark.parametrize(
    ("error", "change"), [(1.0, 0.9), (1 / 16, None), (16.0, None), (1e9, 0.2), (0.0, 6.0)]
)
def test_the_next_step_is_as_long_as_the_error_allows(name, error, change):
    """An error of so many tolerances changes the step by its root, of the method's order, and some safety."""
    tableau = TABLEAUS[name]
    stage = next(i for i, weight in enumerate(tableau.e) if weight)
    stages = np.zeros(tableau.stages)
    stages[stage] = error * 1e-3 / tableau.e[stage]
    _, found, length = _finish(tableau, np.array([1e9]), casadi.SX(1.0), casadi.SX(stages), 1e-12)
    assert float(found) == pytest.approx(error)
    expected = 0.9 * error ** (-1 / tableau.order) if change is None else change
    assert float(length) == pytest.approx(expected)


def test_pivots_are_taken_in_an_order_of_least_fill():
    """The last is alone in its row and fills nothing; the first, taken before it, would fill (2, 3)."""
    pattern = np.array([[1, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
    elimination = plan(pattern)
    assert elimination.order[0] == 3
    assert len(elimination.place) == pattern.sum()
