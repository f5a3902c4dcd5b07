"""Training: settings, what fits what, the run from start to exported policy, and resumption."""

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.training import ValidationSettings, algorithms, training_settings
from agbench.envs.scaling import scaling_of
from agbench.errors import ConfigError, MissingExtraError, ResultError, UnknownNameError
from agbench.testing.data_files import check_file

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
from agbench.training import logs
from agbench.training.algorithms import ALGORITHMS, algorithm, arguments, make
from agbench.training.run import _export, run
from agbench.training.sb3 import sb3_env
from agbench.training.validation import Mark, Validation

ROOT = Path(__file__).parents[2]
TASK = "wheat-nitrogen-v1"
TINY = {"envs": 4, "validation.episodes": 3, "validation.every": 64, "network.layers": [8]}
ON_POLICY = {"n_steps": 16, "batch_size": 32, "n_epochs": 2}
OFF_POLICY = {"learning_starts": 16, "buffer_size": 200, "batch_size": 16}


def tiny(algo):
    """Return changes that make an algorithm's run small."""
    if algo in ("dqn", "qrdqn", "sac", "td3", "sqil"):
        return TINY | OFF_POLICY
    only = {"a2c": {"n_steps": 16}, "trpo": {"n_steps": 16, "batch_size": 32}}
    return TINY | only.get(algo, ON_POLICY)


def test_every_algorithm_has_a_file_whose_settings_its_class_takes():
    assert set(algorithms()) == set(ALGORITHMS)
    for name, chosen in ALGORITHMS.items():
        settings = training_settings(name, TASK)
        assert (settings.demo_episodes is not None) == (chosen.learns_from in ("demonstrations", "a dataset"))
        assert (settings.envs is not None) == chosen.plays
        if chosen.learns_from == "rewards":
            space = agbench.make(TASK, action__kind="continuous").action_space
            assert set(arguments(chosen, settings, space)) == set(settings.settings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setings.gamma": 1.0}, "unknown key 'setings'. Did you mean 'settings'"),
        ({"envs": 0}, "envs: input should be greater than 0"),
        ({"validation.evry": 5}, "unknown key 'evry'. Did you mean 'every'"),
        ({"network.activation": "tahn"}, "Did you mean 'tanh'"),
    ],
)
def test_wrong_settings_are_refused_with_their_remedy(changes, message):
    with pytest.raises(ConfigError, match=message):
        training_settings("ppo", TASK, changes)


def test_a_setting_that_the_class_does_not_take_is_refused():
    settings = training_settings("ppo", TASK, {"gama": 1.0})
    with pytest.raises(ConfigError, match=r"PPO takes no 'gama'. Did you mean 'gamma'"):
        arguments(ALGORITHMS["ppo"], settings, agbench.make(TASK).action_space)


@pytest.mark.parametrize(
    ("algo", "changes", "message"),
    [
        ("ppo", {"gamma": 2.0}, "gamma: 2.0; it is a number from 0 to 1"),
        ("ppo", {"gamma": float("nan")}, "gamma: nan; it is a number from 0 to 1"),
        ("ppo", {"gamma": "x"}, "gamma: 'x'; it is a number from 0 to 1"),
        ("ppo", {"gamma": {"start": 1.0, "end": 0.9}}, "gamma stays one number"),
        ("ppo", {"gae_lambda": 1.5}, "gae_lambda: 1.5; it is a number from 0 to 1"),
        ("ppo", {"learning_rate": float("inf")}, "learning_rate: inf; it is a number >= 0"),
        ("ppo", {"learning_rate": {"start": -1.0, "end": 0.0}}, "both >= 0"),
        ("ppo", {"n_epochs": 0}, "n_epochs: 0; it is a whole number, at least 1"),
        ("ppo", {"clip_range": -0.2}, "clip_range: -0.2; it is a number >= 0"),
        ("ppo", {"ent_coef": "auto"}, "ent_coef: 'auto'; it is a number >= 0"),
        ("ppo", {"normalize_advantage": 1}, "normalize_advantage: 1; it is true or false"),
        ("dqn", {"batch_size": 0}, "batch_size: 0; it is a whole number, at least 1"),
        ("dqn", {"learning_starts": -1}, "learning_starts: -1; it is a whole number, at least 0"),
        ("dqn", {"train_freq": 0}, "train_freq: 0; it is a whole number, at least 1"),
        ("dqn", {"gradient_steps": 0}, "gradient_steps: 0; it is a whole number, at least 1"),
        ("dqn", {"exploration_final_eps": 5.0}, "exploration_final_eps: 5.0; it is a number from 0 to 1"),
        ("ppo-lagrangian", {"cost_limit": -1.0}, "cost_limit: -1.0; it is a number >= 0"),
    ],
)
def test_a_number_that_no_algorithm_can_use_is_refused_before_anything_runs(algo, changes, message):
    with pytest.raises(ConfigError, match=f"{algo}: settings: .*{message}"):
        arguments(ALGORITHMS[algo], training_settings(algo, TASK, changes), agbench.make(TASK).action_space)


