"""The batch simulator: rows independent to the last bit, robust, and clear about mistakes."""

import numpy as np
import pytest
from greenlight_reference import compact
from hypothesis import given, settings
from hypothesis import strategies as st

from agbench.errors import ActionError, ConfigError, SimulationError, UnknownNameError, WeatherError
from agbench.simulators.greenlight.climate_computer import MEASURED
from agbench.simulators.greenlight.metered import METERS, MeteredGreenhouse
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.presets import PRESETS, preset
from agbench.simulators.greenlight.simulate import simulate_greenlight
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.stepping import ACCURACIES, choose_accuracy
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.simulators.greenlight.world import greenlight_world

DATA = compact("trajectory_bang")


def worlds(n, name="gym", **options):
    """Worlds that differ in weather, parameters and start."""
    return [
        greenlight_world(DATA["D"][5 * i :], name, {"sla": 2.66e-5 * (1 - 0.02 * i)}, **options)
        for i in range(n)
    ]


def controls(n, seed):
    return np.random.default_rng(seed).uniform(size=(n, 8))


@pytest.mark.parametrize("name", ["accurate", "fast"])
def test_row_has_the_same_bits_in_any_batch_and_position(name):
    alone = []
    for i, world in enumerate(worlds(7)):
        single = GreenLightSimulator(1, accuracy=ACCURACIES[name])
        single.reset([world])
        for k in range(4):
            single.advance(controls(7, k)[i : i + 1], 2)
        alone.append(single.state[0].copy())
    for order in (range(7), [3, 1, 6, 0, 2, 5, 4], [2, 4, 6]):
        batch = GreenLightSimulator(len(order), accuracy=ACCURACIES[name])
        batch.reset([worlds(7)[i] for i in order])
        for k in range(4):
            batch.advance(controls(7, k)[list(order)], 2)
        np.testing.assert_array_equal(batch.state, np.array(alone)[list(order)])


def test_several_steps_at_once_equal_single_steps():
    once, step_by_step = GreenLightSimulator(2), GreenLightSimulator(2)
    for simulator in (once, step_by_step):
        simulator.reset(worlds(2))
    once.advance(controls(2, 0), 5)
    for _ in range(5):
        step_by_step.advance(controls(2, 0), 1)
    np.testing.assert_array_equal(once.state, step_by_step.state)


def test_mask_leaves_other_rows_alone():
    simulator = GreenLightSimulator(3)
    simulator.reset(worlds(3))
    before = simulator.state.copy()
    simulator.advance(controls(3, 0), 1, np.array([False, True, False]))
    assert simulator.elapsed.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(simulator.state[[0, 2]], before[[0, 2]])
    assert not np.array_equal(simulator.state[1], before[1])


def test_world_ends_at_its_horizon():
    simulator = GreenLightSimulator(2)
    simulator.reset([greenlight_world(DATA["D"], steps=3), greenlight_world(DATA["D"], steps=5)])
    simulator.advance(controls(2, 0), 9)
    assert simulator.elapsed.tolist() == [3, 5]
    assert not simulator.finished.any()


def test_saved_row_continues_with_the_same_bits():
    first, second = GreenLightSimulator(3), GreenLightSimulator(1)
    first.reset(worlds(3))
    first.advance(controls(3, 0), 3)
    second.load(0, first.save(2))
    first.advance(controls(3, 1), 3)
    second.advance(controls(3, 1)[2:], 3)
    np.testing.assert_array_equal(second.state[0], first.state[2])


def test_parameters_may_change_between_steps():
    simulator = GreenLightSimulator(2)
    simulator.reset([worlds(1)[0]] * 2)
    simulator.parameters[1] *= 1.01
    simulator.advance(controls(1, 0).repeat(2, axis=0), 1)
    assert not np.array_equal(simulator.state[0], simulator.state[1])


def test_weather_shows_the_current_row_last_and_repeats_the_first():
    simulator = GreenLightSimulator(1)
    simulator.reset([greenlight_world(DATA["D"])])
    simulator.advance(controls(1, 0), 1)
    seen = simulator.weather(3, np.array([1, 4]))
    np.testing.assert_array_equal(seen[0], DATA["D"][[0, 0, 1]][:, [1, 4]])


