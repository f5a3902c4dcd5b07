"""Greenhouse policies: the rule-based grower and constant decisions."""

from dataclasses import replace

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.overrides import override
from agbench.data.reading import read_data
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.threads import in_threads
from agbench.errors import ConfigError, UnknownNameError
from agbench.evaluation.runner import replay
from agbench.policies.greenhouse.daily import Daily, DailySettings
from agbench.policies.greenhouse.daily_tuning import tune_daily
from agbench.policies.greenhouse.light_setpoints import LightSetpoints, LightSettings
from agbench.policies.greenhouse.price_rules import PriceRules, PriceRulesSettings
from agbench.policies.greenhouse.receding_greenhouse import (
    GreenhouseReceding,
    GreenhouseRecedingSettings,
    WholeSeason,
)
from agbench.policies.greenhouse.tuning import tune_price_rules, tune_rules, tune_setpoints
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, maximise
from agbench.simulators import threads as threading
from agbench.simulators.greenlight.climate_computer import USUAL, settings_vector
from agbench.simulators.greenlight.variables import WEATHER
from agbench.weather.greenhouse.site import measured_series

WINTER = "greenhouse-winter-v1"
SETPOINT = "greenhouse-setpoint-v1"
CONTINUOUS = "greenhouse-setpoint-continuous-v1"
DAY = {"episode__length": "1 d"}


def short_days():
    """Return the winter task with days of 96 decisions, and two of them to train on, not thousands."""
    few = GreenhouseSplit(generated=(0, 1), start="10-15", until="02-10")
    task = override(catalog.task(WINTER), {**DAY, "episode__step": "15 min"})
    return task.model_copy(update={"splits": {"train": few}})


def test_the_rules_act_through_increments_and_keep_the_air_warm():
    short = {"years": [2010], "episode__length": "3 d"}
    result = agbench.evaluate(WINTER, "rule-based", **short)
    nothing = agbench.evaluate(WINTER, "zero", **short)
    assert result.episodes["temperature"].mean() < 0.1 * nothing.episodes["temperature"].mean()
    assert result.episodes["return"].mean() > nothing.episodes["return"].mean()


def test_recorded_actions_replay_to_the_last_bit():
    result = agbench.evaluate(WINTER, "rule-based", years=[2010], **DAY)
    again = replay(result)
    assert again.episodes["final_state"].tolist() == result.episodes["final_state"].tolist()
    assert again.episodes["return"].tolist() == result.episodes["return"].tolist()


def test_seasons_with_drawn_clouds_replay_too():
    result = agbench.evaluate("greenhouse-tomato-uncertain-v1", "rule-based", years=[2010], **DAY)
    again = replay(result)
    assert again.episodes["final_state"].tolist() == result.episodes["final_state"].tolist()


def test_the_direct_form_is_that_of_the_bare_simulation():
    steps = 50
    env = agbench.make(WINTER, action__kind="absolute", **DAY).unwrapped
    policy = agbench.load_policy("rule-based", env.task)
    observation, _ = env.reset(options={"scenario": "bleiswijk/2009-11-09"})
    for _ in range(steps):
        observation, *_ = env.step(policy(observation))
    series = measured_series("bleiswijk").to_frame().loc["2009-11-09":].iloc[:steps]
    bare = agbench.simulate("greenlight", weather=series, controls="rule-based")
    assert env.core.simulator.state[0, 2] == pytest.approx(bare["tAir"].iloc[-1], abs=1e-3)


@pytest.fixture(scope="module")
def market():
    """The winter task with its usual rules and every lamp lit whatever the sun."""
    settings = PriceRulesSettings(lamp_price=0.08, rules={"lampsOffSun": 2000.0, "lampRadSumLimit": 100.0})
    task = short_days()
    return task, settings, PriceRules("market", settings, interface_of(task))


