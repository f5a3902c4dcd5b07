"""What the pages tell a reader to type runs as it stands, and prints what they show."""

import os
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import blocks
import pytest
import typer

import agbench
from agbench.cli.app import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RUN = {
    "about/trust.md": 0,
    "hardening.md": 2,
    "index.md": 1,
    "reports.md": 1,
    "responses.md": 1,
    "scoring.md": 2,
    "start/install.md": 1,
    "start/run.md": 3,
    "start/train.md": 2,
    "start/submit.md": 3,
    "tutorials/agents.md": 6,
    "tutorials/board.md": 3,
    "tutorials/data.md": 5,
    "tutorials/environments.md": 10,
    "tutorials/models.md": 9,
}
"""How many blocks of a page run."""

PIECES = {"calibration.md": 1, "combinations.md": 1, "farms.md": 1, "field-tasks.md": 2}
"""How many blocks of Python of a reference page run, with `agbench` imported; its commands do not."""

ELSEWHERE = {
    "cluster.md": "tests/running; its commands need a cluster",
    "learned-agents.md": "trains whole agents",
    "datasets.md": "tests/datasets and tutorials/data.md; its commands make whole datasets",
    "frameworks.md": "tests/examples/test_examples.py runs every block",
    "grapes.md": "docs/studies; its studies take minutes",
    "greenhouse.md": "needs weather files of the reader's own",
    "imitation.md": "tests/training; its commands train whole agents",
    "leaderboard.md": "tests/leaderboard plays its example; tutorials/board.md",
    "leaderboard-policies.md": "tests/leaderboard",
    "replications.md": "trains whole agents",
    "reproducibility.md": "agbench doctor: tests/testing",
    "simulate-many.md": "tests/simulation",
    "training.md": "tests/training; its commands train whole agents",
    "weather.md": "tests/weather; downloads",
    "wheat-nitrogen.md": "tests/evaluation/test_published.py",
}
"""Reference pages, whose blocks are pieces and nothing to type from top to bottom, and what tests them."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder, and leave nothing of the page behind."""
    if find_spec("stable_baselines3") is not None:  # a network is compared with its model in few observations
        monkeypatch.setattr("agbench.training.export.OBSERVATIONS", 400)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as the command does with the folder it runs in
    before = dict(os.environ)
    yield tmp_path
    for name, module in list(sys.modules.items()):  # other tests have modules of the same name
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


@pytest.mark.parametrize("page", RUN)
def test_what_a_page_says_runs(page, folder):
    assert blocks.run((DOCS / page).read_text("utf-8"), page) == RUN[page]


@pytest.mark.parametrize("page", PIECES)
def test_the_pieces_of_a_reference_page_run(page, folder):
    assert blocks.run((DOCS / page).read_text("utf-8"), page, agbench=agbench) == PIECES[page]


def test_every_page_with_code_is_run_or_tested_elsewhere():
    with_code = {
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*.md")
        if any(block.runs for block in blocks.blocks(path.read_text("utf-8")))
    }
    assert sorted(with_code - set(RUN) - set(PIECES) - set(ELSEWHERE)) == []
    assert sorted(set(RUN) - with_code) == []


@pytest.mark.parametrize("page", sorted(RUN))
def test_a_reader_needs_nothing_that_only_tests_need(page):
    typed = "\n".join(block.code for block in blocks.blocks((DOCS / page).read_text("utf-8")) if block.runs)
    assert not re.search(r"^\s*(import|from) (pytest|hypothesis|mpmath)\b", typed, re.M)


def test_a_page_that_shows_what_is_not_printed_fails(folder):
    with pytest.raises(AssertionError, match=r"page, line 1: '3' was not printed"):
        blocks.run("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "page")


def test_a_command_that_cannot_run_here_must_say_why(folder):
    page = "```console\n$ pip install agbench\n```\n"
    with pytest.raises(AssertionError, match=r"no command that runs here"):
        blocks.run(page, "page")
    assert blocks.run(f"<!-- not run: it installs -->\n{page}", "page") == 0


def test_a_block_with_a_title_is_a_file(folder):
    blocks.run('```yaml title="tasks/mine.yaml"\nkey: 1\n```\n', "page")
    assert (folder / "tasks/mine.yaml").read_text("utf-8") == "key: 1\n"


def shown_commands():
    """Yield page and words of each command of ours in a block of any page, README included."""
    for page in sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]):
        for block in blocks.blocks(page.read_text("utf-8")):
            if block.language in ("", "console", "sh", "bash"):
                for line in block.code.replace("\\\n", " ").splitlines():
                    text = re.sub(r"\s#.*", "", line).removeprefix("$ ")
                    if text.startswith("agbench ") and "..." not in text:
                        yield page.relative_to(ROOT).as_posix(), shlex.split(text)[1:]


NAMELESS = {"fuzz": "tasks", "dataset": "make"}
"""The commands of a group that need no name."""


def unknown_of(words, command):
    """Return the first word that is no command, or no option of its command; None where all are known."""
    words = list(words)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        known = command.commands.get(words[0])
        if known is None and command.name not in NAMELESS:
            return words[0]
        command = known or command.commands[NAMELESS[command.name]]
        words = words[known is not None :]
    options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"-h", "--help"}
    options |= {"--version"} if command.name == "agbench" else set()
    given = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return next((word for word in given if word not in options), None)


def test_every_command_on_any_page_has_the_options_that_are_shown():
    shown, ours = list(shown_commands()), typer.main.get_command(app)
    assert len(shown) > 150
    assert [(page, words) for page, words in shown if unknown_of(words, ours)] == []
    assert unknown_of(["evaluate", "wheat-nitrogen-v1", "--polici", "zero"], ours) == "--polici"
    assert unknown_of(["leaderboard", "round", "opens", "x"], ours) == "opens"
