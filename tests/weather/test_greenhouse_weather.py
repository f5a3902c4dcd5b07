"""Greenhouse weather: the measured series, its gaps, and days turned into five minutes."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import WeatherError
from agbench.simulation.field import site_series
from agbench.weather.columns import DAILY
from agbench.weather.daily import from_frame as daily_from_frame
from agbench.weather.greenhouse.disaggregation import (
    _at_midnight,
    _temperature,
    annual_wave,
    disaggregate,
    saturation,
    sky_temperature,
)
from agbench.weather.greenhouse.series import COLUMNS, from_frame, read_parquet
from agbench.weather.greenhouse.site import measured_series


@pytest.fixture(scope="module")
def bleiswijk():
    return measured_series("bleiswijk")


@pytest.fixture(scope="module")
def year():
    series = site_series("wageningen")
    days = series.window(date(1984, 1, 1), date(1984, 12, 31))
    fine = disaggregate(series, date(1984, 1, 1), 366, np.random.default_rng(1))
    return {name: days[:, DAILY.column(name)] for name in DAILY.names}, fine.reshape(366, 288, 10)


def test_bleiswijk_is_whole(bleiswijk):
    assert (bleiswijk.begin, bleiswijk.interval) == (datetime(2009, 10, 20), 300)
    assert bleiswijk.values.shape == (31_968, 10)
    assert np.isfinite(bleiswijk.values).all()


def test_a_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"nothing")
    with pytest.raises(WeatherError, match="was changed"):
        read_parquet(path, "x", "0" * 64)


def test_the_error_of_a_window_beyond_the_series_names_its_dates(bleiswijk):
    with pytest.raises(WeatherError, match="2009-10-20"):
        bleiswijk.window(datetime(2010, 2, 7), 1000)


def test_a_gap_is_named(bleiswijk):
    frame = bleiswijk.to_frame().iloc[:288].drop(index=pd.Timestamp("2009-10-20 10:00"))
    with pytest.raises(WeatherError, match="2009-10-20 10:00"):
        from_frame(frame).window(datetime(2009, 10, 20), 288)


def test_a_missing_column_is_named(bleiswijk):
    with pytest.raises(WeatherError, match=r"iGlob \(W m-2\)"):
        from_frame(bleiswijk.to_frame().drop(columns="iGlob"))


def test_a_table_comes_back_as_it_was(bleiswijk):
    again = from_frame(bleiswijk.to_frame(), "bleiswijk")
    assert again.sha256 == bleiswijk.sha256


def test_daily_sums_and_extremes_come_back_exactly(year):
    days, fine = year
    np.testing.assert_allclose(fine[:, :, 0].sum(axis=1) * 300, days["IRRAD"], rtol=1e-12)
    np.testing.assert_array_equal(fine[:, :, 1].min(axis=1), days["TMIN"])
    np.testing.assert_array_equal(fine[:, :, 1].max(axis=1), days["TMAX"])
    np.testing.assert_allclose(fine[:, :, 4].mean(axis=1), days["WIND"], rtol=1e-12)


def test_vapour_keeps_its_mean_and_never_exceeds_saturation(year):
    days, fine = year
    full = np.vectorize(saturation)(fine[:, :, 1])
    assert (fine[:, :, 2] <= full + 1e-9).all()
    possible = 100 * days["VAP"] < full.mean(axis=1)
    np.testing.assert_allclose(fine[possible, :, 2].mean(axis=1), 100 * days["VAP"][possible], rtol=1e-9)


def test_the_sun_shines_by_day_only(year):
    _, fine = year
    assert (fine[:, :20, 0] == 0.0).all()
    assert fine[:, :, 0].max() < 1400.0
    assert (fine[:, 0, 8] == 0.0).all()
    assert (fine[:, 144, 8] == 1.0).all()


def test_clouds_come_from_the_generator_alone():
    series = site_series("wageningen")
    first, again, other = (
        disaggregate(series, date(1984, 5, 1), 3, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first[:, 0] != other[:, 0]).any()
    np.testing.assert_array_equal(first[:, 1], other[:, 1])


def test_a_part_of_the_days_is_part_of_the_whole():
    series = site_series("wageningen")
    long, short = (disaggregate(series, date(1984, 5, 1), days) for days in (10, 4))
    np.testing.assert_array_equal(long[: len(short)], short)


def averaged_to_days(bleiswijk):
    fine = bleiswijk.to_frame()
    day = fine.groupby(fine.index.date)
    table = pd.DataFrame(
        {
            "IRRAD": day.iGlob.sum() * 300,
            "TMIN": day.tOut.min(),
            "TMAX": day.tOut.max(),
            "VAP": day.vpOut.mean() / 100,
            "WIND": day.wind.mean(),
            "RAIN": 0.0,
        }
    )
    table.index = pd.to_datetime(table.index)
    table.attrs.update(lat=52.03, lon=4.53, elev=-5.0)
    return daily_from_frame(table, "bleiswijk")


def heat_and_fruit(weather):
    table = agbench.simulate("greenlight", weather=weather, controls="rule-based")
    return table.uBoil.sum() * 130 * 300 / 3.6e6, table.cFruit.iloc[-1] - table.cFruit.iloc[0]


@pytest.mark.slow
def test_disaggregated_bleiswijk_needs_the_same_heat_and_grows_the_same_fruit(bleiswijk):
    days = averaged_to_days(bleiswijk)
    fine = disaggregate(days, date(2009, 10, 20), 111, np.random.default_rng(0))
    again = pd.DataFrame(fine, index=bleiswijk.to_frame().index, columns=list(COLUMNS))
    measured, made = heat_and_fruit(bleiswijk.to_frame()), heat_and_fruit(again)
    assert made == pytest.approx(measured, rel=0.05)


DAYS = np.arange(730.0) % 365.0


def course(mean, size, warmest, days=DAYS):
    return mean + size * np.cos(2.0 * np.pi * (days - warmest) / 365.25)


@pytest.mark.parametrize(("latitude", "warmest"), [(52.0, 203.0), (-35.0, 20.0)])
def test_the_soil_is_warmest_when_the_year_was_in_either_hemisphere(latitude, warmest):
    mean, size, day = annual_wave(course(12.0, 7.5, warmest), DAYS, latitude)
    assert (mean, size) == pytest.approx((12.0, 7.5), abs=0.02)
    assert (day - warmest + 182.0) % 365.25 - 182.0 == pytest.approx(0.0, abs=0.5)


def test_a_course_over_some_of_a_second_year_is_found_as_it_is():
    mean, size, warmest = annual_wave(course(12.0, 7.5, 160.0, DAYS[:430]), DAYS[:430], 52.0)
    assert (mean, size, warmest) == pytest.approx((12.0, 7.5, 160.0), abs=1e-9)


@pytest.mark.parametrize(("latitude", "warmest"), [(50.0, 205.0), (-50.0, 22.0), (0.0, 205.0)])
def test_of_less_than_a_year_the_place_says_when_the_soil_is_warmest(latitude, warmest):
    """0.14 K a degree of latitude; south of the equator half a year later."""
    some = DAYS[40:100]
    size = 0.14 * abs(latitude)
    found = annual_wave(course(12.0, size, warmest, some), some, latitude)
    assert found == pytest.approx([12.0, size, warmest], abs=1e-9)


@pytest.mark.parametrize("ranges", [[(10.0, 15.0), (20.0, 25.0)], [(20.0, 25.0), (10.0, 15.0)]])
def test_days_without_a_common_temperature_meet_at_the_warmer_one_s_lowest(ranges):
    """Each day keeps its own extremes; at midnight the air is at 20 degC, or as near as the day allows."""
    frame = pd.DataFrame(
        {"IRRAD": 8e6, "TMIN": 0.0, "TMAX": 0.0, "VAP": 6.0, "WIND": 2.0, "RAIN": 0.0},
        index=pd.date_range("2001-04-01", periods=4),
    )
    frame[["TMIN", "TMAX"]] = [ranges[0], ranges[0], ranges[1], ranges[1]]
    frame.attrs.update(lat=52.0, lon=5.0, elev=7.0)
    series = daily_from_frame(frame, "steps")
    air = disaggregate(series, date(2001, 4, 1), 4)[:, 1].reshape(4, 288)
    for day, (low, high) in zip(air, [ranges[0], ranges[0], ranges[1], ranges[1]], strict=True):
        assert (day.min(), day.max()) == (low, high)
    evening, morning = air[1, 240:], air[2, :60]  # after sunset, and before sunrise
    if ranges[0][0] > ranges[1][0]:  # down to 20 degC just at midnight
        assert (np.diff(evening) < 0.0).all()
        assert evening[-1] == pytest.approx(20.0, abs=0.02)
        assert (morning == 15.0).any()
    else:  # the way up to 20 degC is cut at the day's 15
        assert (evening[-20:] == 15.0).all()
        assert (morning == 20.0).all()


def test_the_temperature_at_midnight_by_hand():
    """A day of 9 h about 12:30 ends at 17:00; by midnight 7 of 15 h of the night have passed."""
    daily = np.array([[8e6, 5.0, 25.0, 6.0, 2.0, 0.0], [8e6, 8.0, 20.0, 6.0, 2.0, 0.0]])
    sunset = 5.0 + 20.0 * np.sin(np.pi * 9.0 / 12.0)
    left = (np.exp(-2.2 * 7.0 / 15.0) - np.exp(-2.2)) / (1.0 - np.exp(-2.2))
    assert _at_midnight(daily, 0, 9.0, 12.5) == pytest.approx(8.0 + (sunset - 8.0) * left, abs=1e-12)


def test_the_temperature_of_a_day_by_hand():
    """Between midnight and sunrise at 8:00, in the day of 9 h about 12:30, and in the evening after 17:00."""
    daily = np.array([[8e6, low, 25.0, 6.0, 2.0, 0.0] for low in (5.0, 4.0, 3.0)])
    part = np.zeros((288, 3))
    _temperature(part, daily, 1, 9.0, 12.5)

    def left(share):
        return (np.exp(-2.2 * share) - np.exp(-2.2)) / (1.0 - np.exp(-2.2))

    before, after = _at_midnight(daily, 0, 9.0, 12.5), _at_midnight(daily, 1, 9.0, 12.5)
    evening = 4.0 + 21.0 * np.sin(np.pi * 9.0 / 12.0)
    expected = {
        0.0: before,
        2.0: 4.0 + (before - 4.0) * left(0.25),
        6.0: 4.0 + (before - 4.0) * left(0.75),
        8.0: 4.0,
        11.0: 4.0 + 21.0 * np.sin(np.pi * 3.0 / 12.0),
        14.0: 25.0,
        17.0: evening,
        20.5: after + (evening - after) * left(0.5),
    }
    for hour, value in expected.items():
        assert part[round(12 * hour), 1] == pytest.approx(value, abs=1e-9), hour


@pytest.mark.parametrize(("air", "vapour"), [(10.0, 1000.0), (-5.0, 300.0), (28.0, 2500.0)])
def test_the_sky_radiates_as_brutsaert_found_and_as_the_air_where_it_is_overcast(air, vapour):
    """Clear: 1.24 (e / T)^(1/7) of a black body, e in hPa and T in kelvin (Brutsaert 1975, eq. 11)."""
    kelvin = air + 273.15
    clear = 1.24 * (vapour / 100.0 / kelvin) ** (1.0 / 7.0)
    assert sky_temperature(air, vapour, 1.0) == pytest.approx(kelvin * clear**0.25 - 273.15, abs=1e-9)
    overcast = 0.84 + 0.16 * clear
    assert sky_temperature(air, vapour, 0.0) == pytest.approx(kelvin * overcast**0.25 - 273.15, abs=1e-9)
