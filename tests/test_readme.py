"""The README: its code runs, and what it says the demo prints is what the demo prints."""

import re
import shutil
from pathlib import Path

import blocks
import pytest
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_the_blocks_without_a_marker_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    marked = [block for block in blocks.blocks(README) if block.runs and block.reason]
    assert [block.code.splitlines()[0] for block in marked] == [
        "$ make demo",
        "$ make test",
        "import agbench",
    ]
    assert blocks.run(README, "README.md") == 1


def test_the_example_that_trains_runs_with_few_steps(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agbench.training.export.OBSERVATIONS", 400)
    (block,) = [block for block in blocks.blocks(README) if "agbench.train(" in block.code]
    assert len(block.code.splitlines()) == 8
    exec(block.code.replace("seed=0", "seed=0, steps=256"), {})
    assert re.search(r"^agent  -?\d+\.\d g m-2\nexpert 95\.8 g m-2$", capsys.readouterr().out, re.M)


def test_the_table_of_expressions_runs():
    expressions = re.findall(r"`(agbench\.(?:make|make_vec|load_policy|simulate)\(.*\))`", README)
    assert len(expressions) >= 4
    for expression in expressions:
        assert eval(expression, {"agbench": agbench}) is not None


@pytest.mark.parametrize("oracle", ["stored", pytest.param("searched", marks=pytest.mark.slow)])
def test_the_demo_prints_what_the_readme_shows(tmp_path, oracle):
    """The oracle's seasons are those of its row; `make test-slow` searches them."""
    task = re.search(r"^TASK := (\S+)", MAKEFILE, re.M)[1]
    policies = re.search(r"^POLICIES := (.+)$", MAKEFILE, re.M)[1].split()
    if oracle == "stored":
        policies.remove("ceres")
        row = ROOT / "leaderboard/submissions" / task / "oracle/1/test/seed-0"
        shutil.copytree(row, tmp_path / "ceres")
    for policy in policies:
        agbench.evaluate(task, policy, out=tmp_path / policy)
    printed = CliRunner().invoke(app, ["compare", str(tmp_path)]).stdout
    shown = re.search(r"```\n(wheat-nitrogen-v1  test: .*?)```", README, re.S)[1]
    for line in printed.splitlines():
        assert line.rstrip() in [row.rstrip() for row in shown.splitlines()]


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_two_commands_are_on_the_first_screen(command):
    assert f"$ {command}" in "\n".join(README.splitlines()[:45])


def test_continuous_integration_calls_the_test_command():
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8")
