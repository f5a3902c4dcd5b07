"""Splits over several sites, of several kinds, and without end."""

import copy

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.reading import load_file
from agbench.data.split import FIRST_ENDLESS, SplitSpec
from agbench.envs import AgBenchEnv, AgBenchVectorEnv, scenario_weather
from agbench.envs.family import build
from agbench.envs.field.family import hidden_split
from agbench.errors import ConfigError, WeatherError
from agbench.evaluation.provenance import task_hash
from agbench.weather.site import site_series

PAPER = {"years": "odd 1985-1989", "sites": ["brabant", "limburg"]}
ENDLESS = {"generated": [0, 4], "sites": ["brabant", "netherlands"], "endless": True}


@pytest.fixture
def content():
    return load_file(catalog.find("task", "wheat-nitrogen-v1"))


def task_with(content, season=None, **splits):
    changed = {**content, "splits": splits, "season": {**content["season"], **(season or {})}}
    return read_task(changed, "here")


def drawn(env, episodes, seed=0):
    """The keys of the scenarios that an environment draws."""
    keys = [env.reset(seed=seed)[1]["scenario"]]
    return keys + [env.reset()[1]["scenario"] for _ in range(episodes - 1)]


def test_a_split_has_the_years_of_each_of_its_sites(content):
    task = task_with(content, train=PAPER)
    years = ("1985", "1987", "1989")
    assert task.scenarios("train") == [f"{site}/{year}" for site in ("brabant", "limburg") for year in years]
    parts = build(task, "train")
    assert {"weather brabant", "weather limburg"} <= parts.hashes().keys()
    one, other = (parts.scenarios.world(f"{site}/1987").weather for site in ("brabant", "limburg"))
    assert one.shape == other.shape
    assert not np.array_equal(one, other)
    assert list(build(task, "train", years=[1990]).scenarios) == ["brabant/1990", "limburg/1990"]


def test_a_split_may_have_parts_of_several_kinds(content):
    task = task_with(content, train={"parts": [PAPER, {**PAPER, "years": [1985, 1986]}, ENDLESS]})
    keys = task.scenarios("train")
    assert keys[:8] == [
        *("brabant/1985", "brabant/1987", "brabant/1989", "limburg/1985", "limburg/1987", "limburg/1989"),
        *("brabant/1986", "limburg/1986"),
    ]
    assert len(keys) == len(set(keys)) == 18
    assert list(build(task, "train").scenarios) == keys


def test_a_task_with_parts_reads_its_own_content_as_results_do(content):
    task = task_with(content, train={"parts": [PAPER, ENDLESS]})
    assert read_task(task.content(), "there") == task


def test_an_endless_split_never_comes_to_an_end_of_its_seasons(content):
    parts = build(task_with(content, train={"parts": [PAPER, ENDLESS]}), "train")
    env = AgBenchEnv(parts)
    keys = drawn(env, 300)
    measured = [key for key in keys if "generated" not in key]
    generated = [key for key in keys if "generated" in key]
    assert set(measured) == set(parts.scenarios.keys[:6])
    assert 0.25 < len(measured) / len(keys) < 0.5  # six of sixteen
    assert len(set(generated)) == len(generated)
    assert {key.split("/")[0] for key in generated} == {"brabant", "netherlands"}
    assert all(int(key.split("/")[2]) >= FIRST_ENDLESS for key in generated)
    assert len(parts.scenarios._worlds) <= len(parts.scenarios)
    assert drawn(env, 300) == keys


def test_an_endless_split_draws_the_same_in_any_batch(content):
    task = task_with(content, train=ENDLESS)
    single = AgBenchEnv(build(task, "train"))
    batch = AgBenchVectorEnv(build(task, "train"), 2)
    seen, info = batch.reset(seed=[5, 3])
    for row, seed in enumerate((5, 3)):
        alone, its = single.reset(seed=seed)
        assert its["scenario"] == info["scenario"][row]
        assert np.array_equal(alone, seen[row])
    again = single.reset(options={"scenario": info["scenario"][0]})[0]
    assert np.array_equal(again, seen[0])


def test_an_endless_split_is_evaluated_on_the_seasons_that_it_lists(content):
    task = task_with(content, train={**ENDLESS, "generated": [0, 1]})
    result = agbench.evaluate(task, "zero", split="train", progress=False)
    assert result.episodes["scenario"].tolist() == task.scenarios("train")
    assert len(task.scenarios("train")) == 4


