import re
from datetime import timedelta

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.reading import load_file
from agbench.envs import AgBenchEnv, AgBenchVectorEnv, scenario_weather
from agbench.envs.family import build
from agbench.errors import AgBenchError, ConfigError, UnknownNameError, WeatherError
from agbench.weather.change import changed
from agbench.weather.columns import DAILY
from agbench.weather.site import site_generator, site_series

NOT_FETCHED = """site: meadow
summary: A meadow.
source: nowhere
place: {latitude: 44, longitude: -99, elevation: 488}
download: {reader: nasa-power, first: 1984, last: 2024}
"""

SECRET = b"a secret of more than sixteen bytes"


@pytest.fixture
def content():
    task = load_file(catalog.find("task", "wheat-nitrogen-v1"))
    return {**task, "simulator": {**task["simulator"], "site": "wageningen"}}


def task_with(content, **split):
    return read_task({**content, "splits": {"train": split}}, "here")


def weather(key):
    return scenario_weather.series_of(key).values


def column(values, name):
    return values[:, DAILY.column(name)]


@pytest.fixture
def secret(tmp_path, monkeypatch):
    path = tmp_path / "secret"
    path.write_bytes(SECRET + b"\n")
    monkeypatch.setenv(scenario_weather.SECRET_VARIABLE, str(path))
    return path


def test_a_split_of_generated_seasons_runs(content):
    task = task_with(content, generated=[0, 999])
    parts = build(task, "train")
    assert len(parts.scenarios) == 1000
    env = AgBenchEnv(parts)
    first = env.reset(seed=0, options={"scenario": "wageningen/generated/17"})[0]
    second = env.reset(seed=0, options={"scenario": "wageningen/generated/18"})[0]
    assert not np.array_equal(first, second)
    assert {"crop winter-wheat-nl", "climate wageningen"} <= parts.hashes().keys()


def test_splits_of_generated_seasons_keep_to_their_numbers(content):
    parts = build(task_with(content, generated=[5, 8], leaving_out=[6]), "train")
    assert list(parts.scenarios) == [f"wageningen/generated/{i}" for i in (5, 7, 8)]


ANY = ("wageningen/generated/123456", "kiel/generated/7", "wageningen/generated/3/temperature+2,rain-20")


@pytest.mark.parametrize("key", [*ANY, "wageningen/1984"])
def test_a_season_of_no_split_can_be_requested(content, key):
    task = task_with(content, generated=[5, 8])
    env, envs = AgBenchEnv(build(task, "train")), AgBenchVectorEnv(build(task, "train"), 2)
    seen, info = env.reset(seed=0, options={"scenario": key})
    assert info["scenario"] == key
    assert np.array_equal(seen, env.reset(seed=1, options={"scenario": key})[0])
    both, info = envs.reset(seed=0, options={"scenario": [key, "wageningen/generated/5"]})
    assert np.array_equal(both[0], seen)
    assert list(info["scenario"]) == [key, "wageningen/generated/5"]
    requests = [build(task, "train").scenarios.world(key).weather for _ in range(2)]
    assert np.array_equal(*requests)


@pytest.mark.parametrize(
    "key",
    [
        *("wageningen", "wageningen/85", "wageningen/generated/-1", "wageningen/generated/007", "", 1984),
        *("wageningen/hidden/3", "wageningen/generated/3/temperature+40", "wageningen/generated/3/rain-x"),
        *("wageningen/1984/", "wageningen/generated/3/temperature+2.0", "wageningen/generated/3/rain-..2"),
    ],
)
def test_what_stands_for_no_season_is_refused(content, key, secret):
    env = AgBenchEnv(build(task_with(content, generated=[5, 8]), "train"))
    with pytest.raises(UnknownNameError, match="unknown scenario"):
        env.reset(seed=0, options={"scenario": key})


def test_a_season_without_weather_is_an_error(content):
    env = AgBenchEnv(build(task_with(content, generated=[5, 8]), "train"))
    for key, message in (
        ("wageningen/1990", "the year 1990 of wageningen is incomplete"),
        ("bleiswijk/generated/1", "the site bleiswijk has no generator"),
        ("nowhere/generated/1", "unknown site 'nowhere'"),
    ):
        with pytest.raises(AgBenchError, match=message):
            env.reset(seed=0, options={"scenario": key})


def test_a_world_has_its_days_of_the_whole_generated_season(content):
    scenarios = build(task_with(content, generated=[5, 8]), "train").scenarios
    world = scenarios.world("wageningen/generated/5")
    end = world.start + timedelta(days=len(world.weather) - 1)
    whole = site_generator("wageningen").season(5).window(world.start, end)
    assert world.weather.tobytes() == whole.tobytes()


