"""Weather on the edge of what is plausible: exactly on a limit it passes, a little beyond it is refused."""

from contextlib import nullcontext
from datetime import date

import numpy as np
import pytest

from agbench.errors import WeatherError
from agbench.weather.columns import DAILY
from agbench.weather.greenhouse.columns import WEATHER
from agbench.weather.greenhouse.plausibility import check_plausible as check_greenhouse
from agbench.weather.plausibility import check_plausible, check_sun

START = date(2001, 1, 1)
PLAIN = {
    "IRRAD": 1.5e7, "TMIN": 8.0, "TMAX": 19.0, "TEMP": 13.5, "VAP": 10.0, "WIND": 3.0, "RAIN": 0.1,
    "E0": 0.3, "ES0": 0.3, "ET0": 0.3, "DAYLP": 12.0,
}  # fmt: skip


def days(count, **columns):
    """Return plain days; a column is a number for all of them, or a list for the first ones."""
    values = np.tile([PLAIN[name] for name in DAILY.names], (count, 1))
    for name, given in columns.items():
        given = np.atleast_1d(given)
        values[: count if len(given) == 1 else len(given), DAILY.column(name)] = given
    return values


def judged(good, words, check, *arguments):
    """Check that values pass, or are refused with some words."""
    with nullcontext() if good else pytest.raises(WeatherError, match=words):
        check(*arguments)


def saturated(temperature):
    """Return the vapour pressure of saturation in hPa."""
    return 6.11 * np.exp(17.27 * temperature / (temperature + 237.3))


@pytest.mark.parametrize(
    ("columns", "good"),
    [
        ({"TMIN": [19.0] * 10, "TMAX": [8.0] * 10}, True),  # half of 20 days
        ({"TMIN": [19.0] * 11, "TMAX": [8.0] * 11}, False),
        ({"TEMP": [19.5]}, True),
        ({"TEMP": [19.51]}, False),
        ({"TEMP": [7.5]}, True),
        ({"TEMP": [7.49]}, False),
    ],
)
def test_temperatures(columns, good):
    judged(good, "TMIN exceeds TMAX on 11 days|TEMP is", check_plausible, days(20, **columns), START, "w")


@pytest.mark.parametrize(
    ("light", "good"), [([1e5] + [0.0] * 4, True), ([99_999.0] * 5, False), ([0.0] * 5, True)]
)
def test_some_day_is_not_dark(light, good):
    judged(good, "above 1e5 at least once", check_plausible, days(5, IRRAD=light), START, "w")


@pytest.mark.parametrize(
    ("rain", "good"),
    [
        ([26.0, 2.6], True),  # a tenth of 20 days
        ([26.0, 2.6, 2.5], True),
        ([26.0, 2.6, 2.6], False),
        ([25.0, 2.6, 2.6], True),
    ],
)
def test_a_cloudburst_where_it_often_pours(rain, good):
    judged(good, "a cloudburst only where rain is rare", check_plausible, days(20, RAIN=rain), START, "w")


@pytest.mark.parametrize(
    ("count", "mean", "good"),
    [
        (30, 8.0, True),
        (30, 8.01, False),
        (29, 20.0, True),
        (90, 7.0, True),
        (90, 7.01, False),
        (89, 7.9, True),
    ],
)
def test_no_field_has_such_a_mean_wind(count, mean, good):
    judged(good, f"in the mean of {count} days", check_plausible, days(count, WIND=mean), START, "w")


@pytest.mark.parametrize(
    ("columns", "good"),
    [
        ({"VAP": 0.1201 * saturated(8.0)}, True),
        ({"VAP": 0.1199 * saturated(8.0)}, False),
        ({"VAP": [0.05 * saturated(8.0)] * 9}, True),  # the median counts
        ({"VAP": [1.0999 * saturated(19.0)] * 20}, True),
        ({"VAP": [1.1001 * saturated(19.0)] * 2}, True),  # a tenth of 20 days
        ({"VAP": [1.1001 * saturated(19.0)] * 3}, False),
    ],
)
def test_vapour_between_desert_and_saturation(columns, good):
    judged(good, "saturation at T(MIN|MAX)", check_plausible, days(20, **columns), START, "w")


WATER = 0.17 * 10.0
"""What the air above 10 hPa holds [cm]."""


@pytest.mark.parametrize(
    ("count", "columns", "good"),
    [
        (90, {"RAIN": 1.0999 * WATER}, True),
        (90, {"RAIN": 1.1001 * WATER}, False),
        (89, {"RAIN": 1.2 * WATER}, True),
        (360, {"RAIN": 0.5999 * WATER}, True),
        (360, {"RAIN": 0.6001 * WATER}, False),
        (359, {"RAIN": 0.7 * WATER}, True),
        (365, {"RAIN": [6.01 * WATER] * 5}, True),  # days with six times what the air holds
        (365, {"RAIN": [6.01 * WATER] * 6}, False),
        (365, {"RAIN": [5.99 * WATER] * 6}, True),
        (90, {"RAIN": 1.0999 * 0.17 * 6.0, "VAP": 3.0}, True),  # air that rains holds 6 hPa
        (90, {"RAIN": 1.1001 * 0.17 * 6.0, "VAP": 3.0}, False),
    ],
)
def test_rain_by_what_the_air_holds(count, columns, good):
    judged(good, "of the water in the air a day", check_plausible, days(count, **columns), START, "w")


