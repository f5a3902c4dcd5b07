"""Typical years through pvlib: sums kept, days by the sun, plain words for what cannot be read."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import MissingExtraError, WeatherError
from agbench.weather.greenhouse.typical_year import read_typical_year

HEADER = (
    ["LOCATION,Somewhere,NC,USA,made up,0,36.1,-79.95,-5.0,273.0"]
    + ["DESIGN CONDITIONS,0"]
    + ["-"] * 5
    + ["DATA PERIODS,1,1,Data,Sunday,1/ 1,12/31"]
)


@pytest.fixture(scope="module")
def shipped():
    """The folder of the files that pvlib brings."""
    return Path(pytest.importorskip("pvlib").__file__).parent / "data"


@cache
def table_of(path):
    """Return the table of a file of pvlib's, read once."""
    return read_typical_year(path).to_frame()


def epw(folder, hours=8760, infrared=300.0, humidity=70.0):
    """Write a year of 10 degC noons 5 K above midnight and a sun from 6 to 18 h; return its path."""
    moments = pd.date_range("2005-01-01", periods=hours, freq="h")
    hour = moments.hour.to_numpy()
    sun = np.where((hour >= 6) & (hour < 18), 360.0, 0.0)
    air = 7.5 - 2.5 * np.cos(2.0 * np.pi * (hour + 1) / 24.0)
    rows = [
        f"{m.year},{m.month},{m.day},{m.hour + 1},60,?,{t:.3f},4.0,{humidity},99000,0,0,{infrared},{s},0,0,"
        "0,0,0,0,0,3.0,0,0,0,0,0,0,0,0,0,0,0,0,0"
        for m, t, s in zip(moments, air, sun, strict=True)
    ]
    path = folder / "made-up.epw"
    path.write_text("\n".join([*HEADER, *rows]) + "\n")
    return path


def test_the_error_of_a_missing_pvlib_names_the_command(monkeypatch, tmp_path):
    path = tmp_path / "x.epw"
    path.write_text("x")
    monkeypatch.setitem(sys.modules, "pvlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"agbench\[weather\]\""):
        read_typical_year(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(WeatherError, match=r"there.epw"):
        read_typical_year(tmp_path / "there.epw")


def test_greensboro_keeps_its_radiation_and_grows_tomatoes(shipped):
    series = read_typical_year(shipped / "723170TYA.CSV")
    assert series.values.shape == (365 * 288, 10)
    assert np.isfinite(series.values).all()
    assert series.values[:, 7].reshape(365, 288)[:, 0].sum() == pytest.approx(
        series.values[:, 0].sum() * 300e-6
    )
    days = series.to_frame().iloc[: 2 * 288]
    table = agbench.simulate("greenlight", weather=days, controls="rule-based")
    assert table["cFruit"].iloc[-1] > table["cFruit"].iloc[0]


def test_an_epw_file_comes_in_our_units(tmp_path):
    pytest.importorskip("pvlib")
    table = read_typical_year(str(epw(tmp_path))).to_frame()
    assert table.index[0] == pd.Timestamp("2005-01-01")
    assert len(table) == 365 * 288
    assert table["iGlob"].loc["2005-03-01 05:55"] == 0.0
    assert table["iGlob"].loc["2005-03-01 06:00"] == 360.0
    np.testing.assert_allclose(table["dli"], 360.0 * 43.2e-3)
    assert table["tOut"].loc["2005-03-01 12:00"] == pytest.approx(10.0, abs=1e-3)
    assert table["vpOut"].loc["2005-03-01 12:00"] == pytest.approx(0.7 * 1224.4, rel=1e-3)
    assert table["tSky"].iloc[100] == pytest.approx((300.0 / 5.670374e-8) ** 0.25 - 273.15)
    assert set(table["wind"]) == {3.0}


@pytest.mark.parametrize("missing", [0.0, 9999.0])
def test_an_unknown_infrared_radiation_is_replaced_by_humidity(tmp_path, missing):
    pytest.importorskip("pvlib")
    table = read_typical_year(epw(tmp_path, infrared=missing)).to_frame()
    assert (table["tSky"] < table["tOut"]).all()
    assert (table["tSky"] > table["tOut"] - 40.0).all()


def test_a_tmy2_file_comes_in_our_units(shipped):
    table = table_of(shipped / "12839.tm2")
    assert table["tOut"].mean() == pytest.approx(24.3, abs=0.05)
    assert table["wind"].mean() == pytest.approx(4.34, abs=0.01)
    assert table["iGlob"].mean() == pytest.approx(204.64, abs=0.01)
    humidity = table["vpOut"] / (610.78 * np.exp(17.2694 * table["tOut"] / (table["tOut"] + 238.3)))
    assert humidity.mean() == pytest.approx(0.725, abs=0.01)


@pytest.mark.parametrize(
    ("name", "rows"), [("703165TY.csv", 0), ("723170TYA.CSV", 14), ("12839.tm2", 18)], ids=["AK", "NC", "FL"]
)
def test_it_is_day_where_the_sun_shines(shipped, name, rows):
    """In Sand Point the sun stands highest at 13:42; hours that the sun rises in hold it all along."""
    table = table_of(shipped / name)
    assert ((table["iGlob"] > 20.0) & (table["isDay"] == 0.0)).sum() == rows
    middle = (table["iGlob"] * table.index.hour).sum() / table["iGlob"].sum() + 0.5
    lit = (table["isDay"] * (table.index.hour + table.index.minute / 60.0)).sum() / table["isDay"].sum()
    assert lit == pytest.approx(middle, abs=0.25)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hours": 5000}, "5000 hours; a typical year has 8760"),
        ({"humidity": 999.0}, "relative humidity is 999 % in hour 1 .*999 means missing"),
    ],
)
def test_a_year_with_a_gap_is_refused(tmp_path, change, message):
    pytest.importorskip("pvlib")
    with pytest.raises(WeatherError, match=message):
        read_typical_year(epw(tmp_path, **change))