@pytest.mark.parametrize("algo", ["sac", "td3"])
def test_noise_and_as_many_updates_as_steps_are_taken(algo):
    space = agbench.make("greenhouse-tomato-v1").action_space
    changes = {"gradient_steps": -1} | ({"action_noise": 0.2} if algo == "td3" else {})
    taken = arguments(ALGORITHMS[algo], training_settings(algo, None, changes), space)
    assert taken["gradient_steps"] == -1
    if algo == "td3":
        assert taken["action_noise"]().shape == space.shape
        with pytest.raises(ConfigError, match="action_noise: 'much'; it is a number >= 0"):
            arguments(ALGORITHMS[algo], training_settings(algo, None, {"action_noise": "much"}), space)


def test_settings_that_are_no_mapping_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="settings is a mapping"):
        agbench.train(TASK, "ppo", 64, settings=["gamma"], out=tmp_path / "run")


def test_what_would_be_in_the_way_of_the_results_is_named_before_training(tmp_path):
    (tmp_path / "run/test").mkdir(parents=True)
    (tmp_path / "run/test/notes.txt").write_text("mine")
    with pytest.raises(ResultError, match=r"run/test is a folder of something else"):
        run(TASK, "ppo", 64, 0, tmp_path / "run", tiny("ppo"))
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["test"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="file is a file; a training needs a folder"):
        run(TASK, "ppo", 64, 0, tmp_path / "file", tiny("ppo"))
    with pytest.raises(ConfigError, match="out is empty: name a folder"):
        agbench.train(TASK, "ppo", 64, out="", settings=tiny("ppo"))


@pytest.mark.parametrize(
    ("held", "what"),
    [("sweep.yaml", "a sweep"), ("journal.log", "a sweep"), ("result.yaml", "a result of agbench evaluate")],
)
def test_the_folder_of_something_else_is_refused(held, what, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / held).write_text("mine")
    with pytest.raises(ConfigError, match=rf"holds {what} \({held}\); a training needs a folder of its own"):
        run(TASK, "ppo", 64, 0, folder, tiny("ppo"))
    assert [path.name for path in tmp_path.rglob("*")] == ["run", held]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("mine")
    for out in ("/proc/x", tmp_path / "file" / "run"):
        with pytest.raises(ConfigError, match=rf"^{out}: cannot be written: \w+"):
            agbench.train(TASK, "ppo", 64, out=out, settings=tiny("ppo"))


@pytest.mark.parametrize("content", [b"", b"garbage", pickle.dumps({"identity": 1})])
def test_a_checkpoint_that_is_none_is_named(content, tmp_path):
    (tmp_path / "checkpoint.pkl").write_bytes(content)
    with pytest.raises(ConfigError, match=r"checkpoint.pkl: cannot be read .* to train from the start"):
        run(TASK, "ppo", 64, 0, tmp_path, tiny("ppo"))


def test_an_unknown_algorithm_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'ppo'"):
        training_settings("pppo", TASK)


def test_an_algorithm_without_a_class_names_the_nearest():
    with pytest.raises(ConfigError, match=r"unknown algorithm 'ppoo'\. Did you mean 'ppo'"):
        algorithm("ppoo", TASK, agbench.make(TASK).action_space)


@pytest.mark.parametrize("option", ["--workers=2", "--on=processes:2"])
def test_workers_for_one_agent_are_refused(option, tmp_path):
    printed = CliRunner().invoke(app, ["train", TASK, "--algo", "none", f"--out={tmp_path}", option])
    assert "are for several agents: --seeds 0-4" in str(printed.exception)


def test_a_task_changes_the_settings_of_an_algorithm(tmp_path, monkeypatch):
    folder = tmp_path / "baselines" / TASK / "train"
    folder.mkdir(parents=True)
    (folder / "ppo.yaml").write_text("settings: {gamma: 0.5, learning_rate: 0.125}\nvalidation: {every: 7}\n")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    changed, usual = training_settings("ppo", TASK), training_settings("ppo", "wheat-inputs-v1")
    assert changed.settings["gamma"] == 0.5
    assert changed.settings["learning_rate"] == 0.125
    assert changed.settings["n_steps"] == usual.settings["n_steps"]
    assert (changed.validation.every, changed.validation.episodes) == (7, usual.validation.episodes)
    assert training_settings("ppo", TASK, {"gamma": 0.25}).settings["gamma"] == 0.25


