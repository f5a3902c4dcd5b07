"""The predictive controller: its derivatives, plans, trial runs, settings and failures."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_task import GreenhouseSplit
from agbench.data.overrides import override
from agbench.data.reading import read_data
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError, SimulationError
from agbench.evaluation.runner import replay
from agbench.policies.greenhouse.mpc import Predictive, PredictiveSettings
from agbench.policies.greenhouse.mpc.episodes import controls_of
from agbench.policies.greenhouse.mpc.forecast import forecast_of
from agbench.policies.greenhouse.mpc.horizon import Horizon, limits
from agbench.policies.greenhouse.mpc.interval import MOVING, SCALE, Layout, interval
from agbench.policies.greenhouse.mpc.nonlinear_program import NonlinearProgram
from agbench.policies.greenhouse.mpc.settings import ForecastSettings
from agbench.policies.greenhouse.mpc.trial import Outcome, policy_candidate, try_out
from agbench.policies.registry import interface_of
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import preset
from agbench.simulators.greenlight.variables import STATES, WEATHER

WINTER = "greenhouse-winter-v1"
KEY = "bleiswijk/2010-01-09"
COARSE = {
    "start": "rule-based",
    "grid": [{"over": "3 h", "every": "30 min"}, {"over": "3 h", "every": "1 h"}],
    "commit": "3 h",
}


def day(**changes):
    """Return a day of the winter task at one price of electricity."""
    return override(catalog.task(WINTER), {"episode__length": "1 d", "reward__electricity": 0.3, **changes})


def policy(task, **changes):
    settings = read_data(PredictiveSettings, {**COARSE, **changes}, "test")
    return Predictive("mpc", settings, interface_of(task))


def written(folder, **changes):
    path = folder / "short.yaml"
    baseline = {"policy": "mpc", "summary": "s", "source": "s", "settings": {**COARSE, **changes}}
    path.write_text(yaml.safe_dump(baseline))
    return path


def play(task, controller, key=KEY, seed=3, steps=288):
    core = BatchCore(build(task, "test"), 1)
    core.seed(0, seed)
    core.reset([0], [key])
    controller.reset(seed)
    if hasattr(controller, "plan"):
        controller.plan(core, 0)
    total, actions = 0.0, []
    while len(actions) < steps:
        actions.append(controller(core.observations[0]))
        total += float(core.step(actions[-1][None], ~core.over)[0][0])
    return total, np.array(actions)


@pytest.fixture(scope="module")
def simulated_plan():
    """A task, its parts, the saved start of a day and the rules' simulated_plan of it."""
    task = day()
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.reset([0], [KEY])
    world, start = core.worlds[0], core.simulator.save(0)
    rules = policy_candidate(agbench.load_policy("rule-based", task))
    outcome = try_out(parts, parts.actions, world, start, [rules], 288)[0]
    return task, parts, world, start, outcome


def test_a_day_is_better_than_the_rules_solved_and_replayed(tmp_path):
    path = written(tmp_path, commit="6 h")
    split = GreenhouseSplit(starts=["2010-01-09"], site="bleiswijk")
    task = day().model_copy(update={"splits": {"test": split}})
    result = agbench.evaluate(task, path)
    rules = agbench.evaluate(task, "rule-based")
    assert result.information == "model"
    assert result.episodes["failed"].sum() == 0
    assert result.episodes["return"].mean() > rules.episodes["return"].mean() + 0.2
    assert replay(result).episodes["final_state"].tolist() == result.episodes["final_state"].tolist()


def test_the_same_seed_gives_the_same_actions_whatever_came_before():
    task = day()
    grid = [{"over": "3 h", "every": "1 h"}]
    controller = policy(task, forecast={"radiation": 0.2, "temperature": 2.0}, grid=grid)
    first = play(task, controller, steps=40)[1]
    other = play(task, controller, seed=4, steps=40)[1]
    assert play(task, controller, steps=40)[1].tobytes() == first.tobytes()
    assert other.tobytes() != first.tobytes()
    assert controller.log.plans == 2


def test_a_solver_that_fails_costs_no_more_than_the_new_plan():
    task = day()
    hasty = policy(task, iterations=1)
    result, _ = play(task, hasty, steps=108)
    rules, _ = play(task, agbench.load_policy("rule-based", task), steps=108)
    assert hasty.log.solved == 0
    assert hasty.log.plans == 3
    assert result >= rules - 1e-6


