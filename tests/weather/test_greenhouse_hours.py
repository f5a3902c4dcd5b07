"""Measured hours turned into five minutes: what each hour keeps, the sun, the clock, and what is refused."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import places
from agbench.errors import WeatherError
from agbench.weather.greenhouse.disaggregation import _radiation, saturation
from agbench.weather.greenhouse.hours import Hours, cloud_cover, disaggregate_hours, read_hours
from agbench.weather.greenhouse.site import measured_series
from agbench.weather.greenhouse.sun import noon, spread, time_above, top_of_atmosphere

FILE = places.find("site", "schiphol").with_name("schiphol.parquet")
LATITUDE, LONGITUDE = 52.318, 4.79


@pytest.fixture(scope="module")
def observed():
    """KNMI's hours by the clock of the site, an hour ahead of UT."""
    table = pd.read_parquet(FILE)
    return table.set_index(table.index + pd.Timedelta(hours=1))


@pytest.fixture(scope="module")
def fine():
    return measured_series("schiphol").to_frame()


@pytest.fixture(scope="module")
def top(fine):
    days = fine.index[::288].day_of_year.to_numpy(np.float64)
    return top_of_atmosphere(LATITUDE, LONGITUDE, 1.0, days, 288).ravel()


def test_schiphol_is_five_whole_years(fine):
    assert (fine.index[0], fine.index[-1]) == (pd.Timestamp("2008-01-01"), pd.Timestamp("2012-12-31 23:55"))
    assert np.isfinite(fine.to_numpy()).all()


def test_each_hour_keeps_its_mean_sun_and_wind(fine, observed):
    means = fine[["iGlob", "wind"]].resample("h").mean()
    hours = observed.index.intersection(means.index)
    assert len(hours) == 43_847
    np.testing.assert_allclose(means.loc[hours, "iGlob"], observed.loc[hours, "Q"] / 0.36, rtol=0, atol=1e-9)
    np.testing.assert_allclose(means.loc[hours, "wind"], observed.loc[hours, "FH"] / 10, rtol=0, atol=1e-9)
    assert fine["wind"].min() == 0.0


def test_temperature_and_humidity_pass_through_the_readings(fine, observed):
    ends = observed.set_index(observed.index + pd.Timedelta(hours=1)).loc[: fine.index[-1]]
    at = fine.loc[ends.index]
    np.testing.assert_allclose(at["tOut"], ends["T"] / 10, rtol=0, atol=1e-9)
    full = np.array([saturation(t) for t in at["tOut"]])
    np.testing.assert_allclose(100.0 * at["vpOut"] / full, ends["U"], rtol=1e-12)


def test_the_sun_stays_below_the_top_of_the_atmosphere_where_the_hour_does(fine, top):
    sun = fine["iGlob"].to_numpy()
    above = (sun > top * (1.0 + 1e-12)).reshape(-1, 12).any(axis=1)
    brighter = sun.reshape(-1, 12).mean(axis=1) > top.reshape(-1, 12).mean(axis=1)
    assert (above <= brighter).all()
    assert brighter.sum() < 40


def test_there_is_no_sun_at_night(fine, top):
    dark = fine.loc[top == 0.0, "iGlob"]
    lit = dark[dark > 0.0]
    assert lit.max() < 10.0
    assert len(set(lit.index.floor("h"))) < 8


def test_the_hours_are_those_of_the_sun(observed, fine):
    """The mean course of measured radiation is highest at the sun's noon, in every month."""
    days = observed.index.day_of_year.to_numpy()
    middle = observed.index.hour.to_numpy() + 0.5
    for month in range(1, 13):
        these = observed.index.month == month
        weight = observed["Q"].to_numpy()[these]
        centroid = (weight * middle[these]).sum() / weight.sum()
        expected = np.mean([noon(LONGITUDE, float(d), 1.0) for d in days[these]])
        assert centroid == pytest.approx(expected, abs=0.2)
    lit = (fine["isDay"] * (fine.index.hour + fine.index.minute / 60.0)).sum() / fine["isDay"].sum()
    assert lit == pytest.approx(np.mean([noon(LONGITUDE, float(d), 1.0) for d in range(1, 366)]), abs=0.05)


def test_the_smooth_switch_is_logistic_on_the_ramp_of_an_hour(fine):
    day, smooth = fine["isDay"].to_numpy(), fine["isDaySmooth"].to_numpy()
    ramp = (day > 0.0) & (day < 1.0)
    assert ramp.sum() > 1000
    np.testing.assert_allclose(smooth[ramp], 1.0 / (1.0 + np.exp(-10.0 * (day[ramp] - 0.5))), rtol=1e-9)
    np.testing.assert_array_equal(smooth[~ramp], day[~ramp])


