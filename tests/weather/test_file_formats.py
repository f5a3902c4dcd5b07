"""Excel files of PCSE's layout and EPW files: good ones made by their documented headers, and bad ones."""

import os
from datetime import date

import numpy as np
import openpyxl
import pytest

from agbench.errors import WeatherError
from agbench.weather.columns import DAILY
from agbench.weather.readers.observations import read_observations

TITLES = ["DAY", "IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN", "SNOWDEPTH"]
UNITS = ["date", "kJ/m2/day", "Celsius", "Celsius", "kPa", "m/sec", "mm", "cm"]
DAYS = [
    [date(2001, 5, 1), 18000, 8.0, 19.0, 1.05, 3.0, 5.4, -999],
    [date(2001, 5, 2), 21000, 9.5, 21.5, 1.10, 2.0, 0.0, -999],
    [date(2001, 5, 3), 9000, 7.0, 12.0, 1.00, 6.0, 11.0, -999],
]


def excel(path, days=DAYS, titles=TITLES, site=(5.67, 51.97, 7.0, 0.18, 0.55, False)):
    """Write PCSE's layout: the station in rows 2 to 7, the site in 9, titles in 11, days from 13 on."""
    book = openpyxl.Workbook()
    sheet = book.active
    head = ["Netherlands", "Meadow", "made by a test", "none", "nobody", -999]
    for row, (title, value) in enumerate(
        zip(["Country", "Station", "Description", "Source", "Contact", "Missing values"], head, strict=True),
        2,
    ):
        sheet.cell(row, 1, title)
        sheet.cell(row, 2, value)
    names = ["Longitude", "Latitude", "Elevation", "AngstromA", "AngstromB", "HasSunshine"]
    for row, values in ((8, names), (9, site), (11, titles), (12, UNITS)):
        for column, value in enumerate(values, 1):
            sheet.cell(row, column, value)
    for row, values in enumerate([*days, [None] * len(titles)], 13):
        for column, value in enumerate(values, 1):
            sheet.cell(row, column, value)
    book.save(path)
    return path


def values(series, name):
    return series.values[:, DAILY.column(name)]


def test_an_excel_file_comes_in_our_units(tmp_path):
    series = read_observations(excel(tmp_path / "here.xlsx"))
    assert (series.latitude, series.longitude, series.elevation) == (51.97, 5.67, 7.0)
    assert series.start == date(2001, 5, 1)
    assert values(series, "IRRAD") == pytest.approx([18e6, 21e6, 9e6])
    assert values(series, "TMIN") == pytest.approx([8.0, 9.5, 7.0])
    assert values(series, "TMAX") == pytest.approx([19.0, 21.5, 12.0])
    assert values(series, "VAP") == pytest.approx([10.5, 11.0, 10.0])
    assert values(series, "WIND") == pytest.approx([3.0, 2.0, 6.0])
    assert values(series, "RAIN") == pytest.approx([0.54, 0.0, 1.1])
    assert series.provenance["angstrom"] == "0.18 0.55"


def test_another_excel_file_of_the_same_name_is_another_file(tmp_path):
    for folder, rain in (("one", 5.4), ("other", 7.0)):
        (tmp_path / folder).mkdir()
        days = [[*DAYS[0][:6], rain, -999]]
        path = excel(tmp_path / folder / "same.xlsx", days)
        os.utime(path, (1e9, 1e9))  # older than what PCSE remembers of the first one
        series = read_observations(path)
        assert values(series, "RAIN") == pytest.approx([rain / 10.0])


def test_a_day_without_a_value_is_a_missing_day(tmp_path):
    days = [DAYS[0], [DAYS[1][0], -999, *DAYS[1][2:]], DAYS[2]]
    series = read_observations(excel(tmp_path / "gap.xlsx", days))
    assert series.missing(series.start, series.end) == [date(2001, 5, 2)]