@pytest.mark.parametrize(
    ("count", "wet", "rain", "good"),
    [(365, 73, 0.0499, False), (365, 72, 0.0499, True), (365, 73, 0.05, True), (364, 364, 0.01, True)],
)
def test_some_day_of_a_wet_year_has_a_shower(count, wet, rain, good):
    values = days(count, RAIN=0.0)
    values[:wet, DAILY.column("RAIN")] = rain
    judged(good, "the wettest day of a year has", check_plausible, values, START, "w")


ABOVE = np.full(365, 2e7)


@pytest.mark.parametrize(
    ("columns", "good"),
    [
        ({"IRRAD": [2.1099e7] * 50}, True),  # 1.05 of what there is, and what rounding may add
        ({"IRRAD": [2.1101e7] * 2}, True),  # a fiftieth of 100 days
        ({"IRRAD": [2.1101e7] * 3}, False),
    ],
)
def test_the_sun_is_brighter_than_above_the_atmosphere(columns, good):
    words = "less than above the atmosphere at this latitude"
    judged(good, words, check_sun, days(100, **columns), START, ABOVE, "w")


@pytest.mark.parametrize(
    ("light", "above", "good"),
    [
        ([0.0299 * 2e7] * 10, 2e7, False),
        ([0.0301 * 2e7] * 10, 2e7, True),
        ([0.0] * 9, 2e7, True),
        ([0.0] * 10, 1e6, True),  # the sun hardly rises
        ([0.0] * 10, 1.01e6, False),
        ([0.0] * 5 + [np.nan] + [0.0] * 4, 2e7, True),
    ],
)
def test_no_cloud_lasts_ten_days(light, above, good):
    values = days(30, IRRAD=light)
    values[10:, DAILY.column("IRRAD")] = 0.5 * above
    judged(good, "in any 10 days", check_sun, values, START, np.full(365, above), "w")


@pytest.mark.parametrize(
    ("count", "share", "good"),
    [
        (4, 0.04, True),
        (5, 0.0751, True),
        (5, 0.0749, False),
        (6, 0.0751, True),
        (7, 0.0951, True),
        (7, 0.0949, False),
        (13, 0.0951, True),
        (14, 0.1201, True),
        (14, 0.1199, False),
        (30, 0.2001, True),
        (30, 0.1999, False),
        (29, 0.13, True),
    ],
)
def test_the_clearest_of_many_days_is_clear(count, share, good):
    values = days(count, IRRAD=share * 2e7)
    judged(good, f"the clearest of {count} days", check_sun, values, START, ABOVE, "w")


def test_the_last_day_of_a_leap_year_is_judged_as_the_last_of_others():
    above = np.append(np.full(364, 2e7), 1e7)
    values = days(10, IRRAD=[1.5e7] * 8 + [0.9e7, 1.2e7])  # 30 December is the 365th day
    judged(False, "IRRAD is 1.2e.07 on 2000-12-31", check_sun, values, date(2000, 12, 22), above, "w")
    judged(True, "", check_sun, values, date(2000, 12, 1), above, "w")


def hours(count, **columns):
    """Return weather of greenhouses of which nothing but some columns is known."""
    values = np.full((count, len(WEATHER)), np.nan)
    for name, given in columns.items():
        given = np.atleast_1d(given)
        values[: count if len(given) == 1 else len(given), WEATHER.column(name)] = given
    return values


def pascal(temperature):
    """Return the vapour pressure of saturation in Pa."""
    return 610.78 * np.exp(17.2694 * temperature / (temperature + 238.3))


@pytest.mark.parametrize(
    ("wind", "good"), [(60.0 + 5e-8, True), (60.0 + 7e-8, False), (-5e-8, True), (-7e-8, False), (0.0, True)]
)
def test_a_bound_is_missed_by_rounding_alone(wind, good):
    judged(good, "between 0 and 60", check_greenhouse, hours(1, wind=wind), "w", 3600.0)


@pytest.mark.parametrize(
    ("count", "air", "vapour", "good"),
    [
        (1, 10.0, 1.0499 * pascal(10.0), True),
        (1, 10.0, 1.0501 * pascal(10.0), False),
        (12, 30.0, 0.0501 * pascal(30.0), True),
        (12, 30.0, 0.0499 * pascal(30.0), False),
        (11, 30.0, 0.01 * pascal(30.0), True),
        (12, 15.0, 105.1, True),
        (12, 15.0, 104.9, False),  # it may be relative humidity
        (12, -20.0, 0.301 * pascal(-20.0), True),
        (12, -20.0, 0.299 * pascal(-20.0), False),
        (168, 20.0, 0.1501 * pascal(20.0), True),
        (168, 20.0, 0.1499 * pascal(20.0), False),
        (167, 20.0, 0.1 * pascal(20.0), True),
    ],
)
def test_vapour_of_greenhouse_weather(count, air, vapour, good):
    values = hours(count, tOut=air, vpOut=vapour)
    judged(good, "vpOut is .* of saturation", check_greenhouse, values, "w", 3600.0)


