"""Suites: what the file may say, whose suites are read, and what a list of a suite's tasks holds."""

from pathlib import Path

import pytest

import agbench
from agbench.data import catalog, suites
from agbench.errors import AgBenchWarning, UnknownNameError
from agbench.testing.data_files import check_file, note_on

ROOT = Path(__file__).parents[2]
OURS = ROOT / "tasks/suites.yaml"
GOOD = """
suites:
    mine:
        title: Mine
        summary: Two kinds.
        tasks: [rice-inputs-v1, {task: potato-runoff-v1, views: [potato-runoff-no-rain-v1]}]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return the function that writes a file of suites to a folder on `AGBENCH_PATH`."""
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path))
    path = tmp_path / "tasks" / "suites.yaml"
    path.parent.mkdir()

    def write(text):
        path.write_text(text)
        return path

    return write


def test_every_suite_of_ours_is_good_and_every_task_is_in_one():
    assert check_file(OURS) is None
    ours = suites.suites()
    assert list(ours) == ["core", "field", "greenhouse", "crops", "replication"]
    assert {name for one in ours.values() for name in one.ids} == set(catalog.names("task"))


def test_core_has_tasks_of_both_families_of_fields_and_of_greenhouses():
    core = agbench.tasks(suite="core")
    tags = {tag for task in core for tag in task.tags}
    assert {"nitrogen", "water", "layers", "sowing", "rotation", "perennial", "farm", "greenhouse"} <= tags
    assert {"uncertainty", "setpoints"} <= tags
    potatoes = [group for group in suites.suite("core").groups if "potato-runoff-v1" in group]
    assert [len(group) for group in potatoes] == [4]


def test_the_file_of_suites_is_no_task():
    assert "suites" not in catalog.names("task")


def test_a_suite_on_the_users_path_is_read(own):
    own(GOOD)
    assert suites.suite("mine").groups == [
        ["rice-inputs-v1"],
        ["potato-runoff-v1", "potato-runoff-no-rain-v1"],
    ]
    assert [task.id for task in agbench.tasks(suite="mine")] == suites.suite("mine").ids
    assert "core" in suites.suites()


def test_a_suite_that_there_is_not_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown suite 'crop'. Did you mean 'crops'"):
        agbench.tasks(suite="crop")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("rice-inputs-v1", "rise-inputs-v1", "suites.mine.tasks: unknown task 'rise-inputs-v1'. Did"),
        ("rice-inputs-v1", "potato-runoff-no-rain-v1", "'potato-runoff-no-rain-v1' is in it twice"),
        ("views", "viws", "unknown key 'viws'"),
        ("summary: Two kinds.", "", "summary"),
        ("[potato-runoff-no-rain-v1]", "[]", "views"),
        ("mine:", "Mine Own:", "suites"),
    ],
)
def test_a_wrong_file_is_answered_with_what_is_wrong(own, old, new, expected):
    problem = check_file(own(GOOD.replace(old, new)))
    assert problem is not None
    assert expected in problem


def test_a_broken_file_of_a_user_costs_no_other_suite(own):
    own("suites: 3")
    with pytest.warns(AgBenchWarning, match="Its suites are left out"):
        assert "core" in suites.suites()


def test_a_name_of_ours_is_not_replaced(own):
    own(GOOD.replace("mine:", "core:"))
    with pytest.warns(AgBenchWarning, match="the suite 'core' is defined already"):
        assert suites.suite("core").title == "Core"


def test_a_task_of_a_suite_that_is_missing_is_named(own):
    own(GOOD.replace("rice-inputs-v1", "rise-inputs-v1"))
    with pytest.warns(AgBenchWarning, match="unknown task 'rise-inputs-v1'. Did you mean"):
        assert [task.id for task in agbench.tasks(suite="mine")] == suites.suite("mine").ids[1:]


def test_the_check_of_a_task_says_that_it_is_in_no_suite(own):
    folder = own(GOOD).parent
    text = (ROOT / "tasks/rice-inputs-v1.yaml").read_text("utf-8")
    path = folder / "my-rice-v1.yaml"
    path.write_text(text.replace("task: rice-inputs-v1", "task: my-rice-v1"), "utf-8")
    assert "in no suite" in note_on(path)
    assert note_on(ROOT / "tasks/rice-inputs-v1.yaml") is None