def test_an_algorithm_that_cannot_choose_such_actions_names_those_that_can():
    space = agbench.make(TASK).action_space
    with pytest.raises(ConfigError, match=r"sac chooses amounts; .* These fit: .*dqn.*ppo"):
        algorithm("sac", TASK, space)


def test_an_algorithm_of_costs_is_refused_where_a_task_has_none(tmp_path):
    with pytest.raises(
        ConfigError, match=r"wheat-nitrogen-v1 has no constraints, its cost .* Train with ppo"
    ):
        run(TASK, "ppo-lagrangian", 64, 0, tmp_path / "run", tiny("ppo") | {"cost_limit": 1.0})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("task", "overrides", "has"),
    [
        (TASK, {}, False),
        ("wheat-limits-v1", {}, True),
        ("potato-runoff-v1", {}, True),
        ("greenhouse-tomato-v1", {}, True),
        ("farm-nitrogen-v1", {"farm__overspending": "clipped"}, False),
        ("farm-nitrogen-v1", {"farm__overspending": "costs"}, True),
    ],
)
def test_tasks_say_whether_a_step_can_cost(task, overrides, has):
    assert override(catalog.task(task), overrides).has_costs is has


@pytest.mark.parametrize("algo", ["ppo", "trpo", "sac"])
def test_a_critic_may_have_other_layers_than_its_actor(algo):
    env = sb3_env("wheat-nitrogen-v1", 2, action__kind="continuous")
    settings = training_settings(algo, None, {"network.layers": [8, 6], "network.critic": [5]})
    policy = make(ALGORITHMS[algo], settings, env, 0).policy
    parts = (
        (policy.actor.latent_pi, policy.critic.qf0)
        if algo == "sac"
        else (policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net)
    )
    widths = [[one.out_features for one in part if hasattr(one, "out_features")] for part in parts]
    assert widths == [[8, 6], [5, 1] if algo == "sac" else [5]]
    assert training_settings(algo, None).model_dump()["network"].keys() == {"layers", "activation"}


def test_an_algorithm_without_a_critic_of_its_own_refuses_layers_for_it(tmp_path):
    with pytest.raises(ConfigError, match=r"dqn: network.critic: it has no critic .* These have: a2c, ppo"):
        run(TASK, "dqn", 64, 0, tmp_path, tiny("dqn") | {"network.critic": [8]})


@pytest.mark.parametrize("algo", ["ppo", "a2c", "trpo", "recurrent-ppo"])
def test_the_spread_of_amounts_at_the_start_is_a_setting(algo):
    env = sb3_env("wheat-nitrogen-v1", 2, action__kind="continuous")
    default, given = (
        make(ALGORITHMS[algo], training_settings(algo, None, changes), env, 0).policy.log_std.tolist()
        for changes in ({}, {"network.log_std_init": -1.5})
    )
    assert (default, given) == ([0.0], [-1.5])


@pytest.mark.parametrize(("algo", "task"), [("ppo", TASK), ("sac", "greenhouse-tomato-v1")])
def test_a_spread_at_the_start_is_refused_where_nothing_draws_with_one(algo, task, tmp_path):
    with pytest.raises(ConfigError, match=r"network.log_std_init: it draws no amounts .*: a2c, ppo"):
        run(task, algo, 64, 0, tmp_path, tiny(algo) | {"network.log_std_init": -1.0})


@pytest.mark.slow_except("ppo", "trpo", "dqn")
@pytest.mark.parametrize("algo", ["ppo", "a2c", "trpo", "recurrent-ppo", "dqn", "qrdqn"])
def test_a_training_ends_with_a_policy_and_its_score(algo, tmp_path):
    trained = run(TASK, algo, 128, 3, tmp_path / "run", tiny(algo), progress=False)
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"policy.npz", "training.yaml", "test", "progress.csv"} <= names
    assert "checkpoint.pkl" not in names
    assert trained.steps >= 128
    assert len(trained.marks) >= 2
    again = agbench.evaluate(TASK, tmp_path / "run/policy.npz", progress=False)
    assert (again.objective == trained.result.objective).all()
    assert trained.best.objective == max(mark.objective for mark in trained.marks)
    with pytest.raises(ConfigError, match="holds a finished training"):
        run(TASK, algo, 128, 3, tmp_path / "run", tiny(algo), progress=False)


