"""The daily series of NASA POWER that sites ship: whole, plausible, and as the service published them."""

import json
import shutil
from datetime import date
from pathlib import Path

import answers
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agbench.data import catalog
from agbench.errors import WeatherError
from agbench.weather.angstrom import estimate_angstrom
from agbench.weather.astronomy import angot_radiation
from agbench.weather.columns import DAILY
from agbench.weather.readers.nasa_power import PARAMETERS, read_nasa_power, table_facts
from agbench.weather.site import angstrom_of, site_series

SITES = [name for name in catalog.names("site") if catalog.site(name).reader == "nasa-power"]
REFERENCE = json.loads((Path(__file__).parents[1] / "reference/weather/nasapower_days.json").read_text())
MAX_CLEARNESS = 0.9  # of the radiation above the atmosphere, on a clear day over snow


def table(site):
    described = catalog.site(site).series
    return catalog.find("site", site).parent / described["file"]


def column(series, name):
    return series.values[:, DAILY.column(name)]


def test_the_points_of_the_papers_are_among_the_sites():
    places = {(p.latitude, p.longitude) for p in (catalog.site(name).place for name in SITES)}
    assert len(SITES) == 14
    assert places >= {(51.5, 5.0), (51.5, 6.0), (52.0, 5.0), (50.0, 5.0), (44.0, -99.0), (50.0, -72.0)}


@pytest.mark.parametrize("site", SITES)
def test_a_site_holds_forty_years(site):
    series = site_series(site)
    assert series.start == date(1984, 1, 1)
    assert date(2024, 12, 17) <= series.end <= date(2024, 12, 31)
    summers = [y for y in range(1984, 2025) if not series.missing(date(y, 4, 1), date(y, 9, 30))]
    winters = [y for y in range(1984, 2024) if not series.missing(date(y, 10, 1), date(y + 1, 7, 31))]
    assert len(summers) >= 38
    assert len(winters) >= 29
    assert len(series.missing(series.start, series.end)) <= 18


@pytest.mark.parametrize("site", SITES)
def test_the_days_of_a_site_are_plausible(site):
    series = site_series(site)
    low, mean, high = (column(series, name) for name in ("TMIN", "TEMP", "TMAX"))
    whole = ~np.isnan(low)
    assert (low[whole] <= mean[whole]).all()
    assert (mean[whole] <= high[whole]).all()
    rain = np.sort(column(series, "RAIN")[whole])
    assert rain[-1] < 2.0 * rain[-2]
    days = np.datetime64(series.start) + np.flatnonzero(whole)
    number = (days - days.astype("datetime64[Y]")).astype(int) + 1
    above = np.array([angot_radiation(series.latitude, float(n)) for n in range(1, 367)])[number - 1]
    assert (column(series, "IRRAD")[whole] < MAX_CLEARNESS * above).all()
    repeated = (np.diff(series.values[whole][:, :4], axis=0) == 0.0).all(axis=1)
    assert not repeated.any()


@pytest.mark.parametrize("site", sorted(REFERENCE))
def test_a_site_has_the_days_that_pcse_makes_of_the_service_s_answers(site):
    series, days = site_series(site), REFERENCE[site]
    rows = [(date.fromisoformat(day) - series.start).days for day in days["date"]]
    for name in ("IRRAD", "TMIN", "TMAX", "TEMP", "VAP", "WIND", "RAIN"):
        np.testing.assert_allclose(column(series, name)[rows], days[name], rtol=1e-14, err_msg=name)
    np.testing.assert_allclose(column(series, "ET0")[rows], days["ET0"], rtol=1e-9)
    for name in ("E0", "ES0"):  # PCSE's Angstrom coefficients are not rounded
        np.testing.assert_allclose(column(series, name)[rows], days[name], atol=2e-3, err_msg=name)


def test_angstrom_coefficients_are_those_of_the_radiation():
    for site in SITES:
        assert angstrom_of(catalog.site(site)) == pytest.approx(
            estimate_angstrom(site_series(site)), abs=2e-3
        )


def test_a_table_and_an_answer_give_the_same_series(tmp_path):
    values = {**answers.VALUES, "T2M": (1.29, 3.57, 4.01)}
    (tmp_path / "answer.json").write_text(answers.power_json(T2M=values["T2M"]))
    columns = {name: pa.array([round(100 * x) for x in values[name]], pa.int16()) for name in PARAMETERS}
    days = pa.array([date(2001, 1, i) for i in (1, 2, 3)])
    facts = {"latitude": "52", "longitude": "5", "elevation": "3.51"}
    pq.write_table(
        pa.table({"date": days, **columns}).replace_schema_metadata(facts), tmp_path / "table.parquet"
    )
    answer, tabled = (read_nasa_power(tmp_path / name) for name in ("answer.json", "table.parquet"))
    assert answer.sha256 == tabled.sha256
    assert column(answer, "TEMP").tolist() == [1.29, 3.57, 4.01]


def test_days_that_are_implausible_are_missing_and_named():
    series = site_series("niger")
    assert series.missing(date(2024, 7, 1), date(2024, 7, 31)) == [date(2024, 7, 14)]
    assert series.provenance["without"] == "2024-07-14"
    with pytest.raises(WeatherError, match=r"lacks 1 day .*2024-07-14"):
        series.window(date(2024, 5, 1), date(2024, 9, 30))
    published = read_nasa_power(table("niger"))
    assert published.values[(date(2024, 7, 14) - published.start).days, DAILY.column("RAIN")] > 31.0


@pytest.fixture
def meadow(tmp_path, monkeypatch):
    """A site of one's own with the table of the netherlands; `change` edits its file."""
    (tmp_path / "sites" / "nasa-power").mkdir(parents=True)
    shutil.copy(table("netherlands"), tmp_path / "sites" / "nasa-power" / "netherlands.parquet")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    text = catalog.find("site", "netherlands").read_text().partition("climate:")[0]

    def write(old="", new=""):
        changed = text.replace("site: netherlands", "site: meadow").replace(old, new)
        (tmp_path / "sites" / "meadow.yaml").write_text(changed)
        return tmp_path / "sites" / "nasa-power" / "netherlands.parquet"

    return write


def test_a_changed_table_is_refused(meadow):
    path = meadow()
    assert site_series("meadow").sha256 == site_series("netherlands").sha256
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(WeatherError, match="it was changed or is damaged"):
        site_series("meadow")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("latitude: 52", "latitude: 53", "the site meadow lies at .53.0, 5.0, 3.51., but the weather"),
        ("netherlands.parquet", "nowhere.parquet", "there is no file"),
        ("series: {", 'series: {without: "2030-01-01", ', "2030-01-01 is no day of the series"),
    ],
)
def test_a_wrong_site_file_is_refused(meadow, old, new, message):
    meadow(old, new)
    with pytest.raises(WeatherError, match=message):
        site_series("meadow")


def test_another_table_is_no_table_of_nasa_power(tmp_path):
    pq.write_table(pa.table({"T2M": pa.array([1], pa.int16())}), tmp_path / "x.parquet")
    with pytest.raises(WeatherError, match="not a table of NASA POWER's days"):
        read_nasa_power(tmp_path / "x.parquet")


def test_a_table_states_where_it_comes_from():
    for site in SITES:
        facts = table_facts(table(site))
        assert facts["source"].startswith("NASA/POWER ")
        assert facts["years"] == "1984-2024"
        assert "days to 202" in facts["answer"]
