"""Parameters of crops and soils: files and mappings are refused alike, by `check` and by `simulate`."""

import re

import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.data.reading import load_file
from agbench.errors import ConfigError
from agbench.simulators import models
from agbench.testing.data_files import check_file

SEASON = {"site": "wageningen", "start": "1984-04-01"}
MODEL = {"crop": "wofost-npk", "soil": "wofost-npk", "lintul": "lintul3"}
FILES = {"crop": "wheat-1", "soil": "oregon-1", "lintul": "winter-wheat-nl"}


def changed(kind, change):
    """Return the content of a file with parameters or tables changed; None takes one out."""
    content = yaml.safe_load(catalog.find("soil" if kind == "soil" else "crop", FILES[kind]).read_text())
    for name, value in change.items():
        part = content["tables"] if name in content.get("tables", {}) else content["parameters"]
        if value is None:
            del part[name]
        else:
            part[name] = value
    return content


def refused(kind, change, tmp_path, monkeypatch):
    """Return what `check` says of a changed file, which `simulate` refuses with the same text."""
    entry = "soil" if kind == "soil" else "crop"
    content = changed(kind, change) | {entry: "changed"}
    path = (
        tmp_path / f"{entry}s" / "changed.yaml" if entry == "crop" else tmp_path / "sites/soils/changed.yaml"
    )
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump(content))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    values = {"crop": FILES["lintul" if kind == "lintul" else "crop"], "soil": "oregon-1"}
    values |= {"soil": "cropgym-nl"} if kind == "lintul" else {}
    with pytest.raises(ConfigError) as error:
        agbench.simulate(MODEL[kind], **SEASON, **(values | {entry: "changed"}))
    assert check_file(path) == str(error.value)
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value).removeprefix(f"{path}: ")


RISING = {"unit": "ha kg-1", "of": "DVS", "points": [[1.0, 0.0], [0.5, 0.0]]}
NEGATIVE = {"unit": "ha kg-1", "of": "DVS", "points": [[0.0, 0.0], [2.0, -0.1]]}
WRONG = [
    ("crop", {"TSUM1": None}, "TSUM1 [degC d] (temperature sum from emergence to anthesis) is missing"),
    ("crop", {"TSUM1": "-5.0 degC d"}, "is -5 degC d; it must be above 0, at most 20000."),
    ("crop", {"CVL": None, "CVLL": "0.7 kg kg-1"}, "CVLL: no model reads it. Did you mean 'CVL'"),
    ("crop", {"CVL": "1.7 kg kg-1"}, "CVL (leaves made of assimilates (CH2O)) is 1.7 kg kg-1; it must be"),
    ("crop", {"CVL": "0.7 kg"}, "CVL is in 'kg'; it must be in 'kg kg-1'."),
    (
        "crop",
        {"RML": None, "RMO": None},
        "wofost-npk also needs 2 parameters:\n"
        "    RML [kg kg-1 d-1] (maintenance respiration of leaves (CH2O) at 25 degC)\n"
        "    RMO [kg kg-1 d-1] (maintenance respiration of storage organs (CH2O) at 25 degC)",
    ),
    ("crop", {"SSATB": None}, "SSATB [ha kg-1] (specific stem area) is missing"),
    ("crop", {"SSATB": RISING}, "SSATB: the abscissae must ascend strictly"),
    ("crop", {"SSATB": NEGATIVE}, "SSATB (specific stem area) is -0.1 ha kg-1; it must be 0 to 1."),
    ("crop", {"SSATB": RISING | {"unit": "m2 kg-1"}}, "SSATB is in 'm2 kg-1'; it must be in 'ha kg-1'."),
    ("crop", {"SSATB": NEGATIVE | {"of": "age"}}, "SSATB is a function of 'age'; it must be one of 'DVS'."),
    ("crop", {"DVSEND": 1.5}, "DVSEND must not lie below DVSM."),
    ("lintul", {"TSUM1": None}, "TSUM1 [degC d] (temperature sum from emergence to anthesis) is missing"),
    ("lintul", {"LUE": "-2.7 g MJ-1"}, "LUE (light use efficiency, per MJ of PAR) is -2.7 g MJ-1"),
    ("lintul", {"WLVGI": "0.0 g m-2"}, "a crop needs leaves or stems"),
    ("soil", {"SOPE": None}, "SOPE [cm d-1] (maximum percolation out of the root zone) is missing"),
    ("soil", {"NAVAILI": "-1.0 kg ha-1"}, "NAVAILI (available nitrogen at the start) is -1 kg ha-1"),
    ("soil", {"SMLIM": "0.3 m"}, "SMLIM is in 'm'; it must be in 'cm3 cm-3'."),
    ("soil", {"KSUBB": "1.0 cm d-1"}, "KSUBB: no model reads it. Did you mean 'KSUB'"),
]


