import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.overrides import keys, override
from agbench.data.reading import load_file
from agbench.errors import ConfigError


@pytest.fixture
def task():
    return catalog.task("wheat-nitrogen-v1")


@pytest.mark.parametrize("name", ["beta", "reward.beta", "reward__beta"])
def test_a_key_has_a_short_and_a_full_name(task, name):
    assert override(task, {name: 5.0}).reward.beta == 5.0


def test_nothing_changed_is_the_same_task(task):
    assert override(task, {}) is task


def test_an_override_leaves_the_original_alone(task):
    changed = override(task, {"doses": {"N": [0, 50]}})
    assert changed.action.doses == {"N": [0.0, 50.0]}
    assert task.action.doses == {"N": [0.0, 20.0, 40.0]}


def test_all_else_stays_as_it_was(task):
    changed = override(task, {"step": "14 d"})
    assert changed.content() | {"season": 0} == task.content() | {"season": 0}


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("beta", np.float64(3.0), 3.0),
        ("beta", 3, 3.0),
        ("repeats", np.int64(4), 4),
        ("state", ("DVS",), ["DVS"]),
    ],
)
def test_values_of_numpy_and_tuples_are_taken(task, name, values, expected):
    content = override(task, {name: values}).content()
    assert expected in [section.get(name) for section in content.values() if isinstance(section, dict)]


def test_the_fields_of_a_farm_are_replaced_as_a_whole():
    farm = catalog.task("sunflower-farm-v1")
    changed = override(farm, {"fields": [{"name": "north"}, {"name": "south", "area": 2.0}]})
    assert changed.field_names == ["north", "south"]
    assert changed.areas == [1.0, 2.0]
    assert "fields" not in keys(catalog.task("wheat-nitrogen-v1"))
    with pytest.raises(ConfigError, match=r"fields: .*at least 1"):
        override(farm, {"fields": []})


def test_an_ambiguous_name_shows_the_full_ones(task):
    with pytest.raises(
        ConfigError,
        match=r"'kind' is ambiguous: action.kind or reward.kind .in Python action__kind or reward__",
    ):
        override(task, {"kind": "menu"})


@pytest.mark.parametrize("name", ["bta", "reward.bta", "reward__bta"])
def test_an_unknown_key_names_the_nearest(task, name):
    with pytest.raises(ConfigError, match=f"override: unknown key '{name}'. Did you mean '.*beta'"):
        override(task, {name: 5.0})


@pytest.mark.parametrize("name", ["splits", "task", "references.floor", "metrics"])
def test_what_makes_a_task_comparable_cannot_be_overridden(task, name):
    with pytest.raises(ConfigError, match=r"unknown key|cannot be changed"):
        override(task, {name: "x"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"beta": "cheap"}, "override of wheat-nitrogen-v1: reward.beta is the text 'cheap'"),
        ({"beta": -1}, "reward.beta: .*greater than or equal to 0; got -1"),
        ({"repeats": 1.5}, "protocol.repeats: .*integer"),
        ({"step": 7}, "season.step: 7 has no unit; write one of"),
        ({"engine": "PCSE"}, "simulator.engine: 'PCSE' is not one of its values. Did you mean 'pcse'"),
        ({"state": "DVS"}, "observation.state: .*list"),
    ],
)
def test_the_error_of_a_wrong_type_names_the_key(task, changes, message):
    with pytest.raises(ConfigError, match=message):
        override(task, changes)


def test_every_key_that_is_offered_can_be_overridden(task):
    content = task.content()
    for key in keys(task):
        section, name = key.split(".")
        assert override(task, {key: content[section][name]}).content() == content


@pytest.mark.parametrize("name", catalog.names("task"))
def test_a_changed_task_is_read_like_its_file(name):
    task = catalog.task(name)
    changed = override(task, {"protocol.repeats": task.protocol.repeats + 1})
    assert changed.content() | {"protocol": 0} == task.content() | {"protocol": 0}


@pytest.mark.parametrize(
    ("name", "key", "meant"),
    [
        ("greenhouse-winter-v1", "season__length", "episode.length"),
        ("greenhouse-winter-v1", "season__crop__cLeaf", "episode.crop"),
        ("wheat-nitrogen-v1", "episode__start", "season.start"),
    ],
)
def test_another_family_s_word_is_answered_with_the_family_s_own(name, key, meant):
    with pytest.raises(ConfigError, match=f"unknown key '{key}'. Did you mean '{meant}'"):
        override(catalog.task(name), {key: 1})


def test_a_greenhouse_task_with_the_key_of_fields_is_refused():
    content = load_file(catalog.find("task", "greenhouse-winter-v1"))
    content["season"] = content.pop("episode")
    with pytest.raises(ConfigError, match=r"here: .*unknown key 'season'. Did you mean 'episode'"):
        read_task(content, "here")


