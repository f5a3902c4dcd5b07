from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from agbench.envs.scenario_weather import series_of
from agbench.errors import WeatherError
from agbench.weather.columns import OBSERVED
from agbench.weather.daily import DAILY, DailySeries, angot_year, day_ranges, from_frame
from agbench.weather.plausibility import check_plausible, check_sun
from agbench.weather.readers.units import in_our_units
from agbench.weather.site import site_series


@pytest.fixture
def frame():
    """Four plain weeks of May, with the place in attributes."""
    index = pd.date_range("2001-05-01", periods=28, name="DAY")
    columns = {"IRRAD": 1.8e7, "TMIN": 8.0, "TMAX": 19.0, "VAP": 10.0, "WIND": 3.0, "RAIN": 0.1}
    table = pd.DataFrame(columns, index=index)
    table.attrs.update(lat=52.0, lon=5.5, elev=7.0)
    return table


def test_missing_columns_are_derived(frame):
    series = from_frame(frame)
    row = dict(zip(DAILY.names, series.values[0], strict=True))
    assert row["TEMP"] == 13.5
    assert 0.2 < row["ET0"] < 0.6
    assert row["E0"] > row["ES0"] > 0
    assert 15 < row["DAYLP"] < 17


def test_columns_of_the_frame_stay_as_they_are(frame):
    series = from_frame(frame.assign(TEMP=12.0, ET0=0.3))
    assert (series.values[:, DAILY.column("TEMP")] == 12.0).all()
    assert (series.values[:, DAILY.column("ET0")] == 0.3).all()


def test_angstrom_coefficients_change_evaporation(frame):
    default = from_frame(frame).values[0, DAILY.column("E0")]
    frame.attrs.update(angstA=-0.18, angstB=-0.55)
    assert from_frame(frame).values[0, DAILY.column("E0")] != default


def test_place_may_stand_in_columns_and_dates_in_a_column(frame):
    bare = frame.reset_index().assign(LAT=52.0, LON=5.5, ELEV=7.0)
    bare.attrs.clear()
    assert from_frame(bare).sha256 == from_frame(frame).sha256


def test_round_trip_through_a_table(frame):
    series = from_frame(frame.drop(frame.index[3]))
    again = from_frame(series.to_frame())
    assert again.sha256 == series.sha256


def test_absent_dates_and_empty_cells_are_missing_days(frame):
    frame.loc["2001-05-10", "WIND"] = np.nan
    series = from_frame(frame.drop(frame.index[[3, 4]]))
    lost = series.missing(date(2001, 5, 1), date(2001, 5, 28))
    assert lost == [date(2001, 5, 4), date(2001, 5, 5), date(2001, 5, 10)]
    with pytest.raises(WeatherError, match=r"lacks 3 days .*2001-05-04 to 2001-05-05, 2001-05-10"):
        series.window(date(2001, 5, 1), date(2001, 5, 28))
    assert series.window(date(2001, 5, 6), date(2001, 5, 9)).shape == (4, len(DAILY))


def test_days_outside_the_series_name_its_range(frame):
    with pytest.raises(WeatherError, match="covers 2001-05-01 to 2001-05-28"):
        from_frame(frame).window(date(2001, 5, 1), date(2001, 6, 1))


