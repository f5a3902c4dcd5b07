"""Greenhouse scenarios: measured days, generated and hidden seasons, starts spread over a range."""

from datetime import date

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.reading import load_file
from agbench.datasets.plan import plan_of
from agbench.envs import AgBenchEnv, scenario_weather
from agbench.envs.family import build, family
from agbench.envs.greenhouse.scenarios import read_key
from agbench.errors import ConfigError, UnknownNameError, WeatherError
from agbench.evaluation.runner import evaluate, replay
from agbench.weather.greenhouse.site import measured_series

TOMATO = "greenhouse-tomato-v1"


def task_with(length="1 d", **split):
    content = load_file(catalog.find("task", TOMATO))
    content["episode"] |= {"length": length, "clock": "local", "dli": "past"}
    return read_task({**content, "splits": {"train": {"site": "wageningen", **split}}}, "here")


def env_of(task):
    return AgBenchEnv(build(task, "train"))


def weather_of(env, key=None, seed=0):
    env.reset(seed=seed, options=None if key is None else {"scenario": key})
    return env.core.worlds[0].weather


def test_generated_seasons_are_those_of_their_number():
    task = task_with(generated=[0, 999], start="06-10")
    assert task.scenarios("train")[17] == "wageningen/generated/17/06-10"
    env = env_of(task)
    first = weather_of(env, "wageningen/generated/17/06-10")
    other = weather_of(env, "wageningen/generated/18/06-10")
    days = scenario_weather.series_of("wageningen/generated/17").window(date(2001, 6, 10), date(2001, 6, 10))
    assert first[:288, 0].sum() * 300 == pytest.approx(days[0, 0], rel=1e-12)
    assert not np.array_equal(first[:, 1], other[:, 1])
    np.testing.assert_array_equal(first, weather_of(env, "wageningen/generated/17/06-10"))
    assert not np.array_equal(first[:, 0], weather_of(env, "wageningen/generated/17/06-10", seed=1)[:, 0])
    assert "climate wageningen" in env.core.parts.hashes()


def test_hidden_seasons_follow_from_the_secret(tmp_path, monkeypatch):
    task = task_with(hidden=2)
    monkeypatch.delenv(scenario_weather.SECRET_VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="organisers' secret"):
        build(task, "train")
    seen = []
    for secret in (b"a secret of sixteen bytes", b"another one, just as long"):
        (tmp_path / "secret").write_bytes(secret)
        monkeypatch.setenv(scenario_weather.SECRET_VARIABLE, str(tmp_path / "secret"))
        env = env_of(task)
        seen.append(weather_of(env, "wageningen/hidden/1/03-01"))
        assert "hidden seasons" in env.core.parts.hashes()
    assert not np.array_equal(seen[0][:, 1], seen[1][:, 1])
    with pytest.raises(UnknownNameError):
        env.reset(options={"scenario": "wageningen/hidden/5/03-01"})


def test_a_round_gets_hidden_seasons_with_the_test_split_s_starts():
    for name, starts in (("greenhouse-setpoint-v1", ("03-31", "04-30")), (TOMATO, ("01-01", "12-31"))):
        task = catalog.task(name)
        split = family(task).hidden_split(task, 3)
        numbers = [key.rsplit("/", 1) for key in split.first_days("03-01")]
        assert [number for number, _ in numbers] == [f"hidden/{i}" for i in range(3)]
        assert all(starts[0] <= day <= starts[1] for _, day in numbers)


def test_starts_fill_their_range():
    split = GreenhouseSplit(generated=(0, 199), start="10-01", until="03-31")
    days = [key.split("/")[2] for key in split.first_days("03-01")]
    assert days[0] == "10-01"
    months = [int(day[:2]) for day in days]
    assert set(months) == {10, 11, 12, 1, 2, 3}
    counts = np.bincount(months, minlength=13)[[10, 11, 12, 1, 2, 3]]
    assert counts.min() > 27
    assert days[:5] == [key.split("/")[2] for key in split.first_days("01-01")][:5]
    fixed = GreenhouseSplit(years=[2009, 2010], start="03-01", until="03-01")
    assert fixed.first_days("06-01") == ["2009-03-01", "2010-03-01"]


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({}, "exactly one of 'years', 'starts', 'generated' and 'hidden'"),
        ({"years": [1984], "hidden": 2}, "exactly one of"),
        ({"generated": [5, 2]}, r"\[5, 2\] is not a range"),
        ({"generated": [0, 10**15]}, r"\[0, 1000000000000000\] is not a range .*, below 1000000"),
        ({"starts": ["2010-03-01"], "until": "04-01"}, "'starts' are days already"),
    ],
)
def test_a_split_that_is_none_is_refused(split, message):
    with pytest.raises(ConfigError, match=message):
        task_with(**split)


