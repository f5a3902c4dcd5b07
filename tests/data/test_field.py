import pytest

from agbench.data.field import Crop, Soil, plain
from agbench.data.reading import read_data
from agbench.data.site import Site
from agbench.errors import ConfigError
from agbench.simulation.parameters import parameters_of, read_entry
from agbench.simulators import models

CROP = {
    "crop": "c",
    "summary": "s",
    "source": "s",
    "models": ["lintul3"],
    "parameters": {"LUE": "2.7 g MJ-1", "K": 0.6, "IRRIGF": False},
    "tables": {"FLVTB": {"unit": "-", "of": "DVS", "points": [[0, 0.5], [2, 0]]}},
}

SOIL = {
    "soil": "s",
    "summary": "s",
    "source": "s",
    "parameters": {"NOTINF": 0.0},
    "tables": {"NINFTB": {"unit": "-", "of": "RAIN", "points": [[0, 0], [2, 1]]}},
}


def test_values_are_plain_numbers_and_flat_tables():
    assert read_data(Crop, CROP, "c").values == {
        "LUE": 2.7,
        "K": 0.6,
        "IRRIGF": False,
        "FLVTB": [0.0, 0.5, 2.0, 0.0],
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": []}, "models: .*at least 1"),
        ({"tables": {"T": {"unit": "-", "of": "DVS", "points": [[0, 1]]}}}, "T.points: .*at least two"),
        ({"tables": {"T": {"unit": "-", "points": [[0, 1], [1, 1]]}}}, "'tables.T.of' is missing"),
        ({"tables": {"T": {"unit": "-", "of": "DVS", "points": [[0, 1, 2], [1, 1]]}}}, "list of pairs"),
    ],
)
def test_the_error_of_a_wrong_crop_names_the_place(changes, message):
    with pytest.raises(ConfigError, match=message):
        read_data(Crop, CROP | changes, "c")


@pytest.mark.parametrize(("kind", "content"), [(Crop, CROP), (Soil, SOIL)])
def test_a_name_that_stands_twice_is_refused(kind, content):
    """One of its two values would do nothing."""
    read_data(kind, content, "own")
    name, table = next(iter(content["tables"].items()))
    twice = content["parameters"] | {name: table["points"][0]}
    with pytest.raises(ConfigError, match=f"own: {name} stands in parameters and in tables; keep one"):
        read_data(kind, content | {"parameters": twice}, "own")


@pytest.mark.parametrize(("key", "value"), [("latitude", 91), ("longitude", 200), ("elevation", 9999)])
def test_a_place_off_the_earth_is_refused(key, value):
    site = {
        "site": "s",
        "summary": "s",
        "source": "s",
        "place": {"latitude": 52, "longitude": 5, "elevation": 7, key: value},
        "series": {"reader": "cabo"},
    }
    with pytest.raises(ConfigError, match=f"place.{key}"):
        read_data(Site, site, "s")


def test_the_error_of_a_wrong_unit_names_the_right_unit():
    crop = read_data(Crop, CROP | {"parameters": {"LUE": "2.7 g kJ-1"}}, "c")
    with pytest.raises(ConfigError, match=r"c.yaml: LUE is in 'g kJ-1'; it must be in 'g MJ-1'"):
        read_entry(models.find("lintul3"), crop, "c.yaml")


def test_switches_stay_switches():
    assert plain({"a": True, "b": "3 d", "c": 4}) == {"a": True, "b": 3.0, "c": 4.0}


def test_a_crop_without_parameters_for_a_model_names_its_models(tmp_path, monkeypatch):
    (tmp_path / "crops").mkdir()
    (tmp_path / "crops" / "oat.yaml").write_text(
        "crop: oat\nsummary: s\nsource: s\nmodels: [wofost]\nparameters: {K: 0.6 m2 m-2}\n"
    )
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="'oat' has parameters for wofost, not for lintul3"):
        parameters_of(models.find("lintul3"), "crop", "oat")