def test_values_are_read_only(frame):
    series = from_frame(frame)
    with pytest.raises(ValueError, match="read-only"):
        series.values[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        series.window(date(2001, 5, 1), date(2001, 5, 2))[0, 0] = 1.0


def test_sha256_sees_values_start_and_place():
    values = np.ones((3, len(DAILY)))
    base = DailySeries("a", date(2001, 1, 1), values, 1.0, 2.0, 3.0)
    other_values = values.copy()
    other_values[0, 0] = np.nextafter(1.0, 2.0)
    others = [
        DailySeries("a", date(2001, 1, 2), values, 1.0, 2.0, 3.0),
        DailySeries("a", date(2001, 1, 1), values, 1.5, 2.0, 3.0),
        DailySeries("a", date(2001, 1, 1), other_values, 1.0, 2.0, 3.0),
    ]
    assert len({s.sha256 for s in (base, *others)}) == 4
    assert DailySeries("b", date(2001, 1, 1), values, 1.0, 2.0, 3.0).sha256 == base.sha256


def test_day_ranges_join_neighbours():
    days = [date(2000, 2, 28), date(2000, 2, 29), date(2000, 3, 5)]
    assert day_ranges(days) == "2000-02-28 to 2000-02-29, 2000-03-05"


@pytest.mark.parametrize("name", ["IRRAD", "E0", "ES0", "ET0"])
def test_radiation_and_evaporation_have_the_bounds_of_pcse(name):
    ranges = pytest.importorskip("pcse.base").WeatherDataContainer.ranges
    variable = DAILY[name]
    assert (variable.low, variable.high) == ranges[name]


@pytest.mark.parametrize("name", ["TMIN", "TMAX", "WIND"])
def test_a_value_on_a_bound_is_plausible_and_one_beyond_it_is_not(name):
    for at, away in ((DAILY[name].low, -1e-6), (DAILY[name].high, 1e-6)):
        values = np.full((1, len(DAILY)), np.nan)
        values[0, DAILY.column(name)] = at
        check_plausible(values, date(1984, 7, 1), "here")
        values[0, DAILY.column(name)] = at + away
        with pytest.raises(WeatherError, match=name):
            check_plausible(values, date(1984, 7, 1), "here")


def test_a_missing_column_names_the_nearest(frame):
    with pytest.raises(WeatherError, match=r"column WIND \(m s-1\) is missing. Did you mean 'WND'"):
        from_frame(frame.rename(columns={"WIND": "WND"}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: pd.concat([f, f.iloc[[-1]]]), "2001-05-28 appears more than once"),
        (lambda f: f.iloc[::-1], "2001-05-27 is out of order"),
        (lambda f: f.iloc[::7], "One row a day"),
        (lambda f: f.reset_index(drop=True), "numbers, not dates"),
        (lambda f: f.iloc[:0], "the table is empty"),
        (lambda f: f.assign(LAT=[52.0] * 27 + [53.0]), "LAT changes"),
        (lambda f: f.assign(LAT=152.0), "LAT is 152"),
        (lambda f: f.assign(WIND="much"), "column WIND is not numeric"),
    ],
)
def test_a_malformed_table_is_refused(frame, change, message):
    with pytest.raises(WeatherError, match=message):
        from_frame(change(frame))


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("lat", "51.97N", r"LAT is '51.97N', not a number. Give degrees, north of the equator above 0"),
        ("lon", "5 E", r"LON is '5 E', not a number. Give degrees, east of Greenwich above 0"),
        ("elev", [7], r"ELEV is \[7\], not a number. Give m above the sea"),
        ("angstA", "low", r"angstA is 'low', not a number. Give a share of radiation"),
    ],
)
def test_a_place_that_is_no_number_is_refused(frame, attribute, value, message):
    frame.attrs[attribute] = value
    with pytest.raises(WeatherError, match=message):
        from_frame(frame)


def test_an_unknown_place_is_an_error(frame):
    frame.attrs.pop("lat")
    with pytest.raises(WeatherError, match="Give a column LAT or"):
        from_frame(frame)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("RAIN", -0.1, "RAIN is -0.1 on 2001-05-03; expected cm d-1"),
        ("IRRAD", -1.0, "IRRAD is -1"),
        ("TMAX", 292.0, "kelvin"),
        ("VAP", 1000.0, "Pa 0.01"),
        ("E0", 4.0, "E0 is 4 on 2001-05-03; expected cm d-1"),
        ("TEMP", 30.0, "between TMIN and TMAX"),
    ],
)
def test_an_implausible_value_is_named(frame, column, value, message):
    if column not in frame:
        frame[column] = {"E0": 0.3, "TEMP": 12.0}[column]
    frame.loc["2001-05-03", column] = value
    with pytest.raises(WeatherError, match=message):
        from_frame(frame)


