"""Rules of thumb: when each acts, what it heeds, and how it is tuned."""

import numpy as np
import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError, UnknownNameError
from agbench.policies.field.evolution import _decisions, _Seasons
from agbench.policies.field.rules import Rule, Rules, RulesSettings
from agbench.policies.field.tuning import fit_rules
from agbench.policies.playing import actions_of, returns_of_actions
from agbench.policies.registry import interface_of, load_policy
from agbench.testing import check_policy

TASK = "wofostgym-wheat-v1"
N8, WATER2 = 4, 16


def follow(rules, days, seen=lambda day: {}):
    """Return the actions of rules on successive days, whose observations `seen` gives by name."""
    task = catalog.task(TASK)
    policy = Rules("mine", RulesSettings(rules=[Rule(**rule) for rule in rules]), interface_of(task))
    actions = []
    for day in range(days):
        observation = np.zeros(len(task.observation.state))
        for name, value in seen(day).items():
            observation[task.observation.state.index(name)] = value
        actions.append(policy(observation))
    return actions


def test_a_rule_without_conditions_acts_every_day():
    assert follow([{"input": "N", "amount": 8.0}], 3) == [N8] * 3


def test_an_interval_is_counted_from_the_last_time():
    rule = {"input": "N", "amount": 8.0, "every": "3 d", "after": 1}
    assert follow([rule], 8) == [0, N8, 0, 0, N8, 0, 0, N8]


def test_a_season_total_is_never_passed():
    assert follow([{"input": "N", "amount": 8.0, "until": 20.0}], 5) == [N8, N8, 0, 0, 0]


def test_a_threshold_is_heeded():
    rule = {"input": "IRRIG", "amount": 2.0, "when": "SM", "below": 0.3}
    assert follow([rule], 3, lambda day: {"SM": 0.25 + 0.04 * day}) == [WATER2, WATER2, 0]


def test_all_ranges_are_heeded_those_of_weather_too():
    rule = {"input": "N", "amount": 8.0, "within": {"DVS": [0.0, 1.0], "TEMP": [5.0, 30.0]}}
    task = catalog.task(TASK)
    policy = Rules("mine", RulesSettings(rules=[Rule(**rule)]), interface_of(task))
    seen = [*task.observation.state, *task.observation.weather]
    actions = []
    for dvs, temperature in ((0.5, 4.0), (0.5, 5.0), (1.0, 30.0), (1.1, 20.0)):
        observation = np.zeros(len(seen))
        observation[seen.index("DVS")], observation[seen.index("TEMP")] = dvs, temperature
        actions.append(policy(observation))
    assert actions == [0, N8, N8, 0]


def test_tuning_on_some_scenarios_uses_the_first_of_them():
    task = catalog.task(TASK)
    rules = [Rule(input="IRRIG", amount=2.0, when="SM", below=0.35)]
    _, mean = fit_rules(task, RulesSettings(rules=rules, scenarios=1))
    year = [task.splits["train"].all_years[0]]
    path = agbench.evaluate(TASK, Rules("mine", RulesSettings(rules=rules), interface_of(task)), years=year)
    assert mean == pytest.approx(path.episodes["return"][0])


def test_the_first_rule_comes_first_and_the_other_a_day_later():
    rules = [
        {"input": "N", "amount": 8.0, "every": "14 d"},
        {"input": "IRRIG", "amount": 2.0, "every": "14 d"},
    ]
    assert follow(rules, 3) == [N8, WATER2, 0]


def test_a_rule_that_is_first_comes_before_the_plan_which_waits_for_it():
    task = catalog.task(TASK)
    plan = [{"date": date, "input": "N", "amount": 8.0} for date in ("03-16", "03-17")]
    seen = list(task.observation.state)

    def followed(**first):
        rule = {"input": "IRRIG", "amount": 2.0, "when": "SM", "below": 0.3, **first}
        policy = Rules("mine", RulesSettings(rules=[Rule(**rule)], plan=plan), interface_of(task))
        actions = []
        for moisture in (0.2, 0.4, 0.4, 0.4):
            observation = np.zeros(len(seen))
            observation[seen.index("SM")] = moisture
            actions.append(policy(observation))
        return actions

    assert followed(first=True) == [WATER2, N8, N8, 0]
    assert followed() == [N8, N8, 0, 0]


def test_tuning_finds_what_the_training_years_want():
    settings = RulesSettings(
        rules=[Rule(input="IRRIG", amount=0.0, when="SM", below=0.35)],
        tune={"0.amount": [0.0, 2.0], "0.below": [0.3, 0.4]},
        budget=3,
    )
    task = catalog.task(TASK)
    fitted, mean = fit_rules(task, settings)
    assert (fitted, mean) == fit_rules(task, settings)
    assert mean >= agbench.evaluate(TASK, "zero", split="train").episodes["return"].mean()


