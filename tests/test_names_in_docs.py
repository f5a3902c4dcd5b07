"""README, CONTRIBUTING and docs: what they name exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from agbench.data import catalog
from agbench.policies import base
from agbench.policies.registry import interface_of

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = "agbench|examples|tasks|crops|sites|baselines|leaderboard|docs|tests"
EXAMPLE = re.compile(r"[A-Z]{3}|\.\.\.|[$*<{]|-v\d$|fortnight|^leaderboard/(site|rounds|submissions)")
"""Paths with a part to fill in, ids of tasks, and what commands write."""


def exists(dotted):
    """Return whether a dotted name is a module, or something in one."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            result = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            if not hasattr(result, name):
                return False
            result = getattr(result, name)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page):
    text = re.sub(r"entry point group `[^`]*`", "", page.read_text("utf-8"))
    names = set(re.findall(r"\bagbench(?:\.[A-Za-z_]\w*)+", text))
    assert sorted(name for name in names if not exists(name)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_exists(page):
    text = re.sub(r"\]\([^)]*\)", "]", page.read_text("utf-8"))  # links: tests/docs/test_site.py
    paths = set(re.findall(rf"(?<![\w/.:-])(?:{FOLDERS})/[^\s`)\]|,;:\"']*", text))
    named = {path.rstrip(".") for path in paths if not EXAMPLE.search(path)}
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_the_policy_of_contributing_gives_its_dose(monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.setattr(base, "KINDS", dict(base.KINDS))
    exec(block, {"__name__": "weekly"})
    kind = base.KINDS["weekly"]
    settings = kind.read({"input": "N", "dose": 20.0}, "weekly.yaml")
    assert kind.make("weekly", settings, interface_of(catalog.task("wheat-nitrogen-v1")))(None) == 1