@pytest.mark.parametrize(
    ("column", "factor", "message"),
    [
        ("IRRAD", 1e-6, "MJ"),
        ("IRRAD", 1e-3, "kJ"),
        ("VAP", 0.1, "kPa"),
        ("VAP", 3.0, "at most saturation at TMAX"),
    ],
)
def test_a_wrong_unit_of_a_whole_column_is_detected(frame, column, factor, message):
    frame[column] *= factor
    with pytest.raises(WeatherError, match=message):
        from_frame(frame)


def test_the_sun_of_may_in_december_is_refused_and_of_some_days_is_not(frame):
    sunny, dark = frame.copy(), frame.copy()
    for table in (sunny, dark):
        table.index = table.index + pd.DateOffset(months=7)
    dark["IRRAD"] = 2e6
    assert from_frame(dark).start.month == 12
    with pytest.raises(WeatherError, match=r"IRRAD is 1.8e\+07 on 2001-12-01.*above the atmosphere"):
        from_frame(sunny)
    sunny.attrs["lat"] = -52.0
    assert from_frame(sunny).latitude == -52.0


def test_days_filled_with_darkness_are_refused_and_polar_nights_are_not(frame):
    with pytest.raises(WeatherError, match=r"IRRAD is 0 on 2001-05-01.*leave the cell empty"):
        from_frame(frame.assign(IRRAD=0.0))
    dim = frame.copy()
    dim.loc["2001-05-06":"2001-05-17", "IRRAD"] = 1e4
    with pytest.raises(WeatherError, match=r"IRRAD is 10000 on 2001-05-0\d.*3 % of what there is above"):
        from_frame(dim)
    storm = frame.copy()
    storm.loc["2001-05-06":"2001-05-12", "IRRAD"] = 0.0
    assert from_frame(storm).values[6, DAILY.column("IRRAD")] == 0.0
    night = frame.assign(IRRAD=0.0)
    night.index = pd.date_range("2001-12-01", periods=28)
    night.attrs["lat"] = 75.0
    assert len(from_frame(night).values) == 28


def _spans(name, days, every=1):
    """Yield tables of all whole spans of so many days of some winters of a site, without derived columns."""
    whole = site_series(name).to_frame()[list(OBSERVED)].dropna()
    for year in range(whole.index[0].year, whole.index[-1].year, every):
        winter = whole.loc[f"{year}-10-01" : f"{year + 1}-02-28"]
        for first in range(0, len(winter) - days + 1, days):
            table = winter.iloc[first : first + days]
            table.attrs.update(whole.attrs)
            yield table


@pytest.mark.slow_except("sichuan-7-5", "wageningen-14-3")
@pytest.mark.parametrize(
    ("name", "days", "every"),
    [
        ("netherlands", 7, 1),
        ("sichuan", 7, 1),
        ("sichuan", 7, 5),
        ("wageningen", 14, 1),
        ("wageningen", 14, 3),
        ("sichuan", 14, 1),
        ("wageningen", 30, 1),
        ("sichuan", 30, 1),
    ],
)
def test_dull_winters_pass_and_those_in_joules_per_square_centimetre_do_not(name, days, every):
    """A tenth, as J cm-2 that are taken for kJ m-2; winters there are dull."""
    some = False
    for table in _spans(name, days, every):
        from_frame(table)
        some = True
        with pytest.raises(WeatherError, match=r"clearest of|3 % of what there is above"):
            from_frame(table.assign(IRRAD=0.1 * table["IRRAD"]))
    assert some


