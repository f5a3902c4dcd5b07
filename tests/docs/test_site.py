"""The documentation's pages: each is in the navigation once, and what they link to is there."""

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

import agbench

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
PAGES = sorted(path for path in DOCS.rglob("*.md") if DOCS / "studies" not in path.parents)
LINKED = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "leaderboard/README.md"]


@pytest.fixture(scope="module")
def site():
    """Return the module of the site's hooks."""
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def anchors(path):
    """Return the anchors of a page's headings, as MkDocs and GitHub make them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.M | re.S)
    headings = [re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", h) for h in re.findall(r"^#+ (.+)$", text, re.M)]
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}


def test_every_page_is_in_the_navigation_once(site):
    named = list(site.pages_of(site.expanded(CONFIG["nav"], DOCS)))
    assert sorted(named) == [path.relative_to(DOCS).as_posix() for path in PAGES]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(site, page):
    source = page.relative_to(ROOT).as_posix()
    lost = [
        link
        for link in site.links(page.read_text("utf-8"))
        if not (ROOT / site.target(link, source)).exists()
    ]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_anchor_is_a_heading(site, page):
    source = page.relative_to(ROOT).as_posix()
    lost = []
    for link in site.LINK.finditer(site.FENCE.sub("", page.read_text("utf-8"))):
        path = ROOT / site.target(link[1], source)
        if link[2] and path.suffix == ".md" and not re.match("[a-z]+:", link[1]):
            lost += [link[0]] if link[2][1:] not in anchors(path) else []
    assert lost == []


def test_the_site_loads_nothing_from_elsewhere():
    assert CONFIG["theme"]["font"] is False
    assert CONFIG["extra"]["polyfills"] == ["assets/iframe-worker.js"]
    assert (DOCS / "assets/iframe-worker.js").is_file()
    assert not [name for name in (*CONFIG["extra_css"], *CONFIG.get("extra_javascript", [])) if "//" in name]


def test_files_that_pages_link_to_are_shown(site):
    assert "wheat-nitrogen-v1" in site.shown("tasks/wheat-nitrogen-v1.yaml")
    assert site.source_of(site.page_of("tasks/wheat-nitrogen-v1.yaml")) == "tasks/wheat-nitrogen-v1.yaml"
    assert site.source_of(site.page_of("CONTRIBUTING.md")) == "CONTRIBUTING.md"
    assert site.source_of(site.page_of("docs/studies/cropgym")) == "docs/studies/cropgym"
    assert "`study.py`" in site.shown("docs/studies/cropgym")


def test_continuous_integration_builds_the_site():
    assert "make docs" in (ROOT / ".ci/run").read_text("utf-8")


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert str(citation["version"]) == agbench.__version__
    assert f"version = {{{agbench.__version__}}}" in (DOCS / "about/cite.md").read_text("utf-8")
