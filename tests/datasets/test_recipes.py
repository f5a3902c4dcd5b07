"""Recipes: those of the suite core are there, followed to the letter, and mistakes in them are named."""

import re
import shutil
from pathlib import Path

import made_datasets
import pytest
import yaml

from agbench.data import catalog, dataset
from agbench.data.suites import suite
from agbench.datasets import load, make_recipe
from agbench.datasets.collecting import plan_of_recipe
from agbench.errors import ConfigError, UnknownNameError
from agbench.testing.data_files import check_file, note_on

ROOT = Path(__file__).parents[2]
KINDS = {"random", "medium", "expert", "medium-replay", "medium-expert", "conservative", "mixed"}
FILES = sorted((ROOT / "tasks" / "datasets").glob("*.yaml"))


@pytest.mark.parametrize("task", suite("core").ids)
def test_every_task_of_the_suite_core_has_all_kinds_of_datasets(task):
    stem = task.rpartition("-v")[0]
    named = [name for name in dataset.names() if name.startswith(f"{stem}/")]
    assert {name.partition("/")[2].rpartition("-v")[0] for name in named} == KINDS
    assert {dataset.recipe(name)[0] for name in named} == {task}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_of_recipes_is_right(path):
    assert check_file(path) is None
    assert note_on(path) is None
    assert catalog.task(yaml.safe_load(path.read_text())["task"]).task.startswith(path.stem)


def test_recipes_of_a_task_have_seeds_of_their_own():
    for path in FILES:
        seeds = [one["seed"] for one in yaml.safe_load(path.read_text())["datasets"].values()]
        assert len(set(seeds)) == len(seeds)


def test_medium_says_what_it_stands_for():
    for name in dataset.names():
        if "/medium-v" in name:
            assert "in place of a half-trained agent" in dataset.recipe(name)[1].summary


def test_a_recipe_is_made_by_its_name_and_says_so(tmp_path, monkeypatch):
    folder = own_recipes(tmp_path)
    monkeypatch.setenv("AGBENCH_PATH", str(folder))
    out = make_recipe("own/small-v1", tmp_path / "data", "npz")
    data = load(out)
    assert data.metadata["id"] == data.metadata["recipe"] == "own/small-v1"
    assert data.metadata["command"] == "agbench dataset own/small-v1 --format npz"
    assert data.metadata["episodes"] == 4
    assert data.metadata["split"] == "validation"


def test_fewer_episodes_begin_like_the_recipe_but_are_not_it(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_PATH", str(own_recipes(tmp_path)))
    plan = plan_of_recipe("own/small-v1", 2)
    assert plan.name is None
    assert plan.seed_of(1) == plan_of_recipe("own/small-v1").seed_of(1)


def own_recipes(root, text=None):
    """Return a folder of data with a file of recipes."""
    folder = root / "own"
    (folder / "tasks" / "datasets").mkdir(parents=True)
    (folder / "tasks" / "datasets" / "own.yaml").write_text(text or SMALL)
    return folder


SMALL = """
task: wheat-nitrogen-v1
datasets:
    small-v1:
        summary: A few episodes.
        behaviour: [{policy: advisor, epsilon: {start: 1.0, end: 0.0}}]
        episodes: 4
        split: validation
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("policy: advisor", "policy: advisr", "Did you mean 'advisor'"),
        ("split: validation", "split: validatio", "Did you mean 'validation'"),
        ("episodes: 4", "episodes: 0", "episodes"),
        ("episodes: 4", "episode: 4", "Did you mean 'episodes'"),
        ("end: 0.0", "end: 1.5", "1.5 is no number from 0 to 1"),
        ("small-v1", "small", "small"),
        ("split: validation", "split: validation\nmade: {big-v1: []}", "'big-v1' is none of the recipes"),
        ("split: validation", "split: validation\nmade: {small-v1: [abc]}", "made.small-v1"),
        ("wheat-nitrogen-v1", "wheat-nitrogn-v1", "Did you mean 'wheat-nitrogen-v1'"),
        ("episodes: 4", "episodes: 4\n        overrides: {bta: 1.0}", "bta"),
    ],
)
def test_mistakes_in_a_file_of_recipes_are_named(tmp_path, old, new, words):
    folder = own_recipes(tmp_path, SMALL.replace(old, new))
    assert words in check_file(folder / "tasks" / "datasets" / "own.yaml")


def test_a_file_of_recipes_where_nothing_reads_it_is_refused(tmp_path):
    folder = own_recipes(tmp_path)
    shutil.move(folder / "tasks" / "datasets" / "own.yaml", folder / "tasks" / "own.yaml")
    assert "tasks/datasets/" in check_file(folder / "tasks" / "own.yaml")


def test_what_a_recipe_gave_is_known_once_it_was_made(tmp_path, monkeypatch):
    """What the study writes is read again, the newest first and the rest of the file as it was."""
    folder = own_recipes(tmp_path)
    monkeypatch.setenv("AGBENCH_PATH", str(folder))
    before = yaml.safe_load(SMALL)["datasets"]
    assert dataset.made("own/small-v1") == []
    made = made_datasets.content_of("own/small-v1", tmp_path)
    for content in ("a" * 64, made):
        made_datasets.write("own/small-v1", content, folder / "tasks" / "datasets")
    assert dataset.made("own/small-v1") == [made, "a" * 64]
    assert yaml.safe_load((folder / "tasks" / "datasets" / "own.yaml").read_text())["datasets"] == before


def test_every_named_dataset_was_made_and_the_page_begins_its_hash():
    page = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `(\S+/\S+)` \|.*`([0-9a-f]{16})` \|$", page, re.MULTILINE))
    assert {name: [one[:16] for one in dataset.made(name)[:1]] for name in dataset.names()} == {
        name: [begins] for name, begins in told.items()
    }


def test_unknown_and_doubled_recipes_are_named(tmp_path, monkeypatch):
    with pytest.raises(UnknownNameError, match="Did you mean 'wheat-nitrogen/medium-v1'"):
        dataset.recipe("wheat-nitrogen/medum-v1")
    with pytest.raises(UnknownNameError, match="unknown dataset 'medium'"):
        dataset.recipe("medium")
    folder = own_recipes(tmp_path)
    shutil.copy(ROOT / "tasks" / "datasets" / "wheat-nitrogen.yaml", folder / "tasks" / "datasets")
    monkeypatch.setenv("AGBENCH_PATH", str(folder))
    with pytest.raises(ConfigError, match="defined twice"):
        dataset.recipe("wheat-nitrogen/medium-v1")