def test_a_change_of_climate_goes_with_drawn_seasons(content):
    task = task_with(content, train={**ENDLESS, "change": {"temperature": "2 degC"}})
    (key,) = drawn(AgBenchEnv(build(task, "train")), 1)
    assert key.endswith("/temperature+2")
    assert scenario_weather.parse(key).number >= FIRST_ENDLESS


def test_seasons_to_train_on_are_in_no_other_split(content):
    test = {"years": [1987], "sites": ["netherlands", "limburg"]}
    with pytest.raises(ConfigError, match="train and test both have the season limburg/1987; leave it out"):
        task_with(content, train=PAPER, test=test)
    task_with(content, train=PAPER, test={**test, "sites": ["netherlands"]})


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({"parts": [{"parts": [PAPER]}]}, "a part has no parts of its own"),
        ({"parts": [PAPER], "site": "kiel"}, "a split of 'parts' has no 'site': give it to the parts"),
        ({**PAPER, "site": "kiel"}, "a 'site' or 'sites', not both"),
        ({**PAPER, "sites": ["kiel", "kiel"]}, "names one of them twice"),
        ({**PAPER, "endless": True}, "only generated seasons are without end"),
        ({"generated": [0, 1_000_000]}, "below 1000000"),
        ({"sites": ["kiel"]}, "exactly one of 'years', 'generated' and 'hidden', or 'parts'"),
    ],
)
def test_a_split_that_contradicts_itself_is_refused(content, split, message):
    with pytest.raises(ConfigError, match=message):
        task_with(content, train=split)


def test_hidden_seasons_are_dealt_out_among_the_sites_of_the_test_split(content):
    assert SplitSpec(hidden=3, sites=["kiel", "lodi"]).keys("home") == [
        *("kiel/hidden/0", "lodi/hidden/1", "kiel/hidden/2")
    ]
    task = task_with(content, train=PAPER, test={"parts": [{"years": [1990], "site": "kiel"}, ENDLESS]})
    assert hidden_split(task, 4).places("home") == ["kiel", "brabant", "netherlands"]
    plain = task_with(content, train=PAPER, test={"years": [1990]})
    assert hidden_split(plain, 4) == SplitSpec(hidden=4)


def test_options_at_their_defaults_leave_the_task_as_it_is(content):
    spelt = copy.deepcopy(content)
    spelt["splits"]["test"] |= {"sites": [], "parts": [], "endless": False}
    assert task_hash(read_task(spelt, "here")) == task_hash(read_task(content, "here"))
    other = copy.deepcopy(content)
    other["splits"]["test"] |= {"site": None, "sites": ["kiel"]}
    assert task_hash(read_task(other, "here")) != task_hash(read_task(content, "here"))


def test_winter_seasons_cross_the_new_year_on_measured_days(content):
    season = {"start": "11-15", "end": "08-15"}
    task = task_with(content, season, train={"years": "all 2021-2023", "site": "brabant"})
    env = AgBenchEnv(build(task, "train"))
    for key in task.scenarios("train"):
        env.reset(seed=0, options={"scenario": key})
        over, result = False, {}
        while not over:
            _, _, ended, cut, result = env.step(0)
            over = ended or cut
        assert result["yield"] > 2.0
    for year, message in (
        (2023, "2024 of netherlands is incomplete.*needs 2024-07-12 to 2024-07-14"),
        (2024, "2024 of netherlands is incomplete.*2024-12-18 to 2025-08-15"),
        (2025, "covers 1984-01-01 to 2024-12-17"),
    ):
        with pytest.raises(WeatherError, match=message):
            build(task_with(content, season, train={"years": [year], "site": "netherlands"}), "train")


def test_another_site_is_that_of_measured_years_and_refused_where_the_split_has_its_own(content):
    for split in ("train", "test"):
        with pytest.raises(
            ConfigError, match=rf"would change nothing: the split '{split}' is at netherlands"
        ):
            agbench.make("wheat-nitrogen-v1", split, site="wageningen")
        env = agbench.make("wheat-nitrogen-v1", split, site="wageningen", years=[1984, 1985]).unwrapped
        assert list(env.scenarios) == ["wageningen/1984", "wageningen/1985"]
    elsewhere = {**content, "simulator": {**content["simulator"], "site": "wageningen"}}
    task = task_with(elsewhere, train=PAPER)  # no override, but a task of its own
    assert build(task, "train").scenarios.keys[0] == "brabant/1985"


def test_weather_of_ones_own_takes_the_place_of_one_site(content):
    frame = site_series("wageningen").to_frame()
    env = agbench.make("wheat-nitrogen-v1", weather=frame, years=[1984, 1985]).unwrapped
    assert list(env.scenarios) == ["netherlands/1984", "netherlands/1985"]