@pytest.mark.parametrize(
    ("count", "warmer", "good"),
    [(24, 5.0, True), (24, 5.01, False), (23, 20.0, True), (48, [30.0] * 24, False)],
)
def test_the_sky_is_not_warmer_than_the_air(count, warmer, good):
    values = hours(count, tOut=1.0, tSky=1.0)
    rows = len(np.atleast_1d(warmer)) if np.ndim(warmer) else count
    values[:rows, WEATHER.column("tSky")] = 1.0 + np.array(warmer)
    judged(good, "not above tOut by more than 5", check_greenhouse, values, "w", 3600.0)


@pytest.mark.parametrize(
    ("days", "colder", "good"),
    [
        (1, 40.0, True),
        (1, 40.1, False),
        (7, 30.0, True),
        (7, 30.1, False),
        (30, 25.0, True),
        (30, 25.1, False),
    ],
)
def test_the_sky_is_not_much_colder_than_the_air(days, colder, good):
    values = hours(24 * days, tOut=1.0, tSky=1.0 - colder)
    judged(good, "tOut is 1 .*not above tSky by more than", check_greenhouse, values, "w", 3600.0)


@pytest.mark.parametrize("name", ["tOut", "tSky", "tSoOut", "wind"])
@pytest.mark.parametrize(("rows", "zero", "good"), [(24, 24, False), (24, 23, True), (23, 23, True)])
def test_a_column_of_nothing_but_zeros_was_not_measured(name, rows, zero, good):
    values = hours(rows, tOut=1.0, tSky=1.0)
    values[:zero, WEATHER.column(name)] = 0.0
    judged(good, f"{name} is 0 .*not 0 in every row", check_greenhouse, values, "w", 3600.0)


@pytest.mark.parametrize(
    ("days", "warmer", "good"),
    [
        (360, 9.0, True),
        (360, 9.01, False),
        (360, -9.0, True),
        (360, -9.01, False),
        (359, 12.0, True),
        (360, np.nan, True),
    ],
)
def test_over_a_year_the_soil_is_as_warm_as_the_air(days, warmer, good):
    values = hours(24 * days, tOut=10.0, tSoOut=10.0 + warmer)
    judged(good, "tSoOut is .*within 9 of tOut in the mean of a year", check_greenhouse, values, "w", 3600.0)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (9.9e-6, "expected mg m-3, some 750"),
        (1e-5, "kg m-3 need a factor 1e6"),
        (0.0099, "kg m-3 need a factor 1e6"),
        (0.01, "% need a factor"),
        (0.0999, "% need a factor"),
        (0.1, "g m-3 need a factor 1000"),
        (4.99, "g m-3 need a factor 1000"),
        (5.0, "mmol m-3 need a factor 44"),
        (24.9, "mmol m-3 need a factor 44"),
        (25.0, "Pa need a factor of some 18"),
        (99.9, "Pa need a factor of some 18"),
        (100.0, "ppm need a factor of some 1.83"),
        (499.9, "ppm need a factor of some 1.83"),
        (500.0, None),
    ],
)
def test_carbon_dioxide_in_other_units(value, unit):
    judged(unit is None, unit, check_greenhouse, hours(3, co2Out=value), "w", 3600.0)


@pytest.mark.parametrize(
    ("count", "mean", "good"),
    [
        (24, 20.0, True),
        (24, 20.01, False),
        (23, 30.0, True),
        (168, 14.0, True),
        (168, 14.01, False),
        (167, 19.0, True),
        (720, 10.0, True),
        (720, 10.01, False),
        (719, 13.0, True),
        (2160, 9.0, True),
        (2160, 9.01, False),
        (2159, 9.9, True),
    ],
)
def test_no_place_with_greenhouses_has_such_a_mean_wind(count, mean, good):
    judged(good, "a mean of at most", check_greenhouse, hours(count, wind=mean), "w", 3600.0)


@pytest.mark.parametrize("column", ["E0", "ES0", "ET0"])
@pytest.mark.parametrize(
    ("count", "share", "good"),
    [
        (29, 0.0, True),
        (30, 0.1501, True),
        (30, 0.1499, False),
        (89, 0.1501, True),
        (90, 0.2501, True),
        (90, 0.2499, False),
    ],
)
def test_evaporation_takes_some_of_the_suns_energy(column, count, share, good):
    values = days(count, **{column: share * 0.1 * PLAIN["IRRAD"] / 2.45e6})
    judged(
        good, f"{column} is .* inches 2.54, m 100.*Leave the column out", check_plausible, values, START, "w"
    )


def test_evaporation_of_cold_or_dull_days_may_be_little():
    check_plausible(days(90, E0=0.0, TMIN=0.0, TEMP=10.0, VAP=6.0), START, "w")
    check_plausible(days(90, E0=0.0, IRRAD=1e7), START, "w")
