"""Files of sites whose series cannot be read, or whose climate is none."""

from pathlib import Path

import pytest
import yaml

from agbench.testing.data_files import check_file

ROOT = Path(__file__).parents[2]
CABO = {"reader": "cabo", "package": "pcse", "folder": "tests/test_data", "station": "NL1"}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that writes a changed site of one's own and checks it."""
    content = yaml.safe_load((ROOT / "sites/wageningen.yaml").read_text("utf-8")) | {"site": "meadow"}
    path = tmp_path / "sites/meadow.yaml"
    path.parent.mkdir()
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))

    def check(change):
        change(content)
        path.write_text(yaml.safe_dump(content))
        return check_file(path)

    return check


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (CABO | {"fill": "neighbors"}, "series: fill: 'neighbors' is not one of its values. Did you mean"),
        (CABO | {"fil": "neighbours"}, "series: unknown key 'fil'. Did you mean 'fill'"),
        (CABO | {"station": 5}, "series: station: input should be a valid string; got 5"),
        ({"reader": "csv", "file": "empty.csv"}, "series.file: empty.csv cannot be read as csv: "),
        ({"reader": "csv", "file": "utf16.csv"}, "series.file: utf16.csv cannot be read as csv: "),
        ({"reader": "parquet", "file": "utf16.csv"}, "series.file: utf16.csv cannot be read as parquet: "),
        (
            {"reader": "greenhouse-parquet", "file": "utf16.csv"},
            "series.file: utf16.csv cannot be read as greenhouse-parquet: ",
        ),
    ],
)
def test_a_series_that_cannot_be_read_is_named(site, tmp_path, series, message):
    (tmp_path / "sites/empty.csv").write_text("")
    (tmp_path / "sites/utf16.csv").write_text("DAY,TMIN\n1990-01-01,3\n", encoding="utf-16")
    assert message in site(lambda content: content.update(series=series))


def first(value):
    """Return a change of the first of twelve months."""
    return lambda months: [value, *months[1:]]


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("occurrence", "dry_dry"), 2.9, "climate.occurrence.dry_dry: month 1: 2.9; a chance is from 0 to 1"),
        (("occurrence", "wet_wet"), -0.1, "climate.occurrence.wet_wet: month 1: -0.1; a chance is"),
        (("amounts", "scale"), -0.2, "climate.amounts.scale: -0.2; it must be at least 0"),
        (("amounts", "scale"), 5.1, "climate.amounts.scale: 5.1 cm d-1; at most 5 is allowed. Give cm"),
        (("elements", "IRRAD", "sd"), -0.1, "climate.elements.IRRAD.sd: -0.1; it must be at least 0"),
        (("elements", "VAP", "wet_spread"), -1.0, "climate.elements.VAP.wet_spread: -1; it must be"),
    ],
)
def test_chances_amounts_and_spreads_that_are_none_are_refused(site, keys, value, message):
    def change(content):
        part = content["climate"]
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = first(value)(part[keys[-1]])

    assert message in site(change)


def test_a_site_as_it_ships_is_right(site):
    assert site(lambda content: None) is None


def test_a_file_that_lies_in_no_folder_of_data_is_read_as_far_as_it_goes(site, monkeypatch):
    monkeypatch.delenv("AGBENCH_PATH")
    assert "series: unknown key 'fil'" in site(lambda content: content.update(series=CABO | {"fil": "none"}))
    assert site(lambda content: content.update(series=CABO)) is None
