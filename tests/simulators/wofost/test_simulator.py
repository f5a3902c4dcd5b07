"""The batch: rows are independent, steps compose, a saved row goes on unperturbed."""

import numpy as np
import pytest
from pcse_runs import SOIL, crops, wageningen
from seasons import CROPS, random_limitation, random_management, random_world

from agbench.errors import SimulationError
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.variables import INPUTS
from agbench.simulators.wofost.world import build_world

N = 6


@pytest.fixture(scope="module")
def worlds():
    rng = np.random.default_rng(4)
    crops = rng.choice(CROPS, N)
    return [random_world(rng, str(crop), random_limitation(rng))[0] for crop in crops]


@pytest.fixture(scope="module")
def actions():
    rng = np.random.default_rng(5)
    return [random_management(rng, N) for _ in range(120)]


def run(worlds, actions, rows):
    simulator = WofostSimulator("wofost-npk", len(rows))
    simulator.reset([worlds[i] for i in rows])
    for inputs in actions:
        simulator.advance(inputs[rows], 1)
    return simulator


def test_a_row_does_not_depend_on_its_batch(worlds, actions):
    together = run(worlds, actions, list(range(N)))
    backwards = run(worlds, actions, list(range(N))[::-1])
    assert np.array_equal(together.state, backwards.state[::-1])
    for i in range(N):
        alone = run(worlds, actions, [i])
        assert np.array_equal(alone.state[0], together.state[i])


def test_seven_days_are_seven_steps_of_one(worlds, actions):
    weekly, daily = (WofostSimulator("wofost-npk", N) for _ in range(2))
    weekly.reset(worlds)
    daily.reset(worlds)
    for inputs in actions[:15]:
        weekly.advance(inputs, 7)
        daily.advance(inputs, 1)
        for _ in range(6):
            daily.advance(np.zeros_like(inputs), 1)
    assert np.array_equal(weekly.state, daily.state)
    assert np.array_equal(weekly.elapsed, daily.elapsed)


def test_a_saved_row_goes_on_in_another_batch(worlds, actions):
    original = run(worlds, actions[:60], list(range(N)))
    other = WofostSimulator("wofost-npk", 2)
    other.load(1, original.save(3))
    for inputs in actions[60:]:
        original.advance(inputs, 1)
        other.advance(inputs[[0, 3]], 1, np.array([False, True]))
    assert np.array_equal(other.state[1], original.state[3])
    assert other.elapsed[1] == original.elapsed[3]


def test_masked_rows_stand_still(worlds, actions):
    simulator = run(worlds, actions[:40], list(range(N)))
    before = simulator.state.copy()
    mask = np.arange(N) % 2 == 0
    simulator.advance(actions[40], 1, mask)
    assert np.array_equal(simulator.state[~mask], before[~mask])
    simulator.reset([worlds[0]], np.arange(N) == 5)
    fresh = run(worlds, [], [0])
    assert np.array_equal(simulator.state[5], fresh.state[0])
    assert simulator.elapsed[5] == 0


def test_weather_is_that_of_the_last_days(worlds):
    simulator = WofostSimulator("wofost-npk", N)
    simulator.reset(worlds)
    simulator.advance(np.zeros((N, len(INPUTS))), 10)
    columns = simulator.weather_variables.columns(["RAIN", "TMIN"])
    seen = simulator.weather(4, columns)
    assert seen.shape == (N, 4, 2)
    assert np.array_equal(seen[2, :, 1], worlds[2].weather["TMIN"][7:11])


def test_refuses_a_world_of_another_model(worlds):
    with pytest.raises(SimulationError, match="world of wofost-npk on single soil does not fit"):
        WofostSimulator("wofost72-pp", 1).reset([worlds[0]])


def test_two_models_of_a_family_share_a_batch():
    series, name = wageningen(), "barley/Spring_barley_301"
    start = series.start.replace(year=1980, month=3)
    calendar = CropCalendar(start, "sowing", None, "maturity", 200)
    parameters = {**crops("72")[name], **SOIL}
    end = calendar.latest_end
    models = ("wofost72-pp", "wofost72-wlp")
    both = [build_world(m, parameters, series, calendar, start, end) for m in models]
    simulator = WofostSimulator("wofost72-pp", 2)
    simulator.reset(both)
    simulator.advance(np.zeros((2, len(INPUTS))), 150)
    assert simulator.state[0, simulator.variables.column("SM")] == SOIL["SMFCF"]
    assert simulator.state[1, simulator.variables.column("SM")] != SOIL["SMFCF"]


@pytest.mark.parametrize("setting", ["sound", "published"])
def test_columns_stay_within_their_bounds(setting):
    rng = np.random.default_rng(6)
    for crop in rng.choice(CROPS, 12):
        world, _ = random_world(rng, str(crop), random_limitation(rng), setting)
        simulator = WofostSimulator("wofost-npk", 2)
        simulator.reset([world] * 2)
        low = np.array([v.low for v in simulator.variables])
        high = np.array([v.high for v in simulator.variables])
        while not simulator.finished.all():
            inside = (simulator.state >= low) & (simulator.state <= high)
            assert inside.all(), np.array(simulator.variables.names)[~inside.all(axis=0)]
            simulator.advance(random_management(rng, 2), 3)
