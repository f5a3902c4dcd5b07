import pandas as pd
import pytest

from agbench.errors import UnknownNameError, WeatherError
from agbench.weather.daily import from_frame
from agbench.weather.readers.sources import SeriesSource, load_series

PLACE = {"latitude": 52.0, "longitude": 5.5, "elevation": 7.0}


@pytest.fixture
def frame():
    index = pd.date_range("2001-05-01", periods=10, name="DAY")
    columns = {"IRRAD": 1.8e7, "TMIN": 8.0, "TMAX": 19.0, "VAP": 10.0, "WIND": 3.0, "RAIN": 0.1}
    return pd.DataFrame(columns, index=index)


@pytest.mark.parametrize("reader", ["csv", "parquet"])
def test_tables_are_read_with_the_place_of_the_source(frame, tmp_path, reader):
    if reader == "csv":
        text = "# radiation in J m-2 d-1\n" + frame.to_csv()
        (tmp_path / "here.csv").write_text(text)
    else:
        frame.to_parquet(tmp_path / "here.parquet")
    series = load_series(SeriesSource(reader=reader, file=f"here.{reader}", **PLACE), tmp_path)
    frame.attrs.update(lat=52.0, lon=5.5, elev=7.0)
    assert series.name == "here"
    assert series.sha256 == from_frame(frame).sha256


def test_coefficients_of_the_source_are_those_of_the_table(frame, tmp_path):
    frame.to_csv(tmp_path / "here.csv")
    source = SeriesSource(reader="csv", file="here.csv", angstrom=(0.2, 0.5), **PLACE)
    frame.attrs.update(lat=52.0, lon=5.5, elev=7.0, angstA=0.2, angstB=0.5)
    assert load_series(source, tmp_path).sha256 == from_frame(frame).sha256


def test_an_unknown_reader_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown weather reader 'cabbo'.*'cabo'"):
        load_series(SeriesSource(reader="cabbo"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SeriesSource(reader="cabo"), "key station is missing"),
        (SeriesSource(reader="csv"), "key file is missing"),
        (SeriesSource(reader="csv", file="none.csv"), "there is no file"),
        (SeriesSource(reader="cabo", package="no_such", station="NL1"), "pip install no_such"),
    ],
)
def test_the_error_of_an_incomplete_source_names_what_it_needs(source, message):
    with pytest.raises(WeatherError, match=message):
        load_series(source)


@pytest.mark.parametrize("wrong", [{"latitude": True}, {"elevation": "7"}, {"angstrom": (True, 0.5)}])
def test_a_place_of_a_source_is_numbers(wrong):
    with pytest.raises(ValueError, match="valid number"):
        SeriesSource(reader="csv", file="x.csv", **wrong)
    assert SeriesSource(reader="csv", file="x.csv", latitude=52, elevation=7.0).latitude == 52.0
