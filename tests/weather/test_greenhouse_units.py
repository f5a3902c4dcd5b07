"""Greenhouse weather in a wrong unit is refused with a guess of the unit, whatever the season."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from agbench.errors import WeatherError
from agbench.weather.astronomy import angot_radiation, photoperiods
from agbench.weather.greenhouse.columns import WEATHER
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.series import from_frame
from agbench.weather.greenhouse.site import greenhouse_weather, measured_series
from agbench.weather.greenhouse.sunlight import brightest

MEASURED = measured_series("bleiswijk").values
WEEK = MEASURED[: 7 * 288]
DISAGGREGATED = {
    month: greenhouse_weather("wageningen", False, 300).rows(date(1984, month, 1), 60, 0, None)
    for month in (1, 4, 7, 10)
}


def changed(rows, **changes):
    result = rows.copy()
    for name, change in changes.items():
        column = WEATHER.column(name)
        result[:, column] = change(result[:, column])
    return result


def test_weather_of_sites_passes():
    check_plausible(MEASURED, "bleiswijk", 300)
    for rows in DISAGGREGATED.values():
        check_plausible(rows, "wageningen", 300)


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


@pytest.mark.parametrize("month", DISAGGREGATED)
def test_kilojoules_are_caught_in_every_season(month):
    with pytest.raises(WeatherError, match="kJ m-2 h-1"):
        check_plausible(changed(DISAGGREGATED[month], iGlob=lambda s: 3.6 * s), "given", 300)


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