@pytest.mark.parametrize("installed", [True, False])
def test_a_policy_is_written_as_onnx_too_where_that_is_installed(installed, tmp_path, monkeypatch):
    if installed:
        pytest.importorskip("onnx")
    else:
        monkeypatch.setattr("agbench.training.run.find_spec", lambda name: None)
    env = sb3_env(TASK, 4)
    _export(make(ALGORITHMS["ppo"], training_settings("ppo", TASK, tiny("ppo")), env, 0), TASK, tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"policy.npz"} | ({"policy.onnx"} if installed else set())


def test_train_returns_a_policy_of_the_task():
    policy = agbench.train(TASK, "ppo", 64, settings=tiny("ppo"), progress=False)
    observation, _ = agbench.make(TASK).reset(seed=0)
    policy.reset(0)
    assert agbench.make(TASK).action_space.contains(policy(observation))


def test_training_ends_early_where_validations_do_not_improve(tmp_path):
    changes = tiny("ppo") | {"learning_rate": 0.0, "validation.patience": 2}
    trained = run(TASK, "ppo", 10_000, 0, tmp_path, changes, progress=False)
    assert len(trained.marks) == 3
    assert trained.steps < 1000


def test_of_two_agents_the_feasible_one_is_better_then_the_one_that_earns_more():
    marks = [
        Mark(0, 9.0, 5.0, False),
        Mark(1, 99.0, 6.0, False),
        Mark(2, 1.0, 0.5, True),
        Mark(3, 2.0, 0.9, True),
    ]
    ordered = sorted(marks, key=lambda mark: mark.order)
    assert [mark.steps for mark in ordered] == [1, 0, 2, 3]


def test_numbers_go_to_weights_and_biases_when_asked(tmp_path, monkeypatch):
    sent = []

    class Run:
        def log(self, values, step):
            sent.append((step, values))

        def finish(self):
            sent.append("finished")

    def init(project, name, config):
        sent.append((project, name, config))
        return Run()

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    log = logs.logger(tmp_path / "run", None, "fields", {"gamma": 1.0})
    log.record("validation/objective", 3.0)
    log.dump(7)
    log.close()
    assert sent == [("fields", "run", {"gamma": 1.0}), (7, {"validation/objective": 3.0}), "finished"]


