import numpy as np
import pytest

import agbench
from agbench.errors import ConfigError
from agbench.weather.site import site_series

TASK = "wheat-nitrogen-v1"
KEY = {"scenario": "wageningen/1983"}


def names(env):
    return [entry.name for entry in env.unwrapped.observation_entries]


@pytest.fixture
def season():
    """The same season as a table, without nitrogen."""
    return agbench.simulate(
        "lintul3-wheat", crop="winter-wheat-nl", soil="cropgym-nl", site="wageningen", start="1983-01-01"
    )


def test_an_observation_holds_the_states_of_its_day(season):
    env = agbench.make(TASK)
    observation, info = env.reset(options=KEY)
    while info["elapsed"] < 182:
        observation, *_, info = env.step(0)
    expected = season.iloc[182][names(env)[:9]].to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(observation[:9], expected)


def test_weather_is_the_mean_of_the_last_seven_days():
    env = agbench.make(TASK)
    env.reset(options=KEY)
    observation = env.step(0)[0]
    sky = site_series("wageningen").to_frame().loc["1983-01-09":"1983-01-15"]
    assert names(env)[9:] == ["mean(IRRAD)", "mean(TMIN)", "mean(RAIN)"]
    np.testing.assert_allclose(observation[9:], sky[["IRRAD", "TMIN", "RAIN"]].mean(), rtol=1e-6)


def test_daily_weather_has_the_oldest_day_first():
    env = agbench.make(TASK, weather_form="daily")
    env.reset(options=KEY)
    observation = env.step(0)[0]
    sky = site_series("wageningen").to_frame().loc["1983-01-09":"1983-01-15"]
    assert len(observation) == 30
    assert names(env)[9:12] == ["IRRAD[-6]", "TMIN[-6]", "RAIN[-6]"]
    assert names(env)[-1] == "RAIN[-0]"
    expected = sky[["IRRAD", "TMIN", "RAIN"]].to_numpy(dtype=np.float32).ravel()
    np.testing.assert_array_equal(observation[9:], expected)


def test_an_agent_may_see_less():
    env = agbench.make(TASK, state=["DVS", "LAI"], observation__weather=[])
    assert names(env) == ["DVS", "LAI"]
    assert env.reset(seed=0)[0].shape == (2,)


def test_an_agent_may_see_weather_alone():
    env = agbench.make(TASK, state=[])
    assert env.reset(seed=0)[0].shape == (3,)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"state": [], "observation__weather": []}, "must see something"),
        ({"state": ["DVS", "DVS"]}, "listed twice: DVS"),
        ({"weather_form": "median"}, "'median' is not one of its values"),
        ({"window": "36 h"}, "must be a whole number of days"),
    ],
)
def test_a_wrong_observation_is_refused(overrides, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make(TASK, **overrides)


def test_every_entry_has_a_unit_and_bounds():
    space = agbench.make(TASK).observation_space
    for entry, low, high in zip(
        agbench.make(TASK).unwrapped.observation_entries, space.low, space.high, strict=True
    ):
        assert entry.unit
        assert entry.meaning
        assert np.isfinite([low, high]).all()
        assert low < high
