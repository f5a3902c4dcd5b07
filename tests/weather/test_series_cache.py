"""Cached series are those that the files hold."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from agbench.weather import series_cache
from agbench.weather.greenhouse import site
from agbench.weather.readers import cabo
from agbench.weather.readers.sources import package_folder

FOLDER = package_folder("pcse") / "tests" / "test_data"
START = "agbench.weather.readers.cabo:read_cabo"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Copies of two years of a station, of which nothing is cached."""
    monkeypatch.setattr(series_cache, "folder", lambda: tmp_path / "cache")
    return [Path(shutil.copy(FOLDER / f"NL1.{year}", tmp_path)) for year in ("976", "977")]


def read(files, fill, calls):
    def from_files():
        calls.append(fill)
        return cabo._read_years({1976: files[0], 1977: files[1]}, "NL1", fill)

    return series_cache.daily(f"cabo {fill}", files, START, from_files)


def test_a_cached_series_is_that_of_the_files(files):
    calls = []
    first, again = read(files, "none", calls), read(files, "none", calls)
    assert calls == ["none"]
    assert again.sha256 == first.sha256
    assert again.provenance == first.provenance
    assert again.name == "NL1"
    np.testing.assert_array_equal(again.values, first.values)


def test_changed_files_and_other_settings_are_read(files):
    calls = []
    before = read(files, "none", calls)
    read(files, "neighbours", calls)
    lines = files[1].read_text("latin-1").splitlines(keepends=True)
    files[1].write_text("".join(lines[:-1]), "latin-1")
    after = read(files, "none", calls)
    assert calls == ["none", "neighbours", "none"]
    assert len(after.missing(before.start, before.end)) == len(before.missing(before.start, before.end)) + 1


def test_what_is_damaged_is_read_anew(files, tmp_path):
    calls = []
    first = read(files, "none", calls)
    (file,) = (tmp_path / "cache").rglob("*.series")
    file.write_bytes(file.read_bytes()[:-8])
    assert read(files, "none", calls).sha256 == first.sha256
    assert len(calls) == 2


def test_a_cached_greenhouse_series_is_that_of_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(series_cache, "folder", lambda: tmp_path)
    site._read.cache_clear()
    first = site.measured_series("bleiswijk")
    site._read.cache_clear()
    monkeypatch.setattr("pandas.read_parquet", None)
    again = site.measured_series("bleiswijk")
    assert again.sha256 == first.sha256
    assert (again.begin, again.interval, again.name) == (first.begin, first.interval, first.name)