def test_a_missing_service_is_named_with_its_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtraError, match="pip install wandb"):
        logs.logger(tmp_path, None, "fields", {})
    monkeypatch.setattr(logs, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install tensorboard"):
        logs.logger(tmp_path, tmp_path / "board", None, {})


def test_numbers_go_to_tensorboard_when_asked(tmp_path):
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    log = logs.logger(tmp_path / "run", tmp_path / "board", None, {})
    for step in (5, 10):
        log.record("validation/objective", 3.0 * step)
        log.dump(step)
    log.close()
    read = events.EventAccumulator(str(tmp_path / "board")).Reload()
    scalars = [(one.step, one.value) for one in read.Scalars("validation/objective")]
    assert scalars == [(5, 15.0), (10, 30.0)]


def test_check_reads_an_algorithm_and_what_a_task_changes_in_it(tmp_path):
    folder = tmp_path / "baselines" / TASK / "train"
    folder.mkdir(parents=True)
    good, wrong = folder / "ppo.yaml", folder / "a2c.yaml"
    good.write_text("settings: {gamma: 0.5}\n")
    wrong.write_text("validation: {evry: 5}\n")
    assert check_file(good) is None
    assert "Did you mean 'every'" in check_file(wrong)
    own = tmp_path / "mine.yaml"
    own.write_text((ROOT / "baselines/algorithms/ppo.yaml").read_text("utf-8"))
    assert "algorithm: must be the file's own name, 'mine'" in check_file(own)


@pytest.mark.slow_except("one seed")  # several, of another algorithm: test_seeds.py
@pytest.mark.parametrize("seeds", [["--seed", "3"], ["--seeds", "0,2"]], ids=["one seed", "two seeds"])
def test_the_command_that_a_training_prints_submits_it(seeds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changes = [word for key, value in tiny("ppo").items() for word in ("--set", f"{key}={value}")]
    printed = CliRunner().invoke(
        app, ["train", TASK, "--algo", "ppo", "--steps", "64", "--out", "run", *seeds, *changes]
    )
    (command,) = re.findall(r"submit (?:it|them): agbench (.*)", printed.stdout)
    words = command.replace("ADDRESS", "grower@example.org").split()
    submitted = CliRunner().invoke(app, [*words, "--new-board"])
    assert submitted.exit_code == 0, submitted.output
    (path,) = (tmp_path / "leaderboard/submissions" / TASK / "ppo").rglob("submission.yaml")
    card = yaml.safe_load(path.read_text("utf-8"))
    asked = [int(one) for one in seeds[1].split(",")]
    assert card["training"] == {"steps": 64, "seeds": asked}
    assert (card["method"], card["policy"]["format"]) == ("rl", "mlp")
    for split in ("test", "shift"):
        assert {part.name for part in (path.parent / split).iterdir()} == {f"seed-{one}" for one in asked}


SCRIPT = """
import sys
from agbench.training.run import run
run({task!r}, {algo!r}, {steps}, 1, {folder!r}, {changes!r}, **{more!r}, progress=False)
"""


def killed_in_mid_training(algo, folder, steps, more):
    """Run a training in a process of its own, and kill it after its fourth checkpoint."""
    text = SCRIPT.format(task=TASK, algo=algo, steps=steps, folder=str(folder), changes=tiny(algo), more=more)
    process = subprocess.Popen([sys.executable, "-c", text], env=dict(os.environ))
    written = set()
    while len(written) < 4:
        assert process.poll() is None
        with suppress(FileNotFoundError):
            written.add((folder / "checkpoint.pkl").stat().st_mtime_ns)
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "recurrent-ppo", "dqn", "sqil"])
def test_a_killed_run_goes_on_to_the_same_policy(algo, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    more = {"demos": "advisor", "demo_episodes": 2} if algo == "sqil" else {}
    killed_in_mid_training(algo, cut, 640, more)
    assert not (cut / "policy.npz").exists()
    resumed = run(TASK, algo, 640, 1, cut, tiny(algo), **more, progress=False)
    unbroken = run(TASK, algo, 640, 1, whole, tiny(algo), **more, progress=False)
    assert resumed.marks == unbroken.marks
    assert (cut / "policy.npz").read_bytes() == (whole / "policy.npz").read_bytes()


def test_a_run_that_was_interrupted_goes_on_to_the_same_policy(tmp_path, monkeypatch):
    whole, cut, mark = tmp_path / "whole", tmp_path / "cut", Validation.mark

    def interrupted(self, predict, steps):
        if steps >= 192:
            raise KeyboardInterrupt
        return mark(self, predict, steps)

    with monkeypatch.context() as patched:
        patched.setattr(Validation, "mark", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(TASK, "ppo", 320, 1, cut, tiny("ppo"), progress=False)
    assert not (cut / "policy.npz").exists()
    with pytest.raises(ConfigError, match="its seed is 1, this one's 2"):
        run(TASK, "ppo", 320, 2, cut, tiny("ppo"), progress=False)
    rate = {"settings.learning_rate": 0.125}
    with pytest.raises(ConfigError, match=r"its settings\.learning_rate is .*, this one's 0\.125\."):
        run(TASK, "ppo", 320, 1, cut, tiny("ppo") | rate, progress=False)
    begun = []
    monkeypatch.setattr(Validation, "mark", lambda *given: begun.append(given[2]) or mark(*given))
    resumed = run(TASK, "ppo", 320, 1, cut, tiny("ppo"), progress=False)
    assert begun[0] == 192  # what comes before is not done again
    unbroken = run(TASK, "ppo", 320, 1, whole, tiny("ppo"), progress=False)
    assert resumed.marks == unbroken.marks
    assert (cut / "policy.npz").read_bytes() == (whole / "policy.npz").read_bytes()


def test_a_validation_repeats_seasons_as_the_protocol_does():
    """With other draws of what is random: the soils of this task."""
    task = catalog.task("wheat-limits-v1")
    few = task.splits["validation"].model_copy(update={"generated": (1000, 1007)})
    task = task.model_copy(update={"splits": {**task.splits, "validation": few}})

    def nothing(observations, memory, first, deterministic):
        return np.zeros(len(observations), np.int64), None

    for repeats in (1, 3):
        checks = ValidationSettings(every=1, repeats=repeats)
        mark = Validation(task, checks, scaling_of(task).observations).mark(nothing, 0)
        result = agbench.evaluate(task, "zero", split="validation", protocol__repeats=repeats)
        assert len(result.episodes) == 8 * repeats
        assert mark.objective == pytest.approx(result.episodes["return"].mean())