def test_lamps_stay_off_while_electricity_is_dear(market):
    _, settings, _ = market
    env = agbench.make(WINTER, action__kind="absolute", **DAY).unwrapped
    observation, _ = env.reset(seed=1, options={"scenario": "schiphol/2010-12-01"})
    limit = float(np.median(env.core.worlds[0].prices[:16, 3]))
    policy = PriceRules("market", settings.model_copy(update={"lamp_price": limit}), interface_of(env.task))
    column = [entry.name for entry in env.observation_entries].index("electricityPrice")
    lamp = env.core.parts.actions.names.index("uLamp")
    lit = {True: [], False: []}
    for _ in range(190):
        action = policy(observation)
        lit[bool(observation[column] > limit)].append(action[lamp])
        observation, *_ = env.step(action)
    assert set(lit[True]) == {-1.0}
    assert max(lit[False]) == 1.0


def test_the_highest_price_for_lamps_is_tuned(market):
    task, settings, _ = market
    best, mean = tune_price_rules(task, settings, Search(candidates=4, rounds=1))
    assert 0.0 <= best.lamp_price <= 0.4
    assert set(best.rules) == set(USUAL)
    assert np.isfinite(mean)


def test_a_variable_that_is_not_shown_is_named():
    blind = override(catalog.task(WINTER), {"climate": ["tAir", "rh"]})
    with pytest.raises(UnknownNameError, match="co2_ppm"):
        agbench.load_policy("rule-based", blind)


def test_constant_temperatures_are_chosen_by_day_and_night():
    result = agbench.evaluate("greenhouse-setpoint-v1", "constant-20-18", years=[2010], **DAY)
    assert set(np.unique(result.actions[0])) == {0, 2}


def test_tuning_is_seeded_and_never_loses_the_best():
    short = short_days()
    once = tune_rules(short, settings_vector(USUAL), Search(candidates=4, rounds=1))
    twice = tune_rules(short, settings_vector(USUAL), Search(candidates=4, rounds=2))
    assert once == tune_rules(short, settings_vector(USUAL), Search(candidates=4, rounds=1))
    assert twice[1] >= once[1]


def test_a_fit_in_threads_is_that_of_one(market, monkeypatch):
    task, settings, _ = market
    alone = tune_price_rules(task, settings, Search(candidates=4, rounds=1))
    calls = []
    inner = threading.run_all
    monkeypatch.setattr(threading, "run_all", lambda given: calls.append(len(given)) or inner(given))
    with in_threads(2):
        assert tune_price_rules(task, settings, Search(candidates=4, rounds=1)) == alone
    assert 2 in calls


def test_setpoints_are_tuned_by_the_objective_not_by_the_reward():
    split = GreenhouseSplit(generated=(0, 4), start="04-15")
    short = override(catalog.task(SETPOINT), DAY).model_copy(update={"splits": {"train": split}})
    start = LightSettings(values={"tSpDay": 26.0, "tSpNight": 26.0}, gains={"tSpDay": 0.0})
    result, mean = tune_setpoints(short, start, Search(candidates=8, rounds=3))
    assert result.values["tSpDay"] < 26.0
    assert set(result.gains) == {"tSpDay"}
    policy = LightSetpoints("tuned", result, interface_of(short))
    reached = agbench.evaluate(short, policy, "train", simulator__accuracy="fast")
    assert reached.episodes["profit"].mean() == pytest.approx(mean, abs=0.03)  # other clouds


def test_set_points_rise_with_the_light_and_stay_in_the_menu():
    task = catalog.task(SETPOINT)
    settings = LightSettings(values={"tSpDay": 19.0, "tSpNight": 18.0}, gains={"tSpDay": 0.5})
    policy = LightSetpoints("light", settings, interface_of(task))
    seen = np.zeros(len(agbench.make(SETPOINT).unwrapped.observation_entries))
    place = [v.name for v in agbench.make(SETPOINT).unwrapped.observation_entries].index("iGlob")
    chosen = []
    for light in (0.0, 10.0, 400.0, 1e4):
        seen[place] = light
        chosen.append(policy(seen))
    assert chosen == [0, 1, 3, 10]


def test_light_needs_set_points_and_gains_need_values():
    with pytest.raises(ConfigError, match="computes set points from iGlob"):
        LightSetpoints("p", LightSettings(values={}), interface_of(catalog.task(WINTER)))
    with pytest.raises(ValueError, match="has no value to start from"):
        LightSettings(values={"tSpDay": 20.0}, gains={"tSpNight": 1.0})