@pytest.mark.parametrize("interval", [0.0099, 86_400.1, -300.0, float("nan")])
def test_an_interval_that_no_computer_has_is_refused(interval):
    with pytest.raises(SimulationError, match=r"interval is .* it must lie between 0\.01 and 86400 s"):
        GreenLightSimulator(1, interval=interval)


@pytest.mark.parametrize("interval", [0.01, 86_400.0])
def test_the_longest_and_the_shortest_interval_are_allowed(interval):
    assert GreenLightSimulator(1, interval=interval).interval == interval


@pytest.mark.parametrize("interval", [60.0, 900.0, 3600.0])
def test_any_control_interval_leads_to_the_same_state(interval):
    """An hour under constant inputs, in intervals of any length."""
    steps = int(3600 / interval)
    ends = []
    for length, count in ((interval, steps), (300.0, 12)):
        simulator = GreenLightSimulator(1, interval=length)
        simulator.reset([greenlight_world(np.tile(DATA["D"][100], (count, 1)))])
        simulator.advance(controls(1, 3), count)
        ends.append(simulator.state[0])
    np.testing.assert_allclose(ends[0], ends[1], rtol=2e-5, atol=2e-3)


def hammer(name, chosen, rows, steps, seed):
    """Random, then on/off controls in random weather; returns the extreme states."""
    random = np.random.default_rng(seed)
    weather = DATA["D"][random.integers(len(DATA["D"]), size=(rows, 40))]
    weather[:, :, 0] *= random.uniform(0, 2.5, size=(rows, 1))
    weather[:, :, 1] += random.uniform(-25, 25, size=(rows, 1))
    weather[:, :, 4] *= random.choice([0.0, 1.0, 4.0], size=(rows, 1))
    simulator = GreenLightSimulator(rows, name, accuracy=ACCURACIES[chosen])
    simulator.reset([greenlight_world(w.repeat(6, axis=0), name) for w in weather])
    low, high = simulator.state.copy(), simulator.state.copy()
    for k in range(steps):
        u = random.uniform(size=(rows, 8))
        u = np.round(u) if k >= steps // 2 else u
        simulator.advance(u, 1)
        low, high = np.minimum(low, simulator.state), np.maximum(high, simulator.state)
    return low.min(axis=0), high.max(axis=0)


def check_bounds(low, high):
    for i, variable in enumerate(STATES):
        assert variable.low <= low[i], (variable.name, low[i])
        assert high[i] <= variable.high, (variable.name, high[i])


@pytest.mark.parametrize("chosen", ["accurate", "fast"])
@pytest.mark.parametrize("name", PRESETS)
def test_random_and_on_off_controls_keep_states_within_bounds(name, chosen):
    check_bounds(*hammer(name, chosen, rows=16, steps=60, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_hundred_thousand_random_steps_keep_states_within_bounds(name):
    check_bounds(*hammer(name, "accurate", rows=420, steps=240, seed=2))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=8, max_size=8), st.integers(0, 280), st.sampled_from(sorted(PRESETS))
)
def test_any_admissible_control_gives_a_finite_state(u, start, name):
    simulator = GreenLightSimulator(1, name)
    simulator.reset([greenlight_world(DATA["D"][start:], name)])
    simulator.advance(np.array([u]), 1)
    assert np.isfinite(simulator.state).all()


def test_control_outside_its_range_is_refused():
    simulator = GreenLightSimulator(2)
    simulator.reset(worlds(2))
    u = controls(2, 0)
    u[1, 3] = 1.2
    with pytest.raises(SimulationError, match=r"control uVent of row 1 is 1\.2"):
        simulator.advance(u, 1)
    u[1, 3] = np.nan
    with pytest.raises(SimulationError, match="uVent"):
        simulator.advance(u, 1)


def test_simulate_names_the_step_of_a_wrong_control():
    u = np.zeros((5, 6))
    u[3, 1] = -0.1
    with pytest.raises(ActionError, match=r"control uCo2 of step 3 is -0\.1"):
        simulate_greenlight(weather=DATA["D"], controls=u)


def test_world_of_another_greenhouse_is_refused():
    with pytest.raises(SimulationError, match="another greenhouse than this simulator"):
        GreenLightSimulator(1).reset([greenlight_world(DATA["D"], "katzin_2021")])