def test_the_sun_is_where_pvlib_has_it():
    pvlib = pytest.importorskip("pvlib")
    times = pd.date_range("2010-01-01", "2011-01-01", freq="5min", tz="Etc/GMT-1", inclusive="left")
    position = pvlib.solarposition.spa_python(times + pd.Timedelta(seconds=150), LATITUDE, LONGITUDE)
    sine = np.sin(np.radians(position["elevation"].to_numpy()))
    expected = (
        1360.8 / 1366.1 * pvlib.irradiance.get_extra_radiation(times).to_numpy() * np.maximum(sine, 0.0)
    )
    days = np.arange(1.0, 366.0)
    ours = top_of_atmosphere(LATITUDE, LONGITUDE, 1.0, days, 288).ravel()
    np.testing.assert_allclose(ours, expected, rtol=0, atol=11.0)
    rise = [noon(LONGITUDE, d, 1.0) - 0.5 * time_above(LATITUDE, d, -0.833) for d in days]
    table = pvlib.solarposition.sun_rise_set_transit_spa(
        times[::288] + pd.Timedelta(hours=12), LATITUDE, LONGITUDE
    )
    clock = pd.DatetimeIndex(table["sunrise"])
    assert np.abs(rise - (clock.hour + clock.minute / 60.0)).max() < 4.0 / 60.0


def test_parts_below_their_limits_keep_the_sum():
    out = np.zeros(4)
    most = np.array([1.0, 2.0, 3.0, 4.0])
    spread(8.0, np.array([1.0, 1.0, 1.0, 1.0]), most, out)
    np.testing.assert_allclose(out, [1.0, 2.0, 2.5, 2.5])
    spread(20.0, most, most, out)
    np.testing.assert_allclose(out, 2.0 * most)


@pytest.mark.parametrize(("radiation", "cover"), [(900.0, 0.0), (0.25 * 425.0, 1.0), (0.7 * 425.0, 0.7636)])
def test_clouds_follow_from_radiation(radiation, cover):
    """Kasten and Czeplak 1980: 425 W m-2 under a clear sky at 30 degrees; 0.4^(1/3.4) = 0.7637."""
    assert cloud_cover(radiation, 0.5) == pytest.approx(cover, abs=1e-3)
    assert cloud_cover(radiation, 0.05) == -1.0


def made(begin, count=72):
    values = np.tile([0.0, 3.0, 10.0, 80.0], (count, 1))
    values[[7 <= hour % 24 < 17 for hour in range(count)], 0] = 100.0
    return Hours("made", begin, LATITUDE, LONGITUDE, values)


def test_series_begin_and_end_at_midnight():
    early = disaggregate_hours(made(datetime(2010, 3, 1)), 1.0)
    assert (early.begin, early.end) == (datetime(2010, 3, 1), datetime(2010, 3, 4))
    late = disaggregate_hours(made(datetime(2010, 3, 1)), -5.0)
    assert (late.begin, late.end) == (datetime(2010, 3, 1), datetime(2010, 3, 3))
    np.testing.assert_allclose(late.values[:, 4], 3.0)


@pytest.mark.parametrize("zone", [None, 5.5])
def test_a_clock_that_is_missing_or_beside_the_hours_is_refused(zone):
    with pytest.raises(WeatherError, match="whole hours by which the clock is ahead of UTC"):
        disaggregate_hours(made(datetime(2010, 3, 1)), zone)


def test_a_file_that_was_changed_or_has_a_gap_is_refused(tmp_path, observed):
    path = tmp_path / "x.parquet"
    observed.iloc[:48].drop(index=observed.index[5]).to_parquet(path)
    with pytest.raises(WeatherError, match="2008-01-01 06:00:00 is missing"):
        read_hours(path, "x", LATITUDE, LONGITUDE)
    with pytest.raises(WeatherError, match="was changed"):
        read_hours(path, "x", LATITUDE, LONGITUDE, "0" * 64)
    observed.drop(columns="FH").to_parquet(path)
    with pytest.raises(WeatherError, match="lacks KNMI's fields FH"):
        read_hours(path, "x", LATITUDE, LONGITUDE)


@pytest.mark.parametrize(
    ("first", "days"), [(date(2008, 1, 1), 366), (date(2011, 7, 3), 365), (date(2012, 12, 31), 1)]
)
def test_an_episode_starts_on_any_day_and_lasts_up_to_a_year(first, days):
    episode = {"episode__start": f"{first:%m-%d}", "episode__length": f"{days} d"}
    env = agbench.make("greenhouse-winter-v1", site="schiphol", years=[first.year], **episode).unwrapped
    env.reset(seed=0)
    assert env.core.scenario == [f"schiphol/{first}"]
    assert len(env.core.worlds[0].weather) >= days * 288


def test_a_bare_greenhouse_runs_at_schiphol():
    table = agbench.simulate(
        "greenlight", weather="schiphol", start="2010-03-01", controls=np.full((12, 6), 0.4)
    )
    assert table.index[-1] == pd.Timestamp("2010-03-01 01:00")


def test_nights_are_dark_and_days_have_their_sum_whatever_stood_there_before():
    day = np.full((24, 8), 7.0)
    _radiation(day, 8e6, LATITUDE, 100.0, np.zeros(24), 0.0)
    assert (day[:, 1:] == 7.0).all()
    assert (day[[0, 1, 2, 3, 21, 22, 23], 0] == 0.0).all()
    assert day[12, 0] > 200.0
    assert day[:, 0].mean() * 86_400 == pytest.approx(8e6, rel=1e-12)