@pytest.mark.slow_except(CONTINUOUS)
@pytest.mark.parametrize("name", [SETPOINT, CONTINUOUS])
def test_the_receding_search_betters_its_start_and_is_what_it_planned(name):
    task = override(catalog.task(name), {"episode__length": "1 d", "simulator__accuracy": "fast"})
    start = agbench.load_policy("middle", task)
    search = Search(candidates=8, rounds=3)
    settings = GreenhouseRecedingSettings(start="middle", horizon=24, commit=12, hold=6, search=search)
    oracle = GreenhouseReceding("oracle", settings, interface_of(task))
    reached = [agbench.evaluate(task, policy, years=[2010]) for policy in (start, oracle, oracle)]
    usual, actual, again = (result.objective[0] for result in reached)
    assert actual > usual + 0.02
    assert again == actual
    assert len(reached[1].actions[0]) == 24


@pytest.mark.slow
def test_the_receding_search_is_never_below_any_of_its_starts():
    task = override(catalog.task(CONTINUOUS), {"episode__length": "1 d", "simulator__accuracy": "fast"})
    names, hopeless = ["middle", "growers-setpoints"], Search(candidates=4, rounds=1)
    starts = [agbench.evaluate(task, name, years=[2010]).objective[0] for name in names]

    def found(start):
        settings = GreenhouseRecedingSettings(start=start, horizon=24, hold=6, search=hopeless)
        oracle = GreenhouseReceding("oracle", settings, interface_of(task))
        return agbench.evaluate(task, oracle, years=[2010]).objective[0]

    assert starts[0] != starts[1]
    assert found(names) == found(names[::-1]) == max(found(name) for name in names) >= max(starts)


def test_the_receding_search_takes_a_start_itself_where_searching_loses(monkeypatch):
    task = override(catalog.task(CONTINUOUS), {"episode__length": "1 d", "simulator__accuracy": "fast"})
    monkeypatch.setattr(GreenhouseReceding, "_searched", lambda *_: [np.ones(7, np.float32)] * 24)
    settings = GreenhouseRecedingSettings(start="growers-setpoints")
    oracle = GreenhouseReceding("oracle", settings, interface_of(task))
    start = agbench.load_policy("growers-setpoints", task)
    one, other = (agbench.evaluate(task, policy, years=[2010]) for policy in (oracle, start))
    np.testing.assert_array_equal(one.actions[0], other.actions[0])


def test_who_plans_by_the_day_before_knows_nothing_of_the_days_to_come():
    """A storm from the third day on changes no decision before it."""
    task = override(catalog.task(CONTINUOUS), {"episode__length": "4 d", "simulator__accuracy": "fast"})
    settings = GreenhouseRecedingSettings(
        start="middle", horizon=24, hold=12, search=Search(candidates=8, rounds=2), weather="yesterday"
    )
    planner = GreenhouseReceding("planner", settings, interface_of(task))
    core = BatchCore(build(task, "test"), 1)
    core.reset([0], [core.parts.scenarios.keys[0]])
    calm = core.save(0)
    row, first = calm.simulation.row, 2 * 288
    weather = row.world.weather.copy()
    weather[first:, WEATHER.columns(["tOut", "tSky"])] -= 15.0
    world = replace(row.world, weather=weather)
    storm = replace(calm, world=world, simulation=replace(calm.simulation, row=replace(row, world=world)))
    taken = []
    for weather_to_come in (calm, storm):
        core.load(0, weather_to_come)
        taken.append(np.array(planner.solve(core, 0)))
    assert planner.information == "state"
    assert taken[0].shape == (96, 7)
    np.testing.assert_array_equal(taken[0][:48], taken[1][:48])
    assert not np.array_equal(taken[0][72:], taken[1][72:])
    usual = np.array(agbench.load_policy("middle", task)(core.observations[0]))
    np.testing.assert_array_equal(taken[0][:24], np.tile(usual, (24, 1)))
    assert not np.array_equal(taken[0][24:48], np.tile(usual, (24, 1)))


