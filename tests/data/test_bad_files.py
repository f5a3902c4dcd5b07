"""A wrong data file on `AGBENCH_PATH` costs only those who use it."""

import pytest

import agbench
from agbench.data import catalog
from agbench.errors import AgBenchWarning, ConfigError
from agbench.testing.data_files import check_file


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "sites" / "soils").mkdir(parents=True)
    (tmp_path / "sites" / "soils" / "mire.yaml").write_text("soil: mire\nparameters: {SMW: 0.1\n")
    (tmp_path / "sites" / "bog.yaml").write_text("site: bog\nplace: nowhere\n")
    (tmp_path / "crops").mkdir()
    (tmp_path / "crops" / "weed.yaml").write_text("crop: weed\n")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("task", ["wheat-nitrogen-v1", "wheat-layered-v1"])
def test_tasks_that_do_not_use_it_are_made(task):
    agbench.make(task).close()


def test_the_task_that_uses_it_names_the_file(folder):
    with pytest.raises(ConfigError, match=r"mire.yaml:3: not valid YAML"):
        agbench.make("wofostgym-wheat-v1", soil="mire")


def test_a_hint_lists_the_soils_that_can_be_read():
    with (
        pytest.warns(AgBenchWarning, match=r"mire.yaml:3: not valid YAML.* It is passed over"),
        pytest.raises(ConfigError, match="Soils that have: layered-sand, moregon-1, moregon-2, moregon-3"),
    ):
        agbench.make("wofostgym-wheat-v1", soil_water="layered")


@pytest.mark.parametrize(("kind", "wrong"), [("soil", "mire"), ("site", "bog"), ("crop", "weed")])
def test_lists_pass_it_over(kind, wrong):
    with pytest.warns(AgBenchWarning, match=f"{wrong}.yaml.* passed over"):
        listed = catalog.readable(kind)
    assert listed == [name for name in catalog.names(kind) if name != wrong]


def test_a_link_to_nothing_costs_those_alone_who_use_it(folder):
    """As editors leave them beside a file that is open."""
    (folder / "tasks").mkdir()
    for link in ("tasks/.#mine-v1.yaml", "tasks/mine-v1.yaml", "sites/soils/gone.yaml", "sites/gone.yaml"):
        (folder / link).symlink_to("me@host.1:2")
    with pytest.warns(AgBenchWarning, match=r"mine-v1.yaml: No such file or directory. It is not listed"):
        assert "wheat-nitrogen-v1" in [task.id for task in agbench.tasks()]
    with pytest.warns(AgBenchWarning, match=r"gone.yaml: No such file or directory. It is passed over"):
        assert "arable-loam" in catalog.readable("soil")
    with pytest.raises(ConfigError, match=r"gone.yaml: No such file"):
        agbench.make("wheat-inputs-v1", soil="gone")


def test_check_reports_it(folder):
    assert "not valid YAML" in check_file(folder / "sites" / "soils" / "mire.yaml")
    assert "missing" in check_file(folder / "crops" / "weed.yaml")