@pytest.mark.parametrize("name", ["x.epw", "x.csv", "x.tm2"])
def test_a_file_of_something_else_is_refused(tmp_path, name):
    pytest.importorskip("pvlib")
    (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(WeatherError, match=f"{name}: .*cannot read this"):
        read_typical_year(tmp_path / name)


def test_another_kind_of_file_is_refused(tmp_path):
    (tmp_path / "x.parquet").write_text("x")
    with pytest.raises(
        WeatherError, match=r"EPW \(.epw\), TMY3 \(.csv\) or TMY2 \(.tm2\) file, not .parquet"
    ):
        agbench.simulate("greenlight", weather=tmp_path / "x.parquet", controls="zero")


def test_an_interval_that_does_not_divide_the_hour_is_refused(tmp_path):
    (tmp_path / "x.epw").write_text("x")
    with pytest.raises(WeatherError, match="interval is 7200 s; give a divisor of 3600 s"):
        read_typical_year(tmp_path / "x.epw", 7200)


@pytest.mark.slow_except("723170TYA.CSV-str", "epw-Path", "epw-str")  # that a file of TMY2 is read: above
@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("name", ["723170TYA.CSV", "12839.tm2", "epw"])
def test_simulate_takes_a_path(shipped, tmp_path, name, kind):
    path = epw(tmp_path) if name == "epw" else shipped / name
    controls = np.full((3, 6), 0.4)
    result = agbench.simulate("greenlight", weather=kind(path), start="2005-06-01 06:00", controls=controls)
    days = table_of(path).loc["2005-06-01 06:00":]
    pd.testing.assert_frame_equal(
        result, agbench.simulate("greenlight", weather=days, controls=controls), check_exact=True
    )
    assert result.index[-1] == pd.Timestamp("2005-06-01 06:15")


def test_a_typical_year_is_averaged_and_held_as_a_site_is(tmp_path):
    pytest.importorskip("pvlib")
    path, controls = epw(tmp_path), np.full((4, 6), 0.4)
    for interval in (60, 7200):
        table = agbench.simulate("greenlight", weather=path, controls=controls, interval=interval)
        assert table.index[-1] == pd.Timestamp("2005-01-01") + pd.Timedelta(seconds=4 * interval)


def test_a_task_takes_a_typical_year_as_its_table(shipped):
    weather = table_of(shipped / "12839.tm2")
    env = agbench.make("greenhouse-tomato-v1", weather=weather, years=[2005], length="1 d")
    env.reset(seed=0)
    assert env.unwrapped.core.scenario == ["netherlands/2005-03-01"]
    *_, info = env.step(np.zeros(6, np.float32))
    assert np.isfinite(info["profit"])
