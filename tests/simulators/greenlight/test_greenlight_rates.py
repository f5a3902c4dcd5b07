"""The state equations and their Jacobian against two independent implementations."""

import casadi
import numpy as np
import pytest
from greenlight_reference import compact, eight, full

from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.parameters.table import parameter_vector
from agbench.simulators.greenlight.presets import PRESETS, preset
from agbench.simulators.greenlight.variables import STATES

FILES = {
    "gym": "rhs_points_glgym2",
    "katzin_2020": "rhs_points_greenlight205_katzin2020",
    "katzin_2021": "rhs_points_greenlight205_katzin2021",
}


def points(name, size):
    return compact(f"points_{name}") if size == "compact" else full(FILES[name])


def parameters(name, data):
    if "p" in data:
        return data["p"]
    return np.tile(parameter_vector(PRESETS[name].changes), (len(data["X"]), 1))


def structure(name):
    """The preset's; the gym's cuts written as GreenLight-Gym 2 does, where the reference is its own."""
    cuts = {"pruning": "tanh", "harvest": "tanh"} if name == "gym" else {}
    return preset(name, cuts).structure


def rates(name, data):
    function = rate_function(structure(name))
    u, p = eight(data["U"]), parameters(name, data)
    return np.array(function(data["X"].T, u.T, data["D"].T, p.T)).T


@pytest.mark.parametrize("size", ["compact", "full"])
@pytest.mark.parametrize("name", FILES)
def test_rates_equal_the_original(name, size):
    """Within 1e-10, relative to a rate or, where terms cancel, 1e-4 of its greatest value."""
    data = points(name, size)
    floor = 1e-4 * np.abs(data["dx"]).max(axis=0)
    size = np.maximum(np.maximum(np.abs(data["dx"]), floor), 1e-300)
    error = np.abs(rates(name, data) - data["dx"]) / size
    assert error.max() < 1e-10, STATES.names[error.max(axis=0).argmax()]


def test_the_logistic_cut_differs_by_the_last_digit_of_its_greatest_rate():
    data = points("gym", "compact")
    inputs = data["X"].T, eight(data["U"]).T, data["D"].T, parameters("gym", data).T
    result = np.array(rate_function(PRESETS["gym"].structure)(*inputs)).T
    off = np.abs(result - rates("gym", data)).max(axis=0)
    cut = STATES.columns(["cLeaf", "cFruit"])
    assert off[cut].max() <= np.spacing(5e4)
    assert not np.delete(off, cut).any()


@pytest.mark.parametrize("size", ["compact", "full"])
def test_jacobian_equals_the_original(size):
    """Within 1e-10, relative to an entry or, where terms cancel, 1e-4 of its greatest value."""
    data = points("gym", size)
    function = rate_function(structure("gym"))
    arguments = function.sx_in()
    matrix = casadi.densify(casadi.jacobian(function(*arguments), arguments[0]))
    jacobian = casadi.Function("jacobian", arguments, [matrix])
    inputs = zip(data["X"], eight(data["U"]), data["D"], data["p"], strict=True)
    result = np.array([np.array(jacobian(*row)) for row in inputs])
    size = np.maximum(np.abs(data["J"]), 1e-4 * np.abs(data["J"]).max(axis=0))
    error = np.abs(result - data["J"]) / np.maximum(size, 1e-300)
    assert error.max() < 1e-10


@pytest.mark.parametrize("name", PRESETS)
def test_rates_and_jacobian_are_finite_where_roots_and_powers_are_singular(name):
    """All temperatures equal, no wind, no light, screens and vents fully open or closed."""
    function = rate_function(PRESETS[name].structure)
    arguments = function.sx_in()
    derivatives = [casadi.jacobian(function(*arguments), a) for a in arguments[:2]]
    both = casadi.Function("both", arguments, [function(*arguments), *derivatives])
    p = parameter_vector(PRESETS[name].changes)
    for temperature in (-30.0, 0.0, 20.0, 60.0):
        x = np.full(28, temperature)
        x[[0, 1]], x[[15, 16]], x[22:26], x[26] = 700.0, 800.0, [-5e3, 9e4, 2e5, 8e6], 0.0
        d = np.array([0, temperature, 800, 700, 0, temperature, temperature, 0, 0, 0], dtype=float)
        for position in (0.0, 1.0):
            for value in both(x, np.full(8, position), d, p):
                assert np.isfinite(np.array(value)).all()
