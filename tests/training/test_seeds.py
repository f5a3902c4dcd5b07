"""Several seeds of a training: each as it is alone, finished ones left, in any number of processes."""

import filecmp
import sys

import pytest
import yaml

from agbench.cli import main
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.policies.registry import load_policy
from agbench.simulators import threads
from agbench.training import demonstrations
from agbench.training.run import run
from agbench.training.seeds import _SeedTraining, read_seeds, train_seeds

TASK = "wheat-nitrogen-v1"
SQIL = {
    "envs": 4,
    "demo_episodes": 2,
    "validation": {"every": 64, "episodes": 2},
    "network": {"layers": [8]},
    "learning_starts": 16,
    "buffer_size": 200,
    "batch_size": 16,
}
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


@pytest.mark.slow
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


def test_environments_in_threads_make_the_same_agent(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "_LEAST_FIELDS", 1)
    alone = run(TASK, "ppo", 512, 1, tmp_path / "alone", SETTINGS, progress=False)
    calls = []
    inner = threads.run_all
    monkeypatch.setattr(threads, "run_all", lambda given: calls.append(len(given)) or inner(given))
    options = {"steps": 512, "settings": SETTINGS, "threads": 2}
    (one,) = train_seeds(TASK, "ppo", [1], tmp_path / "own", **options)
    assert 2 in calls
    assert filecmp.cmp(alone.folder / "policy.npz", one.folder / "policy.npz", shallow=False)
    assert list(train_seeds(TASK, "ppo", [1], tmp_path / "own", **options | {"threads": 1})) == [one]
    with pytest.raises(ConfigError, match="threads must be a whole number, at least 1; got 0"):
        run(TASK, "ppo", 512, 1, tmp_path / "none", SETTINGS, threads=0)


def test_another_machine_sends_the_files_of_a_training(tmp_path):
    work = _SeedTraining(TASK, "ppo", {"steps": 512, "settings": SETTINGS}).prepare({})
    files = work((0, None))
    assert {"policy.npz", "training.yaml", "test/actions.npz"} <= files.keys()


def test_what_another_command_has_trained_is_not_taken_for_this_one(tmp_path):
    options = {"steps": 64, "settings": SQIL, "demos": "advisor"}
    made = list(train_seeds(TASK, "sqil", [0], tmp_path / "own", **options))
    assert list(train_seeds(TASK, "sqil", [0], tmp_path / "own", **options)) == made
    other = {
        "teacher.policy": options | {"demos": "standard-practice"},
        "steps": options | {"steps": 128},
        "settings.gamma": options | {"settings": SQIL | {"gamma": 0.5}},
        "demo_episodes": options | {"demo_episodes": 3},
    }
    for key, changed in other.items():
        with pytest.raises(ConfigError, match=f"another kind: its {key} is .* Give another --out"):
            list(train_seeds(TASK, "sqil", [0], tmp_path / "own", **changed))
    with pytest.raises(ConfigError, match="its algorithm is 'sqil', not 'dqn'"):
        list(train_seeds(TASK, "dqn", [0], tmp_path / "own"))
    (tmp_path / "own-0").rename(tmp_path / "own-1")
    with pytest.raises(ConfigError, match="its seed is 0, not 1"):
        list(train_seeds(TASK, "sqil", [1], tmp_path / "own", **options))


def test_a_dataset_is_known_again_where_it_lies_elsewhere(tmp_path):
    shown = demonstrations.collect(catalog.task(TASK), load_policy("advisor", TASK), 2, 0)
    shown.save(tmp_path / "one")
    shown.save(tmp_path / "two")
    options = {"steps": 64, "settings": {key: value for key, value in SQIL.items() if key != "demo_episodes"}}
    out = tmp_path / "own"
    made = list(train_seeds(TASK, "sqil", [0], out, dataset=tmp_path / "one", **options))
    assert list(train_seeds(TASK, "sqil", [0], out, dataset=tmp_path / "two", **options)) == made
    demonstrations.collect(catalog.task(TASK), load_policy("advisor", TASK), 2, 1).save(tmp_path / "two")
    with pytest.raises(ConfigError, match=r"its teacher\.dataset is"):
        list(train_seeds(TASK, "sqil", [0], out, dataset=tmp_path / "two", **options))


def test_the_printed_command_submits_all_seeds(tmp_path, monkeypatch, capsys):
    def printed(*words):
        monkeypatch.setattr(sys, "argv", ["agbench", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return capsys.readouterr().out

    changes = ["-sbatch_size=16", "-slearning_starts=16", "-snetwork.layers=[8]", "-svalidation.episodes=2"]
    words = ["train", TASK, "--algo", "sqil", "--demos", "advisor", "--demo-episodes", "2", "--steps", "64"]
    told = printed(*words, "--seeds", "3,1", "-o", str(tmp_path / "own"), *changes)
    command = told.partition("submit them: agbench ")[2].split()
    printed(*command, "--board", str(tmp_path / "board"), "--new-board")
    submitted = tmp_path / "board/submissions" / TASK / "sqil/1.0"
    content = yaml.safe_load((submitted / "submission.yaml").read_text())
    assert content["training"]["seeds"] == [1, 3]
    assert content["method"] == "il"
    shown = [yaml.safe_load((tmp_path / f"own-{seed}/training.yaml").read_text()) for seed in (1, 3)]
    assert content["training"]["steps"] == max(one["environment_steps"] for one in shown)
    for seed in (1, 3):
        own = tmp_path / f"own-{seed}"
        assert filecmp.cmp(own / "policy.npz", submitted / f"policy/seed-{seed}.npz", shallow=False)
        for split in ("test", "shift"):
            kept = submitted / split / f"seed-{seed}/episodes.parquet"
            assert filecmp.cmp(own / split / "episodes.parquet", kept, shallow=False)