@pytest.mark.slow
def test_of_several_starts_the_better_episode_is_played_to_the_last_bit():
    task = day()
    starts = ["plain-computer", "rule-based"]
    alone = [play(task, policy(task, start=name), steps=144) for name in starts]
    assert alone[1][0] > alone[0][0] + 1e-5
    both = policy(task, start=starts)
    total, actions = play(task, both, steps=144)
    assert total == pytest.approx(alone[1][0], abs=1e-9)
    assert actions.tobytes() == alone[1][1].tobytes()
    assert both.log.plans == 8


def test_a_season_is_planned_along_one_that_was_played_before(tmp_path):
    """A solver cut off early ends no lower than the other went, though its own start is lower."""
    task = day()
    start = agbench.load_policy("plain-computer", task)
    rules = play(task, agbench.load_policy("rule-based", task))[0]
    alone = policy(task, start="plain-computer", iterations=1, commit="6 h")
    along = policy(task, start="plain-computer", along="rule-based", iterations=1, commit="6 h")
    assert play(task, start)[0] < rules - 0.02
    found = play(task, along)[0]
    assert found > rules - 0.005
    assert found > play(task, alone)[0] + 0.005


def test_the_controls_of_an_episode_are_those_of_each_step():
    task = day()
    core = BatchCore(build(task, "test"), 1)
    core.reset([0], [KEY])
    rules = agbench.load_policy("rule-based", task)
    columns = interface_of(task).actions.columns
    path = controls_of(rules, core, 0, 0, columns)
    assert path.shape == (289, 6)
    assert core.simulator.elapsed[0] == 0
    for step in range(20):
        np.testing.assert_array_equal(core.simulator.controls[0, columns], path[step])
        core.step(rules(core.observations[0])[None], ~core.over)


def test_a_start_or_several_of_them_but_not_none():
    task = day()
    assert policy(task, start="rule-based")._settings.starts == ["rule-based"]
    with pytest.raises(ConfigError, match="start"):
        policy(task, start=[])


def test_an_uncertain_crop_is_planned_with_as_the_episode_drew_it(monkeypatch):
    """The equations of the plan have the 28 drawn parameters, not those of the preset."""
    task = override(catalog.task("greenhouse-tomato-uncertain-v1"), {"episode__length": "1 d"})
    core = BatchCore(build(task, "test"), 1)
    core.seed(0, 5)
    core.reset([0], [core.parts.scenarios.keys[0]])
    seen = []

    def recorded(structure, parameters, *others):
        seen.append(parameters)
        return interval(structure, parameters, *others)

    monkeypatch.setattr("agbench.policies.greenhouse.mpc.policy.interval", recorded)
    controller = policy(task, iterations=1)
    controller.reset(0)
    controller.plan(core, 0)
    controller(core.observations[0])
    usual = parameter_vector(dict(preset(task.simulator.preset).changes) | task.simulator.parameters)
    drawn = core.worlds[0].parameters
    assert (drawn != usual).sum() == 28
    assert np.flatnonzero(seen[0] != drawn).tolist() == [PARAMETER_TABLE.column("cFruitMax")]


def test_plans_that_are_not_numbers_are_left_aside(monkeypatch):
    task = day()
    controller = policy(task, iterations=1)  # what they find is not used
    solve = NonlinearProgram.solve

    def broken(self, *arguments):
        result = solve(self, *arguments)
        return replace(
            result, variables=np.full_like(result.variables, np.nan), status="Invalid_Number_Detected"
        )

    monkeypatch.setattr(NonlinearProgram, "solve", broken)
    rules, actions = play(task, agbench.load_policy("rule-based", task), steps=72)
    result, same = play(task, controller, steps=72)
    assert controller.log.solved == 0
    assert controller.log.rules == 2
    assert result == pytest.approx(rules, abs=1e-6)
    assert np.allclose(actions, same, atol=1e-5)


