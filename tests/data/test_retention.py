import importlib.util
from pathlib import Path

import pytest
import yaml

from agbench.data import catalog
from agbench.data.field import Soil
from agbench.data.reading import read_data
from agbench.data.retention import contradiction
from agbench.data.soil_report import overview
from agbench.errors import ConfigError

SCRIPT = Path(__file__).parents[2] / "sites/soils/make_pcse_soils.py"


def changed(name, **values):
    content = yaml.safe_load(catalog.find("soil", name).read_text())
    content["parameters"] |= values
    return content


@pytest.mark.parametrize("name", catalog.names("soil"))
def test_the_soils_that_ship_hold_water(name):
    assert contradiction(catalog.soil(name).values) is None


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("ec3", {"SMW": "0.31 cm3 cm-3"}, "moisture must rise from SMW to SMFCF.*0.31 and 0.3"),
        ("ec3", {"SM0": "0.3 cm3 cm-3"}, "must rise from SMFCF to SM0"),
        ("ec3", {"SM0": "1.2 cm3 cm-3"}, "between 0 and 1"),
        ("ec6", {"SMW": "0.04 cm3 cm-3"}, "the water that plants can have, is 0.482"),
        ("ec1", {"SMW": "0.1 cm3 cm-3"}, "is 0.01"),
        ("ec3", {"SOPE": "0.0 cm d-1"}, "SOPE, a percolation rate"),
        ("ec3", {"KSUB": "-1.0 cm d-1"}, "KSUB, a percolation rate"),
        ("ec3", {"RDMSOL": "1200 cm"}, "RDMSOL, the rootable depth, must be 10 to 500 cm; it is 1200"),
        ("ec3", {"CRAIRC": "6.0 cm3 cm-3"}, "CRAIRC is a share"),
        ("ec3", {"WAV": "-1.0 cm"}, "WAV is an amount of water"),
        ("ec3", {"SSI": "1.0 cm"}, "SSI, the water on the surface, exceeds SSMAX: 1 > 0 cm"),
        ("cropgym-nl", {"WCWP": "0.41 m3 m-3"}, "must rise from WCWP to WCFC"),
    ],
)
def test_a_soil_that_cannot_be_is_refused_on_loading(name, values, message):
    with pytest.raises(ConfigError, match=message):
        read_data(Soil, changed(name, **values), f"{name}.yaml")


def test_the_original_s_wet_soils_are_remarked_on():
    assert "even at wilting point" in overview("china-2").remark
    assert "below field capacity (0.53)" in overview("oregon-2").remark
    assert overview("ec3").remark is None
    assert (overview("ec3").wilting, overview("ec3").capacity, overview("ec3").saturation) == (
        0.104,
        0.3,
        0.41,
    )
    assert overview("ec3").available == pytest.approx((0.300 - 0.104) * 120.0)


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("make_pcse_soils", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_standard_soils_are_those_of_the_script(script, tmp_path):
    script.main(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_text() == catalog.find("soil", path.stem).read_text()
    assert len(list(tmp_path.iterdir())) == 7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"SMW": 0.12}, "not the moisture at pF 4.204"),
        ({"SMFCF": 0.38}, "not the moisture between pF"),
        ({"SM0": 0.42}, "not the moisture of the saturated soil"),
        ({"SOPE": 30.0}, "exceeds K0"),
    ],
)
def test_the_script_holds_limits_against_the_retention_curve(script, change, message):
    with pytest.raises(SystemExit, match=message):
        script.check("ec3", script.SOILS["ec3"]._replace(**change))
