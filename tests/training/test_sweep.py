"""Sweeps: what they vary, what they write, and how they go on after a kill."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app
from agbench.data.sweep import Varied, changed, spaces, sweep_space
from agbench.data.training import algorithms, evidence, training_settings
from agbench.errors import AgBenchWarning, ConfigError, TrainingError
from agbench.running.engines import Here
from agbench.testing.data_files import check_file

pytest.importorskip("stable_baselines3")
pytest.importorskip("optuna")
import optuna

from agbench.training import journal
from agbench.training import trial as trials_of
from agbench.training.algorithms import ALGORITHMS
from agbench.training.sweep import sweep
from agbench.training.trial import mean_of, rounded, value_of
from agbench.training.validation import Mark

ROOT = Path(__file__).parents[2]
TASK = "wheat-nitrogen-v1"
TINY = {
    "envs": 4,
    "validation.episodes": 2,
    "validation.every": 64,
    "network.layers": [8],
    "n_steps": 8,
    "batch_size": 16,
    "n_epochs": 2,
    "ent_coef": 0.0,
    "gae_lambda": 0.95,
    "gamma": 0.99,
}
SPACE = """
sweep: ppo
summary: Two rates.
source: "a test"
space:
    learning_rate.start: {low: 1.0e-3, high: 1.0e-1, log: true}
    gamma: {choices: [0.5, 0.9, 1.0]}
    n_epochs: {low: 1, high: 3}
    network.layers: {choices: [[4], [8, 8]]}
