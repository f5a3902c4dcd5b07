"""Greenhouse weather in a wrong unit is refused with a guess of the unit, whatever the season."""

import re
from datetime import date, datetime, time, timedelta
from functools import cache

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import catalog
from agbench.envs import scenario_weather
from agbench.errors import WeatherError
from agbench.weather.astronomy import angot_radiation, photoperiods
from agbench.weather.greenhouse.columns import WEATHER
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.position import Position, check_position
from agbench.weather.greenhouse.series import from_frame
from agbench.weather.greenhouse.site import disaggregated, greenhouse_weather, measured_series
from agbench.weather.greenhouse.sun import top_of_atmosphere
from agbench.weather.greenhouse.sunlight import brightest

MEASURED = measured_series("bleiswijk").values
SCHIPHOL = measured_series("schiphol").to_frame()[list(WEATHER.names)]
WEEK = MEASURED[: 7 * 288]
MONTHS = (1, 4, 7, 10)
WAGENINGEN = Position(51.97, 5.66, 1.0)


def disaggregation(month, past=False):
    """Return sixty days of Wageningen in steps of five minutes; not to be written to."""
    return disaggregation_of(month, past)


@cache
def disaggregation_of(month, past):
    rows = greenhouse_weather("wageningen", False, 300, past=past).rows(date(1984, month, 1), 60, 0, None)
    rows.setflags(write=False)
    return rows


def changed(rows, **changes):
    result = rows.copy()
    for name, change in changes.items():
        column = WEATHER.column(name)
        result[:, column] = change(result[:, column])
    return result


def test_weather_of_sites_passes():
    check_plausible(MEASURED, "bleiswijk", 300)
    for month in MONTHS:
        check_plausible(disaggregation(month), "wageningen", 300)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"iGlob": lambda s: 3.6 * s}, r"iGlob is \d+.* expected W m-2 \(.*kJ m-2 h-1 need a factor 0.278"),
        ({"vpOut": lambda v: 50 + v / 40}, r"expected Pa \(it seems to be relative humidity in %"),
        ({"vpOut": lambda v: 2 * v}, r"vpOut is \d+.*at most the \d+.* of saturation at tOut, -?\d"),
        ({"vpOut": lambda v: v / 100}, "kPa need a factor 1000, hPa 100"),
        ({"co2Out": lambda c: 1e-6 * c}, r"co2Out is 0.0007.*expected mg m-3 \(kg m-3 need a factor 1e6\)"),
        ({"co2Out": lambda c: 1e-3 * c}, r"\(g m-3 need a factor 1000\)"),
        ({"co2Out": lambda c: c / 44}, r"\(mmol m-3 need a factor 44\)"),
        ({"co2Out": lambda c: c / 1.83 + 60}, r"\(ppm need a factor of some 1.83"),
        ({"co2Out": lambda c: 0 * c}, "co2Out is 0 at row 0; expected mg m-3, some 750"),
        (
            {"dli": lambda s: s / 3.6},
            r"dli is .*J cm-2 need.*kWh m-2 3.6.*near the sum of iGlob on that day, \d",
        ),
        ({"dli": lambda s: 2.1 * s}, "PAR in mol m-2 d-1 some 0.48"),
    ],
)
def test_a_wrong_unit_is_guessed(change, message):
    with pytest.raises(WeatherError, match=message):
        check_plausible(changed(WEEK, **change), "given", 300)
    for name in change:
        lacking = changed(WEEK, **change)
        lacking[5] = np.nan
        with pytest.raises(WeatherError, match=f"{name} is "):
            check_plausible(lacking, "given", 300)


