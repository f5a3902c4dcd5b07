from datetime import date

import answers
import numpy as np
import pandas as pd
import pytest

from agbench.errors import MissingExtraError, WeatherError
from agbench.weather.columns import DAILY
from agbench.weather.readers.knmi import read_knmi
from agbench.weather.readers.nasa_power import read_nasa_power, request
from agbench.weather.readers.observations import read_observations


def written(tmp_path, text, name="answer.json"):
    path = tmp_path / name
    path.write_text(text)
    return path


def first(series, name):
    return series.values[0, DAILY.column(name)]


def test_the_request_names_place_years_and_parameters():
    address = request(52.0, 5.0, 1984, 2024)
    assert address.startswith("https://power.larc.nasa.gov/api/temporal/daily/point?parameters=ALLSKY")
    for part in ("latitude=52.0", "longitude=5.0", "start=19840101", "end=20241231", "community=AG"):
        assert part in address


def test_nasa_power_comes_in_our_units(tmp_path):
    series = read_nasa_power(written(tmp_path, answers.power_json()))
    assert (series.latitude, series.longitude, series.elevation) == (52.0, 5.0, 3.51)
    assert first(series, "IRRAD") == pytest.approx(2.1e6)
    assert first(series, "VAP") == pytest.approx(6.108)
    assert series.values[1, DAILY.column("RAIN")] == pytest.approx(0.54)


def test_nasa_power_is_the_same_as_json_and_as_csv(tmp_path):
    one = read_nasa_power(written(tmp_path, answers.power_json()))
    other = read_nasa_power(written(tmp_path, answers.power_csv(), "answer.csv"))
    by_month = answers.power_csv().replace("YEAR,DOY", "YEAR,MO,DY").replace("\n2001,", "\n2001,1,")
    third = read_nasa_power(written(tmp_path, by_month, "answer.csv"))
    assert one.sha256 == other.sha256 == third.sha256


def test_what_nasa_power_lacks_is_a_missing_day(tmp_path):
    text = answers.power_json(T2M_MIN=(-1.0, -999.0, 2.0))
    series = read_nasa_power(written(tmp_path, text))
    assert series.missing(series.start, series.end) == [date(2001, 1, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html>busy</html>", "not an answer of the daily point service of NASA POWER"),
        ('{"messages": ["no data"]}', "not an answer of the daily point service of NASA POWER.*geometry"),
        (answers.power_json().replace("MJ/m^2/day", "kW-hr/m^2/day"), "expected MJ/m\\^2/day"),
        (answers.power_json(PRECTOTCORR=(0.0, 5.4, 400.0)), "RAIN is 40 on 2001-01-03"),
        (
            answers.power_csv().replace("-END HEADER-", ""),
            "not an answer of the daily point service of NASA POWER",
        ),
    ],
)
def test_a_malformed_answer_of_nasa_power_is_refused(tmp_path, text, message):
    with pytest.raises(WeatherError, match=message):
        read_nasa_power(written(tmp_path, text))


def test_knmi_days_come_in_our_units(tmp_path):
    series = read_knmi(written(tmp_path, answers.KNMI_DAILY, "knmi.txt"))
    assert (series.latitude, series.longitude, series.elevation) == (52.1, 5.18, 1.9)
    assert first(series, "IRRAD") == pytest.approx(2.1e6)
    assert (first(series, "TMIN"), first(series, "TMAX")) == pytest.approx((0.5, 4.8))
    assert first(series, "RAIN") == pytest.approx(0.54)
    assert series.values[1, DAILY.column("RAIN")] == 0.0
    assert first(series, "WIND") == pytest.approx(4.0 * 0.748, rel=1e-3)
    assert first(series, "VAP") == pytest.approx(0.9 * 7.31, rel=1e-2)


def test_knmi_hours_become_days(tmp_path):
    series = read_knmi(written(tmp_path, answers.knmi_hourly(), "knmi.txt"))
    assert len(series.values) == 1
    assert first(series, "TMAX") == pytest.approx(8.0)
    assert first(series, "IRRAD") == pytest.approx(8 * 10 * 1e4)
    assert first(series, "RAIN") == pytest.approx(24 * 0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (answers.KNMI_DAILY.replace("# 260", "# nothing"), "a KNMI file of one station is expected"),
        (answers.KNMI_DAILY.replace("YYYYMMDD", "DATE"), "no title line"),
        (answers.KNMI_DAILY.replace("   UG", "   XX"), "fields UG are missing"),
        (answers.KNMI_DAILY.replace("  340,", ""), "expected 9 numbers"),
    ],
)
def test_a_malformed_knmi_file_is_refused(tmp_path, text, message):
    with pytest.raises(WeatherError, match=message):
        read_knmi(written(tmp_path, text, "knmi.txt"))


