"""Days turned into five minutes by the clock: the sun below the atmosphere's top, noon, past sums."""

from datetime import date, datetime

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_task import GreenhouseEpisode
from agbench.data.overrides import override
from agbench.evaluation.provenance import task_hash
from agbench.weather.columns import DAILY
from agbench.weather.greenhouse.disaggregation import disaggregate
from agbench.weather.greenhouse.site import Measured, greenhouse_weather, measured_series
from agbench.weather.greenhouse.sun import noon, top_of_atmosphere
from agbench.weather.site import site_series

TOMATO = "greenhouse-tomato-v1"
STEPS = 288


@pytest.fixture(scope="module")
def series():
    return site_series("wageningen")


@pytest.fixture(scope="module")
def year(series):
    """The days of 1985, and their five minutes by the clock, with clouds."""
    fine = disaggregate(series, date(1985, 1, 1), 365, np.random.default_rng(1), zone=1.0)
    return series.window(date(1985, 1, 1), date(1985, 12, 31)), fine.reshape(365, STEPS, 10)


def test_the_sun_stays_below_the_top_of_the_atmosphere(series, year):
    top = top_of_atmosphere(series.latitude, series.longitude, 1.0, np.arange(1.0, 366.0), STEPS)
    _, fine = year
    assert (fine[:, :, 0] <= top * (1.0 + 1e-12)).all()
    assert (fine[:, :, 0] > 0.0).any(axis=1).all()
    free = disaggregate(series, date(1985, 1, 1), 365, np.random.default_rng(1)).reshape(365, STEPS, 10)
    exceeding = (free[:, :, 0].max(axis=1) > top.max(axis=1)).sum()
    assert exceeding > 5  # what the limit is for


def test_sums_extremes_and_means_come_back(year):
    days, fine = year
    column = {name: days[:, DAILY.column(name)] for name in ("IRRAD", "TMIN", "TMAX", "WIND")}
    np.testing.assert_allclose(fine[:, :, 0].sum(axis=1) * 300, column["IRRAD"], rtol=1e-12)
    np.testing.assert_array_equal(fine[:, :, 1].min(axis=1), column["TMIN"])
    np.testing.assert_array_equal(fine[:, :, 1].max(axis=1), column["TMAX"])
    np.testing.assert_allclose(fine[:, :, 4].mean(axis=1), column["WIND"], rtol=1e-12)


def test_noon_is_the_sun_s_by_the_clock(series, year):
    hours = (np.arange(STEPS) + 0.5) / 12.0
    expected = [noon(series.longitude, float(d), 1.0) for d in range(1, 366)]
    even = disaggregate(series, date(1985, 1, 1), 365, zone=1.0).reshape(365, STEPS, 10)[:, :, 0]
    np.testing.assert_allclose((even * hours).sum(axis=1) / even.sum(axis=1), expected, atol=0.02)
    lit = year[1][:, :, 8]
    np.testing.assert_allclose((lit * (hours - 1 / 24)).sum(axis=1) / lit.sum(axis=1), expected, atol=0.05)
    assert np.mean(expected) == pytest.approx(12.62, abs=0.01)


def test_clocks_far_from_the_sun_s_time_stay_finite(series):
    for zone in (-2.0, 3.5):
        fine = disaggregate(series, date(1985, 6, 20), 3, zone=zone)
        assert np.isfinite(fine).all()
        assert (
            fine[:, 1].min()
            >= series.window(date(1985, 6, 19), date(1985, 6, 23))[:, DAILY.column("TMIN")].min()
        )


def test_sites_keep_the_clock_of_their_country_or_the_nearest_hour():
    clocks = {name: catalog.site(name).clock for name in ("wageningen", "la-coruna", "greensboro", "volga")}
    assert clocks == {"wageningen": 1.0, "la-coruna": 1.0, "greensboro": -5.0, "volga": 3.0}


def test_the_past_sum_of_radiation_ends_with_the_row_before():
    series = measured_series("schiphol")
    start = date(2010, 6, 10)
    rows = Measured(series).rows(start, 2, 12, None)
    whole = series.window(datetime(2010, 6, 9), 4 * STEPS)
    expected = [whole[k : k + STEPS, 0].sum() * 300e-6 for k in range(len(rows))]
    np.testing.assert_allclose(rows[:, 7], expected, rtol=1e-9)
    np.testing.assert_array_equal(
        np.delete(rows, 7, axis=1), np.delete(whole[STEPS : STEPS + len(rows)], 7, axis=1)
    )
    first = Measured(series).rows(date(2008, 1, 1), 1, 0, None)
    assert first[0, 7] == pytest.approx(series.values[0, 7], rel=1e-9)


@pytest.mark.parametrize("random", [True, False])
def test_the_past_sum_does_not_know_the_day(random):
    """Two days that differ only from noon on have the same past sum until then."""
    weather = greenhouse_weather("wageningen", random, 300)
    rows = weather.rows(date(1984, 5, 2), 3, 0, np.random.default_rng(3))
    sums = rows[:, 0].cumsum() * 300e-6
    np.testing.assert_allclose(
        rows[2 * STEPS :, 7], sums[2 * STEPS - 1 : -1] - np.append(0.0, sums)[STEPS : 2 * STEPS]
    )
    whole = greenhouse_weather("wageningen", random, 300, past=False).rows(date(1984, 5, 2), 1, 0, None)
    assert len(set(whole[:, 7])) == 1


def test_tasks_choose_their_clock_and_their_sum():
    sunny = agbench.make(TOMATO, length="1 d", clock="solar", dli="day").unwrapped
    local = agbench.make(TOMATO, length="1 d").unwrapped
    worlds = []
    for env in (sunny, local):
        env.reset(seed=0, options={"scenario": "wageningen/1985-03-01"})
        worlds.append(env.core.worlds[0].weather)
    lit = [(w[:STEPS, 8] * np.arange(STEPS)).sum() / w[:STEPS, 8].sum() / 12 for w in worlds]
    assert lit == pytest.approx([12.0, noon(5.67, 60.0, 1.0)], abs=0.05)
    assert len(set(worlds[0][:STEPS, 7])) == 1
    assert len(set(worlds[1][:STEPS, 7])) > 100


def test_what_a_task_is_follows_from_its_clock_and_its_sum():
    task = catalog.task(TOMATO)
    assert task_hash(override(task, {"clock": "solar"})) != task_hash(task)
    assert task_hash(override(task, {"episode.dli": "day"})) != task_hash(task)


def test_a_task_that_says_nothing_follows_the_clock_and_does_not_foresee_the_day():
    assert (GreenhouseEpisode().clock, GreenhouseEpisode().dli) == ("local", "past")
