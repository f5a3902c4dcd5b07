"""Imitation: what algorithms learn from, what is refused, and runs from demonstrations to a policy."""

import json
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import yaml

import agbench
from agbench.cli import main
from agbench.data import catalog
from agbench.data.training import training_settings
from agbench.envs.scaling import scaling_of
from agbench.errors import AgBenchWarning, ConfigError, MissingExtraError, TrainingError, UnknownNameError
from agbench.leaderboard.trainings import of_trainings

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
from agbench.training import demonstrations, extras, sb3_env, sqil
from agbench.training.algorithms import ALGORITHMS, algorithm, arguments
from agbench.training.cloning import Dagger
from agbench.training.run import run

TASK = "wheat-nitrogen-v1"
TINY = {"validation.episodes": 3, "validation.every": 64, "network.layers": [8], "demo_episodes": 2}
ADVERSARIAL = {"envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 2, "demo_batch_size": 16}
CHANGES = {
    "bc": TINY | {"batch_size": 16},
    "gail": TINY | ADVERSARIAL,
    "airl": TINY | ADVERSARIAL,
    "sqil": TINY | {"envs": 4, "learning_starts": 16, "buffer_size": 200, "batch_size": 16},
    "dagger": {key: TINY[key] for key in list(TINY)[:3]} | {"envs": 4, "round_episodes": 2, "batch_size": 16},
}


def has(extra):
    try:
        extras.require(extra)
    except MissingExtraError:
        return False
    return True


needs_imitation = pytest.mark.skipif(not has("il"), reason="imitation is not installed: agbench setup il")
IMITATORS = [pytest.param(name, marks=[] if name == "sqil" else [needs_imitation]) for name in CHANGES]


@pytest.mark.parametrize("algo", ["bc", "dagger", "gail", "airl", "sqil", "iql"])
@pytest.mark.parametrize("kind", ["menus", "continuous"])
def test_the_settings_of_imitators_are_what_their_classes_take(algo, kind):
    space = agbench.make(TASK, **({"action__kind": kind} if kind == "continuous" else {})).action_space
    chosen = algorithm(algo, TASK, space)
    if chosen.module.endswith("offline"):
        pytest.importorskip("d3rlpy")
    settings = training_settings(algo, TASK)
    block = settings.settings.get("amounts" if kind == "continuous" else "menus", {})
    named = {*settings.settings, *block} - {"menus", "amounts"}
    assert set(arguments(chosen, settings, space)) == named


def test_a_setting_for_both_kinds_stands_above_the_block_of_one():
    space = agbench.make(TASK).action_space
    settings = training_settings("sqil", TASK, {"exploration_final_eps": 0.25})
    assert arguments(algorithm("sqil", TASK, space), settings, space)["exploration_final_eps"] == 0.25


def test_a_setting_of_the_wrong_type_is_refused_in_a_sentence(tmp_path):
    changes = TINY | {"learning_rate": "fast", "batch_size": 16}
    message = "iql: settings: learning_rate: 'fast'; it is a number >= 0"
    refused("iql", message, tmp_path, changes=changes, demos="advisor")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("batch_size", 0, "0; it is a whole number, at least 1"),
        ("batch_size", 16.5, "16.5; it is a whole number"),
        ("n_epochs", True, "True; it is a whole number"),
        ("n_disc_updates_per_round", -1, "-1; it is a whole number, at least 1"),
        ("disc_layers", [32, 0], r"\[32, 0\]; it is a list of whole numbers, each at least 1"),
        ("disc_layers", 32, "32; it is a list"),
        ("gamma", 1.5, "1.5; it is a number from 0 to 1"),
        ("learning_rate", float("nan"), "nan; it is a number >= 0"),
        ("clip_range", float("inf"), "inf; it is a number >= 0"),
        ("vf_coef", "half", "'half'; it is a number >= 0"),
    ],
)
def test_numbers_that_no_learner_can_use_are_refused_by_their_name(key, value, message):
    space = agbench.make(TASK).action_space
    settings = training_settings("gail", TASK, {key: value})
    with pytest.raises(ConfigError, match=f"gail: settings: {key}: {message}"):
        arguments(algorithm("gail", TASK, space), settings, space)


def test_what_stable_baselines_refuses_is_a_sentence_too(tmp_path):
    refused("ppo", "ppo: the settings .*'batch_size': 1.* are refused: .*greater than 1", tmp_path,
            changes={"batch_size": 1, "envs": 4})  # fmt: skip