def test_structure_changes_equations():
    start = {"cLeaf": 1e5 + 50.0}
    arguments = {"weather": DATA["D"][:3], "controls": np.zeros((3, 6)), "x0": start}
    cut = {
        rule: simulate_greenlight(preset("gym", {"pruning": rule}), **arguments)["cLeaf"].iloc[-1]
        for rule in ("logistic", "tanh", "threshold")
    }
    assert cut["tanh"] == pytest.approx(cut["logistic"], rel=1e-7)
    assert abs(cut["threshold"] - cut["logistic"]) > 1.0


@pytest.mark.parametrize(
    ("choice", "kind", "message"),
    [
        ({"prunning": "tanh"}, UnknownNameError, "Did you mean 'pruning'"),
        ({"pruning": "tan"}, ConfigError, "structure.pruning is 'tan'; it must be one of logistic"),
        ({"blackout_dries": 1.0}, ConfigError, "structure.blackout_dries is 1.0; it must be true or"),
        ({"offset": -1.0}, ConfigError, "structure.offset is -1.0; it must be a finite number, 0"),
    ],
)
def test_a_wrong_choice_of_structure_is_named(choice, kind, message):
    with pytest.raises(kind, match=message):
        preset("gym", choice)


def test_misspelt_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'laiMax'"):
        greenlight_world(DATA["D"], changes={"laimx": 3.0})
    with pytest.raises(UnknownNameError, match="Did you mean 'katzin_2020'"):
        greenlight_world(DATA["D"], "katzin2020")
    with pytest.raises(UnknownNameError, match="rodas4"):
        choose_accuracy(integrator="rodas5")


def test_gap_in_the_weather_is_named():
    weather = DATA["D"].copy()
    weather[7, 2] = np.nan
    with pytest.raises(WeatherError, match="row 7, column vpOut"):
        greenlight_world(weather)


def test_missing_weather_column_is_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DATA["D"][:, :4], columns=["iGlob", "tOut", "vpOut", "co2Out"])
    with pytest.raises(WeatherError, match="lacks the column 'wind'"):
        simulate_greenlight(weather=frame, controls=np.zeros((2, 6)))


def test_a_row_that_cannot_be_integrated_is_an_error_each_time():
    """It is never left standing where it was while its clock or the others' go on."""
    simulator = GreenLightSimulator(3)
    simulator.reset(worlds(3))
    simulator.parameters[1, :] = np.nan
    before = simulator.state[1].copy()
    for _ in range(2):
        with pytest.raises(SimulationError, match="row 1 could not be integrated at step 0"):
            simulator.advance(controls(3, 0), 2)
        np.testing.assert_array_equal(simulator.state[1], before)
        assert simulator.elapsed[1] == 0
    simulator.reset(worlds(1), np.array([False, True, False]))
    simulator.advance(controls(3, 0), 2)
    assert simulator.elapsed[1] == 2


def test_the_climate_computer_measures_the_weather_in_force():
    greenhouse = MeteredGreenhouse(1)
    greenhouse.reset([greenlight_world(DATA["D"])])
    greenhouse.advance(controls(1, 0), 2)
    names = ["tOut", "iGlob", "dli", "isDay", "isDaySmooth"]
    outside = greenhouse.measured()[0, MEASURED.columns(names)]
    np.testing.assert_array_equal(outside, DATA["D"][2, WEATHER.columns(names)])


def test_meters_count_the_electricity_of_lamps_and_interlights():
    world = greenlight_world(
        DATA["D"], "gym", {"thetaIntLampMax": 60.0, "aIntLamp": 0.02, "cHecIntLampAir": 2.3}
    )
    greenhouse = MeteredGreenhouse(1)
    greenhouse.reset([world])
    lamps = dict(zip(PARAMETER_TABLE.names, greenhouse.parameters[0].tolist(), strict=True))["thetaLampMax"]
    inputs = np.zeros((1, len(CONTROLS)))
    inputs[0, CONTROLS.columns(["uLamp", "uIntLamp"])] = 0.5, 0.25
    greenhouse.advance(inputs, 3)
    used = greenhouse.meters[0, METERS.column("electricity")]
    assert used == pytest.approx(900.0 * (0.5 * lamps + 0.25 * 60.0))