BAD_EXCEL = {
    "a strange title": ({"titles": ["DAY", "SUN", *TITLES[2:]]}, "PCSE cannot read|no complete day"),
    "no place": ({"site": (None, None, None, 0.18, 0.55, False)}, "PCSE cannot read this Excel file"),
    "no day": ({"days": []}, "no complete day|PCSE cannot read"),
    "W m-2 for kJ": (
        {"days": [[d[0], d[1] * 1000, *d[2:]] for d in DAYS]},
        "no complete day|PCSE cannot read",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD_EXCEL.values(), ids=BAD_EXCEL)
def test_a_malformed_excel_file_is_refused(tmp_path, changes, message):
    with pytest.raises(WeatherError, match=message):
        read_observations(excel(tmp_path / "bad.xlsx", **changes))


HEADS = [
    "LOCATION,Meadow,-,NLD,made by a test,062750,51.97,5.67,1.0,7.0",
    "DESIGN CONDITIONS,0",
    "TYPICAL/EXTREME PERIODS,0",
    "GROUND TEMPERATURES,0",
    "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
    "COMMENTS 1,made by a test",
    "COMMENTS 2,",
    "DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31",
]


def epw(path, hours=8760, rain=0.2, heads=HEADS, wind="4.0"):
    """Write a year of hours: 12 degC at midnight, 20 at noon; dew point 9 degC; sun from 8 to 16 h."""
    lines = []
    days = np.datetime64("2005-01-01") + np.arange(hours) // 24
    for i, day in enumerate(days.astype(object)):
        hour = i % 24
        air = 20.0 - 8.0 * abs(hour - 12) / 12.0
        sun = 150.0 if 8 <= hour < 16 else 0.0
        lines.append(
            f"2005,{day.month},{day.day},{hour + 1},0,A7,{air:.2f},9.0,50,101325,9999,9999,330,{sun},0,0,"
            f"999999,999999,999999,9999,200,{wind},5,5,16.1,77777,9,999999999,10,0.1,0,88,0.2,{rain},1.0"
        )
    path.write_text("\n".join([*heads, *lines]) + "\n")
    return path


@pytest.fixture(autouse=True)
def reads_epw():
    pytest.importorskip("pvlib")


def test_an_epw_file_comes_in_our_units(tmp_path):
    series = read_observations(epw(tmp_path / "here.epw"))
    assert (series.latitude, series.longitude, series.elevation) == (51.97, 5.67, 7.0)
    assert len(series.values) == 365
    assert values(series, "IRRAD") == pytest.approx(8 * 150.0 * 3600.0)
    assert values(series, "TMIN") == pytest.approx(12.0)
    assert values(series, "TMAX") == pytest.approx(20.0)
    assert values(series, "TEMP") == pytest.approx(16.0)
    assert values(series, "VAP") == pytest.approx(11.48, rel=5e-3)  # saturated at 9 degC
    assert values(series, "WIND") == pytest.approx(4.0 * 0.748, rel=1e-3)  # from 10 to 2 m
    assert values(series, "RAIN") == pytest.approx(24 * 0.02)


def test_rain_that_an_epw_file_lacks_counts_as_none(tmp_path):
    assert values(read_observations(epw(tmp_path / "dry.epw", rain=999)), "RAIN") == pytest.approx(0.0)


BAD_EPW = {
    "half a year": ({"hours": 4380}, "a typical year has 8760 hours; this file has 4380"),
    "no place": ({"heads": ["LOCATION,Meadow", *HEADS[1:]]}, "pvlib cannot read this epw file"),
    "no head": ({"heads": HEADS[:1]}, "8760 hours|pvlib cannot read"),
    "words": ({"wind": "calm"}, "the column wind_speed must hold numbers: .*calm"),
}


@pytest.mark.parametrize(("changes", "message"), BAD_EPW.values(), ids=BAD_EPW)
def test_a_malformed_epw_file_is_refused(tmp_path, changes, message):
    with pytest.raises(WeatherError, match=message):
        read_observations(epw(tmp_path / "bad.epw", **changes))