@pytest.mark.parametrize("name", [b for b in catalog.baselines(TASK) if b != "evolved"])
def test_a_rule_of_thumb_keeps_the_contract(name):
    check_policy(name, TASK)


def evolved(tmp_path, **settings):
    path = tmp_path / "quick.yaml"
    few = {"periods": 6, "population": 16, "generations": 4, "clones": 16, "rounds": 2}
    values = {"start": "feeding", **few, **settings}
    path.write_text(
        yaml.safe_dump({"policy": "evolution", "summary": "quick", "source": "test", "settings": values})
    )
    return path


def test_evolution_betters_the_policy_that_it_starts_from(tmp_path):
    result = agbench.evaluate(TASK, evolved(tmp_path), years=[1984]).episodes["return"]
    start = agbench.evaluate(TASK, "feeding", years=[1984]).episodes["return"]
    assert result[0] > start[0]


def test_evolution_is_the_seed_s_and_leaves_numpy_s_own_alone(tmp_path):
    task = catalog.task(TASK)
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.reset([0], [parts.scenarios.keys[0]])
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    seasons = [
        load_policy(str(evolved(tmp_path, seed=seed)), task).solve(parts, core.save(0)) for seed in (0, 0, 1)
    ]
    assert np.array_equal(seasons[0], seasons[1])
    assert not np.array_equal(seasons[0], seasons[2])
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("limit", [20.0, 0.0])
def test_a_plan_of_an_evolution_stays_within_the_limits(limit):
    task = catalog.task("wofostgym-barley-limits-v1")
    limits = {"N": limit, "P": 30.0, "K": 20.0, "IRRIG": 3.0}
    parts = build(override(task, {"reward__limits": limits}), "test")
    points = np.random.default_rng(0).uniform(0.0, 3.0, size=(5, 4 * 6))
    plans = _Seasons(parts, 6, "evolved").actions(points, 200)
    doses = parts.actions.inputs(plans.ravel()).reshape(5, 200, -1).sum(axis=1)
    values = doses[:, parts.make_simulator(1).inputs.columns(list(limits))]
    assert (values <= list(limits.values())).all()
    assert (values[:, 1:].sum(axis=1) > 40.0).all()


def test_what_a_plan_asks_beyond_a_limit_is_given_up_to_it():
    """Of 9 in a season of 8 decisions the limit allows 4: half a dose is due at each."""
    given = _decisions(
        np.full((1, 1, 3), 3.0), np.array([[0.0, 1.0]]), np.array([[0, 1]]), np.array([4.0]), 8
    )
    assert given.tolist() == [[0, 1, 0, 1, 0, 1, 0, 1]]


def test_an_evolution_searches_the_days_of_sowing_and_harvest(tmp_path):
    task = catalog.task("wheat-planting-v1")
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.reset([0], [parts.scenarios.keys[0]])
    seasons = _Seasons(parts, 6, "evolved")
    plant, harvest = seasons.work
    plan = np.zeros(52, dtype=np.int64)
    plan[[4, 28, 44]] = [plant, parts.actions.encode("N", 40.0)[0], harvest]
    back = seasons.actions(seasons.point(plan, 52)[None], 52)[0]
    assert [int(np.flatnonzero(back == code)[0]) for code in seasons.work] == [4, 44]

    result = load_policy(str(evolved(tmp_path, start="fixed-days", generations=20, rounds=8)), task).solve(
        parts, core.save(0)
    )
    start = actions_of(parts, load_policy("fixed-days", task), core.save(0))
    both = returns_of_actions(BatchCore(parts, 1), core.save(0), result[None])
    assert both[0] > returns_of_actions(BatchCore(parts, 1), core.save(0), start[None])[0]
    assert any(np.flatnonzero(result == code)[0] != np.flatnonzero(start == code)[0] for code in seasons.work)


WRONG = {
    "input": ({"input": "S", "amount": 2.0}, UnknownNameError, "unknown input 'S'"),
    "variable": (
        {"input": "N", "amount": 2.0, "when": "LAI", "below": 1.0},
        UnknownNameError,
        "observed variable",
    ),
    "range": (
        {"input": "N", "amount": 2.0, "within": {"RIAN": [0.0, 1.0]}},
        UnknownNameError,
        "Did you mean 'RAIN'",
    ),
}


@pytest.mark.parametrize(("rule", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_a_rule_names_must_be_there(rule, error, message):
    with pytest.raises(error, match=message):
        follow([rule], 1)


def test_a_threshold_needs_its_variable():
    with pytest.raises(ValueError, match="go together"):
        Rule(input="N", amount=1.0, below=3.0)


def test_tuning_of_nothing_is_refused():
    settings = RulesSettings(rules=[Rule(input="N", amount=1.0)], tune={"1.amount": [1.0]})
    with pytest.raises(ConfigError, match="names no setting of a rule"):
        fit_rules(catalog.task(TASK), settings)
