"""Trainings as submissions: seeds of one agent, each finished and named once."""

import pytest
import yaml
from typer.testing import CliRunner

from agbench.cli.app import app
from agbench.errors import ResultError
from agbench.leaderboard import submit
from agbench.leaderboard.trainings import of_trainings

RECORD = {"task": "wheat-nitrogen-v1", "algorithm": "ppo", "method": "rl", "environment_steps": 100}


def training(folder, seed=0, lacking=(), **changed):
    """Make what a training leaves, without actions."""
    (folder / "test").mkdir(parents=True)
    (folder / "policy.npz").write_bytes(b"")
    record = {key: value for key, value in (RECORD | {"seed": seed} | changed).items() if key not in lacking}
    (folder / "training.yaml").write_text(yaml.safe_dump(record))
    return folder


def test_seeds_bring_results_policies_and_the_most_steps(tmp_path):
    folders = [training(tmp_path / "a", 4, environment_steps=70), training(tmp_path / "b", 1)]
    found = of_trainings(folders)
    assert found.results == [tmp_path / "a/test", tmp_path / "b/test"]
    assert found.policies == [tmp_path / "a/policy.npz", tmp_path / "b/policy.npz"]
    assert (found.seeds, found.steps, found.method) == ([4, 1], 100, "rl")
    card = found.stated({"agent": "mine", "method": "il", "training": {"algorithm": "own"}})
    assert card["method"] == "il"
    assert card["training"] == {"steps": 100, "algorithm": "own"}


MEDIUM = {"recipe": "wheat-nitrogen/medium-v1", "content": "a" * 64, "sha256": "b" * 64}


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (MEDIUM, {"name": "wheat-nitrogen/medium-v1", "sha256": "a" * 64}),
        (MEDIUM | {"content": "c" * 64}, None),
        ({"policy": "advisor", "sha256": "b" * 64}, None),
    ],
)
def test_seeds_bring_the_named_dataset_that_all_of_them_learned_from(tmp_path, other, named):
    shown = {"a": MEDIUM, "b": other}
    folders = [
        training(tmp_path / name, seed, demonstrations=one, method="offline-rl")
        for seed, (name, one) in enumerate(shown.items())
    ]
    assert of_trainings(folders).stated({})["training"].get("dataset") == named
    own = {"name": "mine", "sha256": "d" * 64}
    assert of_trainings(folders).stated({"training": {"dataset": own}})["training"]["dataset"] == own


def test_results_alone_are_no_trainings(tmp_path):
    assert of_trainings([tmp_path]) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"task": "maize-inputs-v1"}, "has task maize-inputs-v1, .* has wheat-nitrogen-v1"),
        ({"algorithm": "a2c"}, "seeds of one agent"),
        ({"method": "il"}, "has method il"),
        ({"seed": 0}, "are both of seed 0"),
        ({"lacking": ["method"]}, "lacks method: agbench train writes it"),
    ],
)
def test_what_are_not_seeds_of_one_agent_is_refused(change, told, tmp_path):
    folders = [training(tmp_path / "a"), training(tmp_path / "b", **({"seed": 1} | change))]
    with pytest.raises(ResultError, match=told):
        of_trainings(folders)


def test_a_training_without_its_policy_or_beside_another_folder_is_refused(tmp_path):
    folder = training(tmp_path / "a")
    (tmp_path / "b").mkdir()
    with pytest.raises(ResultError, match="b holds no finished training"):
        of_trainings([folder, tmp_path / "b"])
    (folder / "policy.npz").unlink()
    with pytest.raises(ResultError, match=r"lacks policy\.npz"):
        of_trainings([folder])


def test_a_training_brings_its_own_policy_and_seed(tmp_path):
    folder = training(tmp_path / "a")
    for given in ({"policies": ["other.npz"]}, {"seeds": [3]}):
        with pytest.raises(ResultError, match="brings its policy and its seed"):
            submit([folder], {}, tmp_path / "board", **given)
    command = [
        "submit",
        str(folder),
        "--agent",
        "a",
        "--version",
        "1",
        "--board",
        str(tmp_path),
        "--seed",
        "1",
    ]
    told = CliRunner().invoke(app, [*command, "--author", "A. Grower", "--contact", "a@example.org"])
    assert "brings its policy and its seed" in str(told.exception)
