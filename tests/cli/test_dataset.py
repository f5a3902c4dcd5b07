"""`agbench dataset`: a user's path through it."""

import json

import pytest
from in_process import command as agbench

TASK = "wheat-nitrogen-v1"


def test_a_dataset_is_made_checked_and_damaged(tmp_path):
    arguments = ["dataset", TASK, "-p", "advisor", "-p", "random", "--share", 3, "--share", 1]
    arguments += ["--epsilon", "1..0", "--episodes", 6, "--format", "npz", "-o", "data", "--json"]
    told = json.loads(agbench(*arguments, cwd=tmp_path)[0])
    assert told["episodes"] == 6
    assert told["command"].startswith(
        f"agbench dataset {TASK} --policy advisor --share 3 --epsilon 1..0 --policy random --share 1"
    )
    printed, _ = agbench("dataset", "check", "data", "--all", cwd=tmp_path)
    assert printed.count("equal") == 5
    assert "6 episodes simulated again" in printed
    again = [*told["command"].split()[1:], "-o", "again", "--json"]
    assert json.loads(agbench(*again, cwd=tmp_path)[0])["content"] == told["content"]
    (tmp_path / "data" / "transitions.npz").write_bytes(b"")
    printed, _ = agbench("dataset", "check", "data", cwd=tmp_path, code=1)
    assert "transitions.npz has the SHA-256" in printed


def test_a_folder_of_a_dataset_is_named_by_default(tmp_path):
    agbench("dataset", TASK, "-p", "zero", "--episodes", 2, "--format", "parquet", cwd=tmp_path)
    assert (tmp_path / "runs/datasets/wheat-nitrogen/zero-v0/transitions.parquet").is_file()


def test_recipes_are_listed(tmp_path):
    listed = json.loads(agbench("dataset", "list", "--json", cwd=tmp_path)[0])
    assert listed["wheat-nitrogen/medium-v1"]["task"] == TASK


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["wheat-nitrogen/medum-v1"], "Did you mean 'wheat-nitrogen/medium-v1'"),
        (["wheat-nitrogen/medium-v1", "--epsilon", "0.5"], "is a recipe"),
        (
            ["wheat-nitrogen/medium-v1", "-p", "zero"],
            "which has its own policy (advisor) and says all but --episodes, --out, --format, --workers and "
            f"--on. Leave out --policy, or make a dataset of your own: agbench dataset {TASK} --policy zero",
        ),
        (["wheat-nitrogen/medum-v1", "-p", "zero"], "Did you mean 'wheat-nitrogen/medium-v1'"),
        ([TASK, "--episodes", 2], "name a policy"),
        ([TASK, "-p", "zero"], "say how many episodes"),
        ([TASK, "-p", "zero", "--episodes", 2, "--epsilon", "much"], "neither a number nor a line"),
        ([TASK, "-p", "zero", "--episodes", 2, "--share", 1, "--share", 2], "--share: 2 values for 1 policy"),
        ([TASK, "-p", "zero", "-p", "random", "--episodes", 2, "--share", 1], "1 value for 2 policies"),
        (["wheat-nitrogen/medium-v1", "--other-task"], "Leave out --other-task"),
        ([TASK, "-p", "zero", "--episodes", 2, "--years", "MCM"], "is no year"),
        ([TASK, "-p", "zero", "--episodes", 2, "--format", "csv"], "unknown format 'csv'"),
        (["check", "nowhere"], "is not a folder"),
    ],
)
def test_mistakes_end_with_a_sentence(tmp_path, arguments, words):
    _, complained = agbench("dataset", *arguments, cwd=tmp_path, code=2)
    assert words in " ".join(complained.split())
    assert list(tmp_path.iterdir()) == []
