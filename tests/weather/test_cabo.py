import os
import shutil
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import pytest

from agbench.errors import WeatherError
from agbench.simulators.pcse_reference.library import load_pcse
from agbench.weather.daily import DAILY
from agbench.weather.readers.cabo import read_cabo
from agbench.weather.readers.sources import SeriesSource, load_series, package_folder

PLACE = "   5.67  51.97     7. -0.18 -0.55"
RECORD = "   1 {} {} {}   2.0   9.7   0.730   3.6  12.1"


@pytest.fixture(scope="module")
def folder():
    return package_folder("pcse") / "tests" / "test_data"


@pytest.fixture(scope="module")
def series(folder):
    return read_cabo(folder, "NL1", "neighbours")


@pytest.fixture(scope="module")
def pcse_provider(folder, tmp_path_factory):
    """PCSE's own reader, on copies, because it writes a cache beside the files."""
    load_pcse()
    from pcse.input import CABOWeatherDataProvider

    copies = tmp_path_factory.mktemp("cabo")
    for path in folder.glob("NL1.*"):
        shutil.copy(path, copies)
    return CABOWeatherDataProvider("NL1", str(copies))


def test_every_day_and_variable_equals_pcse(series, pcse_provider):
    days = [series.start + timedelta(days=i) for i in range(len(series.values))]
    present = {d for d, row in zip(days, series.values, strict=True) if not np.isnan(row[0])}
    assert present == {day for day, _ in pcse_provider.store}
    for name in ("IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN", "E0", "ES0", "ET0"):
        ours = series.values[:, DAILY.column(name)]
        pairs = [(ours[(d - days[0]).days], getattr(pcse_provider(d), name)) for d in present]
        np.testing.assert_allclose(*np.array(pairs).T, rtol=1e-12, atol=1e-15, err_msg=name)
    assert (series.latitude, series.longitude) == (pcse_provider.latitude, pcse_provider.longitude)
    assert series.elevation == pcse_provider.elevation


def test_only_1990_and_1991_are_incomplete(series):
    assert series.incomplete_years() == {1990: 361, 1991: 243}
    assert series.complete_years() == [y for y in range(1976, 2000) if y not in (1990, 1991)]


def test_an_incomplete_year_is_refused_by_name(series):
    with pytest.raises(WeatherError, match=r"1990 has 361 of 365 days\): 1990-01-17 to 1990-01-18"):
        series.window(date(1990, 1, 1), date(1990, 12, 31))


def test_filling_is_recorded_and_optional(folder, series):
    filled = {k: v for k, v in series.provenance.items() if k.startswith("filled")}
    assert filled == {"filled 1990-01-25": "VAP", "filled 1990-10-19": "VAP, WIND"}
    assert series.provenance["fill"] == "neighbours"
    plain = read_cabo(folder, "NL1", "none")
    assert plain.incomplete_years() == {1990: 359, 1991: 243}


def test_rain_is_never_filled(tmp_path):
    lines = [PLACE, *(RECORD.format(1995, day, "2200.") for day in (1, 2, 3))]
    lines[2] = lines[2].replace("12.1", "-99.")
    (tmp_path / "XX1.995").write_text("\n".join(lines))
    series = read_cabo(tmp_path, "XX1", "neighbours")
    assert date(1995, 1, 2) in series.missing(date(1995, 1, 1), date(1995, 1, 3))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["5.67 51.97"], "expected longitude, latitude"),
        ([PLACE.replace("-", "")], "hours of sunshine"),
        ([PLACE, RECORD.format(1994, 1, "2200.")], "expected a record of nine numbers of 1995"),
        ([PLACE, RECORD.format(1995, 1, "x")], "expected a record of nine numbers of 1995"),
        ([PLACE, "1 1995 1 2200."], "expected a record of nine numbers of 1995"),
    ],
)
def test_a_malformed_file_is_named(tmp_path, lines, message):
    (tmp_path / "XX1.995").write_text("\n".join(lines))
    with pytest.raises(WeatherError, match=message):
        read_cabo(tmp_path, "XX1")


@pytest.mark.parametrize("coefficients", ["0.18 -0.55", "-0.18  0.55"])
def test_only_two_positive_coefficients_mean_hours_of_sunshine(tmp_path, coefficients):
    for name, place in (("XX1", PLACE), ("XX2", PLACE.replace("-0.18 -0.55", coefficients))):
        (tmp_path / f"{name}.995").write_text("\n".join([place, RECORD.format(1995, 1, "2200.")]))
    usual, other = read_cabo(tmp_path, "XX1"), read_cabo(tmp_path, "XX2")
    assert other.values[0, DAILY.column("IRRAD")] == 2.2e6
    np.testing.assert_array_equal(other.values, usual.values)


def test_an_unknown_station_names_those_at_hand(folder):
    with pytest.raises(WeatherError, match="Stations there: NL1"):
        read_cabo(folder, "NL9")


def test_an_unknown_fill_is_refused(folder):
    with pytest.raises(ValueError, match="unknown way to fill gaps 'neighbour'"):
        read_cabo(folder, "NL1", "neighbour")  # type: ignore[arg-type]


def test_a_source_names_the_embedded_series(series):
    source = SeriesSource(
        reader="cabo", package="pcse", folder="tests/test_data", station="NL1", fill="neighbours"
    )
    assert load_series(source) is series


def test_reading_the_embedded_series_does_not_import_pcse():
    code = (
        "import sys; from agbench.weather.readers.cabo import read_cabo;"
        "from agbench.weather.readers.sources import package_folder;"
        "read_cabo(package_folder('pcse') / 'tests' / 'test_data', 'NL1', 'neighbours');"
        "sys.exit('pcse' in sys.modules or 'pandas' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