"""


@pytest.fixture
def space(tmp_path):
    path = tmp_path / "space.yaml"
    path.write_text(SPACE)
    return path


FROZEN = TINY | {"learning_rate.start": 0.0}
"""What learns nothing: agents that start alike and learn are better."""


def tiny(folder, space, trials=4, **more):
    options = {"steps": 128, "settings": TINY, "space": space, "progress": False} | more
    return sweep(TASK, "ppo", trials, out=folder, **options)


def outcomes(swept):
    return [(one.place, one.state, one.changes, one.mark) for one in swept.trials]


def test_every_algorithm_has_a_space_that_check_finds_good():
    assert spaces() == [name for name in algorithms() if ALGORITHMS[name].learns_from == "rewards"]
    for name in spaces():
        assert check_file(ROOT / f"baselines/sweeps/{name}.yaml") is None


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("gamma:", "gama:", r"space: gama: .* states no such key. Did you mean 'gamma'"),
        ("gamma:", "steps:", "steps: is the same in all trials"),
        ("gamma:", "validation.every:", "is the same in all trials"),
        ("[0.5, 0.9, 1.0]", "[0.5, 0.5]", "names the choice 0.5 twice"),
        ("[0.5, 0.9, 1.0]", "[0.5, 0.9], low: 0.1", "has choices and low"),
        ("low: 1, high: 3", "low: 3, high: 1", "low 3 must be below high 1"),
        ("low: 1, high: 3", "low: 1", "needs low and high, or choices"),
        ("low: 1, high: 3", "low: 0, high: 3, log: true", "only above 0"),
        ("low: 1, high: 3", "low: 1, high: 3, step: 0.5", "so its step must be one"),
        ("[[4], [8, 8]]", "[[4], []]", "list should have at least 1 item"),
        ("sweep: ppo", "sweep: sac", "states no such key"),
        ("sweep: ppo", "sweep: pppo", "Did you mean 'ppo'"),
    ],
)
def test_a_wrong_space_is_refused_with_its_remedy(before, after, message, tmp_path):
    path = tmp_path / "space.yaml"
    path.write_text(SPACE.replace(before, after))
    assert re.search(message, check_file(path))


def test_a_space_must_be_of_the_algorithm_and_named_after_it(tmp_path, space):
    with pytest.raises(ConfigError, match="is of 'ppo', not of 'a2c'"):
        sweep_space("a2c", file=space)
    folder = tmp_path / "baselines/sweeps"
    folder.mkdir(parents=True)
    shutil.copy(space, folder / "a2c.yaml")
    assert "must be the file's own name, 'a2c'" in check_file(folder / "a2c.yaml")


def test_numbers_are_drawn_inside_their_ranges_and_whole_where_the_ends_are(space):
    study = optuna.create_study()
    for _ in range(20):
        values = trials_of.drawn(study.ask(), sweep_space("ppo", file=space))
        assert 1e-3 <= values["learning_rate.start"] <= 1e-1
        assert values["n_epochs"] in (1, 2, 3)
        assert isinstance(values["n_epochs"], int)
        assert values["network.layers"] in ([4], [8, 8])
        assert training_settings("ppo", TASK, values).settings["learning_rate"]["end"] == 0.0
    assert Varied(low=0, high=10).whole
    assert not Varied(low=0.0, high=10).whole
    assert [rounded(value) for value in (0.0, 0.00123456, 987.654)] == [0.0, 0.00123, 988.0]


def test_values_order_agents_as_their_marks_do():
    marks = [
        Mark(0, 9.0, 5.0, False),
        Mark(0, -5e4, 0.0, True),
        Mark(0, 1.0, 6.0, False),
        Mark(0, 2.0, 0, True),
    ]
    assert sorted(marks, key=value_of) == sorted(marks, key=lambda mark: mark.order)
    assert mean_of([Mark(1, 2.0, 1.0, True), Mark(3, 4.0, 3.0, False)]) == Mark(4, 3.0, 2.0, False)


def test_a_sweep_writes_the_best_trial_with_its_evidence(tmp_path, space):
    swept = tiny(tmp_path / "run", flat(space), 3, seeds=2, settings=FROZEN)
    assert [one.place for one in swept.trials] == [0, 1, 2]
    assert swept.seeds == [0, 1]
    done = [one for one in swept.trials if one.state == "done"]
    best = max(one.mark.objective for one in done)
    assert swept.best.mark.objective == best > swept.default.objective
    assert check_file(swept.file) is None
    record = evidence(swept.file)
    assert (record.trials, record.failed, record.steps, record.seeds) == (3, 0, 128, [0, 1])
    assert (record.best, record.default, record.split) == (best, swept.default.objective, "validation")
    chosen = training_settings("ppo", TASK, {"steps": 128}, swept.file)
    assert chosen == training_settings("ppo", TASK, {"steps": 128, **FROZEN, **swept.best.changes})
    agents = [trials_of.played(TASK, chosen, [seed], lambda *_: None) for seed in (0, 1)]
    assert mean_of(agents).objective == best  # the file gives the agents that were judged
    table = yaml.safe_load((tmp_path / "run/sweep.yaml").read_text())
    assert len(table["trials"]) == 3
    row = table["trials"][swept.best.place]
    assert (row["place"], row["state"], row["changes"]) == (swept.best.place, "done", swept.best.changes)
    assert row["mark"] == swept.best.mark._asdict()
    assert table["best"] == swept.best.place


def test_a_finished_sweep_goes_on_with_more_trials_and_does_nothing_twice(tmp_path, space, monkeypatch):
    first = tiny(tmp_path, space, 2)
    more = tiny(tmp_path, space, 4)
    assert outcomes(more)[:2] == outcomes(first)
    assert len(more.trials) == 4
    monkeypatch.setattr(trials_of, "played", None)  # nothing may be trained
    assert outcomes(tiny(tmp_path, space, 4)) == outcomes(more)


def test_a_sweep_without_a_better_trial_writes_no_settings(tmp_path, space):
    flat(space).write_text(
        space.read_text().replace("low: 1.0e-3, high: 1.0e-1", "low: 1.0e-12, high: 1.0e-11")
    )
    swept = tiny(tmp_path, space, 2, settings=FROZEN)
    assert swept.best is None
    assert swept.settings == {}
    assert list(tmp_path.rglob("ppo.yaml")) == []


def flat(space):
    """Take from a space what changes agents before they learn, and return it."""
    lines = [line for line in space.read_text().splitlines() if "layers" not in line]
    space.write_text("\n".join(lines))
    return space


def test_a_sweep_of_other_settings_is_not_gone_on_with(tmp_path, space):
    tiny(tmp_path, space, 1)
    with pytest.raises(ConfigError, match="is of another sweep: its seeds is"):
        tiny(tmp_path, space, 2, seeds=2)
    with pytest.raises(ConfigError, match=r": its settings.steps is 128, this one's 256. Name another"):
        tiny(tmp_path, space, 2, steps=256)
    space.write_text(SPACE.replace("0.9", "0.8"))
    with pytest.raises(ConfigError, match=r"its space.gamma.choices is \[0.5, 0.9, 1.0\], this one's \[0.5"):
        tiny(tmp_path, space, 2)


def test_a_trial_that_raises_is_recorded_and_the_others_go_on(tmp_path, space):
    batches = "batch_size: {choices: [16, 1]}"  # PPO refuses batches of one when it is made
    space.write_text(SPACE.replace("n_epochs: {low: 1, high: 3}", batches))
    with pytest.warns(AgBenchWarning, match=r"of 6 trials failed; the first one: ConfigError"):
        swept = tiny(tmp_path, flat(space), 6, settings=FROZEN, seed=1)
    failed = [one for one in swept.trials if one.state == "failed"]
    assert failed
    assert all("greater than 1" in one.error and one.changes["batch_size"] == 1 for one in failed)
    assert swept.best.changes["batch_size"] == 16
    assert evidence(swept.file).failed == len(failed)


def test_a_sweep_whose_trials_all_fail_says_what_they_raised(tmp_path, space):
    space.write_text(SPACE.replace("{low: 1.0e-3, high: 1.0e-1, log: true}", "{choices: [1.0e+30, 2.0e+30]}"))
    with pytest.raises(TrainingError, match=r"no trial of the sweep reached its end.*(finite|overflow)"):
        tiny(tmp_path, space, 2)


def test_a_space_with_a_value_that_no_training_takes_is_refused(tmp_path, space):
    space.write_text(SPACE.replace("low: 1, high: 3", "choices: [1, 1.5]"))
    with pytest.raises(ConfigError, match=r"n_epochs: 1.5; it is a whole number, at least 1"):
        tiny(tmp_path, space, 2)


def test_poor_trials_are_ended_early(tmp_path, space):
    often = TINY | {"validation.every": 32}
    swept = tiny(tmp_path / "pruned", space, 8, settings=often)
    assert "pruned" in {one.state for one in swept.trials}
    whole = tiny(tmp_path / "whole", space, 7, settings=often, pruner="none")
    assert "pruned" in {one.state for one in swept.trials[:7]}
    assert {one.state for one in whole.trials} == {"done"}
    pruned = next(one for one in swept.trials if one.state == "pruned")
    assert pruned.mark is not None


@pytest.mark.slow
def test_two_workers_run_each_trial_once(tmp_path, space):
    swept = tiny(tmp_path, space, 4, workers=2)
    assert [one.place for one in swept.trials] == [0, 1, 2, 3]
    assert {one.state for one in swept.trials} <= {"done", "pruned"}
    one = next(one for one in swept.trials if one.state == "done")
    settings = training_settings("ppo", TASK, {**TINY, "steps": 128, **one.changes})
    assert trials_of.played(TASK, settings, [0], lambda *_: None) == one.mark


class Elsewhere(Here):
    """Runs items in another folder, as the workers of a cluster do."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, work, items):
        with contextlib.chdir(self.folder):
            results = list(super().run(work, items))
        yield from results


