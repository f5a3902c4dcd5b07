"""Typical years through pvlib: sums kept, and a plain word where pvlib is missing."""

import sys

import numpy as np
import pytest

import agbench
from agbench.errors import MissingExtraError, WeatherError
from agbench.weather.greenhouse_typical import read_typical_year


def test_a_missing_pvlib_is_said_with_its_command(monkeypatch, tmp_path):
    path = tmp_path / "x.epw"
    path.write_text("x")
    monkeypatch.setitem(sys.modules, "pvlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"agbench\[weather\]\""):
        read_typical_year(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(WeatherError, match=r"there.epw"):
        read_typical_year(tmp_path / "there.epw")


def test_greensboro_keeps_its_radiation_and_grows_tomatoes():
    pvlib = pytest.importorskip("pvlib")
    from pathlib import Path

    path = Path(pvlib.__file__).parent / "data" / "723170TYA.CSV"
    series = read_typical_year(path)
    assert series.values.shape == (365 * 288, 10)
    assert np.isfinite(series.values).all()
    assert series.values[:, 7].reshape(365, 288)[:, 0].sum() == pytest.approx(
        series.values[:, 0].sum() * 300e-6
    )
    days = series.to_frame().iloc[: 2 * 288]
    table = agbench.simulate("greenlight", weather=days, controls="rule-based")
    assert table["cFruit"].iloc[-1] > table["cFruit"].iloc[0]