@pytest.mark.parametrize(
    ("kind", "change", "message"), WRONG, ids=[f"{k}-{'-'.join(c)}" for k, c, _ in WRONG]
)
def test_check_and_simulate_refuse_a_file_with_one_sentence(kind, change, message, tmp_path, monkeypatch):
    assert message in refused(kind, change, tmp_path, monkeypatch)


MAPPINGS = [
    ({"TSUM1": None}, r"crop: TSUM1 \[degC d\] .*is missing; wofost-npk needs it"),
    ({"TSUM1": -5.0}, "crop: TSUM1 .*is -5 degC d; it must be above 0"),
    ({"TSUM1": "900 degC"}, "crop: TSUM1 is in 'degC'; it must be in 'degC d'"),
    ({"TSUM1": "much"}, "crop: TSUM1 is 'much', not a finite number in degC d"),
    ({"TSUM1": float("nan")}, "crop: TSUM1 is nan, not a finite number"),
    ({"TSUM1": True}, "crop: TSUM1 is True, not a finite number"),
    ({"CVL": None, "CVLL": 0.7}, "crop: CVLL: no model reads it. Did you mean 'CVL'"),
    ({"SLATB": [0.0, 0.002, 0.0, 0.002]}, "crop: SLATB: the abscissae must ascend"),
    ({"SLATB": [0.0, 0.002, 1.0, float("nan")]}, "crop: SLATB holds nan, not a finite number"),
    ({"SLATB": [0.0, 0.002, 1.0, True]}, "crop: SLATB holds True, not a finite number"),
    ({"SLATB": [0.0, 0.002, 1.0, -0.1]}, "crop: SLATB .*is -0.1 ha kg-1; it must be 0 to 1"),
]


@pytest.mark.parametrize(("change", "message"), MAPPINGS, ids=[str(c) for c, _ in MAPPINGS])
def test_a_mapping_passes_the_checks_of_a_file(change, message):
    values = catalog.crop("wheat-1").values | change
    crop = {name: value for name, value in values.items() if value is not None}
    with pytest.raises(ConfigError, match=message):
        agbench.simulate("wofost-npk", crop=crop, soil="oregon-1", **SEASON)


def test_a_mapping_of_a_soil_must_hold_water_as_a_soil_can():
    soil = catalog.soil("oregon-1").values
    for change, message in (({"SMLIM": 1.2}, "soil: SMLIM .*0 to 1"), ({"RDMSOL": 5.0}, "soil: RDMSOL, the")):
        with pytest.raises(ConfigError, match=message):
            agbench.simulate("wofost-npk", crop="wheat-1", soil=soil | change, **SEASON)


def test_a_number_of_a_mapping_may_have_its_unit():
    plain = catalog.crop("wheat-1").values
    changed = plain | {"TSUM1": f"{plain['TSUM1']!r} degC d"}
    crops = (agbench.simulate("wofost-npk", crop=c, soil="oregon-1", **SEASON) for c in (plain, changed))
    first, second = (season["TWSO"].iloc[-1] for season in crops)
    assert first == second


SAME = [
    ("crop", "TSUM1", "much"),
    ("crop", "TSUM1", "900degC d"),
    ("crop", "TSUM1", True),
    ("crop", "TSUM1", None),
    ("crop", "TSUM1", [900.0]),
    ("crop", "TSUM1", {"value": 900.0}),
    ("crop", "TSUM1", "-5.0 degC d"),
    ("crop", "TSUM1", "900 degC"),
    ("crop", "TSUM1", float("nan")),
    ("crop", "TSUM1", 10**400),
    ("crop", "SLATB", [[0.0, "0.002"], [1.0, 0.002]]),
    ("crop", "SLATB", [[0.0, 0.002], [True, 0.002]]),
    ("crop", "SLATB", [[0.0, 0.002], [1.0, float("inf")]]),
    ("crop", "SLATB", [[0.0, 0.002], [1.0, 10**400]]),
    ("crop", "SLATB", [[0.0, None], [1.0, 0.002]]),
    ("crop", "SLATB", [[1.0, 0.002], [0.0, 0.002]]),
    ("soil", "SMLIM", "wet"),
    ("soil", "SMLIM", True),
    ("soil", "SMLIM", "0.3 m"),
    ("soil", "SMLIM", float("nan")),
]


@pytest.mark.parametrize(("kind", "name", "value"), SAME, ids=[f"{n}-{v!s:.20}" for _, n, v in SAME])
def test_a_file_and_a_mapping_are_refused_with_one_sentence(kind, name, value, tmp_path, monkeypatch):
    table = name.endswith("TB")
    content = changed(kind, {})
    if table:
        content["tables"][name]["points"] = value
    else:
        content["parameters"][name] = value
    path = tmp_path / ("crops" if kind == "crop" else "sites/soils") / "changed.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump(content | {kind: "changed"}))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    given = getattr(catalog, kind)(FILES[kind]).values
    given = given | {name: [number for point in value for number in point] if table else value}
    others = SEASON | {"crop": "wheat-1", "soil": "oregon-1"}
    messages = []
    for entry in ("changed", given):
        with pytest.raises(ConfigError) as error:
            agbench.simulate("wofost-npk", **(others | {kind: entry}))
        messages.append(str(error.value))
    assert messages[0].removeprefix(f"{path}: ") == messages[1].removeprefix(f"{kind}: ")
    assert messages[0] == check_file(path)
    assert name in messages[0]