@pytest.mark.parametrize("seed", [-1, 2**32, "a", None, 1.0])
def test_a_seed_that_no_generator_takes_is_refused(seed, tmp_path):
    with pytest.raises(ConfigError, match=f"seed {seed!r}: seeds are whole numbers, 0 to 4,294,967,295"):
        run(TASK, "bc", 64, seed, tmp_path / "run", demos="advisor", progress=False)


@pytest.mark.parametrize("width", [0, -3, 1025])
def test_a_network_that_no_policy_file_can_hold_is_refused_before_it_learns(width, tmp_path):
    changes = TINY | {"network.layers": [width]}
    refused("sqil", "network.layers.0: input should be", tmp_path, changes=changes, demos="advisor")


def test_weights_that_are_no_longer_finite_end_a_training(tmp_path):
    changes = CHANGES["sqil"] | {"learning_rate": 1e30}
    refused("sqil", r"after \d+ steps weights .* no longer finite.*diverged", tmp_path, TrainingError,
            changes=changes, demos="advisor")  # fmt: skip


@needs_imitation
def test_a_discriminator_that_diverges_says_so(tmp_path):
    changes = CHANGES["gail"] | {"disc_learning_rate": 1e30}
    refused("gail", "the training has diverged", tmp_path, TrainingError, changes=changes, demos="advisor")


@needs_imitation
def test_seasons_are_reused_by_those_that_play_and_refused_by_others(tmp_path, monkeypatch):
    asked = []

    def made(task, count, *, reuse=1):
        asked.append(reuse)
        return sb3_env(task, count, reuse=reuse)

    monkeypatch.setattr("agbench.training.run.sb3_env", made)
    run(
        TASK, "gail", 64, 0, tmp_path / "one", CHANGES["gail"] | {"reuse": 3}, demos="advisor", progress=False
    )
    assert asked == [3]
    refused("bc", "bc: reuse is for seasons that are played", tmp_path, changes=CHANGES["bc"] | {"reuse": 3},
            demos="advisor")  # fmt: skip


def test_a_folder_of_a_training_is_pointed_into(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old/policy.npz").write_bytes(b"")
    refused("sqil", "folder of a training: --demos .*old/policy.npz", tmp_path, demos=tmp_path / "old")


def test_a_rate_that_changes_is_refused_where_none_can():
    settings = training_settings("bc", TASK, {"learning_rate": {"start": 1.0, "end": 0.0}})
    space = agbench.make(TASK).action_space
    with pytest.raises(ConfigError, match="bc: settings: learning_rate stays one number"):
        arguments(algorithm("bc", TASK, space), settings, space)


def refused(algo, message, tmp_path, error=ConfigError, changes=None, **more):
    with pytest.raises(error, match=message):
        run(TASK, algo, 64, 0, tmp_path / "run", changes, progress=False, **more)
    assert not (tmp_path / "run" / "policy.npz").exists()


def test_demonstrations_are_refused_where_nothing_learns_from_them(tmp_path):
    refused("ppo", "ppo learns from rewards; demonstrations are for airl, bc", tmp_path, demos="advisor")
    refused("ppo", "ppo learns from rewards", tmp_path, demo_episodes=3)


def test_an_imitator_without_a_teacher_names_the_policies(tmp_path):
    refused("sqil", r"sqil learns from demonstrations\. Name a policy.*advisor, ceres", tmp_path)
    refused("sqil", "both given", tmp_path, demos="advisor", dataset=tmp_path)
    refused("sqil", "there is no such folder", tmp_path, dataset=tmp_path / "none")
    refused("sqil", "Did you mean 'advisor'", tmp_path, UnknownNameError, demos="adviser")


def test_a_teacher_is_asked_for_before_a_library_is(tmp_path, monkeypatch):
    def missing(name):
        raise MissingExtraError(name)

    monkeypatch.setattr("agbench.training.run.require", missing)
    refused("bc", "bc learns from demonstrations. Name a policy", tmp_path)
    refused("bc", "il", tmp_path, MissingExtraError, demos="advisor")


def test_what_is_no_id_of_a_task_is_said(tmp_path):
    with pytest.raises(ConfigError, match="task is an id, such as 'wheat-nitrogen-v1'; got None"):
        run(None, "ppo", 64, 0, tmp_path / "run", progress=False)


def test_environments_are_for_those_that_play(tmp_path):
    refused("bc", "bc: envs is how many .*it plays none", tmp_path, changes={"envs": 4}, demos="advisor")
    refused("sqil", "sqil: envs is how many .*add it", tmp_path, changes={"envs": None}, demos="advisor")


def test_a_batch_larger_than_the_demonstrations_says_so(tmp_path):
    changes = TINY | {"batch_size": 1000}
    message = "a batch of 1000 transitions; the demonstrations hold"
    refused("iql", message, tmp_path, changes=changes, demos="advisor")


def test_a_missing_library_is_named_with_the_command_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imitation", None)
    for name in [name for name in sys.modules if name.startswith("imitation.")]:
        monkeypatch.delitem(sys.modules, name)
    refused("bc", "is not installed. Install it with: agbench setup il", tmp_path, MissingExtraError,
            demos="advisor")  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_a_policy_is_played_though_a_folder_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "advisor").mkdir()
    run(TASK, "sqil", 64, 0, tmp_path / "run", CHANGES["sqil"], demos="advisor", progress=False)
    record = yaml.safe_load((tmp_path / "run/training.yaml").read_text())
    assert record["demonstrations"]["policy"] == "advisor"


