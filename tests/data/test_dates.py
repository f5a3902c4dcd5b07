"""A date that no calendar has is refused by file and line, whatever kind of YAML file it stands in."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from agbench.cli.app import app
from agbench.data import task_list
from agbench.data.reading import load_lenient, load_yaml
from agbench.errors import AgBenchWarning, ConfigError
from agbench.leaderboard import rounds
from agbench.simulation.pcse_files import read_agromanagement, read_crop
from agbench.testing.data_files import check_file
from agbench.untrusted.refusal import RefusedError
from agbench.untrusted.text import read_yaml

ROOT = Path(__file__).parents[2]
DATED = {
    "tasks/wheat-inputs-v1.yaml": 'start: "10-15"',
    "tasks/sunflower-farm-v1.yaml": 'end: "10-31"',
    "tasks/wheat-planting-v1.yaml": '"09-25"',
    "tasks/wheat-maize-rotation-v1.yaml": '"10-01"',
    "tasks/greenhouse-gym-v1.yaml": '"2010-03-01"',
    "sites/niger.yaml": '"2024-07-14"',
    "baselines/wheat-nitrogen-v1/standard-practice.yaml": "date: 03-12",
    "docs/studies/calibration/wheat.yaml": 'date: "02-20"',
}
"""Files with dates, and one of them."""
OTHERS = [
    "crops/winter-wheat-nl.yaml",
    "sites/soils/arable-sand.yaml",
    "prices/day-ahead-nl.yaml",
    "tasks/suites.yaml",
    "tasks/datasets/maize-inputs.yaml",
    "baselines/algorithms/ppo.yaml",
    "baselines/sweeps/ppo.yaml",
    "baselines/wheat-inputs-v1/advisor.yaml",
    "baselines/wheat-inputs-v1/anchors.yaml",
]
"""Files of kinds that have no dates, where one may be typed all the same."""
NONE = ["2027-13-01", "2027-02-30", "2027-00-10", "2027-03-15 25:61:00", "2027-03-15T12:00:00+31:00"]
MANAGEMENT = """
AgroManagement:
- 1990-03-01:
    CropCalendar: &crop {crop_start_date: 1990-03-01, crop_start_type: sowing, max_duration: 250}
- 1991-03-01:
    CropCalendar: {<<: *crop, crop_start_date: 1991-03-01}
"""


def with_text(text, folder, name):
    """Return a file of a name in a folder of the same name as its own, with some text."""
    path = folder / Path(name).parent.name / Path(name).name
    path.parent.mkdir()
    path.write_text(text)
    return path


@pytest.mark.parametrize("date", NONE)
@pytest.mark.parametrize("name", DATED)
def test_a_date_that_is_none_is_named_with_file_and_line(name, date, tmp_path):
    text, dated = (ROOT / name).read_text(), DATED[name]
    key, sign, _ = dated.rpartition(": ")
    path = with_text(text.replace(dated, f"{key}{sign}{date}", 1), tmp_path, name)
    line = text[: text.index(dated)].count("\n") + 1
    problem = check_file(path)
    assert problem.startswith(f"{path}:{line}: {date} is no date or time that a calendar and a clock have")
    assert problem.endswith("such as 2027-03-15 or 2027-03-15 18:30:00.")


@pytest.mark.parametrize("name", OTHERS)
def test_so_it_is_in_files_without_dates(name, tmp_path):
    text = (ROOT / name).read_text()
    path = with_text(f"{text.rstrip()}\nfirst: 2027-02-30\n", tmp_path, name)
    line = len(text.rstrip().splitlines()) + 1
    assert check_file(path).startswith(f"{path}:{line}: 2027-02-30 is no date or time")


def test_the_command_ends_with_a_sentence(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("task: mine\nstart: 2027-13-01\n")
    result = CliRunner().invoke(app, ["check", str(path)])
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert "mine.yaml:2: 2027-13-01 is no date" in result.stdout.replace("\n", "")


def test_a_key_that_is_no_date_is_named_too():
    with pytest.raises(ConfigError, match=r"a\.yaml:2: 2027-02-30 is no date"):
        load_yaml("days:\n    2027-02-30: 1\n", "a.yaml")


@pytest.mark.parametrize("load", [load_yaml, load_lenient])
def test_dates_and_times_that_are_some_are_read(load):
    content = load("{day: 2028-02-29, time: 2027-03-15 18:30:00}", "a.yaml")
    assert [str(value) for value in content.values()] == ["2028-02-29", "2027-03-15 18:30:00"]


@pytest.mark.parametrize("date", NONE[:3])
@pytest.mark.parametrize(
    "dated", ["- 1991-03-01", "crop_start_date: 1990-03-01", "crop_start_date: 1991-03-01"]
)
def test_management_of_pcse(dated, date, tmp_path):
    path = tmp_path / "agro.yaml"
    path.write_text(MANAGEMENT)
    assert len(read_agromanagement(path)) == 2
    wrong = MANAGEMENT.replace(dated, f"{dated[: -len(date)]}{date}")
    path.write_text(wrong)
    line = MANAGEMENT[: MANAGEMENT.index(dated)].count("\n") + 1
    with pytest.raises(ConfigError, match=rf"agro\.yaml:{line}: {date} is no date or time"):
        read_agromanagement(path)


def test_a_crop_file_of_pcse(tmp_path):
    path = tmp_path / "wheat.yaml"
    path.write_text("CropParameters:\n    Varieties:\n        a: {SOWN: 2027-13-01}\n")
    with pytest.raises(ConfigError, match=r"wheat\.yaml:3: 2027-13-01 is no date"):
        read_crop(path, "a")


def test_files_of_a_board(tmp_path):
    (tmp_path / rounds.FILE).write_text("rounds:\n-   task: wheat-inputs-v1\n    opened: 2027-13-01\n")
    with pytest.raises(ConfigError, match=r"rounds\.yaml:3: 2027-13-01 is no date"):
        rounds.load(tmp_path)
    with pytest.raises(RefusedError, match="2: 2027-13-01 is no date"):
        read_yaml(b"task: x\nsubmitted: 2027-13-01\n", "submission.yaml")


def test_a_task_with_such_a_date_is_named_where_tasks_are_listed(tmp_path, monkeypatch):
    text = (ROOT / "tasks/greenhouse-gym-v1.yaml").read_text()
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/mine-v1.yaml").write_text(text.replace('["2010-03-01"]', "[2010-13-01]"))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    with pytest.warns(AgBenchWarning, match=r"mine-v1\.yaml:\d+: 2010-13-01 is no date.*It is not listed"):
        assert all(task.id != "mine-v1" for task in task_list.tasks())