def test_workers_in_another_folder_see_a_sweep_that_is_named_from_here(tmp_path, space, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    assert len(tiny("swept", space, 1, on=Elsewhere(elsewhere)).trials) == 1
    assert not list(elsewhere.iterdir())


SCRIPT = """
import sys
from pathlib import Path
from agbench.training.sweep import sweep
if __name__ == "__main__":
    sweep({task!r}, "ppo", {trials}, steps=128, out={folder!r}, settings={settings!r}, space={space!r},
          workers={workers}, progress=False)
"""


def started(tmp_path, folder, space, trials, workers):
    """Start a sweep in a process of its own."""
    path = tmp_path / "script.py"
    values = {"task": TASK, "trials": trials, "folder": str(folder), "settings": TINY, "space": str(space)}
    path.write_text(SCRIPT.format(workers=workers, **values))
    return subprocess.Popen([sys.executable, str(path)], env=dict(os.environ))


def finished_trials(journal):
    """Return how many trials a journal says have ended; the default's among them."""
    if not journal.is_file():
        return 0
    lines = [line for line in journal.read_text("utf-8").splitlines() if line.endswith("}")]
    return sum(json.loads(line).get("op_code") == 6 and "values" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_sweep_loses_the_running_trials_only(tmp_path, space, workers):
    folder = tmp_path / "cut"
    process = started(tmp_path, folder, space, 200, workers)
    while finished_trials(folder / "journal.log") < 3:
        assert process.poll() is None
        time.sleep(0.01)
    with pytest.raises(ConfigError, match="another sweep is at work there"):
        tiny(folder, space, 4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    size = -1
    while size != (size := (folder / "journal.log").stat().st_size):  # its workers end too
        time.sleep(1.0)
    before = finished_trials(folder / "journal.log")
    with (folder / "journal.log").open("ab") as journal:
        journal.write(b'{"op_code":9,"tri')  # half a line
    (folder / "journal.log.lock").touch()
    resumed = tiny(folder, space, 5)
    places = [one.place for one in resumed.trials]
    assert len(places) == len(set(places))
    assert set(range(5)) <= set(places)
    assert finished_trials(folder / "journal.log") >= before
    if workers == 1:
        unbroken = tiny(tmp_path / "whole", space, 5)
        assert outcomes(resumed)[:5] == outcomes(unbroken)


def test_an_interrupted_sweep_loses_the_running_trial_only(tmp_path, space, monkeypatch):
    """What an interruption leaves of a trial is what a kill leaves; half a line and a lock are added."""
    folder, begun, played = tmp_path / "cut", [], trials_of.played

    def interrupted(*given):
        begun.append(given)
        if len(begun) == 4:  # the default and two trials have ended
            with pytest.raises(ConfigError, match="another sweep is at work there"):
                tiny(folder, space, 6)
            played(*given)
            raise KeyboardInterrupt
        return played(*given)

    monkeypatch.setattr(trials_of, "played", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tiny(folder, space, 5)
    file = folder / "journal.log"
    assert finished_trials(file) == 3
    with file.open("ab") as content:
        content.write(b'{"op_code":9,"tri')  # half a line
    (folder / "journal.log.lock").touch()
    resumed = tiny(folder, space, 5)
    assert len(begun) == 4 + 3
    kept = journal.study(str(file), journal.TRIALS, 0, None).get_trials()
    assert sum(one.state is journal.TrialState.FAIL for one in kept) == 1
    assert sum(one.state.is_finished() for one in kept) == 5 + 1
    unbroken = tiny(tmp_path / "whole", space, 5)
    assert outcomes(resumed) == outcomes(unbroken)


def test_a_journal_that_is_none_is_refused(tmp_path, space):
    (tmp_path / "journal.log").write_text("nothing\n")
    with pytest.raises(ConfigError, match=r"journal.log: cannot be read .* Remove it"):
        tiny(tmp_path, space, 1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"workers": 0}, "workers must be a whole number"),
        ({"seeds": True}, "seeds must be a whole number"),
        ({"pruner": "medan"}, "Did you mean 'median'"),
        ({"settings": {"gama": 1.0}}, "takes no 'gama'"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_trained(more, message, tmp_path, space):
    with pytest.raises(ConfigError, match=message):
        tiny(tmp_path / "run", space, 1, **more)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("held", "what"),
    [
        ("training.yaml", "a training"),
        ("checkpoint.pkl", "a training"),
        ("policy.npz", "a policy"),
        ("result.yaml", "a result of agbench evaluate"),
    ],
)
def test_the_folder_of_something_else_is_refused(held, what, tmp_path, space):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / held).write_text("mine")
    with pytest.raises(ConfigError, match=rf"holds {what} \({held}\); a sweep needs a folder of its own"):
        tiny(folder, space, 1)
    assert [path.name for path in folder.iterdir()] == [held]
    with pytest.raises(ConfigError, match="is a file; a sweep needs a folder"):
        tiny(folder / held, space, 1)


def test_learners_from_demonstrations_are_not_swept(tmp_path, space):
    own = tmp_path / "space.yaml"
    own.write_text(
        SPACE.replace("sweep: ppo", "sweep: bc").split("    learning_rate")[0]
        + "    network.layers: {choices: [[8], [16]]}\n"
    )
    with pytest.raises(ConfigError, match="bc: sweeps train on rewards; bc learns from demonstrations"):
        sweep(TASK, "bc", 1, space=own, out=tmp_path / "run")


def test_the_command_says_what_it_chose(tmp_path, space):
    arguments = [
        "sweep",
        TASK,
        "--trials",
        "3",
        "--steps",
        "128",
        "--space",
        str(space),
        "--out",
        str(tmp_path / "run"),
    ]
    for key, value in TINY.items():
        arguments += ["--set", f"{key}={value}"]
    printed = CliRunner().invoke(app, arguments)
    assert printed.exit_code == 0, printed.output
    assert "3 trials (3 done), 128 steps an agent" in printed.stdout
    assert "settings as they are:" in printed.stdout
    content = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert len(content["trials"]) == 3
    if content["best"] is not None:
        file = Path(content["file"])
        assert f"wrote {file}" in printed.stdout.replace("\n", "")
        assert evidence(file).command.startswith(f"agbench sweep {TASK} --algo ppo --trials 3")


def test_changes_hold_the_keys_that_differ_and_no_others():
    changes = {"gamma": 0.99, "learning_rate.start": 0.5, "network.layers": [64, 64]}
    content = changed("barley-limits-v1", "ppo", changes)
    assert content == {"settings": {"learning_rate": {"start": 0.5}}}
    assert agbench.sweep is sweep


def test_ten_trials_are_drawn_at_random_before_the_sampler_learns_from_them(tmp_path):
    sampler = journal.study(str(tmp_path / "journal.log"), journal.TRIALS, 0, None).sampler
    assert vars(sampler)["_n_startup_trials"] == 10
