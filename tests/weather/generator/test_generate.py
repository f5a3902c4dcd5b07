import subprocess
import sys
from datetime import date

import numpy as np
import pytest

from agbench.errors import WeatherError
from agbench.weather.columns import DAILY
from agbench.weather.generator.generate import FIRST_DAY
from agbench.weather.generator.kernel import _odds, _store
from agbench.weather.generator.parameters import from_climate, to_climate
from agbench.weather.site import site_generator

SITE = "wageningen"


@pytest.fixture(scope="module")
def generator():
    return site_generator(SITE)


def test_a_season_is_the_same_every_time(generator):
    assert generator.season(17).sha256 == site_generator(SITE).season(17).sha256


def test_a_season_is_the_same_in_another_process_and_after_others(generator):
    code = f"from agbench.weather.site import site_generator as g; print(g({SITE!r}).season(17).sha256)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for i in range(17):
        generator.season(i)
    assert process.stdout.split()[-1] == generator.season(17).sha256


def test_seasons_and_sites_differ(generator):
    other = site_generator("kiel")
    hashes = {generator.season(0).sha256, generator.season(1).sha256, other.season(0).sha256}
    assert len(hashes) == 3


def test_more_years_prolong_the_same_weather(generator):
    short, long = generator.observed(3, years=1), generator.observed(3, years=3)
    assert np.array_equal(short, long[:365])


@pytest.mark.parametrize("until", [date(2001, 1, 1), date(2001, 9, 1), date(2004, 12, 30)])
@pytest.mark.parametrize("site", [SITE, "netherlands"])
def test_a_season_that_ends_early_has_the_days_of_the_whole_one(site, until):
    whole, short = (site_generator(site).season(17, 4, end) for end in (None, until))
    assert short.end == until
    assert short.values.tobytes() == whole.window(FIRST_DAY, until).tobytes()


def test_a_season_cannot_end_before_it_starts(generator):
    with pytest.raises(WeatherError, match="starts on 2001-01-01"):
        generator.season(0, until=date(2000, 12, 31))


def test_a_season_has_at_most_forty_years(generator):
    assert generator.season(0, 40, date(2001, 1, 1)).values.shape[0] == 1
    for years in (0, 41):
        with pytest.raises(WeatherError, match=f"has 1 to 40 years; got {years}"):
            generator.season(0, years)


def test_a_season_has_two_whole_years_without_gaps(generator):
    season = generator.season(0)
    assert season.start == FIRST_DAY
    assert season.complete_years() == [2001, 2002]
    assert np.isfinite(season.values).all()


def test_temperatures_vapour_and_radiation_stay_possible(generator):
    rows = np.concatenate([generator.season(i).values for i in range(50)])
    column = {name: rows[:, DAILY.column(name)] for name in DAILY.names}
    assert (column["TMIN"] < column["TMAX"]).all()
    assert (column["RAIN"] >= 0.0).all()
    assert (column["VAP"] > 0.0).all()
    for variable in DAILY:
        assert (column[variable.name] <= variable.high).all()


def test_a_negative_number_is_refused(generator):
    with pytest.raises(WeatherError, match="must not be negative"):
        generator.season(-1)


def test_parameters_survive_the_site_file(generator):
    parameters = generator.parameters
    again = from_climate(to_climate(parameters, "test"))
    assert np.array_equal(parameters.quantiles, again.quantiles)
    assert np.array_equal(parameters.mixing, again.mixing)


@pytest.mark.parametrize(
    ("probability", "odds"),
    [(0.5, 1.0), (0.25, 1 / 3), (0.001, 1 / 999), (0.0, 1 / 999), (0.999, 999.0), (1.0, 999.0)],
)
def test_odds_of_a_wet_day_are_bounded_at_a_thousandth(probability, odds):
    assert _odds(probability) == pytest.approx(np.log(odds), abs=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "stored"),
    [(10.0, 10.2, (9.9, 10.3)), (-3.0, -5.0, (-4.2, -3.8)), (10.0, 10.5, (10.0, 10.5))],
)
def test_temperatures_less_than_0_4_degrees_apart_are_parted_around_their_middle(low, high, stored):
    out = np.zeros((1, len(DAILY)))
    _store(out, 0, np.array([0.5, low, high, 3.0, 2.0]), 0.0, 1e7)
    assert out[0, DAILY.columns(["TMIN", "TMAX"])] == pytest.approx(stored, abs=1e-12)