def test_the_plan_is_feasible_and_what_the_simulator_does(simulated_plan):
    task, parts, world, start, guess = simulated_plan
    settings = read_data(PredictiveSettings, {**COARSE, "tolerance": 1e-4, "iterations": 150}, "test")
    layout = Layout(2, tuple(parts.actions.names))
    horizon = Horizon(task, settings, layout, (parts.actions.rate or 1.0) / task.step)
    structure = replace(world.structure, smoothing=1e4)
    program = NonlinearProgram(interval(structure, world.parameters, layout, limits(task)), 9, 150, 1e-4)
    parameters = horizon.parameters(world, guess.states[0], guess.controls[0], 0)
    first = program.with_slack(horizon.guess(guess.states, guess.controls, 0), parameters)
    plan = program.solve(first, parameters, horizon.bounds(0))
    assert plan.solved
    rows = program.rows(plan.variables, parameters)
    assert np.abs(rows[:, : layout.defects]).max() < 2e-3
    assert rows[:, layout.defects : -6].min() > -2e-3
    assert np.abs(rows[:, -6:]).max() <= 1.0 + 1e-3
    nodes = horizon.nodes(0)
    controls = np.vstack([guess.controls[0], plan.variables[:, :6]])
    steps = np.column_stack([np.interp(np.arange(nodes[-1] + 1), nodes, u) for u in controls.T])

    def follow(step, present, seen):
        return parts.actions.actions_of(steps[step + 1][None], present[None])[0]

    real = try_out(parts, parts.actions, world, start, [follow], int(nodes[-1]))[0]
    assert np.abs(real.controls[nodes] - controls).max() < 1e-5
    ends = plan.variables[:, 6 + len(MOVING) : 6 + 2 * len(MOVING)] * SCALE
    apart = dict(
        zip(MOVING, np.abs(real.states[nodes[1:]][:, STATES.columns(MOVING)] - ends).max(axis=0), strict=True)
    )
    assert apart["tAir"] < 0.6
    assert apart["vpAir"] < 60.0
    assert apart["tPipe"] < 3.0
    assert apart["cFruit"] < 20.0
    assert apart["tCan24"] < 0.1


def test_derivatives_are_those_of_finite_differences(simulated_plan):
    task, _, world, _, guess = simulated_plan
    layout = Layout(2, ("uBoil", "uVent", "uThScr"))
    f = interval(replace(world.structure, smoothing=1e4), world.parameters, layout, limits(task))
    horizon = Horizon(task, read_data(PredictiveSettings, COARSE, "test"), layout, 0.1)
    parameters = horizon.parameters(world, guess.states[144], np.zeros(3), 144)[layout.before :][
        : layout.data
    ]
    state = guess.states[144, STATES.columns(MOVING)] / SCALE
    before = np.r_[0.4, 0.2, 0.5, state]
    own = np.r_[0.5, 0.3, 0.6, np.tile(state * 1.01, 2), np.full(6, 0.01)]
    multipliers = np.sin(np.arange(layout.rows))

    def slope(z):
        parts = z[: layout.before], z[layout.before :], parameters
        jacobian = np.array(f.slope(*parts))
        return 0.7 * np.array(f.gradient(*parts)).ravel() + multipliers @ jacobian

    def value(z):
        cost, rows = f.value(z[: layout.before], z[layout.before :], parameters)
        return 0.7 * float(cost) + multipliers @ np.array(rows).ravel()

    z, eye = np.r_[before, own], np.eye(layout.before + layout.own) * 1e-6
    by_value = np.array([(value(z + e) - value(z - e)) / 2e-6 for e in eye])
    by_slope = np.array([(slope(z + e) - slope(z - e)) / 2e-6 for e in eye])
    half = np.array(f.curvature(before, own, parameters, 0.7, multipliers))
    assert np.allclose(slope(z), by_value, rtol=1e-4, atol=1e-4)
    assert np.allclose(half + half.T - np.diag(np.diag(half)), by_slope, rtol=1e-3, atol=1e-3)


def test_a_forecast_errs_more_the_farther_it_looks_and_leaves_the_present_alone(simulated_plan):
    world = simulated_plan[2]
    generator = np.random.default_rng(0)
    assert forecast_of(world, 10, 288, ForecastSettings(), generator) is world
    noisy = ForecastSettings(radiation=0.2, temperature=2.0)
    errors = []
    column = WEATHER.column("tOut")
    for _ in range(200):
        seen = forecast_of(world, 10, 289, noisy, generator).weather
        assert np.array_equal(seen[:11], world.weather[:11])
        assert np.array_equal(seen[299:], world.weather[299:])
        errors.append(seen[10:299, column] - world.weather[10:299, column])
        assert seen[:, WEATHER.column("iGlob")].min() >= 0.0
        colder = (world.weather - seen)[:, WEATHER.columns(["tOut", "tSky"])]
        assert colder[:, 1] == pytest.approx(colder[:, 0], abs=1e-9)
    spread = np.std(errors, axis=0)
    assert spread[-1] == pytest.approx(2.0, rel=0.15)
    assert spread[72] == pytest.approx(1.0, rel=0.2)


