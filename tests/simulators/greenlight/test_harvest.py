"""Meters: harvest is whatever leaves the fruit on the plants, and water and light what the equations say."""

import numpy as np
import pytest
from greenlight_reference import compact

from agbench.simulators.greenlight.metered import METERS, MeteredGreenhouse
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import STATES, initial_state
from agbench.simulators.greenlight.world import greenlight_world

WEATHER = compact("trajectory_bang")["D"]
FRUIT, HARVEST = STATES.column("cFruit"), METERS.column("harvest")
LIMIT = 3e5
STILL = {"rgFruit": 0.0, "cFruitM": 0.0}
"""Fruit that neither grows nor breathes: it changes by harvest alone."""


def greenhouse(name, fruit, accuracy="accurate", interval=300.0, rows=1, **parameters):
    result = MeteredGreenhouse(rows, name, interval, ACCURACIES[accuracy])
    start = initial_state(WEATHER[0])
    start[FRUIT] = fruit
    worlds = [greenlight_world(WEATHER, name, {"cFruitMax": LIMIT, **parameters}, start) for _ in range(rows)]
    result.reset(worlds)
    return result


def controls(n, seed=3):
    return np.random.default_rng(seed).uniform(size=(n, 8)) * np.r_[np.ones(6), 0, 0]


@pytest.mark.parametrize("accuracy", ["accurate", "fast"])
@pytest.mark.parametrize("interval", [60.0, 300.0, 3600.0])
@pytest.mark.parametrize("name", PRESETS)
def test_harvest_is_what_leaves_the_plants(name, interval, accuracy):
    """From half a kilogram above the limit, where most of the harvest falls in the first interval."""
    simulator = greenhouse(name, 8e5, accuracy, interval, rows=3, **STILL)
    for _ in range(4):
        before = simulator.state[:, FRUIT].copy()
        simulator.advance(controls(3), 1)
        lost = before - simulator.state[:, FRUIT]
        np.testing.assert_allclose(simulator.used[:, HARVEST], lost, rtol=0, atol=1e-9 * 8e5)
    assert (simulator.meters[:, HARVEST] > 4.5e5).all()


@pytest.mark.parametrize("name", PRESETS)
def test_harvest_of_growing_fruit_is_that_of_the_reference_integrator(name):
    simulator, reference = (greenhouse(name, 3.2e5, accuracy) for accuracy in ("accurate", "reference"))
    for _ in range(6):
        simulator.advance(controls(1), 1)
        reference.advance(controls(1), 1)
    expected = reference.meters[0, HARVEST]
    assert expected > 1e4
    assert simulator.meters[0, HARVEST] == pytest.approx(expected, rel=1e-5)


def test_harvest_in_many_intervals_is_that_in_a_single_call():
    single, many = (greenhouse("katzin_2021", 4e5) for _ in range(2))
    held = controls(1)
    single.advance(held, 12)
    for _ in range(12):
        many.advance(held, 1)
    np.testing.assert_array_equal(single.meters, many.meters)
    assert single.used[0, HARVEST] > many.used[0, HARVEST]


def test_rows_that_stand_still_harvest_nothing():
    simulator = greenhouse("gym", 4e5, rows=2)
    simulator.advance(controls(2), 1, np.array([True, False]))
    assert simulator.meters[0, HARVEST] > 5e4
    assert simulator.meters[1, HARVEST] == 0.0


def test_cvodes_integrates_the_harvest_too():
    """Its tolerance holds for the states; the harvest follows from them by quadrature."""
    tight = Accuracy("cvodes", 1e-12, 0.0)
    simulator = MeteredGreenhouse(1, "katzin_2020", 300.0, tight)
    start = initial_state(WEATHER[0])
    start[FRUIT] = 4e5
    simulator.reset([greenlight_world(WEATHER, "katzin_2020", STILL, start)])
    simulator.advance(controls(1), 2)
    assert simulator.meters[0, HARVEST] == pytest.approx(4e5 - simulator.state[0, FRUIT], rel=1e-8)


@pytest.mark.parametrize("name", ["gym", "katzin_2021"])
@pytest.mark.parametrize("interval", [300.0, 3600.0])
def test_water_is_the_integral_of_transpiration(name, interval):
    """Controls jump at every interval, and transpiration follows them for minutes."""
    ours, reference = (greenhouse(name, 2e5, a, interval, rows=2) for a in ("accurate", "reference"))
    for seed in range(12):
        held = controls(2, seed)
        ours.advance(held, 1)
        reference.advance(held, 1)
    water = METERS.column("water")
    assert (reference.meters[:, water] > 1e-3).all()
    np.testing.assert_allclose(ours.meters[:, water], reference.meters[:, water], rtol=1e-6)


def test_light_is_held_over_an_interval_but_for_growing_leaves():
    coarse, fine = (greenhouse("gym", 2e5, interval=i) for i in (300.0, 60.0))
    start = fine.state[0].copy()
    fine.reset([greenlight_world(WEATHER.repeat(5, axis=0), "gym", {"cFruitMax": LIMIT}, start)])
    for seed in range(36):
        coarse.advance(controls(1, seed), 1)
        fine.advance(controls(1, seed), 5)
    light = METERS.column("light")
    assert coarse.meters[0, light] > 0.0
    assert coarse.meters[0, light] == pytest.approx(fine.meters[0, light], rel=1e-5)