@pytest.mark.parametrize("points", [[[0.0, 1.0]], [[0.0], [1.0]], [0.0, 1.0], "x", {"a": 1}, []])
def test_a_table_of_a_file_is_a_list_of_pairs(points, tmp_path):
    content = changed("crop", {})
    content["tables"]["SLATB"]["points"] = points
    path = tmp_path / "wheat-1.yaml"
    path.write_text(yaml.safe_dump(content))
    assert re.search(r"tables\.SLATB\.points: must be .*pairs \[x, y\]\.$", check_file(path))


@pytest.mark.parametrize("model", models.names())
def test_every_parameter_is_declared_with_unit_meaning_and_source(model):
    for p in models.find(model).parameters:
        assert all((p.unit, p.meaning, p.source, p.bounds)), p.name
        assert p.part in ("crop", "soil"), p.name


@pytest.mark.parametrize("value", ["-1.0 g m-2 d-1", "0.07 kg"])
def test_what_only_one_model_reads_of_a_soil_is_checked_too(value, tmp_path):
    content = yaml.safe_load(catalog.find("soil", "cropgym-nl").read_text("utf-8"))
    content["parameters"]["RNMIN"] = value
    path = tmp_path / "cropgym-nl.yaml"
    path.write_text(yaml.safe_dump(content), "utf-8")
    assert "RNMIN" in check_file(path)


@pytest.mark.parametrize("points", [None, 3, "0"])
def test_a_table_without_points_is_refused(points, tmp_path):
    content = yaml.safe_load(catalog.find("crop", "wheat-1").read_text("utf-8"))
    next(iter(content["tables"].values()))["points"] = points
    path = tmp_path / "wheat-1.yaml"
    path.write_text(yaml.safe_dump(content), "utf-8")
    assert "points" in check_file(path)


SEASONS_OF_FILES = [
    ("lintul3", "winter-wheat-nl", "cropgym-nl", {"site": "wageningen", "start": "1984-01-01"}),
    ("wofost-npk", "wheat-1", "moregon-1", SEASON | {"soil_water": "layered"}),
    ("wofost-npk", "pear-1", "oregon-1", SEASON | {"end": "1985-01-20"}),
]


@pytest.mark.parametrize(("model", "crop", "soil", "season"), SEASONS_OF_FILES, ids=lambda v: str(v)[:15])
def test_the_content_of_a_file_counts_as_the_file(model, crop, soil, season):
    by_id = agbench.simulate(model, crop=crop, soil=soil, **season)
    contents = {kind: load_file(catalog.find(kind, name)) for kind, name in (("crop", crop), ("soil", soil))}
    assert agbench.simulate(model, **season, **contents).equals(by_id)
    by_name = contents["crop"]["parameters"] | contents["crop"]["tables"]
    type_of = {"crop_type": contents["crop"].get("crop_type", "annual")} if model == "wofost-npk" else {}
    assert agbench.simulate(model, crop=by_name, soil=soil, **season, **type_of).equals(by_id)


def test_the_content_of_a_file_passes_the_checks_of_a_file():
    crop = load_file(catalog.find("crop", "wheat-1"))
    wrong = [
        (
            crop | {"models": ["lintul3"]},
            "crop: crop 'wheat-1' has parameters for lintul3, not for wofost-npk",
        ),
        (crop | {"sumary": "Wheat"}, "crop: unknown key 'sumary'. Did you mean 'summary'"),
        (
            crop["parameters"] | {"SLATB": RISING | {"unit": "m2 kg-1"}},
            "SLATB is in 'm2 kg-1'; it must be in",
        ),
        (crop["parameters"] | {"SLATB": {"unit": "ha kg-1"}}, "crop: SLATB: the key 'of' is missing"),
        (
            crop["parameters"] | {"TSUM1": {"unit": "degC d"}},
            "crop: TSUM1 is {'unit': 'degC d'}, not a finite",
        ),
    ]
    for content, message in wrong:
        with pytest.raises(ConfigError, match=re.escape(message)):
            agbench.simulate("wofost-npk", crop=content, soil="oregon-1", **SEASON)
    pear = load_file(catalog.find("crop", "pear-1"))
    with pytest.raises(ConfigError, match="crop_type 'annual': the crop 'pear-1' is perennial"):
        agbench.simulate("wofost-npk", crop=pear, crop_type="annual", soil="oregon-1", **SEASON)