def test_a_tenth_of_the_radiation_is_refused_with_its_share_and_unit(frame):
    with pytest.raises(WeatherError, match=r"clearest of 28 days is \d\.\d % .*J cm-2 1e4.*more than 12 %"):
        from_frame(frame.assign(IRRAD=0.1 * frame["IRRAD"]))
    longer = pd.concat([frame, frame.set_axis(frame.index + pd.DateOffset(days=28))])
    longer.attrs.update(frame.attrs)
    with pytest.raises(WeatherError, match="more than 20 %"):
        from_frame(longer.assign(IRRAD=longer["IRRAD"] / 4.184))
    for days, least in ((5, "7.5"), (7, "9.5")):
        week = frame.iloc[:days]
        week.attrs.update(frame.attrs)
        with pytest.raises(WeatherError, match=rf"clearest of {days} days is .*more than {least} %"):
            from_frame(week.assign(IRRAD=0.1 * week["IRRAD"]))
    few = frame.iloc[:4]
    few.attrs.update(frame.attrs)
    assert len(from_frame(few.assign(IRRAD=0.1 * few["IRRAD"])).values) == 4


@pytest.mark.slow_except("5-sichuan", "7-*")
@pytest.mark.parametrize("name", ["wageningen", "sichuan"])
@pytest.mark.parametrize("days", [5, 6, 7])
def test_the_darkest_weeks_that_were_measured_pass(name, days):
    """All spans of two sites, whose days are the dullest of all."""
    series = site_series(name)
    above = angot_year(series.latitude)
    for first in range(0, len(series.values) - days + 1, 1 if name == "wageningen" else 3):
        span = series.values[first : first + days]
        check_sun(span, series.start + timedelta(days=first), above, name)


def test_swapped_extremes_are_named_but_a_single_inverted_day_is_weather(frame):
    frame.loc["2001-05-03", ["TMIN", "TMAX"]] = [12.5, 12.0]
    assert from_frame(frame).values[2, DAILY.column("TMIN")] == 12.5
    swapped = frame.rename(columns={"TMIN": "TMAX", "TMAX": "TMIN"})
    with pytest.raises(
        WeatherError, match=r"TMIN exceeds TMAX on .* repair exchange-temperatures"
    ) as message:
        from_frame(swapped)
    assert "kelvin" not in str(message.value)


def test_a_cloudburst_in_a_dry_place_is_weather_but_a_series_in_mm_is_not(frame):
    frame["RAIN"] = 0.3
    frame.loc["2001-05-03", "RAIN"] = 31.0
    assert from_frame(frame).values[2, DAILY.column("RAIN")] == 31.0
    with pytest.raises(WeatherError, match=r"mm need a factor 0\.1"):
        from_frame(frame.assign(RAIN=frame["RAIN"] * 10.0))


@pytest.mark.parametrize(("column", "factor"), [("WIND", 3.6), ("RAIN", 10.0), ("RAIN", 0.01)])
@pytest.mark.parametrize("site", ["wageningen", "netherlands", "belgium", "rhone"])
def test_years_of_wind_in_kilometres_an_hour_and_rain_in_mm_or_m_are_refused(site, column, factor):
    table = site_series(site).to_frame().iloc[:730]
    from_frame(table)
    said = {
        3.6: r"WIND is .*km/h need a factor 0.278\), at most 7 in the mean",
        10.0: r"RAIN is .*mm need a",
        0.01: r"RAIN falls on .* has 0.0\d+; expected cm d-1 \(m need a factor 100, .* more than 0.05",
    }
    with pytest.raises(WeatherError, match=said[factor]):
        from_frame(table.assign(**{column: factor * table[column]}))


def test_a_desert_that_seldom_rains_or_has_a_shower_is_weather():
    table = site_series("wageningen").to_frame().iloc[:730]
    dew, seldom = 0.001 * table["RAIN"], np.arange(730) % 10 == 0
    from_frame(table.assign(RAIN=np.where(seldom, dew, 0.0)))
    shower = np.arange(730) % 365 == 200
    from_frame(table.assign(RAIN=np.where(shower, 0.1, dew)))