@pytest.mark.parametrize("other", [{"start": ["middle"]}, {"season": {"start": "middle"}}])
def test_without_the_weather_to_come_nothing_is_chosen_in_hindsight(other):
    with pytest.raises(ConfigError, match="goes with one start and without a season"):
        read_data(GreenhouseRecedingSettings, {"start": "middle", "weather": "yesterday", **other}, "s")


@pytest.mark.slow
@pytest.mark.parametrize("name", [SETPOINT, CONTINUOUS])
def test_a_search_over_the_whole_season_takes_part(name):
    task = override(catalog.task(name), {"episode__length": "1 d", "simulator__accuracy": "fast"})
    hopeless, search = Search(candidates=4, rounds=1), Search(candidates=12, rounds=3)
    shared = {"start": "middle", "horizon": 24, "hold": 6, "search": hopeless}
    season = WholeSeason(start="middle", hold=12, search=search)
    reached = []
    for settings in (shared, {**shared, "season": season}):
        own = GreenhouseRecedingSettings.model_validate(settings)
        oracle = GreenhouseReceding("oracle", own, interface_of(task))
        reached.append(agbench.evaluate(task, oracle, years=[2010]).objective[0])
    assert reached[1] > reached[0] + 0.01
    assert agbench.evaluate(task, oracle, years=[2010]).objective[0] == reached[1]


def test_the_receding_search_refuses_to_apply_more_than_it_plans():
    task = catalog.task(SETPOINT)
    settings = GreenhouseRecedingSettings(start="middle", horizon=12, commit=24)
    with pytest.raises(ConfigError, match="commit is 24, beyond the horizon, 12"):
        GreenhouseReceding("oracle", settings, interface_of(task))


def test_cross_entropy_finds_a_peak_inside_its_bounds():
    low, high = np.array([-1.0, 0.0]), np.array([1.0, 5.0])

    def value(x):
        return -((x - np.array([0.3, 7.0])) ** 2).sum(axis=1)

    best, reached = maximise(value, np.array([-1.0, 0.0]), low, high, Search(candidates=24, rounds=25))
    assert best == pytest.approx([0.3, 5.0], abs=0.05)
    assert reached == value(best[None])[0]


DAILY = {"hours": [0, 7, 17], "values": {"uBoil": [[0.6, 0.2, 0.4]], "uVent": [[0.0, 0.25, 0.0]]}}


def daily(task, **settings):
    return Daily("daily", DailySettings.model_validate({**DAILY, **settings}), interface_of(task))


@pytest.mark.parametrize("kind", ["increment", "absolute"])
def test_a_daily_schedule_brings_controls_to_the_values_of_the_hour(kind):
    """Values change linearly, from the last hour to the first too."""
    env = agbench.make(WINTER, action__kind=kind, episode__length="2 d").unwrapped
    policy = daily(env.task)
    env.reset(options={"scenario": env.scenarios.keys[0]})
    boiler = env.core.parts.actions.columns[env.core.parts.actions.names.index("uBoil")]
    seen = []
    for _ in range(576):
        env.step(policy(None))
        seen.append(float(env.core.simulator.controls[0, boiler]))
    at = {hour: seen[round(hour * 12)] for hour in (3.5, 7, 12, 17, 20.5, 24, 27.5, 41)}
    expected = {3.5: 0.4, 7: 0.2, 12: 0.3, 17: 0.4, 20.5: 0.5, 24: 0.6, 27.5: 0.4, 41: 0.4}
    assert at == pytest.approx(expected, abs=1e-6)


def test_a_daily_schedule_follows_the_year():
    """Halfway between two days of its table it does what is halfway between them, over New Year too."""
    env = agbench.make("greenhouse-tomato-v1", action__kind="absolute", episode__length="1 d").unwrapped
    table = {"hours": [0], "days": [40, 100], "values": {"uBoil": [[0.2], [0.8]]}}
    policy = Daily("daily", DailySettings.model_validate(table), interface_of(env.task))
    boiler = env.core.parts.actions.names.index("uBoil")
    for first, expected in (("02-10", 0.2), ("03-12", 0.5), ("04-11", 0.8), ("09-10", 0.5), ("12-31", 0.279)):
        observation, _ = env.reset(options={"scenario": f"netherlands/generated/1/{first}"})
        policy.reset(0)
        assert (policy(observation)[boiler] + 1.0) / 2.0 == pytest.approx(expected, abs=2e-3)


