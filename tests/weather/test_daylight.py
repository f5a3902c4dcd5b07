"""The day's sum of radiation and its switches, by the sun and not by the clock."""

import numpy as np
import pandas as pd
import pytest

from agbench.errors import WeatherError
from agbench.simulators.greenlight.tables import weather_array
from agbench.weather.astronomy import equation_of_time, solar_noon
from agbench.weather.daylight import day_switches, with_daylight
from agbench.weather.greenhouse.position import Position, position_of
from agbench.weather.greenhouse.series import from_frame
from agbench.weather.greenhouse.site import measured_series

BLEISWIJK = (52.03, 4.53)
COLUMNS = ["dli", "isDay", "isDaySmooth"]


@pytest.fixture(scope="module")
def winter():
    return measured_series("bleiswijk").to_frame().loc["2010-01-10":"2010-01-16"]


def test_the_equation_of_time_has_its_extremes_and_zeros():
    """Latest in mid-February, by 14 min, earliest in early November, by 16 min; even in mid-April."""
    minutes = np.array([60.0 * equation_of_time(day) for day in np.arange(1.0, 366.0)])
    assert minutes.min() == pytest.approx(-14.2, abs=0.6)
    assert minutes.max() == pytest.approx(16.4, abs=0.6)
    assert abs(int(minutes.argmin()) + 1 - 42) <= 4
    assert abs(int(minutes.argmax()) + 1 - 307) <= 4
    assert abs(minutes[105]) < 1.0


def test_noon_is_when_almanacs_have_it():
    """12:40 in winter time at Greenwich's own day of 12 February less the longitude; Sand Point 13:42."""
    assert solar_noon(0.0, 43.0, 0.0) == pytest.approx(12.24, abs=0.02)
    assert solar_noon(4.53, 43.0, 1.0) == pytest.approx(12.24 + 1.0 - 4.53 / 15.0, abs=0.02)
    assert solar_noon(-160.517, 105.0, -9.0) == pytest.approx(13.70, abs=0.02)


def test_switches_are_ramps_of_an_hour_about_sunrise_and_sunset():
    hour = np.arange(0.0, 24.0, 1.0 / 60.0)
    day, smooth = day_switches(np.full(hour.size, 80.0), hour, 50.0, 0.0, 0.0)
    up = hour[day >= 0.5]
    assert up[-1] - up[0] == pytest.approx(12.0, abs=0.2)
    assert (up[-1] + up[0]) / 2.0 == pytest.approx(12.13, abs=0.05)
    ramp = hour[(day > 0.0) & (day < 1.0) & (hour < 12.0)]
    assert ramp[-1] - ramp[0] == pytest.approx(1.0, abs=0.05)
    assert set(smooth[day == 1.0]) == {1.0}
    assert np.interp(0.5, day[hour < 12.0], smooth[hour < 12.0]) == pytest.approx(0.5, abs=0.01)


def test_a_day_may_reach_over_the_clock_s_midnight():
    """At 180 degrees east by the clock of Greenwich the sun stands highest at midnight."""
    hour = np.arange(24.0)
    day, _ = day_switches(np.full(24, 80.0), hour, 0.0, 180.0, 0.0)
    assert day[[0, 23]].tolist() == [1.0, 1.0]
    assert day[12] == 0.0


def test_polar_days_and_nights_have_no_gap():
    hour = np.arange(0.0, 24.0, 0.1)
    summer, _ = day_switches(np.full(hour.size, 172.0), hour, 75.0, 20.0, 1.0)
    winter, _ = day_switches(np.full(hour.size, 355.0), hour, 75.0, 20.0, 1.0)
    assert (summer == 1.0).all()
    assert (winter == 0.0).all()


def test_added_columns_fit_the_measured_radiation(winter):
    """The series' own switch is a day that begins an hour later and ends an hour earlier."""
    result = with_daylight(winter.drop(columns=COLUMNS), *BLEISWIJK, zone=1.0)
    assert ((result["isDay"] == 0.0) & (result["iGlob"] > 20.0)).sum() == 0
    assert (result["isDay"] >= winter["isDay"]).mean() > 0.99
    np.testing.assert_allclose(result["dli"], winter["dli"], rtol=1e-6)


def test_a_time_zone_in_the_index_gives_the_same(winter):
    bare = winter.drop(columns=COLUMNS)
    aware = bare.tz_localize("Europe/Amsterdam")
    result, same = with_daylight(aware, *BLEISWIJK), with_daylight(bare, *BLEISWIJK, zone=1.0)
    np.testing.assert_array_equal(result.to_numpy(), same.to_numpy())


def test_columns_that_are_there_stay(winter):
    result = with_daylight(winter.assign(isDay=0.25).drop(columns="isDaySmooth"), *BLEISWIJK, zone=1.0)
    assert set(result["isDay"]) == {0.25}
    pd.testing.assert_series_equal(result["dli"], winter["dli"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.reset_index(drop=True), "the index must hold the times"),
        (lambda t: t.iloc[5:], "the sum of a day .* is not known.*midnight to midnight"),
        (lambda t: t.iloc[:-5], "the sum of a day .* is not known"),
        (lambda t: t.drop(columns="iGlob"), "column iGlob .* is missing"),
        (lambda t: t.drop(index=t.index[9]), "row 9 .* comes 600 s after"),
    ],
)
def test_a_table_without_daylight_is_refused(winter, change, message):
    with pytest.raises(WeatherError, match=message):
        with_daylight(change(winter.drop(columns=COLUMNS)), *BLEISWIJK, zone=1.0)


def test_a_clock_without_zone_is_refused(winter):
    with pytest.raises(WeatherError, match=r"no time zone.*zone=1\.0"):
        with_daylight(winter, *BLEISWIJK)


def test_the_place_goes_with_the_table(winter):
    """So that a simulation knows by which sun the radiation is to be judged."""
    bare = winter.drop(columns=COLUMNS)
    added = with_daylight(bare, *BLEISWIJK, 1.0)
    assert position_of(added) == Position(*BLEISWIJK, 1.0)
    assert position_of(with_daylight(bare.tz_localize("Etc/GMT-1"), *BLEISWIJK)) == Position(*BLEISWIJK, 1.0)
    assert not bare.attrs


@pytest.mark.parametrize(
    "wrong", [{"lat": True}, {"lon": np.nan}, {"lat": 97.0}, {"zone": 60.0}, {"zone": "west"}, {"lon": None}]
)
def test_a_place_that_is_none_is_refused(winter, wrong):
    place = {"lat": 52.03, "lon": 4.53, "zone": 1.0} | wrong
    table = winter.copy()
    table.attrs.update(place)
    if place["lon"] is None:
        assert position_of(table) is None
    else:
        with pytest.raises(WeatherError, match=r"lat, lon and zone are \[.*Give degrees north and east"):
            position_of(table)
    with pytest.raises(WeatherError, match="lat, lon and zone are"):
        with_daylight(winter.drop(columns=COLUMNS), *place.values())


def test_switches_may_be_true_but_no_other_column(winter):
    switched = winter.assign(isDay=winter["isDay"] > 0.5)
    assert (from_frame(switched).values[:, 8] == (winter["isDay"] > 0.5)).all()
    assert (weather_array(switched, 300.0)[:, 8] == (winter["isDay"] > 0.5)).all()
    for read in (from_frame, lambda table: weather_array(table, 300.0)):
        with pytest.raises(WeatherError, match="column wind is not numeric: it holds true or false"):
            read(winter.assign(wind=True))
