from datetime import date, timedelta

import numpy as np
import pytest

from agbench.simulators.pcse_reference.library import load_pcse
from agbench.weather.astronomy import photoperiods
from agbench.weather.daily import DAILY
from agbench.weather.evapotranspiration import reference_et
from agbench.weather.readers.cabo import read_cabo
from agbench.weather.readers.sources import package_folder

ANGSTROM = (0.18, 0.55)
OBSERVED = ("TMIN", "TMAX", "IRRAD", "VAP", "WIND")


@pytest.fixture(scope="module")
def days():
    """All days of the Wageningen series: dates, days of the year and observed columns."""
    series = read_cabo(package_folder("pcse") / "tests" / "test_data", "NL1", "neighbours")
    present = np.flatnonzero(~np.isnan(series.values[:, 0]))
    dates = [series.start + timedelta(days=int(i)) for i in present]
    numbers = np.array([float(d.timetuple().tm_yday) for d in dates])
    columns = [np.ascontiguousarray(series.values[present, DAILY.column(c)]) for c in OBSERVED]
    return dates, numbers, columns


@pytest.mark.parametrize("latitude", [-60.0, -23.0, 0.0, 35.0, 51.97, 66.6, 70.0])
def test_reference_et_equals_pcse(days, latitude):
    load_pcse()
    from pcse.util import reference_ET

    dates, numbers, columns = days
    ours = reference_et(numbers, *columns, latitude, 7.0, *ANGSTROM)
    rows = zip(dates, *columns, strict=True)
    pcse = [reference_ET(d, latitude, 7.0, *map(float, row), *ANGSTROM) for d, *row in rows]
    np.testing.assert_allclose(
        ours, np.array(pcse) / 10.0, rtol=1e-12, atol=1e-15
    )  # [cm d-1], of differences


@pytest.mark.parametrize("latitude", [-60.0, 0.0, 51.97, 70.0])
def test_photoperiods_equal_pcse(days, latitude):
    load_pcse()
    from pcse.util import daylength

    dates, numbers, _ = days
    pcse = [daylength(d, latitude) for d in dates]
    np.testing.assert_allclose(photoperiods(numbers, latitude), pcse, rtol=1e-12, atol=0)


def test_reference_et_depends_on_elevation_as_pcse():
    load_pcse()
    from pcse.util import reference_ET

    row = (12.0, 25.0, 2.0e7, 14.0, 3.0)
    ours = reference_et(np.array([182.0]), *(np.array([x]) for x in row), 40.0, 1800.0, 0.25, 0.5)
    pcse = reference_ET(date(2001, 7, 1), 40.0, 1800.0, *row, 0.25, 0.5)
    np.testing.assert_allclose(ours[0], np.array(pcse) / 10.0, rtol=1e-12, atol=1e-15)


def test_a_missing_value_gives_nan():
    one = np.array([1.0])
    rates = reference_et(one, one, np.array([np.nan]), one, one, one, 52.0, 7.0, *ANGSTROM)
    assert np.isnan(rates).all()


def test_equator_has_twelve_hours_and_polar_summer_twenty_four():
    equinox = photoperiods(np.array([81.0]), 0.0)[0]
    assert equinox == pytest.approx(12.0 + 2 * 4 * 12 / 180, rel=1e-3)
    assert photoperiods(np.array([172.0]), 80.0)[0] == 24.0
    assert photoperiods(np.array([355.0]), 80.0)[0] == 0.0
