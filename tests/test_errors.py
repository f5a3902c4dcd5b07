"""The most likely mistakes of a user, each with an error that names the thing and the remedy."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.reading import read_file
from agbench.errors import (
    LISTED,
    ActionError,
    AgBenchError,
    ConfigError,
    SimulationError,
    UnknownNameError,
    WeatherError,
    described,
    did_you_mean,
)
from agbench.weather.site import site_series

TASK = "wheat-nitrogen-v1"


def raised(kind, call, *args, **kwargs):
    """Return the message of the error that a call must raise."""
    with pytest.raises(kind) as caught:
        call(*args, **kwargs)
    assert isinstance(caught.value, AgBenchError)
    return str(caught.value)


@pytest.mark.parametrize("make", [agbench.make, lambda task: agbench.make_vec(task, 2)])
def test_an_unknown_task_names_the_nearest(make):
    message = raised(UnknownNameError, make, "wheat-nitrogen-v2")
    assert message.startswith("unknown task 'wheat-nitrogen-v2'. Did you mean 'wheat-nitrogen-v1'")


def test_an_unknown_task_far_from_all_lists_them():
    assert "Known: " in raised(UnknownNameError, agbench.make, "zzz")


def test_an_error_lists_some_of_very_many_names():
    names = [f"variety-{i:03}" for i in range(100)]
    message = did_you_mean("zzz", names)
    assert message.endswith(f"variety-039, and {100 - LISTED} more.")
    assert message.count("variety") == LISTED
    assert did_you_mean("zzz", names[:LISTED]).endswith("variety-039.")


@pytest.mark.parametrize("name", ["wheat-1.yaml", "crops/wheat-1.yaml", "/home/me/crops/wheat-1.yaml"])
def test_a_path_in_place_of_a_name_is_an_error_that_names_the_folder(name):
    message = raised(UnknownNameError, catalog.crop, name)
    assert message.startswith(f"unknown crop {name!r}: a crop is named, not given by its path. ")
    assert "the folder crops of a folder on AGBENCH_PATH" in message


def test_an_unknown_split_names_the_nearest():
    message = raised(UnknownNameError, agbench.make, TASK, split="tset")
    assert message == f"{TASK}: unknown split 'tset'. Did you mean 'test'?"


def test_an_unknown_override_names_the_nearest():
    message = raised(ConfigError, agbench.make, TASK, betta=5.0)
    assert message == (
        "unexpected keyword argument 'betta': override: unknown key 'betta'. Did you mean 'beta'?"
    )


def test_an_unknown_keyword_is_a_type_error_as_libraries_expect():
    message = raised(TypeError, agbench.make, TASK, frameskip=1)
    assert "unexpected keyword argument 'frameskip'" in message
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make(f"agbench/{TASK}", frameskip=1)


@pytest.mark.parametrize("make", [agbench.make, lambda task, **more: agbench.make_vec(task, 2, **more)])
def test_a_seed_is_for_reset(make):
    for kind in (TypeError, ConfigError):
        assert "reset(seed=0)" in raised(kind, make, TASK, seed=0)


def test_the_older_word_for_autoreset_names_gymnasiums():
    assert "autoreset_mode='same_step'" in raised(TypeError, agbench.make_vec, TASK, 2, autoreset="same_step")


def test_an_override_of_a_wrong_type_is_an_error():
    message = raised(ConfigError, agbench.make, TASK, beta="cheap")
    assert "reward.beta is the text 'cheap', not a number" in message


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"state": ["DVSS"]}, "unknown variable 'DVSS'. Did you mean 'DVS'"),
        ({"observation__weather": ["SUN"]}, "unknown variable 'SUN'"),
        ({"doses": {"P": [0, 10]}}, "unknown variable 'P'"),
        ({"model": "lintul"}, "unknown model 'lintul'. Did you mean 'lintul3'"),
        ({"crop": "wheat"}, "unknown crop 'wheat'"),
        ({"site": "wagenigen"}, "unknown site 'wagenigen'. Did you mean 'wageningen'"),
        ({"variable": "YIELD"}, "unknown variable 'YIELD'"),
    ],
    ids=["state", "weather", "input", "model", "crop", "site", "reward"],
)
def test_an_override_with_an_unknown_name_names_the_nearest(overrides, message):
    assert message in raised(UnknownNameError, agbench.make, TASK, **overrides)


def test_a_misspelt_key_of_a_file_names_the_nearest_and_the_file(tmp_path):
    text = catalog.find("task", TASK).read_text()
    path = tmp_path / "bad.yaml"
    path.write_text(text.replace("beta:", "betta:"))
    message = raised(ConfigError, read_file, FieldTask, path)
    assert message == f"{path}: reward: unknown key 'betta'. Did you mean 'beta'?"


@pytest.mark.parametrize(("year", "days"), [(1990, 361), (1991, 243)])
def test_the_incomplete_years_are_refused_by_name(year, days):
    message = raised(WeatherError, agbench.make, TASK, site="wageningen", years=[year])
    assert f"{TASK}, scenario wageningen/{year}: " in message
    assert f"{year} of wageningen is incomplete: it has {days} of 365 days. Leave it out" in message


def test_a_year_without_weather_names_what_there_is():
    message = raised(WeatherError, agbench.make, TASK, site="wageningen", years=[2005])
    assert message == (
        f"{TASK}, scenario wageningen/2005: weather wageningen covers 1976-01-01 to 1999-12-31, "
        "not all of 2005-01-01 to 2005-09-01."
    )


def test_weather_with_a_gap_is_refused_before_training():
    frame = site_series("wageningen").to_frame()
    frame = frame.drop(pd.Timestamp("1984-06-10"))
    message = raised(WeatherError, agbench.make, TASK, weather=frame, years=[1984])
    assert "lacks 1 day from 1984-01-01 to 1984-09-01: 1984-06-10" in message


def test_a_list_of_weather_names_is_not_a_table():
    message = raised(ConfigError, agbench.make, TASK, weather=["IRRAD"])
    assert "observation__weather" in message


def test_a_single_year_must_stand_in_a_list():
    assert "such as [1984]" in raised(ConfigError, agbench.make, TASK, years=1984)


def test_an_empty_list_of_years_is_refused():
    assert "years: the list is empty" in raised(ConfigError, agbench.make, TASK, split="test", years=[])


@pytest.fixture
def env():
    env = agbench.make(TASK).unwrapped
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("action", [3, -1, np.int64(7)])
def test_an_action_beyond_the_menu_shows_the_menu(env, action):
    message = raised(ActionError, env.step, action)
    assert "whole numbers from 0 to 2 are: nothing, 20 kg ha-1 N, 40 kg ha-1 N" in message


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (0.5, "0.5"),
        (np.float32(0.1), "0.1"),
        (np.nan, "nan"),
        (np.array([np.nan]), "nan"),
        (True, "True"),
        ("much", "'much'"),
        (None, "None"),
        ([1, 2], "[1, 2]"),
        (np.array([0.5, np.nan]), "[0.5, nan]"),
    ],
)
def test_an_action_of_another_kind_is_refused(env, action, text):
    message = raised(ActionError, env.step, action)
    assert message.startswith(f"action {text} ")
    assert "a menu takes" in message


def test_a_refused_action_leaves_the_season_as_it_was(env):
    before = env.core.simulator.state.copy()
    raised(ActionError, env.step, 3)
    np.testing.assert_array_equal(env.core.simulator.state, before)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ([1.5], "1.5 lies outside"),
        ([np.nan], "nan lies outside"),
        ([0.0, 0.0], r"shape \(2,\); the space expects \(1,\)"),
        (["x"], "numbers from -1 to 1"),
    ],
)
def test_a_wrong_amount_is_refused(action, message):
    env = agbench.make(TASK, action__kind="continuous").unwrapped
    env.reset(seed=0)
    with pytest.raises(ActionError, match=message):
        env.step(action)


def test_too_few_actions_for_a_batch_are_refused():
    envs = agbench.make_vec(TASK, 3)
    envs.reset(seed=0)
    assert raised(ActionError, envs.step, [0, 1]) == "2 actions for 3 environments."


def test_one_wrong_action_of_a_batch_is_refused():
    envs = agbench.make_vec(TASK, 3)
    envs.reset(seed=0)
    assert "outside the menu" in raised(ActionError, envs.step, [0, 1, 3])


def test_a_step_after_the_end_asks_for_a_reset(env):
    over = False
    while not over:
        *_, terminated, truncated, _ = env.step(0)
        over = terminated or truncated
    assert "call reset() first" in raised(SimulationError, env.step, 0)


def test_an_unknown_scenario_names_the_nearest_of_few_and_one_of_very_many(env):
    few = agbench.make("wofostgym-wheat-v1").unwrapped
    message = raised(UnknownNameError, few.reset, options={"scenario": "wageningen/1985b"})
    assert "split 'train': unknown scenario 'wageningen/1985b'. Did you mean" in message
    message = raised(UnknownNameError, env.reset, options={"scenario": "netherlands/1985b"})
    assert message.endswith("unknown scenario 'netherlands/1985b'. Keys are such as netherlands/generated/0.")


def test_a_refused_scenario_leaves_the_episode_as_it_was(env):
    before = env.save_state()
    raised(UnknownNameError, env.reset, options={"scenario": "nowhere/1"})
    after = env.save_state()
    assert (after.scenario, after.over) == (before.scenario, before.over)
    np.testing.assert_array_equal(after.simulation.state, before.simulation.state)


@pytest.mark.parametrize("make", [lambda: agbench.make(TASK), lambda: agbench.make_vec(TASK, 2)])
def test_an_unknown_reset_option_names_the_nearest(make):
    message = raised(ConfigError, make().unwrapped.reset, options={"scenari": "x"})
    assert "unknown key 'scenari'. Did you mean 'scenario'?" in message


def test_an_unknown_render_mode_names_the_nearest():
    from agbench.envs.registry import single_environment

    message = raised(ConfigError, single_environment, TASK, render_mode="rgb-array")
    assert "render_mode 'rgb-array' is unknown. Did you mean 'rgb_array'?" in message


def test_an_unknown_autoreset_mode_names_the_nearest():
    message = raised(ConfigError, agbench.make_vec, TASK, 2, autoreset_mode="same")
    assert "autoreset_mode 'same' is unknown. Did you mean 'same_step'" in message


def test_no_environments_are_refused():
    assert "at least 1; got 0" in raised(ConfigError, agbench.make_vec, TASK, 0)


def test_a_folder_of_ones_own_that_is_not_there_is_named(tmp_path):
    missing = tmp_path / "nowhere"
    done = subprocess.run(
        [sys.executable, "-c", "import agbench; print(len(agbench.tasks()))"],
        env={**os.environ, "AGBENCH_PATH": str(missing)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) > 30
    assert f"AgBenchWarning: AGBENCH_PATH: {missing} is not a folder." in done.stderr


def test_a_name_near_to_two_offers_both():
    assert did_you_mean("best", ["test", "rest", "x"]) == " Did you mean 'test' or 'rest'?"


def test_an_attribute_that_agbench_lacks_is_named():
    with pytest.raises(AttributeError, match="has no attribute 'makes'"):
        _ = agbench.makes


def test_what_others_code_raised_is_told_in_one_line():
    error = RuntimeError("no seed drill\n    with two lines")
    assert described(error) == "RuntimeError: no seed drill with two lines"
    assert described(RuntimeError()) == "RuntimeError"
