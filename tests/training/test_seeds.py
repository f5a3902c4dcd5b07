"""Several seeds of a training: each as it is alone, finished ones left, in any number of processes."""

import filecmp

import pytest

from agbench.errors import ConfigError
from agbench.training.run import run
from agbench.training.seeds import _SeedTraining, read_seeds, train_seeds

TASK = "wheat-nitrogen-v1"
SETTINGS = {"envs": 4, "validation": {"every": 256, "episodes": 2, "patience": 100}}


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-4", [0, 1, 2, 3, 4]), ("3", [3]), ("0,3,7-9", [0, 3, 7, 8, 9]), ("2-2", [2])]
)
def test_a_text_names_seeds(text, seeds):
    assert read_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "4-0", "0-", "-3", "1,1", "0-3,2", "0-100000", "1.5"])
def test_what_names_no_seeds_is_refused(text):
    with pytest.raises(ConfigError, match="--seeds"):
        read_seeds(text)


def test_seeds_are_trained_as_alone_and_finished_ones_are_left(tmp_path):
    options = {"steps": 512, "settings": SETTINGS}
    alone = run(TASK, "ppo", 512, 1, tmp_path / "alone", SETTINGS, progress=False)
    runs = {one.seed: one for one in train_seeds(TASK, "ppo", [0, 1], tmp_path / "own", workers=2, **options)}
    assert sorted(runs) == [0, 1]
    assert runs[1].folder == tmp_path / "own-1"
    assert runs[1].validation == alone.best.objective
    assert runs[1].score == alone.score
    assert filecmp.cmp(alone.folder / "policy.npz", runs[1].folder / "policy.npz", shallow=False)
    before = (tmp_path / "own-0/policy.npz").stat().st_mtime_ns
    again = list(train_seeds(TASK, "ppo", [0, 1], tmp_path / "own", **options))
    assert sorted(again) == [runs[0], runs[1]]
    assert (tmp_path / "own-0/policy.npz").stat().st_mtime_ns == before


def test_another_machine_sends_the_files_of_a_training(tmp_path):
    work = _SeedTraining(TASK, "ppo", {"steps": 512, "settings": SETTINGS}).prepare({})
    files = work((0, None))
    assert {"policy.npz", "training.yaml", "test/actions.npz"} <= files.keys()