def test_a_forecast_of_a_generated_season_errs_too():
    """Its days are made as they come."""
    core = BatchCore(build(catalog.task(WINTER), "train"), 1)
    core.reset([0], [core.parts.scenarios.keys[0]])
    world, noisy = core.worlds[0], ForecastSettings(temperature=2.0)
    seen = forecast_of(world, 0, 288, noisy, np.random.default_rng(0)).weather
    column = WEATHER.column("tOut")
    assert np.std(seen[1:288, column] - world.weather[1:288, column]) > 0.2
    assert np.array_equal(seen[288:600], world.weather[288:600])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"commit": "7 h"}, "commit: 7 h is longer than the horizon"),
        ({"grid": [{"over": "3 h", "every": "2 h"}]}, "must be a multiple of every: 2 h"),
        ({"grid": [{"over": "3 h", "every": "7 min"}]}, "multiple of 5 min"),
        ({"grid": []}, "grid"),
        ({"points": 9}, "points"),
        ({"forecast": {"radiaton": 0.1}}, "radiation"),
        ({"horizon": "3 h"}, "horizon"),
    ],
)
def test_wrong_settings_are_named(changes, message):
    with pytest.raises(ConfigError, match=message):
        policy(day(), **changes)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (day(reward__kind="scaled-profit"), "plans for profit"),
        (day(episode__step="20 min"), "not a multiple of the task's step, 20 min"),
    ],
)
def test_tasks_that_it_cannot_plan_for_are_named(task, message):
    with pytest.raises(ConfigError, match=message):
        policy(task)


def test_set_points_are_refused_and_a_forgotten_plan_is_named(tmp_path):
    with pytest.raises(ConfigError, match="takes set points"):
        agbench.load_policy(written(tmp_path, start="zero"), "greenhouse-setpoint-continuous-v1")
    with pytest.raises(SimulationError, match="call plan"):
        policy(day())(np.zeros(1))


@pytest.mark.parametrize("task", [WINTER, "greenhouse-tomato-v1", "greenhouse-tomato-uncertain-v1"])
def test_the_oracles_settings_are_read(task):
    assert catalog.task(task).references.oracle == "mpc"
    assert agbench.load_policy("mpc", task).information == "model"


def test_plans_are_made_anew_at_exactly_their_step(monkeypatch):
    """Every 3 h, 36 steps of 5 min: at the first, and not one step later than due."""
    task = day()
    controller = policy(task)
    planned = []

    def recorded(self, parts, world, present, now):
        planned.append(now)
        return np.full((37, len(self._controls.names)), 0.25 + 0.25 * len(planned))

    monkeypatch.setattr(Predictive, "_plan", recorded)
    _, actions = play(task, controller, steps=74)
    assert planned == [0, 36, 72]
    assert (actions[0] > 0.0).all()
    assert (actions[36] > 0.0).all()


def test_what_a_trial_is_worth_by_hand():
    """100 mg m-2 of fruit grown in 3 h: the reward, less what the fruit will respire until midnight."""
    task = day()
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.reset([0], [KEY])
    world = core.worlds[0]
    p = dict(zip(PARAMETER_TABLE.names, world.parameters.tolist(), strict=True))
    states = np.zeros((2, len(STATES)))
    states[:, STATES.column("tCan24")] = 15.0
    states[1, STATES.column("cFruit")] = 100.0
    value = policy(task)._value(world, Outcome(states, np.zeros((2, 6)), 0.5), 36)
    rate = p["cFruitM"] * (1.0 - np.exp(-p["cRgr"] * p["rgr"])) * p["q10m"] ** -1.0  # s-1, at 15 degC
    grams = 100.0 * 1e-6 / 0.065  # kg of fresh fruit
    respired = 1.0 - np.exp(-rate * (288 - 36) * 300.0)
    assert 0.0 < respired < 0.1
    assert value == pytest.approx(0.5 - 1.6 * grams * respired, abs=1e-15)
    at_the_end = policy(task)._value(world, Outcome(states, np.zeros((2, 6)), 0.5), 288)
    assert at_the_end == 0.5


def test_the_buffer_is_worth_its_part_that_becomes_fruit_by_hand(simulated_plan):
    """In 6 h, 72 steps, it is spent but for 1/e: on three organs, and on what their growth respires."""
    task, parts, world, _, guess = simulated_plan
    settings = read_data(PredictiveSettings, COARSE, "test")
    horizon = Horizon(task, settings, Layout(2, tuple(parts.actions.names)), 0.1)
    worth = dict(zip(STATES.names, horizon.worth(world, guess.states[0], 288 - 72), strict=True))
    spent = 0.328 * 1.27 + 0.095 * 1.28 + 0.074 * 1.3
    assert worth["cBuf"] / worth["cFruit"] == pytest.approx(0.328 / spent * (1.0 - np.exp(-1.0)), rel=1e-12)