def test_the_command_says_how_to_submit_an_imitator(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    changes = [f"-s{key}={value}" for key, value in CHANGES["sqil"].items()]
    words = ["agbench", "train", TASK, "--algo", "sqil", "--demos", "advisor", "--steps", "64"]
    monkeypatch.setattr(sys, "argv", [*words, "--json", "-o", str(folder), *changes])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = json.loads(capsys.readouterr().out)
    transitions = yaml.safe_load((folder / "training.yaml").read_text())["demonstrations"]["transitions"]
    assert printed["environment_steps"] == printed["steps"] + transitions
    assert printed["submit"].startswith(f"agbench submit {folder} --agent sqil ")
    given = of_trainings([folder])
    assert given is not None
    assert (given.method, given.seeds, given.steps) == ("il", [0], 64 + transitions)


def test_a_round_of_dagger_counts_the_steps_of_its_episodes(monkeypatch):
    played = [range(5), range(7)]
    rollout = SimpleNamespace(make_sample_until=lambda **_: None, generate_trajectories=lambda *_: played)
    monkeypatch.setitem(sys.modules, "imitation", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "imitation.data", SimpleNamespace(rollout=rollout))
    learner, trainer = Dagger.__new__(Dagger), Mock()
    vars(learner).update(
        num_timesteps=3, _clone=Mock(), _trainer=trainer, _expert=None, _episodes=2, _epochs=1
    )
    learner.round(1)
    assert learner.num_timesteps == 15
    trainer.extend_and_update.assert_called_once()


def test_half_of_a_batch_of_sqil_are_demonstrations_that_pay_1():
    task = catalog.task(TASK)
    shown = demonstrations.collect(task, agbench.load_policy("advisor", TASK), 2, 0)
    arrays = sqil.arrays(shown, scaling_of(task))
    envs = sb3_env(TASK, 2)
    buffer = sqil.SqilBuffer(
        100, envs.observation_space, envs.action_space, "cpu", n_envs=2, demonstrations=arrays
    )
    seen = envs.reset()
    for _ in range(20):
        actions = np.array([2, 2])
        after, rewards, dones, infos = envs.step(actions)
        buffer.add(seen, after, actions, rewards, dones, infos)
        seen = after
    drawn = buffer.sample(9)
    assert drawn.rewards.flatten().tolist() == [0.0] * 5 + [1.0] * 4
    assert (drawn.actions[:5] == 2).all()
    known = arrays["observations"].tolist()
    for row in range(5, 9):
        place = known.index(drawn.observations[row].tolist())
        assert drawn.actions[row].tolist() == arrays["actions"][place].tolist()
        assert drawn.next_observations[row].tolist() == arrays["next_observations"][place].tolist()
        assert drawn.dones[row].tolist() == arrays["dones"][place].tolist()


@pytest.mark.parametrize("algo", IMITATORS)
def test_an_imitation_ends_with_a_policy_its_score_and_the_same_bytes_again(algo, tmp_path):
    one, two = (
        run(TASK, algo, 192, 3, tmp_path / name, CHANGES[algo], demos="advisor", progress=False)
        for name in ("one", "two")
    )
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert {"policy.npz", "training.yaml", "test", "progress.csv"} <= names
    assert not {"checkpoint.pkl", "raw"} & names
    assert not [name for name in names if name.startswith("dagger")]
    assert (tmp_path / "one/policy.npz").read_bytes() == (tmp_path / "two/policy.npz").read_bytes()
    assert one.marks == two.marks
    assert one.best.objective == max(mark.objective for mark in one.marks)
    assert len(one.marks) >= 2
    again = agbench.evaluate(TASK, tmp_path / "one/policy.npz", progress=False)
    assert (again.objective == one.result.objective).all()
    record = yaml.safe_load((tmp_path / "one/training.yaml").read_text())
    if algo == "dagger":
        assert record["expert"]["policy"] == "advisor"
        assert one.environment_steps == one.steps >= 192
    else:
        assert record["demonstrations"]["episodes"] == 2
        played = one.steps if ALGORITHMS[algo].plays else 0
        assert one.environment_steps == played + record["demonstrations"]["transitions"]


@needs_imitation
def test_cloning_learns_what_the_teacher_does(tmp_path):
    settings = CHANGES["bc"] | {"demo_episodes": 20, "network.layers": [32], "validation.every": 500}
    trained = run(TASK, "bc", 1500, 0, tmp_path / "run", settings, demos="advisor", progress=False)
    shown = demonstrations.read(tmp_path / "run/demos", catalog.task(TASK))
    trained.policy.reset(0)
    chosen = np.array([trained.policy(row) for row in shown.observations])
    same, usual = (chosen == shown.actions).mean(), (shown.actions == 0).mean()
    assert same > 0.5 * (1.0 + usual)


@needs_imitation
def test_demonstrations_of_a_folder_are_as_those_of_the_policy(tmp_path):
    run(TASK, "bc", 128, 0, tmp_path / "one", CHANGES["bc"], demos="advisor", progress=False)
    kept = tmp_path / "one/demos"
    changes = {key: value for key, value in CHANGES["bc"].items() if key != "demo_episodes"}
    run(TASK, "bc", 128, 0, tmp_path / "two", changes, dataset=kept, progress=False)
    assert (tmp_path / "one/policy.npz").read_bytes() == (tmp_path / "two/policy.npz").read_bytes()


@needs_imitation
def test_dagger_asks_a_policy_not_a_dataset(tmp_path):
    refused("dagger", "no dataset holds. Name a policy", tmp_path, changes=CHANGES["dagger"], demos=tmp_path)
    refused("dagger", "dagger learns from an expert", tmp_path, changes=CHANGES["dagger"])
    refused("dagger", "demo_episodes: the expert plays", tmp_path, changes=CHANGES["dagger"], demos="advisor",
            demo_episodes=3)  # fmt: skip


@needs_imitation
def test_a_run_that_was_cut_off_says_that_it_starts_again(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/progress.csv").write_text("")
    with pytest.warns(AgBenchWarning, match="was cut off. bc cannot go on: it starts again"):
        run(TASK, "bc", 64, 0, tmp_path / "run", CHANGES["bc"], demos="advisor", progress=False)
    fresh = run(TASK, "bc", 64, 0, tmp_path / "other", CHANGES["bc"], demos="advisor", progress=False)
    assert (tmp_path / "run/policy.npz").read_bytes() == (tmp_path / "other/policy.npz").read_bytes()
    assert fresh.steps == 64


@needs_imitation
def test_what_a_killed_dagger_has_gathered_is_removed(tmp_path):
    left = tmp_path / "run/dagger-left/demos"
    left.mkdir(parents=True)
    run(TASK, "dagger", 64, 0, tmp_path / "run", CHANGES["dagger"], demos="advisor", progress=False)
    assert not list((tmp_path / "run").glob("dagger-*"))


@pytest.mark.slow
@needs_imitation
@pytest.mark.parametrize("algo", ["bc", "gail", "airl"])
def test_amounts_are_imitated(algo, tmp_path):
    task = "greenhouse-setpoint-continuous-v1"
    changes = CHANGES[algo] | {"demo_episodes": 1, "validation.episodes": 1}
    trained = run(task, algo, 64, 0, tmp_path / "run", changes, demos="random", progress=False)
    assert trained.policy(agbench.make(task).reset(seed=0)[0]).shape == (7,)