@pytest.mark.parametrize("first", ["2010-01-05", "2009-12-15", "2012-01-25"])
@pytest.mark.parametrize("days", [10, 30])
def test_humidity_in_percent_is_refused_though_some_rows_are_of_hard_frost(first, days):
    rows = SCHIPHOL.loc[first:].to_numpy()[: days * 288]
    check_plausible(rows, "given", 300)
    air, vapour = (rows[:, WEATHER.column(name)] for name in ("tOut", "vpOut"))
    saturation = 610.78 * np.exp(17.2694 * air / (air + 238.3))
    percent = changed(rows, vpOut=lambda v: 100.0 * np.minimum(v / saturation, 1.0))
    with pytest.raises(WeatherError, match=r"vpOut is .* relative humidity in %"):
        check_plausible(percent, "given", 300)
    assert vapour.max() > 105.0


def test_air_of_a_cold_desert_passes_though_it_never_has_much_vapour():
    cold = changed(WEEK, tOut=lambda t: t - 25.0, tSky=lambda t: t - 25.0, tSoOut=lambda t: t - 15.0)
    air = cold[:, WEATHER.column("tOut")]
    saturation = 610.78 * np.exp(17.2694 * air / (air + 238.3))
    dry = changed(cold, vpOut=lambda _: np.minimum(0.4 * saturation, 100.0))
    assert dry[:, WEATHER.column("vpOut")].max() <= 105.0
    check_plausible(dry, "given", 300)


@pytest.mark.parametrize("factor", [0.92, 1.08])
def test_sums_of_the_day_may_be_a_tenth_off(factor):
    check_plausible(changed(WEEK, dli=lambda s: factor * s), "given", 300)


@pytest.mark.parametrize("month", MONTHS)
def test_kilojoules_are_caught_in_every_season(month):
    with pytest.raises(WeatherError, match="kJ m-2 h-1"):
        check_plausible(changed(disaggregation(month), iGlob=lambda s: 3.6 * s), "given", 300)


@pytest.mark.parametrize("days", [2, 3, 7])
@pytest.mark.parametrize("month", MONTHS)
@pytest.mark.parametrize("past", [True, False])
def test_sums_of_the_day_that_are_doubled_are_refused_in_two_days_too(month, days, past):
    rows = disaggregation(month, past)
    for first in range(0, 40, 5):
        some = rows[first * 288 : (first + days) * 288]
        check_plausible(some, "given", 300)
        with pytest.raises(WeatherError, match="dli is "):
            check_plausible(changed(some, dli=lambda s: 2.0 * s), "given", 300)


@pytest.mark.parametrize("month", MONTHS)
@pytest.mark.parametrize(("factor", "days"), [(3.6e-3, 2), (1e-3, 2), (0.0864, 60)])
def test_radiation_in_megajoules_is_refused_though_its_sums_are_alike(month, factor, days):
    rows = disaggregation(month)[: days * 288]
    alike = changed(rows, iGlob=lambda s: factor * s, dli=lambda s: factor * s)
    with pytest.raises(WeatherError, match=r"iGlob is .*MJ m-2 h-1 need a factor 278, MJ m-2 d-1 11.6, kW"):
        check_plausible(alike, "given", 300)


@pytest.mark.parametrize("name", ["isDay", "isDaySmooth"])
@pytest.mark.parametrize("month", MONTHS)
def test_switches_that_are_turned_round_are_refused(name, month):
    rows = disaggregation(month)[: 2 * 288]
    with pytest.raises(WeatherError, match=rf"while {name} is 0; {name} is 1 from sunrise to sunset"):
        check_plausible(changed(rows, **{name: lambda switch: 1.0 - switch}), "given", 300)


@pytest.mark.parametrize("hours", [-4, -2, 2, 4])
@pytest.mark.parametrize("month", MONTHS)
def test_a_sun_of_other_hours_than_its_switches_is_refused(month, hours):
    rows = changed(disaggregation(month), iGlob=lambda s: np.roll(s, 12 * hours))
    rows[:, WEATHER.column("dli")] = 0.0
    with pytest.raises(WeatherError, match=r"isDay is 1 from sunrise to sunset .*by the clock of iGlob"):
        check_plausible(rows, "given", 300)


