"""Greenhouse environments: actions, observations, accounts, constraints."""

from functools import cache

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.overrides import override
from agbench.envs.family import build
from agbench.errors import ActionError, ConfigError, WeatherError
from agbench.evaluation.provenance import task_hash
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.variables import STATES

WINTER = "greenhouse-winter-v1"
TOMATO = "greenhouse-tomato-v1"
SETPOINT = "greenhouse-setpoint-v1"
TASKS = [task.id for task in agbench.tasks() if "greenhouse" in task.tags]


def start(task=WINTER, seed=0, split="validation", **overrides):
    """Return an environment that has begun; of the splits that of training takes longest to make."""
    env = agbench.make(task, split, **{"episode__length": "1 d", **overrides}).unwrapped
    observation, info = env.reset(seed=seed)
    return env, dict(zip([v.name for v in env.observation_entries], observation, strict=True)), info


def seen(env, observation):
    return dict(zip([v.name for v in env.observation_entries], observation, strict=True))


def run(env, action, steps):
    for _ in range(steps):
        observation, reward, _, _, info = env.step(np.asarray(action, np.float32))
    return seen(env, observation), reward, info


def test_increments_move_controls_by_a_tenth_of_their_capacity():
    env, first, _ = start()
    assert first["uBoil"] == 0.0
    result, _, _ = run(env, [1.0, 0.5, 0.0, 0.0, -1.0, 0.0], 3)
    assert result["uBoil"] == pytest.approx(0.3)
    assert result["uCo2"] == pytest.approx(0.15)
    assert result["uLamp"] == 0.0


def test_absolute_actions_set_controls_at_once():
    env, _, _ = start(action__kind="absolute")
    result, _, _ = run(env, [1.0, 0.0, -1.0, -1.0, -1.0, -1.0], 1)
    assert (result["uBoil"], result["uCo2"], result["uVent"]) == (1.0, 0.5, 0.0)


def test_the_observation_shows_the_weather_in_force():
    env, first, _ = start()
    weather = env.core.worlds[0].weather
    assert first["tOut"] == np.float32(weather[0, 1])
    result, _, _ = run(env, np.zeros(6), 1)
    assert result["tOut"] == np.float32(weather[1, 1])
    assert result["tOut[+120 min]"] == np.float32(weather[25, 1])


def test_the_profit_is_that_of_its_prices():
    env, first, _ = start(action__kind="absolute", reward__electricity=0.3)
    result, reward, info = run(env, [1.0, 1.0, -1.0, -1.0, 1.0, -1.0], 1)
    p = {name: float(v) for name, v in zip(*parameters(env), strict=True)}
    heat, light = (p[name] * 300 / 3.6e6 for name in ("heat", "lamps"))
    assert info["heat"] == pytest.approx(heat)
    assert info["electricity"] == pytest.approx(light)
    assert info["co2"] == pytest.approx(p["co2"] * 300 / 1e6)
    fruit = (result["cFruit"] - first["cFruit"]) / 0.065 * 1e-6
    spent = info["heat"] * 0.09 + info["electricity"] * 0.3 + info["co2"] * 0.3
    assert info["profit"] == pytest.approx(1.6 * fruit - spent, abs=1e-6)
    assert reward == pytest.approx(info["profit"] - info["penalty"])


def parameters(env):
    values = dict(zip(PARAMETER_TABLE.names, env.core.simulator.parameters[0], strict=True))
    floor = values["aFlr"]
    return ("heat", "lamps", "co2"), (
        values["pBoil"] / floor,
        values["thetaLampMax"],
        values["phiExtCo2"] / floor,
    )


def test_night_tariff_holds_at_night():
    lit = [-1.0, -1.0, -1.0, -1.0, 1.0, -1.0]
    dear, _, _ = start(action__kind="absolute", reward__electricity=0.3, electricity_night=0.3, penalty=0.0)
    cheap, _, _ = start(action__kind="absolute", reward__electricity=0.3, electricity_night=0.1, penalty=0.0)
    by_night = run(cheap, lit, 12)[2]["profit"] - run(dear, lit, 12)[2]["profit"]
    assert by_night == pytest.approx(0.2 * 0.116, rel=1e-9)
    run(cheap, lit, 90), run(dear, lit, 90)
    before = cheap.core.info()["profit"][0] - dear.core.info()["profit"][0]
    after = run(cheap, lit, 12)[2]["profit"] - run(dear, lit, 12)[2]["profit"]
    assert after == pytest.approx(before)


