from dataclasses import replace
from datetime import date

import numpy as np
import pytest
import yaml

from agbench.data import catalog
from agbench.data.climate import Climate
from agbench.errors import WeatherError
from agbench.weather.generator import calibrate
from agbench.weather.generator.check import CHECKED_SEASONS, check, share_passed
from agbench.weather.generator.fit import _persistence, fit
from agbench.weather.generator.generate import Generator
from agbench.weather.generator.parameters import to_climate
from agbench.weather.generator.site_file import climate_text
from agbench.weather.generator.statistics import spells, whole_years
from agbench.weather.site import site_generator, site_series


@pytest.fixture(scope="module")
def series():
    return site_series("wageningen")


@pytest.fixture(scope="module")
def fitted(series):
    """Return a fit that simulates few seasons."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrate, "_ROUGH", (2, 300))
        patch.setattr(calibrate, "_FINE", (1, 600))
        return fit(series)


@pytest.mark.slow
def test_the_fit_of_wageningen_is_the_one_that_ships(series):
    fitted, shipped = fit(series), site_generator("wageningen").parameters
    assert np.allclose(fitted.wet_after, shipped.wet_after, rtol=1e-2)
    assert np.allclose(fitted.mean, shipped.mean, rtol=1e-2, atol=0.02)


def test_a_fit_of_few_seasons_is_near_the_one_that_ships(fitted):
    shipped = site_generator("wageningen").parameters
    assert np.allclose(fitted.wet_after, shipped.wet_after, rtol=0.05)
    assert np.allclose(fitted.mean[0], shipped.mean[0], rtol=0.05)  # share of the radiation above the air
    assert np.allclose(fitted.mean[1:], shipped.mean[1:], rtol=0.05, atol=0.5)


@pytest.mark.parametrize("seasons", [4000, pytest.param(CHECKED_SEASONS, marks=pytest.mark.slow)])
def test_the_shipped_generator_of_wageningen_meets_every_criterion(series, seasons):
    result = share_passed(check(site_generator("wageningen"), series, seasons))
    assert {name: passed for name, (passed, total) in result.items() if passed < total} == {}


def test_a_check_sees_a_wrong_climate(series):
    good = site_generator("wageningen")
    wrong = replace(good.parameters, mean=good.parameters.mean + 1.0, rain_odds=0.0)
    place = (series.latitude, series.longitude, series.elevation)
    passed, total = share_passed(check(Generator("wageningen", wrong, *place), series, 200))["monthly mean"]
    assert passed < total / 2


def test_a_climate_reads_back_from_its_yaml(fitted):
    climate = to_climate(fitted, "here")
    assert Climate.model_validate(yaml.safe_load(climate_text(climate))["climate"]) == climate


def test_the_climate_of_a_site_is_written_as_it_stands_in_its_file():
    text = catalog.find("site", "wageningen").read_text()
    written = climate_text(catalog.site("wageningen").climate)
    assert written.splitlines() == text[text.index("climate:") :].splitlines()


def test_too_few_years_are_refused(series):
    short = replace(series, start=date(1976, 1, 1), values=series.values[:2000].copy())
    with pytest.raises(WeatherError, match="5 complete years are too few"):
        fit(short)


def test_leap_days_are_left_out(series):
    assert whole_years(series).shape == (22, 365, 6)


def test_spells_count_days_of_one_kind():
    rain = np.zeros((1, 365, 6))
    rain[0, [0, 1, 5], 5] = 0.3
    assert spells(rain, wet=True).tolist() == [2.0, 1.0]
    assert spells(rain, wet=False).tolist() == [3.0, 359.0]


def test_persistence_is_the_correlation_of_neighbouring_wet_days():
    """Of three pairs; the dry day and its score take no part."""
    score = np.array([[1.0, 2.0, 4.0, -9.0, 3.0, 1.0]])
    wet = np.array([[True, True, True, False, True, True]])
    expected = np.corrcoef([2.0, 4.0, 1.0], [1.0, 2.0, 3.0])[0, 1]
    assert _persistence(score, wet) == pytest.approx(expected)