@pytest.mark.parametrize("hours", [-4, -2, 2, 4, 12])
@pytest.mark.parametrize("month", MONTHS)
def test_a_sun_of_other_hours_than_at_its_place_is_refused(month, hours):
    """Switches and sums are rolled alike, so that only the place tells."""
    begin, rows = datetime(1984, month, 1), disaggregation(month)
    check_position(rows, begin, 300, WAGENINGEN, "given")
    rolled = np.roll(rows, 12 * hours, axis=0)
    with pytest.raises(WeatherError, match=r"weather given: .* at 51.97 N 5.66 E, clock UTC\+1. Are rows by"):
        check_position(rolled, begin, 300, WAGENINGEN, "given")


def test_the_place_of_a_table_may_be_in_its_attributes():
    index = pd.date_range("1984-07-01", periods=7 * 288, freq="5min")
    table = pd.DataFrame(disaggregation(7)[: 7 * 288], index=index, columns=WEATHER.names)
    table.attrs.update(lat=51.97, lon=5.66, zone=1.0)
    from_frame(table)
    agbench.simulate("greenlight", weather=table.iloc[:288], controls="rule-based")
    table.attrs.update(lat=-51.97)
    with pytest.raises(WeatherError, match=r"iGlob .* at 51.97 S 5.66 E, clock UTC\+1"):
        from_frame(table)
    with pytest.raises(WeatherError, match=r"at 51.97 S"):
        agbench.simulate("greenlight", weather=table, controls="rule-based")
    table.attrs.update(lat="51.97N")
    with pytest.raises(WeatherError, match="Give degrees north and east and hours ahead of UTC"):
        from_frame(table)
    table.attrs = {"lat": "51.97N"}
    with pytest.raises(WeatherError, match=r"are \['51.97N', None, None\]. Give degrees north and east"):
        from_frame(table)


