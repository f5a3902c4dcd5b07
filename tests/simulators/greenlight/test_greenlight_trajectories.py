"""Trajectories against the tight reference integration of an independent implementation."""

import numpy as np
import pytest
from greenlight_reference import SCENARIOS, compact, eight, full, scaled_error, temperature_error

from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.simulate import simulate_greenlight
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import SCALES
from agbench.simulators.greenlight.world import greenlight_world

LIMITS = {"accurate": (2e-5, 5e-4), "fast": (5e-4, 5e-3)}
"""Greatest scaled error and error of a temperature [K] that an accuracy allows."""
UNCERTAINTY = 7.24e-7
"""Of the most uncertain reference, walk: greatest relative difference of its runs at 1e-10 and 1e-12."""


def run(data, accuracy, steps=None):
    """Return the trajectory (steps + 1, 28) of the gym's equations under recorded inputs."""
    u = eight(data["U"])[:steps]
    changes = {p.name: value for p, value in zip(PARAMETER_TABLE, data["p"], strict=True)}
    world = greenlight_world(data["D"], "gym", changes, data["X"][0])
    simulator = GreenLightSimulator(1, "gym", float(data["dt"]), accuracy)
    simulator.reset([world])
    states = [simulator.state[0].copy()]
    for k in range(len(u)):
        simulator.advance(u[k : k + 1], 1)
        states.append(simulator.state[0].copy())
    return np.array(states)


@pytest.mark.parametrize("accuracy", LIMITS)
@pytest.mark.parametrize("name", ["bang", "walk"])
def test_errors_stay_within_the_limits_for_a_day(name, accuracy):
    data = compact(f"trajectory_{name}")
    states = run(data, ACCURACIES[accuracy])
    assert scaled_error(states, data["X"]) < LIMITS[accuracy][0]
    assert temperature_error(states, data["X"]) < LIMITS[accuracy][1]


@pytest.mark.parametrize("accuracy", LIMITS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_errors_stay_within_the_limits_over_a_reference_scenario(name, accuracy):
    data = full(name)
    states = run(data, ACCURACIES[accuracy])
    assert scaled_error(states, data["X"]) < LIMITS[accuracy][0]
    assert temperature_error(states, data["X"]) < LIMITS[accuracy][1]


def relative_error(states, reference):
    return float((np.abs(states - reference) / np.maximum(np.abs(reference), 1e-3 * SCALES)).max())


@pytest.mark.parametrize("name", ["bang", "walk"])
def test_cvodes_reproduces_the_reference_to_its_uncertainty(name):
    data = compact(f"trajectory_{name}")
    states = run(data, Accuracy("cvodes", 1e-11, 0.0), steps=24)
    assert relative_error(states, data["X"][:25]) < UNCERTAINTY


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_cvodes_reproduces_a_reference_scenario_to_its_uncertainty(name):
    data = full(name)
    uncertainty = relative_error(data["X_tol1e10"], data["X"])
    assert uncertainty < UNCERTAINTY
    states = run(data, Accuracy("cvodes", 1e-12, 0.0))
    assert relative_error(states, data["X"]) < max(uncertainty, 1e-7)


@pytest.mark.parametrize(
    ("name", "original"),
    [("gym", "glgym2"), ("katzin_2020", "2020_asis"), ("katzin_2021", "2021_harv5e4_lamp2020")],
)
def test_preset_follows_its_original_code_for_three_days(name, original):
    data = full("fidelity_gl205_vs_glgym2_3d")
    table = simulate_greenlight(name, weather=data["D"], controls=data["U"], x0=data[original][0], tol=1e-7)
    assert scaled_error(table.to_numpy(), data[original]) < 2e-6
    assert temperature_error(table.to_numpy(), data[original]) < 2e-5


@pytest.mark.parametrize("integrator", ["rodas3", "rodas4"])
def test_error_falls_with_the_tolerance(integrator):
    data = compact("trajectory_walk")
    errors = [
        scaled_error(run(data, Accuracy(integrator, tolerance, 1.0)), data["X"])
        for tolerance in (1e-3, 1e-5, 1e-7)
    ]
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] < 0.2 * errors[1]


def test_simulate_gives_the_states_as_a_table():
    data = compact("trajectory_walk")
    changes = {p.name: value for p, value in zip(PARAMETER_TABLE, data["p"], strict=True)}
    table = simulate_greenlight("gym", changes, weather=data["D"], controls=data["U"], interval=900.0)
    assert table.shape == (97, 28)
    assert table.index[-1] == 86400.0
    assert scaled_error(table.to_numpy(), data["X"]) < 2e-5