def test_a_shift_can_be_another_site(content):
    parts = build(task_with(content, generated=[0, 3], site="kiel"), "train")
    assert np.array_equal(weather(parts.scenarios.keys[0]), site_generator("kiel").season(0).values)


def test_a_change_of_climate_is_in_the_key_and_in_the_weather(content):
    change = {"temperature": "2 degC", "rain": "-20 %"}
    task = task_with(content, years=[1984], change=change)
    assert task.scenarios("train") == ["wageningen/1984/temperature+2,rain-20"]
    before, after = weather("wageningen/1984"), weather("wageningen/1984/temperature+2,rain-20")
    whole = ~np.isnan(before[:, 0])
    for name in ("TMIN", "TMAX", "TEMP"):
        assert np.allclose(column(after, name)[whole], column(before, name)[whole] + 2.0)
    assert np.allclose(column(after, "RAIN")[whole], 0.8 * column(before, "RAIN")[whole])
    assert (column(after, "VAP")[whole] > column(before, "VAP")[whole]).all()
    assert np.nanmean(column(after, "ET0")) > np.nanmean(column(before, "ET0"))
    build(task, "train")


def test_no_change_gives_the_evaporation_that_was_there():
    series = site_series("wageningen")
    assert np.allclose(changed(series, 0.0, 0.0).values, series.values, equal_nan=True)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({"years": [1984], "generated": [0, 9]}, "exactly one of 'years', 'generated' and 'hidden'"),
        ({}, "exactly one of"),
        ({"generated": [9, 0]}, "not a range such as"),
        ({"years": [1984], "change": {"temperature": "2 K"}}, "not a change such as '2 degC'"),
        ({"years": [1984], "change": {"rain": "-120 %"}}, "not a change such as '-20 %'"),
    ],
)
def test_a_wrong_split_is_refused(content, split, message):
    with pytest.raises(ConfigError, match=message):
        task_with(content, **split)


def test_hidden_seasons_follow_from_the_secret(content, secret):
    task = task_with(content, hidden=3)
    parts = build(task, "train")
    first = weather("wageningen/hidden/0").copy()
    assert np.array_equal(first, weather("wageningen/hidden/0"))
    assert not np.array_equal(first, weather("wageningen/hidden/1"))
    message = repr(
        (parts.hashes(), list(parts.scenarios), scenario_weather.series_of("wageningen/hidden/0").provenance)
    )
    assert SECRET.decode() not in message
    assert SECRET.hex() not in message
    commitment = parts.hashes()["hidden seasons"]
    secret.write_bytes(b"another secret of sixteen bytes")
    assert not np.array_equal(first, weather("wageningen/hidden/0"))
    assert parts.hashes()["hidden seasons"] != commitment


def test_hidden_seasons_need_the_secret(content, monkeypatch, tmp_path):
    monkeypatch.delenv(scenario_weather.SECRET_VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="not on this machine"):
        build(task_with(content, hidden=1), "train")
    short = tmp_path / "short"
    short.write_text("abc")
    monkeypatch.setenv(scenario_weather.SECRET_VARIABLE, str(short))
    with pytest.raises(ConfigError, match=re.escape(f"{short} is too short")) as caught:
        build(task_with(content, hidden=1), "train")
    assert "abc" not in str(caught.value)


def test_measured_years_of_a_place_that_was_not_fetched_name_the_command(content, tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "meadow.yaml").write_text(NOT_FETCHED)
    with pytest.raises(WeatherError) as caught:
        build(task_with(content, years=[1990], site="meadow"), "train")
    assert str(caught.value).endswith("fetch it once with: agbench weather fetch meadow")


def test_a_season_needs_the_days_of_its_own_and_no_others(content):
    """Vermont lacks 13 January 1993, North Brabant 4 December 2024: neither is a day of a maize season."""
    maize = load_file(catalog.find("task", "maize-inputs-v1"))
    season = {**maize["season"], "start": "05-01", "end": "10-01"}
    task = task_with({**maize, "season": season}, years=[1993], site="vermont")
    assert list(build(task, "train").scenarios) == ["vermont/1993"]
    with pytest.raises(WeatherError, match="the year 1993 of vermont is incomplete: it has 362 of 365 days"):
        build(task_with(content, years=[1993], site="vermont"), "train")


def test_user_weather_does_not_replace_generated_seasons(content):
    frame = site_series("wageningen").to_frame()
    parts = build(task_with(content, generated=[0, 1]), "train", weather=frame)
    with pytest.raises(ConfigError, match="measured years only"):
        parts.scenarios.world("wageningen/generated/0")


@pytest.mark.parametrize(
    "key", ["wageningen", "wageningen/84", "wageningen/1984/warm", "wageningen/generated/x"]
)
def test_a_malformed_key_is_refused(key):
    with pytest.raises(ConfigError, match="is not a key such as"):
        scenario_weather.parse(key)