def test_any_day_of_a_measured_site_can_be_asked_for():
    env = agbench.make("greenhouse-winter-v1", length="2 d", dli="day").unwrapped
    for key in ("schiphol/2010-03-01", "schiphol/2012-12-30", "wageningen/generated/5/07-01"):
        env.reset(seed=0, options={"scenario": key})
        assert env.core.scenario == [key]
    rows = weather_of(env, "schiphol/2008-02-29")
    np.testing.assert_array_equal(
        rows[:576], measured_series("schiphol").to_frame().loc["2008-02-29":].iloc[:576]
    )
    with pytest.raises(WeatherError, match="schiphol covers 2008-01-01"):
        env.reset(options={"scenario": "schiphol/2012-12-31"})
    for key in ("schiphool/2010-03-01", "wageningen/generated/05/07-01", "schiphol", 5):
        with pytest.raises(UnknownNameError, match="unknown scenario"):
            env.reset(options={"scenario": key})
    for key, day in (("schiphol/2010-13-01", "2010-13-01"), ("wageningen/generated/5/02-29", "2001-02-29")):
        with pytest.raises(ConfigError, match=f"scenario '{key}': there is no day {day}"):
            env.reset(options={"scenario": key})


@pytest.mark.parametrize(
    ("name", "split", "scenario"),
    [
        (TOMATO, "train", "netherlands/generated/0/06-10"),
        (TOMATO, "test", "schiphol/2008-06-10"),
        ("greenhouse-gym-v1", "train", "schiphol/2010-06-10/0"),
    ],
)
def test_another_start_is_refused_where_the_split_has_its_own(name, split, scenario):
    with pytest.raises(ConfigError, match=f"would change nothing: '{split}'.*'{scenario}'"):
        agbench.make(name, split, episode__start="06-10")


def test_another_start_is_that_of_years_and_of_splits_that_name_none():
    short = {"episode__start": "06-10", "episode__length": "1 d"}
    env = agbench.make("greenhouse-gym-v1", "shift", **short).unwrapped
    assert env.scenarios.keys[0] == "schiphol/2008-06-10/0"
    env = agbench.make(TOMATO, "test", years=[2011], **short).unwrapped
    assert list(env.scenarios) == ["schiphol/2011-06-10"]


def test_a_season_longer_than_a_generated_one_is_refused():
    with pytest.raises(ConfigError, match="a generated season has 730 days; 700 from 03-01 do not fit"):
        build(task_with("700 d", generated=[0, 1]), "train")


def test_a_site_without_a_generator_is_named():
    with pytest.raises(WeatherError, match="the site schiphol has no generator"):
        build(task_with(generated=[0, 1], site="schiphol"), "train")


def test_a_key_that_is_none_is_explained():
    with pytest.raises(ConfigError, match="such as schiphol/2010-03-01 or wageningen/generated/17/03-01"):
        read_key("wageningen/generated/17")


def test_results_in_generated_seasons_replay():
    task = task_with(generated=[3, 4])
    result = evaluate(task, "zero", split="train")
    assert list(result.episodes["scenario"]) == [
        "wageningen/generated/3/03-01",
        "wageningen/generated/4/03-01",
    ]
    again = replay(result)
    assert again.episodes["return"].tolist() == result.episodes["return"].tolist()


def test_a_place_is_asked_for_its_generator_once_however_many_seasons_a_split_has(monkeypatch):
    asked = []
    monkeypatch.setattr(scenario_weather, "require_generator", asked.append)
    env = agbench.make("greenhouse-tomato-v1").unwrapped
    assert len(env.scenarios.keys) > 1000
    assert 1 <= len(asked) <= 2


@pytest.mark.parametrize("start", ["03-01", "05-01"])
def test_chosen_years_begin_on_the_start_of_the_task_where_a_split_has_a_range(start):
    env = agbench.make(TOMATO, years=[2010], site="schiphol", episode__start=start).unwrapped
    assert env.reset(seed=1)[1]["scenario"] == f"schiphol/2010-{start}"


@pytest.mark.parametrize("split", ["train", "validation", "test", "shift"])
def test_chosen_years_are_of_the_site_and_start_that_an_override_names(split):
    env = agbench.make(TOMATO, split, years=[2010, 2011], site="schiphol", episode__start="04-01").unwrapped
    assert list(env.scenarios.keys) == ["schiphol/2010-04-01", "schiphol/2011-04-01"]
    env = agbench.make(TOMATO, split, years=[1990], site="wageningen").unwrapped
    assert list(env.scenarios.keys) == ["wageningen/1990-03-01"]


def test_another_site_is_refused_where_the_split_says_its_own():
    for split, own, other in (("test", "schiphol", "wageningen"), ("shift", "wageningen", "schiphol")):
        with pytest.raises(ConfigError, match=f"'{other}' would change nothing: .*'{split}' is at {own}"):
            agbench.make(TOMATO, split, site=other)
        assert len(agbench.make(TOMATO, split, site=own).unwrapped.scenarios.keys) > 1
    with pytest.raises(UnknownNameError, match="unknown site 'schipol'"):
        agbench.make(TOMATO, "test", site="schipol")


def test_a_dataset_of_chosen_years_begins_on_the_start_of_the_task():
    plan = plan_of(TOMATO, "zero", 1, years=[2010], overrides={"site": "schiphol", "episode.start": "03-01"})
    assert list(plan.parts().scenarios.keys) == ["schiphol/2010-03-01"]