@pytest.fixture
def frame():
    index = pd.date_range("2001-05-01", periods=10, name="DAY")
    columns = {"IRRAD": 1.8e7, "TMIN": 8.0, "TMAX": 19.0, "VAP": 10.0, "WIND": 3.0, "RAIN": 0.1}
    return pd.DataFrame({**columns, "LAT": 52.0, "LON": 5.5, "ELEV": 7.0}, index=index)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_units_stand_in_the_titles_of_a_table(tmp_path, frame, kind):
    plain, other = tmp_path / f"plain.{kind}", tmp_path / f"other.{kind}"
    scaled = frame.assign(RAIN=1.0, IRRAD=18.0, VAP=1.0)
    scaled = scaled.rename(
        columns={"RAIN": "RAIN (mm d-1)", "IRRAD": "IRRAD [MJ m-2 d-1]", "VAP": "VAP (kPa)"}
    )
    for table, path in ((frame, plain), (scaled, other)):
        (table.reset_index().to_csv(path, index=False) if kind == "csv" else table.to_parquet(path))
    assert np.allclose(read_observations(plain).values, read_observations(other).values)


def test_an_unknown_unit_is_refused(tmp_path, frame):
    path = tmp_path / "table.csv"
    frame.rename(columns={"RAIN": "RAIN (inch)"}).to_csv(path)
    with pytest.raises(WeatherError, match=r"RAIN is in 'inch', which is not known; give it in"):
        read_observations(path)


def archive(tmp_path, frame, **changes):
    path = tmp_path / "here.npz"
    table = frame.assign(**changes)
    arrays = {name: table[name].to_numpy() for name in ("IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN")}
    np.savez(path, date=frame.index.to_numpy(), lat=52.0, lon=5.5, elev=7.0, **arrays)
    return path


def test_exchanged_temperatures_are_refused_and_repaired_by_name(tmp_path, frame):
    path = archive(tmp_path, frame, TMIN=19.0, TMAX=8.0)
    with pytest.raises(WeatherError, match="--repair exchange-temperatures"):
        read_observations(path)
    series = read_observations(path, "exchange-temperatures")
    assert first(series, "TMIN") == 8.0
    assert series.provenance["repair"] == "exchange-temperatures"
    assert len(series.provenance["file sha256"]) == 64


def test_impossible_days_are_dropped_by_name(tmp_path, frame):
    rain = np.full(10, 0.1)
    rain[3] = 310.0
    path = archive(tmp_path, frame, RAIN=rain)
    with pytest.raises(WeatherError, match="RAIN is 310"):
        read_observations(path)
    assert read_observations(path, "drop-implausible").missing(date(2001, 5, 1), date(2001, 5, 10)) == [
        date(2001, 5, 4)
    ]


def test_the_error_of_an_archive_names_the_missing_column(tmp_path):
    np.savez(tmp_path / "bad.npz", date=np.arange(3), TMIN=np.zeros(3))
    with pytest.raises(WeatherError, match="the archive lacks IRRAD, TMAX"):
        read_observations(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("utf16.csv", "DAY,TMIN".encode("utf-16")),
        ("short.parquet", b"PAR1"),
        ("text.npz", b"text"),
        ("cut.npz", b"PK\x03\x04"),
    ],
)
def test_a_damaged_file_is_refused_by_its_name(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WeatherError, match=rf"{name}: (cannot be read|this is no NumPy archive)"):
        read_observations(tmp_path / name)


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(WeatherError, match=r"weather files end in one of \.npz"):
        read_observations(tmp_path / "weather.doc")


def test_excel_of_another_layout_is_refused(tmp_path):
    pd.DataFrame({"a": [1]}).to_excel(tmp_path / "table.xlsx")
    with pytest.raises(WeatherError, match="PCSE cannot read this Excel file"):
        read_observations(tmp_path / "table.xlsx")


def test_typical_years_without_pvlib_name_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pvlib", None)
    (tmp_path / "here.epw").write_text("LOCATION")
    with pytest.raises(MissingExtraError, match=r'pip install "agbench\[weather\]"'):
        read_observations(tmp_path / "here.epw")


def test_a_broken_typical_year_is_refused(tmp_path):
    pytest.importorskip("pvlib")
    (tmp_path / "here.epw").write_text("LOCATION,nowhere\n")
    with pytest.raises(WeatherError, match="pvlib cannot read this epw file"):
        read_observations(tmp_path / "here.epw")


@pytest.mark.parametrize(("site", "yearly"), [("greensboro", (80.0, 120.0)), ("sand-point", (70.0, 160.0))])
def test_a_typical_year_has_the_rain_of_its_place(site, yearly):
    """Greensboro has some 107 cm a year, Sand Point 80 to 150 cm; millimetres would be ten times that."""
    pytest.importorskip("pvlib")
    from agbench.weather.site import site_series

    rain = site_series(site).values[:, DAILY.column("RAIN")].sum()
    assert yearly[0] < rain < yearly[1]
