"""Specifications and observations that are wrong: each message says what, where, and what would be right."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from agbench.calibration import calibrate
from agbench.calibration import result as results
from agbench.errors import AgBenchError, ConfigError
from agbench.testing.data_files import check_file, note_on

ROOT = Path(__file__).parents[2]
DOCUMENTED = ROOT / "docs" / "studies" / "calibration"

SPEC = {
    "calibration": "test",
    "source": "Synthetic.",
    "model": "lintul3",
    "crop": "winter-wheat-nl",
    "soil": "cropgym-nl",
    "site": "wageningen",
    "variety": "fitted",
    "season": {"start": "01-01", "end": "10-31"},
    "parameters": {"TSUM1": {"bounds": [800, 1400]}},
    "stages": [{"name": "all", "parameters": ["TSUM1"], "observations": ["DOA"]}],
}
ROWS = [{"variable": "DOA", "date": "1977-06-10"}]


def one(name, bounds=None):
    """Return a specification with one parameter."""
    stage = {"name": "all", "parameters": [name], "observations": ["DOA"]}
    return {"parameters": {name: {} if bounds is None else {"bounds": bounds}}, "stages": [stage]}


SPECIFICATIONS = {
    "unknown parameter": (one("TSUM7"), "unknown parameter 'TSUM7'. Did you mean 'TSUM"),
    "of the soil": (one("WCFC"), "WCFC: describes the soil; a calibration fits a crop"),
    "inverted bounds": (one("TSUM1", [1400, 800]), "bounds [1400, 800] must ascend"),
    "a prior without spread": (
        {"parameters": {"TSUM1": {"prior": [1000, 0]}}},
        "a mean and a standard deviation, which must be above 0",
    ),
    "a prior outside the bounds": (
        {"parameters": {"TSUM1": {"bounds": [800, 1400], "prior": [1500, 50]}}},
        "TSUM1: the mean of its prior, 1500, lies outside its bounds, 800 to 1400",
    ),
    "twice in a stage": (
        {"stages": [SPEC["stages"][0] | {"parameters": ["TSUM1", "TSUM1"]}]},
        "stages: all: TSUM1 stands there twice",
    ),
    "bounds beyond the table's": (
        one("TSUM1", [-5, 800]),
        "TSUM1 (temperature sum from emergence to anthesis) is -5",
    ),
    "a share": (one("FLVTB"), "a share of growth that adds up to 1"),
    "a switch": (one("IDSL"), "is a switch"),
    "a factor on a number": (one("TSUM1@0.5"), "is a number; only tables have points"),
    "no such point": (
        one("RDRT@12.5", [0.5, 1.5]),
        "no point of the table stands at 12.5; it has [-10.0, 10.0",
    ),
    "no abscissae": (one("RDRT@early", [0.5, 1.5]), "write abscissae as in RDRT@0.0,0.5"),
    "a negative factor": (one("RDRT", [-1.0, 1.5]), "must be 0 or more; got -1"),
    "a factor beyond the table's bounds": (one("RDRT", [0.5, 100.0]), "at the factor 100: RDRT"),
    "unknown variable": (
        {"stages": [SPEC["stages"][0] | {"observations": ["LAY"]}]},
        "unknown variable 'LAY'",
    ),
    "not observed": (
        {"stages": [SPEC["stages"][0] | {"observations": ["DOM"]}]},
        "has no observation of DOM",
    ),
    "in no stage": (
        {"parameters": {"TSUM1": {}, "TSUM2": {}}},
        "TSUM2 must stand in a stage; it stands in none",
    ),
    "unknown in a stage": ({"parameters": {"TSUM2": {}}}, "'TSUM1' stands not under parameters"),
    "held out unseen": ({"hold_out": [1990]}, "no observation is of the season 1990; there are 1977"),
    "all held out": ({"hold_out": [1977]}, "all observations of DOA are held out"),
    "small budget": ({"budget": 100}, "not one generation of 256"),
    "its base crop's name": ({"variety": "winter-wheat-nl"}, "is the crop that is fitted; give the result"),
    "file name": ({"variety": "My Wheat"}, "'My Wheat' names a file"),
    "unknown key": ({"bugdet": 100}, "Did you mean 'budget'?"),
}


@pytest.mark.parametrize("case", SPECIFICATIONS)
def test_a_wrong_specification_is_refused(case):
    change, message = SPECIFICATIONS[case]
    with pytest.raises(AgBenchError) as error:
        calibrate(SPEC | change, pd.DataFrame(ROWS))
    assert message in str(error.value)


TABLES = {
    "no date": ([{"variable": "DOA"}], "row 1: DOA is the date of a stage: give its date"),
    "no value": ([{"variable": "LAI", "date": "1977-06-10"}, *ROWS], "row 1: LAI needs a value in m2 m-2"),
    "not a date": ([{"variable": "DOA", "date": "June"}], "row 1: date: 'June' is not a date"),
    "not a number": (
        [{"variable": "LAI", "date": "1977-06-10", "value": "high"}],
        "value 'high' is not a number",
    ),
    "no deviation": ([ROWS[0] | {"sd": 0.0}], "sd must be a finite number above 0"),
    "not finite": (
        [{"variable": "LAI", "date": "1977-06-10", "value": float("inf")}],
        "row 1: value must be a finite number; got inf",
    ),
    "a negative weight": ([ROWS[0] | {"weight": -1.0}], "weight must be a finite number above 0; got -1.0"),
    "another unit": (
        [{"variable": "TAGBM", "date": "1977-06-10", "value": 9e3, "unit": "kg ha-1"}],
        "row 1: TAGBM is in g m-2; got the unit 'kg ha-1'",
    ),
    "beyond physical bounds": (
        [{"variable": "LAI", "date": "1977-06-10", "value": -2.0}],
        "row 1: LAI is in m2 m-2, from 0 to 30; got -2",
    ),
    "a value for a date": ([ROWS[0] | {"value": 161}], "1977-06-10: leave its value empty; got 161"),
    "no year": ([ROWS[0] | {"season": 1976.5}], "season must be a year such as 1984; got 1976.5"),
    "the year 0": ([ROWS[0] | {"season": 0}], "season must be a year such as 1984; got 0"),
    "repeated": ([*ROWS, *ROWS], "row 2 repeats row 1: DOA of wageningen/1977. Leave one out"),
    "before its crop starts": (
        [ROWS[0] | {"start": "1977-06-20", "season": 1977}],
        "DOA on 1977-06-10 lies before its crop starts, on 1977-06-20",
    ),
    "no season": ([{"variable": "WSO", "value": 3.0}], "row 1: a row without a date needs its season"),
    "after the season": ([{"variable": "DOA", "date": "1977-12-10"}], "1977-12-10 lies outside its season"),
    "before the weather": ([{"variable": "DOA", "date": "1950-06-10"}], "the season wageningen/1950"),
    "unknown column": ([ROWS[0] | {"standard deviation": 1.0}], "unknown column 'standard deviation'"),
    "empty": ([], "observations need rows"),
    "unknown site": ([ROWS[0] | {"site": "wagenigen"}], "Did you mean 'wageningen'?"),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_wrong_table_is_refused(case):
    rows, message = TABLES[case]
    with pytest.raises(AgBenchError) as error:
        calibrate(SPEC, pd.DataFrame(rows))
    assert message in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AgBenchError, match=r"missing\.csv"):
        calibrate(SPEC, tmp_path / "missing.csv")
    with pytest.raises(AgBenchError, match="name a CSV file in the specification"):
        calibrate(SPEC)


CHECKED = {
    "unknown model": ({"model": "lintul4"}, "", "unknown model 'lintul4'"),
    "bounds": (
        {"parameters": {"TSUM1": {"bounds": [1400, 800]}}},
        "",
        "parameters.TSUM1: bounds [1400, 800]",
    ),
    "unknown parameter": (one("TSUM7"), "", "parameters: TSUM7: unknown parameter"),
    "unknown variable": (
        {"stages": [SPEC["stages"][0] | {"observations": ["DAO"]}]},
        "",
        "stages: all: unknown variable 'DAO'",
    ),
    "its table": ({"observations": "dates.csv"}, "DOA,1977-13-10\n", "dates.csv: row 1: date: '1977-13-10'"),
    "no weather": ({"observations": "dates.csv"}, "DOA,1950-06-10\n", "the season wageningen/1950"),
    "no table": ({"observations": "absent.csv"}, "", "absent.csv: No such file"),
}


@pytest.mark.parametrize("case", CHECKED)
def test_a_wrong_specification_fails_its_check(case, tmp_path):
    change, rows, message = CHECKED[case]
    path = tmp_path / "wheat.yaml"
    path.write_text(yaml.safe_dump(SPEC | change), "utf-8")
    (tmp_path / "dates.csv").write_text(f"variable,date\n{rows}", "utf-8")
    problem = check_file(path)
    assert problem is not None
    assert str(path) in problem
    assert message in problem


def test_specifications_of_the_docs_pass_their_check():
    assert check_file(DOCUMENTED / "wheat.yaml") is None
    assert note_on(DOCUMENTED / "wheat.yaml") is None
    assert check_file(DOCUMENTED / "grape.yaml") is None
    assert "given from Python" in note_on(DOCUMENTED / "grape.yaml")


def test_a_folder_that_cannot_be_written_is_refused_before_the_fit(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file", "utf-8")
    with pytest.raises(AgBenchError, match=r"taken is a file, not a folder"):
        calibrate(SPEC, pd.DataFrame(ROWS), out=taken)
    assert taken.read_text("utf-8") == "a file"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("crops/fitted.yaml", "a calibrated crop"),
        ("report.md", "a report of a calibration"),
        ("pairs.csv", "a table of a calibration"),
        ("trials.csv", "a table of a calibration"),
        ("fit.png", "a .png picture"),
    ],
)
def test_what_no_calibration_wrote_is_not_replaced(tmp_path, name, what):
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    text = (ROOT / "crops/winter-wheat-nl.yaml").read_text() if name.startswith("crops") else "# Mine\n"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"{path.name} is there already and is not {what} of AgBench's"):
        calibrate(SPEC, pd.DataFrame(ROWS), out=tmp_path / "out")
    assert path.read_text() == text


def test_a_stage_that_is_cut_short_on_disk_is_fitted_again(tmp_path, monkeypatch):
    plan = SPEC | {"budget": 16, "population": 8}

    def killed(path, text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(results, "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            calibrate(plan, pd.DataFrame(ROWS), out=tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"stages"}
    (kept,) = (tmp_path / "stages").iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    again = calibrate(plan, pd.DataFrame(ROWS), out=tmp_path)
    assert again.values == calibrate(plan, pd.DataFrame(ROWS)).values


def test_a_stage_that_no_candidate_reaches_is_reported(tmp_path):
    late = {"season": {"start": "01-01", "end": "05-31"}, "budget": 16, "population": 8}
    table = pd.DataFrame([{"variable": "DOA", "date": "1977-05-10"}])
    calibrate(SPEC | late | {"parameters": {"TSUM1": {"bounds": [1300, 1400]}}}, table, out=tmp_path)
    assert (
        "Not reached by the fitted crop: 1 of 1 observations, of DOA." in (tmp_path / "report.md").read_text()
    )


GIVEN = {
    "no specification": ({"spec": None}, "spec: give the specification's file, a mapping"),
    "a number": ({"spec": 5}, "got a value of type 'int'"),
    "a list": ({"spec": [SPEC]}, "got a value of type 'list'"),
    "observations as a mapping": ({"observations": {"variable": ["DOA"]}}, "observations: give a DataFrame"),
    "two columns of a name": (
        {"observations": pd.concat([pd.DataFrame(ROWS)] * 2, axis=1)},
        "two columns have the name date, variable",
    ),
    "the year 9999": (
        {"observations": pd.DataFrame([ROWS[0] | {"date": "9999-05-25"}])},
        "row 1: date 9999-05-25 lies beyond any weather",
    ),
    "weather as a number": ({"weather": 5}, "weather: give a DataFrame, or a mapping"),
    "weather of another site": ({"weather": {"wagenigen": None}}, "Did you mean 'wageningen'?"),
    "a site without weather": ({"weather": {"wageningen": None}}, "weather: wageningen: give a DataFrame"),
    "a number for a folder": ({"out": 5}, "out: give the path of a folder, or None"),
    "a report that is none": ({"report": None}, "report: give a function of one line of text"),
    "an endless season": (
        {"spec": SPEC | {"season": {"start": "01-01", "max_duration": 10**9}}},
        "max_duration",
    ),
    "no points behind the @": ({"spec": SPEC | one("RDRT@", [0.5, 1.5])}, "write abscissae as in RDRT@"),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_is_of_another_kind_is_refused(case):
    changed, message = GIVEN[case]
    arguments = {"spec": SPEC, "observations": pd.DataFrame(ROWS)} | changed
    with pytest.raises(ConfigError) as error:
        calibrate(**arguments)
    assert message in str(error.value)