def test_a_daily_schedule_is_blind():
    result = agbench.evaluate(WINTER, daily(catalog.task(WINTER)), years=[2010, 2011], **DAY)
    assert len(result.actions) > 1
    assert all(np.array_equal(actions, result.actions[0]) for actions in result.actions)


def test_a_daily_schedule_chooses_temperatures_of_a_menu_by_the_clock():
    task = catalog.task(SETPOINT)
    policy = daily(task, hours=[0, 6, 12, 18], values={"tSpDay": [[18.0, 24.0, 24.0, 18.0]]})
    chosen = [int(policy(None)) for _ in range(24)]
    assert chosen[0] == chosen[18] == chosen[23] == 0
    assert chosen[6:13] == [6] * 7
    assert chosen[1:6] == sorted(chosen[1:6])


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"hours": [0, 17, 7]}, "hours must ascend, from 0 to less than 24"),
        ({"days": [0, 365]}, "days must ascend, from 0 to less than 365"),
        ({"days": [0, 180]}, "values.uBoil has 1 rows, and there are 2 days"),
        ({"values": {"uBoil": [[0.1]]}}, "values.uBoil has a row of 1 values, and there are 3 hours"),
        (
            {"values": {"uBoil": [[0.1, 1.5, 0.2]]}},
            "values.uBoil: 1.5 of uBoil cannot be given; nearest is 1",
        ),
        ({"values": {"uBoi": [[0.1, 0.5, 0.2]]}}, "uBoil"),
    ],
)
def test_a_wrong_daily_schedule_is_refused(settings, expected):
    with pytest.raises((ValueError, ConfigError, UnknownNameError), match=expected):
        daily(catalog.task(WINTER), **settings)


def test_a_schedule_of_the_year_needs_the_day_of_the_year():
    task = catalog.task(WINTER)
    blind = task.model_copy(update={"observation": task.observation.model_copy(update={"time": ["hour"]})})
    settings = {"days": [0, 180], "values": {"uBoil": [[0.1, 0.1, 0.1], [0.0, 0.0, 0.0]]}}
    with pytest.raises(
        ConfigError, match="needs the day of the year, which greenhouse-winter-v1 does not let"
    ):
        daily(blind, **settings)


@pytest.mark.slow_except("two days")
@pytest.mark.parametrize("days", [[0], [20, 320]], ids=["one day", "two days"])
def test_fitting_a_daily_schedule_betters_it_in_training(days):
    """It begins with nothing: what an expert does on the average is left out."""
    task = short_days()
    task = task.model_copy(update={"references": task.references.model_copy(update={"expert": None})})
    start = DailySettings.model_validate(
        {"hours": [0], "days": days, "values": {"uBoil": [[0.0]] * len(days)}}
    )
    fitted, mean = tune_daily(task, start, Search(candidates=4, rounds=1))
    assert fitted.days == days
    assert max(value for row in fitted.values["uBoil"] for value in row) > 0.0
    policies = Daily("daily", fitted, interface_of(task)), "zero"
    reached, nothing = (agbench.evaluate(task, p, "train", progress=False).objective.mean() for p in policies)
    assert reached > nothing
    assert mean > nothing


def test_a_daily_schedule_begins_as_what_the_expert_does():
    """With one round of candidates and the expert's average among them, it earns at least that."""
    task = short_days()
    start = DailySettings(hours=[0, 12])
    fitted, mean = tune_daily(task, start, Search(candidates=4, rounds=1))
    assert set(fitted.values) == set(interface_of(task).actions.names)
    nothing = agbench.evaluate(task, "zero", "train", progress=False).objective.mean()
    assert mean > nothing + 0.1
