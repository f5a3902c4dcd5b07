"""The README: its code runs, and what it says the demo prints is what the demo prints."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_the_python_block_runs():
    (block,) = re.findall(r"```python\n(.*?)```", README, re.S)
    space = {}
    exec(block, space)
    assert space["observation"].shape == (12,)


def test_the_table_of_expressions_runs():
    expressions = re.findall(r"`(agbench\.(?:make|make_vec|load_policy|simulate)\(.*\))`", README)
    assert len(expressions) >= 4
    for expression in expressions:
        assert eval(expression, {"agbench": agbench}) is not None


def test_the_demo_prints_what_the_readme_shows(tmp_path):
    task = re.search(r"^TASK := (\S+)", MAKEFILE, re.M)[1]
    policies = re.search(r"^POLICIES := (.+)$", MAKEFILE, re.M)[1].split()
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