@pytest.mark.parametrize(
    "site", ["netherlands", "oregon", "quebec", "niger", "sichuan", "saerheim", "la-coruna"]
)
def test_generated_years_pass(site):
    for season in range(5):
        series = series_of(f"{site}/generated/{season}")
        check_plausible(series.values, series.start, site)
        check_plausible(series.values[100:190], series.start + timedelta(days=100), site)


def test_a_season_in_mm_is_refused_by_what_the_air_holds(frame):
    """None of its days is a cloudburst in cm, and the rain of each would need all water in the air."""
    season = pd.concat([frame] * 5).set_axis(pd.date_range("2001-04-01", periods=140, name="DAY"))
    season.attrs.update(frame.attrs)
    season["RAIN"] = np.where(np.arange(140) % 3 == 0, 0.65, 0.0)
    from_frame(season)
    with pytest.raises(
        WeatherError, match=r"RAIN is 6.5 .* of the water in the air a day, 1.7 cm; it is 1.3"
    ):
        from_frame(season.assign(RAIN=10.0 * season["RAIN"]))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("lat", True, "LAT is True, not a number. Give degrees"),
        ("lon", np.bool_(False), "LON is .*False.*, not a number. Give degrees"),
        ("elev", True, "ELEV is True, not a number. Give m above the sea"),
        ("angstA", True, "angstA is True, not a number. Give a share"),
        ("angstB", np.nan, "angstA and angstB are 0.29 and nan; expected shares"),
        ("angstA", 29.0, "angstA and angstB are 29 and 0.49; expected shares .* as 0.25 and 0.5"),
    ],
)
def test_a_place_that_is_true_or_a_share_of_percents_is_refused(frame, key, value, words):
    frame.attrs[key] = value
    with pytest.raises(WeatherError, match=words):
        from_frame(frame)


def test_a_column_of_the_place_that_is_true_is_refused(frame):
    with pytest.raises(WeatherError, match=r"ELEV is .*True.*, not a number"):
        from_frame(frame.assign(ELEV=True))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (True, "true or false"),
        (pd.array([True] * 28, dtype="boolean"), "true or false"),
        (np.array([True] + [2.0] * 27, dtype=object), "true or false"),
        (pd.Timedelta("2s"), "lengths of time"),
        (pd.Timestamp("2001-05-01"), "moments"),
        (2.0 + 1.0j, "complex numbers"),
    ],
)
def test_a_column_without_numbers_is_refused(frame, column, words):
    with pytest.raises(WeatherError, match=f"column WIND is not numeric: it holds {words}"):
        from_frame(frame.assign(WIND=column))
    with pytest.raises(WeatherError, match=f"column WIND is not numeric: it holds {words}"):
        in_our_units(frame.drop(columns="WIND").assign(**{"WIND (km h-1)": column}), "given")


def test_numbers_in_text_and_nullable_columns_are_read_as_they_are(frame):
    plain = from_frame(frame)
    assert from_frame(frame.astype(str)).sha256 == plain.sha256
    assert from_frame(frame.astype("Float64")).sha256 == plain.sha256


def test_gaps_say_what_fills_them(frame):
    gap = date(2001, 5, 4)
    with pytest.raises(
        WeatherError, match="Choose other days, or fill the gaps in the table before you give it"
    ):
        from_frame(frame.drop(frame.index[3])).window(gap, gap)
    days = np.full((3, len(DAILY)), np.nan)
    for marks, words in (
        ({"reader": "cabo", "fill": "none"}, "fill: neighbours, in a site's series"),
        ({"reader": "cabo", "fill": "neighbours"}, "other days, or give weather=, a table of your own"),
        ({"reader": "nasa-power"}, "other days, or give weather=, a table of your own"),
    ):
        series = DailySeries("here", gap, days.copy(), 52.0, 5.5, 7.0, marks)
        with pytest.raises(WeatherError, match=words):
            series.window(gap, gap)