def test_scaled_profit_lies_between_zero_and_one_less_violations():
    env, _, _ = start(reward__kind="scaled-profit", action__kind="absolute")
    for _ in range(20):
        _, reward, _, _, info = env.step(env.action_space.sample())
        assert 0.0 <= reward + info["cost"] * 12.0 <= 1.0


def test_constraint_hours_count_cold_air():
    env, _, _ = start()
    _, _, info = run(env, -np.ones(6), 200)
    assert info["temperature"] > 5.0
    assert info["cost"] > 0.0


def test_clipping_bounds_the_cost_of_a_step():
    free = {"temperature": {"low": 30.0, "high": 31.0, "full_scale": 1.0}, "clip": False}
    env, _, _ = start(**{f"constraints__{k}": v for k, v in free.items()})
    _, _, unclipped = run(env, -np.ones(6), 50)
    env, _, _ = start(constraints__temperature=free["temperature"])
    _, _, clipped = run(env, -np.ones(6), 50)
    assert unclipped["cost"] > clipped["cost"]
    assert clipped["cost"] <= 3 / 12 + 1e-12


@pytest.mark.parametrize(
    ("control", "variable", "sign"),
    [(0, "tAir", 1), (1, "co2_ppm", 1), (3, "rh", -1), (4, "cBuf", 1), (0, "tPipe", 1)],
)
def test_more_of_a_control_moves_the_climate_as_growers_expect(control, variable, sign):
    assert sign * (after_two_hours(control)[variable] - after_two_hours(None)[variable]) > 0.0


@cache
def after_two_hours(control):
    """Return what is seen after all of one control and nothing of the others."""
    action = np.full(6, -1.0)
    if control is not None:
        action[control] = 1.0
    return run(start(split="train", action__kind="absolute")[0], action, 24)[0]


def test_meters_agree_between_one_long_step_and_many_short_ones():
    action = [0.5, 0.2, 0.0, -0.9, 0.3, -1.0]
    long, _, _ = start(action__kind="absolute", step="1 h")
    short, _, _ = start(action__kind="absolute")
    hourly, often = run(long, action, 4), run(short, action, 48)
    assert hourly[0]["tAir"] == often[0]["tAir"]
    for name in ("heat", "electricity", "co2", "water", "light", "fruit"):
        assert hourly[2][name] == pytest.approx(often[2][name], rel=1e-12)


def test_clouds_are_drawn_by_the_episode_and_may_be_left_out():
    """They move the sun within a day; 1 January 1984 is overcast, without clouds to draw.

    Rows beyond the episode are for forecasts, and half a day of them need not have half the day's sun.
    """
    worlds = [start(TOMATO, s, years=[1984], episode__length="3 d")[0].core.worlds[0] for s in (1, 1, 2)]
    skies = [world.weather[: 3 * 288, 0].reshape(3, 288) for world in worlds]
    assert (skies[0] == skies[1]).all()
    assert (skies[0] != skies[2]).any()
    np.testing.assert_allclose(skies[0].sum(axis=1), skies[2].sum(axis=1), rtol=1e-12)
    plain = [start(TOMATO, s, years=[1984], cloudiness="none")[0].core.worlds[0].weather for s in (1, 2)]
    assert (plain[0] == plain[1]).all()


def test_a_menu_temperature_acts_on_the_period_that_it_is():
    env, _, _ = start(SETPOINT, period="outside")
    observation, *_ = env.step(10)
    night = seen(env, observation)
    assert (night["tSpNight"], night["tSpDay"]) == (28.0, 19.5)
    for _ in range(11):
        observation, *_ = env.step(0)
    noon = seen(env, observation)
    assert (noon["tSpNight"], noon["tSpDay"]) == (18.0, 18.0)


def test_every_choice_of_the_menu_matters():
    """Where the menu followed the sun, choices before dawn went to a set point that was not in force."""
    idle = {}
    for period in ("inside", "outside"):
        low, high = (start(SETPOINT, period=period, episode__length="3 d")[0] for _ in range(2))
        low.reset(seed=0, options={"scenario": "wageningen/1977-03-01"})
        high.reset(seed=0)
        same = []
        for _ in range(72):
            high.load_state(low.save_state())
            same.append(seen(high, high.step(10)[0])["tAir"] == seen(low, low.step(0)[0])["tAir"])
        idle[period] = sum(same)
    assert idle["inside"] == 0
    assert idle["outside"] > 4