@pytest.mark.parametrize("site", ["bleiswijk", "schiphol"])
def test_weeks_of_measured_sites_stand_where_the_sun_stands(site):
    series, place = measured_series(site), catalog.site(site)
    at = Position(place.place.latitude, place.place.longitude, place.clock)
    for first in range(0, len(series.values) // 288 - 7, 30):
        begin = series.begin + timedelta(days=first)
        week = series.values[first * 288 : (first + 7) * 288]
        check_plausible(week, site, 300)
        check_position(week, begin, 300, at, site)


def _months(site):
    series, place = measured_series(site), catalog.site(site)
    at = Position(place.place.latitude, place.place.longitude, place.clock)
    for first in range(0, len(series.values) // 288 - 30, 30):
        yield series.begin + timedelta(days=first), series.values[first * 288 : (first + 30) * 288], at


@pytest.mark.parametrize("site", ["bleiswijk", "schiphol"])
def test_every_month_of_measured_sites_has_hours_of_sun(site):
    for begin, rows, at in _months(site):
        check_plausible(rows, site, 300)
        check_position(rows, begin, 300, at, site)


def test_joules_per_square_centimetre_an_hour_are_refused_in_every_month():
    """KNMI's own unit for the radiation of an hour: 0.36 of what W m-2 are."""
    for begin, rows, at in _months("schiphol"):
        with pytest.raises(WeatherError, match=r"clearest hours have \d+% .*J cm-2 h-1 need a factor 2.78"):
            check_position(changed(rows, iGlob=lambda s: 0.36 * s), begin, 300, at, "given")


@pytest.mark.parametrize(("days", "factor"), [(30, 0.36), (20, 0.27), (7, 0.09), (5, 0.07)])
def test_shorter_spans_of_winter_pass_and_are_refused_in_other_units(days, factor):
    series, place = measured_series("bleiswijk"), catalog.site("bleiswijk").place
    at = Position(place.latitude, place.longitude, 1.0)
    for first in range(0, len(series.values) // 288 - days, days):
        begin, rows = series.begin + timedelta(days=first), series.values[first * 288 : (first + days) * 288]
        check_position(rows, begin, 300, at, "given")
        with pytest.raises(WeatherError, match=r"clearest hours have \d+% "):
            check_position(changed(rows, iGlob=lambda s: factor * s), begin, 300, at, "given")


@pytest.mark.parametrize("month", MONTHS)
def test_a_tenth_of_the_vapour_is_refused(month):
    rows = disaggregation(month)
    with pytest.raises(
        WeatherError, match=r"vpOut is .*expected Pa .*some rows above (15|30)% of saturation"
    ):
        check_plausible(changed(rows, vpOut=lambda v: 0.1 * v), "given", 300)


def test_a_sky_in_fahrenheit_is_refused():
    rows = disaggregation(1)
    with pytest.raises(WeatherError, match=r"tSky is .*\(degF - 32\) / 1\.8"):
        check_plausible(changed(rows, tSky=lambda t: 1.8 * t + 32.0), "given", 300)


@pytest.mark.parametrize("days", [1, 3, 7, 60])
@pytest.mark.parametrize("month", MONTHS)
def test_air_in_fahrenheit_is_refused_in_winter_too(month, days):
    rows = disaggregation(month)[: days * 288]
    with pytest.raises(WeatherError, match=r"tOut is .*\(degF - 32\) / 1\.8"):
        check_plausible(changed(rows, tOut=lambda t: 1.8 * t + 32.0), "given", 300)


@pytest.mark.parametrize("site", ["wageningen", "niger", "quebec", "saerheim", "la-coruna"])
def test_generated_weather_passes(site):
    series, place = scenario_weather.series_of(f"{site}/generated/5"), catalog.site(site)
    at = Position(place.place.latitude, place.place.longitude, place.clock)
    for first in (1, 100, 200, 300):
        day = series.start + timedelta(days=first)
        rows = disaggregated(series, site, True, 300).rows(day, 30, 0, np.random.default_rng(first))
        check_plausible(rows, site, 300)
        check_position(rows, datetime.combine(day, time()), 300, at, site)


@pytest.mark.parametrize(
    ("first", "days", "said"),
    [(0, 60, "between 0 and 60"), (600, 7, r"a mean of at most 14 over 7 days; it is \d")],
)
def test_wind_in_kilometres_an_hour_is_refused(first, days, said):
    rows = measured_series("schiphol").values[first * 288 : (first + days) * 288]
    check_plausible(rows, "given", 300)
    with pytest.raises(WeatherError, match=rf"wind is .*km/h need a factor 0\.278.*{said}"):
        check_plausible(changed(rows, wind=lambda w: 3.6 * w), "given", 300)


def test_the_sum_of_a_day_may_be_of_the_day_before_or_run():
    sun = WEEK[:, 0].reshape(7, 288)
    sums = 3e-4 * sun.sum(axis=1)
    before = changed(WEEK, dli=lambda _: np.r_[sums[0], sums[:-1]].repeat(288))
    running = changed(WEEK, dli=lambda _: 3e-4 * sun.cumsum(axis=1).ravel())
    absent = changed(WEEK, dli=lambda s: 0 * s)
    for rows in (before, running, absent):
        check_plausible(rows, "given", 300)


def test_a_table_with_dates_names_the_moment():
    index = pd.date_range("2010-01-01", periods=len(WEEK), freq="5min")
    table = pd.DataFrame(changed(WEEK, vpOut=lambda v: v / 1000), index=index, columns=WEATHER.names)
    with pytest.raises(WeatherError, match=r"weather mine: vpOut is .* at row 0.*kPa need a factor 1000"):
        from_frame(table, "mine")


@pytest.mark.parametrize("latitude", [-60.0, -35.0, 0.0, 20.0, 52.0, 65.0])
def test_no_day_is_brighter_than_the_brightest_of_its_length(latitude):
    days = np.arange(1.0, 366.0)
    above = np.array([angot_radiation(latitude, day) for day in days]) / 86_400
    lengths = photoperiods(days, latitude)  # somewhat longer than from sunrise to sunset
    mean, peak = brightest(lengths)
    assert (above < 1.001 * mean).all()
    assert (peak >= mean).all()


def test_the_brightest_day_is_that_of_a_place():
    """The equator at an equinox, and the pole in midsummer."""
    mean, peak = brightest(np.array([12.0, 24.0]))
    assert peak[0] == pytest.approx(1370 * 1.033, rel=1e-6)
    assert mean[0] == pytest.approx(1370 * 1.033 / np.pi, rel=1e-6)
    assert mean[1] == pytest.approx(1370 * 1.033 * 0.398, rel=1e-3)


def test_joules_per_square_centimetre_an_hour_are_refused_without_a_place_where_days_are_long():
    """Nearly all months of days of 14 hours and more, and the dullest of winter."""
    months = [changed(rows, dli=lambda s: 0.0 * s) for _, rows, _ in _months("schiphol")]
    for rows in months:
        check_plausible(rows, "given", 300)
    assert sum(_refused(changed(rows, iGlob=lambda s: 0.36 * s)) for rows in months) > 15


def _refused(rows):
    try:
        check_plausible(rows, "given", 300)
    except WeatherError as error:
        return re.search(r"iGlob is .*J cm-2 h-1 (need a factor )?2\.78", str(error)) is not None
    return False


@pytest.mark.parametrize("switches", [True, False])
def test_years_in_joules_per_square_centimetre_an_hour_are_refused_without_a_place(switches):
    values = measured_series("schiphol").values
    for first in range(0, len(values) - 365 * 288, 365 * 288):
        year = changed(values[first : first + 365 * 288], dli=lambda s: 0.0 * s)
        if not switches:
            year = changed(year, isDay=lambda s: 0.0 * s, isDaySmooth=lambda s: 0.0 * s)
        check_plausible(year, "given", 300)
        with pytest.raises(WeatherError, match=r"iGlob is .*J cm-2 h-1 (need a factor )?2\.78"):
            check_plausible(changed(year, iGlob=lambda s: 0.36 * s), "given", 300)


def test_a_month_without_a_place_is_judged_where_thirty_days_have_no_gaps():
    rows = changed(disaggregation(7)[: 30 * 288], dli=lambda s: 0.0 * s)
    dull = changed(rows, iGlob=lambda s: 0.36 * s)
    check_plausible(changed(rows, iGlob=lambda s: 0.7 * s), "given", 300)
    check_plausible(dull[: 29 * 288], "given", 300)
    with pytest.raises(WeatherError, match=r"in 30 days as long brighter than 385 for some hours"):
        check_plausible(dull, "given", 300)
    dull[40, 0] = np.nan
    check_plausible(dull, "given", 300)


@pytest.mark.parametrize(("days", "least"), [(5, 0.081), (7, 0.096), (20, 0.26), (25, 0.30), (30, 0.345)])
def test_the_darkest_measured_weeks_pass(days, least):
    """Hours as dark as the least of all spans of daily weather that was measured."""
    begin = datetime(1984, 10, 1)
    rows = disaggregation(10)[: days * 288].copy()
    top = top_of_atmosphere(51.97, 5.66, 1.0, 275.0 + np.arange(days), 288).ravel()
    rows[:, 0] = least * top
    check_position(rows, begin, 300, WAGENINGEN, "given")
    limit = {5: 0.07, 7: 0.085, 20: 0.25, 25: 0.285, 30: 0.33}[days]
    rows[:, 0] = 0.99 * limit * top
    with pytest.raises(WeatherError, match="clearest hours have"):
        check_position(rows, begin, 300, WAGENINGEN, "given")


@pytest.mark.parametrize(("first", "days"), [(date(1986, 12, 28), 5), (date(1987, 12, 12), 30)])
def test_the_dullest_weeks_of_wageningen_pass(first, days):
    rows = greenhouse_weather("wageningen", False, 300, past=True).rows(first, days, 0, None)
    check_plausible(rows, "wageningen", 300)
    check_position(rows, datetime.combine(first, time()), 300, WAGENINGEN, "wageningen")