@pytest.mark.parametrize("name", ["constraints__temperature__low", "constraints.temperature.low"])
def test_an_override_may_go_on_into_a_value(name):
    house = catalog.task("greenhouse-tomato-v1")
    changed = override(house, {name: 16.0})
    usual = house.constraints.temperature
    assert changed.constraints.temperature == usual.model_copy(update={"low": 16.0})
    assert house.simulator.parameters == {"cFruitMax": 3e5}
    lower = override(house, {"simulator__parameters__cFruitMax": 2e5})
    assert lower.simulator.parameters == {"cFruitMax": 2e5}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("constraints__temperature__lo", "constraints.temperature: unknown key 'lo'. Did you mean 'low'"),
        ("constraints__temperature__low__more", "constraints.temperature.low is 15.0 and has no parts"),
        ("splits", r"splits of a task cannot be changed.*split=.*years=\[1984, 1985\].*task of your own"),
        ("splits__test__years", "splits of a task cannot be changed"),
        ("metrics", "metrics of a task cannot be changed.*keys of 'reward'"),
        ("references__expert", "references of a task cannot be changed.*Name the policy"),
    ],
)
def test_an_override_that_cannot_be_says_what_to_do(name, message):
    with pytest.raises(ConfigError, match=message):
        override(catalog.task("greenhouse-tomato-v1"), {name: 16.0})


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("greenhouse-tomato-uncertain-v1", {"uncertainty__level": 0.3}, "no effect .*SITE/DAY/0.3"),
        ("greenhouse-tomato-uncertain-v1", {"uncertainty__level": 0.0}, "each split has levels of its own"),
        ("wheat-nitrogen-v1", {"product_price": 2.0}, "reward.product_price has no effect .* kind 'profit'"),
        ("wheat-nitrogen-v1", {"crop_costs": {"a": 1.0}}, "crop_costs .* kind 'rotation-profit'"),
        ("wheat-nitrogen-v1", {"penalty": 5.0}, "kind 'threshold' or 'runoff'"),
        ("wheat-nitrogen-v1", {"limit": {"N": 100.0}}, "action.limit .* kind 'continuous'"),
        ("wheat-nitrogen-v1", {"efficiency": 0.5}, "no IRRIG among the doses"),
        ("wheat-nitrogen-v1", {"prices": {}, "beta": 2.0}, "give 'prices'"),
        ("wheat-inputs-v1", {"tolerated": 2.0}, "no 'limits' and nothing 'lost'"),
        ("wheat-planting-v1", {"season.start_type": "emergence"}, "the agent sows"),
        (
            "wheat-inputs-v1",
            {"limitation": "lw", "reward.kind": "growth", "prices": {}, "action.doses.N": [0.0, 40.0]},
            "action.doses.N .* 'lw' knows no nutrients, and N has no price",
        ),
        ("farm-nitrogen-v1", {"budgets": {}, "overspending": "costs"}, "no 'farm.budgets'"),
        (
            "greenhouse-tomato-v1",
            {"action.controls": ["uBoil"], "electricity": 0.2},
            "one of uLamp, uIntLamp",
        ),
        ("greenhouse-tomato-v1", {"action.controls": ["uVent"], "heat": 0.2}, "one of uBoil, uBoilGro"),
        ("greenhouse-tomato-v1", {"target_yield": 2.0}, "kind 'yield-and-energy'"),
        ("greenhouse-tomato-v1", {"night_end": 5}, "needs an 'electricity_night'"),
        ("greenhouse-tomato-v1", {"rules": {"tSpDay": 20}}, "kind 'temperature' or 'setpoints'"),
        ("greenhouse-tomato-v1", {"uncertainty__every": "episode"}, "needs 'uncertainty.parameters'"),
        ("greenhouse-setpoint-v1", {"rate": 0.2}, "action.rate .* kind 'increment'"),
        ("greenhouse-setpoint-v1", {"forecast_every": "2 h"}, "needs variables in 'observation.forecast'"),
    ],
)
def test_a_change_without_effect_is_refused_with_what_would_give_it_one(name, changes, message):
    with pytest.raises(ConfigError, match=message):
        override(catalog.task(name), changes)


def test_what_counts_by_another_change_and_what_stays_as_it_was_are_taken(task):
    sold = override(task, {"reward.kind": "profit", "product_price": 2.0, "prices": {"N": 1.0}})
    assert sold.reward.product_price == 2.0
    assert override(task, {"product_price": None}).reward == task.reward
    winter = catalog.task("greenhouse-winter-v1")
    unlit = override(winter, {"action.controls": ["uBoil"], "electricity": 0.2})  # the agent sees the price
    assert unlit.reward.electricity == 0.2


def test_what_another_section_gives_an_effect_is_taken(task):
    kept = override(catalog.task("wheat-inputs-v1"), {"limits": {"N": 80.0}, "tolerated": 2.0})
    assert kept.reward.tolerated == 2.0
    doses = {"limitation": "lw", "action.doses.N": [0.0, 40.0]}  # it costs money still
    assert override(catalog.task("wheat-inputs-v1"), doses).action.doses["N"] == [0.0, 40.0]