def test_a_higher_set_point_costs_more_heat_and_warms_the_air():
    low, _, _ = start(SETPOINT)
    high, _, _ = start(SETPOINT)
    for _ in range(24):
        cool = low.step(0)
        warm = high.step(8)
    assert seen(high, warm[0])["tAir"] > seen(low, cool[0])["tAir"] + 3.0
    assert warm[4]["heat"] > cool[4]["heat"]


@pytest.mark.slow_except("greenhouse-gym-v1", "greenhouse-tomato-uncertain-v1", "greenhouse-setpoint-v1")
@pytest.mark.parametrize("task", TASKS)
def test_every_scenario_of_every_split_can_be_begun(task):
    for split in catalog.task(task).splits:
        env = agbench.make(task, split).unwrapped
        for key in env.scenarios.keys[:: max(1, len(env.scenarios) // 3)]:
            observation, _ = env.reset(seed=0, options={"scenario": key})
            assert env.observation_space.contains(observation)


def test_structure_is_a_setting_of_tasks():
    """It changes what the equations do, and the task's hash."""
    task = catalog.task(TOMATO)
    changed = override(task, {"structure": {"pruning": "threshold"}})
    assert task_hash(changed) != task_hash(task)
    assert task_hash(override(task, {"structure": {}})) == task_hash(task)
    masses = []
    for chosen in ({}, {"pruning": "threshold"}):
        env = agbench.make(TOMATO, structure=chosen, crop={"cLeaf": 1.2e5}, state=["cLeaf"])
        env.reset(seed=0)
        for _ in range(12):
            observation, *_ = env.step(np.zeros(6, np.float32))
        masses.append(seen(env.unwrapped, observation)["cLeaf"])
    assert masses[0] != pytest.approx(masses[1], rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["gym", "gym_hps", "katzin_2020", "katzin_2021", "katzin_2021_hps"])
@pytest.mark.parametrize("kind", ["random", "on/off"])
def test_no_action_leads_out_of_the_observation_space(preset, kind):
    rows = 64
    env = agbench.make_vec(
        TOMATO, rows, preset=preset, action__kind="absolute", state=list(all_states()), length="8 d"
    )
    generator = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    low, high = env.single_observation_space.low, env.single_observation_space.high
    for step in range(100_000 // rows + 1):
        if kind == "random":
            action = generator.uniform(-1, 1, (rows, 6))
        elif step % 6 == 0:
            action = 2.0 * generator.integers(0, 2, (rows, 6)) - 1.0
        observation, reward, *_ = env.step(action.astype(np.float32))
        assert np.isfinite(reward).all()
        assert ((observation >= low) & (observation <= high)).all()


def all_states():
    from agbench.simulators.greenlight.variables import STATES

    return [name for name in STATES.names if name != "tAir"]


@pytest.mark.parametrize("task", [WINTER, TOMATO])
def test_the_same_actions_return_nearly_the_same_at_both_accuracies(task):
    """Within 0.1 %, of a policy whose actions depend on the last digits of what it sees."""
    accurate, fast = (
        agbench.make(task, "validation", accuracy=s, length="1 d") for s in ("accurate", "fast")
    )
    policy = agbench.load_policy(catalog.task(task).references.expert, task)
    policy.reset(0)
    observation, _ = accurate.reset(seed=0)
    fast.reset(seed=0)
    returns, over = np.zeros(2), False
    while not over:
        action = policy(observation)
        observation, reward, over, *_ = accurate.step(action)
        returns += reward, fast.step(action)[1]
    assert returns[0] != returns[1]
    assert returns[0] == pytest.approx(returns[1], rel=1e-3)


@pytest.mark.slow
def test_returns_hardly_depend_on_the_accuracy_of_the_stepper():
    results = [
        agbench.evaluate(WINTER, "rule-based", accuracy=s).episodes["return"].mean()
        for s in ("accurate", "fast")
    ]
    assert results[0] == pytest.approx(results[1], rel=1e-3)


def test_the_error_of_a_wrong_action_names_the_mistake():
    env, _, _ = start()
    with pytest.raises(ActionError, match="lies outside"):
        env.step(np.full(6, 2.0, np.float32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": "7 h"}, "7 h does not divide the length of the episode, 30 d"),
        ({"action__controls": []}, "at least one"),
        ({"action__controls": ["uBoil", "uBoil"]}, "each control once"),
        ({"state": ["tCan", "tCan"]}, "state: name each variable once"),
        ({"forecast": ["tOut"], "forecast_every": "2 h", "forecast_length": "1 h"}, "beyond the forecast"),
        ({"uncertainty__parameters": "sound"}, "uncertainty.level is 0"),
        ({"uncertainty__level": 0.1}, "uncertainty.parameters is empty"),
        ({"constraints__temperature__low": 99}, r"constraints.temperature: low is 99 and high 34"),
        ({"constraints__co2__high": 100.0}, r"constraints.co2: low is 300 and high 100"),
        (
            {"constraints__temperature": {"low": 288, "high": 307, "full_scale": 15}},
            r"constraints.temperature.low: 288; give degC. Kelvin need 273.15 subtracted.",
        ),
        ({"constraints__humidity__low": -5}, "humidity: limits of -5 and 85; give %"),
        (
            {"constraints__co2": {"low": 0.03, "high": 12000, "full_scale": 1}},
            "co2: limits of 0.03 and 12000",
        ),
        ({"constraints__humidity": {"low": 90, "high": 60, "full_scale": 15}}, "low is 90 and high 60"),
    ],
)
def test_a_setting_that_would_do_nothing_is_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make(WINTER, **change)


@pytest.mark.parametrize(
    ("temperatures", "message"),
    [
        ([20.0, 20.0], "name each temperature once"),
        ([291.0, 301.0], "291 is no set point in degC"),
        ([18.0, 5000.0], "5000 is no set point"),
        ([18.0], "at least two"),
    ],
)
def test_a_menu_of_temperatures_that_is_none_is_refused(temperatures, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make("greenhouse-setpoint-v1", action__temperatures=temperatures)


def test_a_lower_limit_of_fruit_makes_a_task_harvest():
    """The limit of `gym`, 3 kg of carbohydrates, is never reached; that of the papers is."""
    crop = {"cFruit": 2.98e5, "tCanSum": 3e3}
    higher = {"simulator__parameters": {"cFruitMax": 3e6}}
    usual, _, _ = start(TOMATO, episode__length="3 d", episode__crop=crop, **higher)
    picked, _, _ = start(TOMATO, episode__length="3 d", episode__crop=crop)
    for env in (usual, picked):
        run(env, [0.5, 0, 0, 0, 0, 0], 3 * 288)
    assert usual.core.reward.totals["harvest"][0] < 1e-100
    assert picked.core.reward.totals["harvest"][0] > 0.1
    grown, expected = (env.core.reward.totals["fruit"][0] for env in (picked, usual))
    assert grown == pytest.approx(expected, abs=0.01)


def test_harvest_of_a_start_above_the_limit_is_counted():
    """A step of an hour: nearly all of the harvest lies before its end."""
    crop = {"cFruit": 850_000.0, "cLeaf": 95_283.0, "cStem": 251_070.0, "tCanSum": 3097.8}
    env, _, _ = start(SETPOINT, episode__crop=crop)
    env.step(env.action_space.sample())
    totals = env.core.reward.totals
    picked = 0.85 - 1e-6 * env.core.simulator.state[0, STATES.column("cFruit")]
    assert picked > 0.55
    assert totals["harvest"][0] == pytest.approx(picked / 0.06, rel=5e-3)
    assert abs(totals["fruit"][0]) < 0.05
    assert totals["return"][0] == pytest.approx(1e3 * totals["harvest"][0] * 1.44, rel=0.01)


def test_a_step_must_be_a_multiple_of_the_interval():
    with pytest.raises(ConfigError, match="multiple of 300 s"):
        agbench.make(WINTER, step="7 min")


def test_an_episode_beyond_the_weather_is_refused():
    with pytest.raises(WeatherError, match="bleiswijk covers"):
        agbench.make(WINTER, "shift", length="110 d")


@pytest.mark.slow_except("uIntLamp-*")
@pytest.mark.parametrize(
    ("dead", "capacity"),
    [("uIntLamp", {"thetaIntLampMax": 50.0, "cHecIntLampAir": 2.3}), ("uBoilGro", {"pBoilGro": 9e3})],
)
def test_a_control_without_equipment_is_refused(dead, capacity):
    with pytest.raises(
        ConfigError, match=rf"action.controls: {dead} .* does nothing.*is 0 W.*simulator.param"
    ):
        agbench.make(WINTER, action__controls=["uBoil", dead])
    agbench.make(WINTER, action__controls=["uBoil", dead], simulator__parameters=capacity)


def test_a_control_whose_equipment_is_taken_away_is_refused():
    with pytest.raises(ConfigError, match=r"uLamp .* does nothing"):
        agbench.make(WINTER, simulator__parameters={"thetaLampMax": 0.0})


def test_a_longer_episode_leaves_out_the_years_that_lack_weather():
    """The hours of Schiphol end with 2012; two days of January 1990 were not measured at Wageningen."""
    year = {"episode__length": "365 d"}
    with pytest.warns(UserWarning, match="left out schiphol/2012-03-01/0, schiphol/2012-03-01/0.3"):
        env = agbench.make("greenhouse-gym-v1", "shift", **year).unwrapped
    assert len(env.scenarios.keys) == 6
    env.reset(options={"scenario": "schiphol/2011-03-01/0"})
    assert env.core.simulator.horizon[0] == 365 * 288
    split = GreenhouseSplit(starts=["1989-03-01"], site="wageningen")
    with pytest.raises(WeatherError, match="1990-01-17"):
        build(override(catalog.task(TOMATO), year).model_copy(update={"splits": {"shift": split}}), "shift")


@pytest.mark.parametrize(("fruit", "energy"), [(0.018, 60.0), (0.018, 200.0), (0.2, 60.0), (0.2, 200.0)])
def test_the_reward_of_set_points_is_growth_then_harvest_weighed_by_its_targets(fruit, energy):
    """GreenLightPlus by hand: g of dry growth; then g of fresh harvest, times 1.2 or 0.8 for each target."""
    env, _, _ = start(SETPOINT, reward__target_yield=fruit, reward__target_energy=energy)
    total, past, weights = 0.0, dict.fromkeys(("fruit", "harvest"), 0.0), set()
    for step in range(1, 25):
        _, reward, terminated, _, info = env.step(10)
        gained = {name: info[name] - past[name] for name in past}
        past = {name: info[name] for name in past}
        used = info["heat"] + info["electricity"]
        if gained["harvest"] * 0.06 * 1e6 > 0.01 * 3600.0:
            enough = info["harvest"] > fruit * (0.1 + 0.9 * step / 24)
            thrifty = used <= energy * info["harvest"]
            weights.add((enough, thrifty))
            expected = 1e3 * gained["harvest"] * (1.2 if enough else 0.8) * (1.2 if thrifty else 0.8)
        else:
            expected = 1e3 * gained["fruit"] * 0.06
        if terminated:
            saved = min(max(1.0 - used / (energy * info["harvest"]), -1.0), 1.0)
            more = min(max(info["harvest"] / fruit - 1.0, -1.0), 1.0)
            expected += (saved + more) * (total + expected)
        assert reward == pytest.approx(expected, rel=1e-6, abs=1e-9)
        total += reward
    assert terminated
    assert weights


def test_electricity_is_counted_and_paid_with_the_interlights():
    """Both kinds of lamps at full power for an hour, at 0.4 EUR a kWh."""
    lamps = {
        "simulator__parameters": {"thetaIntLampMax": 50.0, "aIntLamp": 0.02, "cHecIntLampAir": 2.3},
        "action__kind": "absolute",
    }
    env, _, _ = start(**lamps, action__controls=["uLamp", "uIntLamp"], reward__electricity=0.4)
    values = dict(zip(PARAMETER_TABLE.names, env.core.simulator.parameters[0].tolist(), strict=True))
    _, _, info = run(env, [1.0, 1.0], 12)
    assert info["electricity"] == pytest.approx((values["thetaLampMax"] + 50.0) * 1e-3)
    free, _, _ = start(**lamps, action__controls=["uLamp", "uIntLamp"], reward__electricity=0.0)
    _, _, unpaid = run(free, [1.0, 1.0], 12)
    assert unpaid["profit"] - info["profit"] == pytest.approx(0.4 * info["electricity"])
