"""The notebooks run from top to bottom, are kept without outputs, and show what their text says."""

import json
import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def cells(path, kind):
    """Return the cells of a kind."""
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == kind]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a notebook in an empty folder and returns what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)

    def ran(name, **smaller):
        (path,) = [path for path in NOTEBOOKS if path.stem == name]
        space = {}
        for number, cell in enumerate(cells(path, "code")):
            code = "".join(cell["source"])
            for key, value in smaller.items():
                code = re.sub(rf"^{key} = .*$", f"{key} = {value}", code, flags=re.M)
            exec(compile(code, f"{path.name}, cell {number}", "exec"), space)
        plt.close("all")
        return capsys.readouterr().out

    return ran


def test_a_season_of_wheat(run):
    printed = run("season_of_wheat")
    grain = dict(re.findall(r"(1990-\d\d-\d\d) (\d+) g m-2", printed))
    assert len(grain) == 7
    assert int(grain["1990-03-01"]) > 100


def test_a_greenhouse_day(run):
    printed = run("greenhouse_day")
    rules, unlit = re.findall(
        r"(-?\d+\.\d+) g m-2 of carbohydrates in fruit, air at least (\d+\.\d)", printed
    )
    assert float(rules[0]) > float(unlit[0])
    assert float(rules[1]) > float(unlit[1])


def test_a_dataset_and_its_clone(run):
    printed = run("dataset_and_clone", EPISODES=20)
    recorded, clone, expert = map(
        float, re.search(r"recorded (\S+), clone (\S+), expert (\S+) g m-2", printed).groups()
    )
    assert expert == 95.8
    assert recorded < expert
    assert clone > recorded - 30


def test_every_notebook_is_run_here():
    assert [path.stem for path in NOTEBOOKS] == ["dataset_and_clone", "greenhouse_day", "season_of_wheat"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path, "code"))
    assert cells(path, "markdown")
