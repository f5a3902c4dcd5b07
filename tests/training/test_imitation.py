"""Imitation: what algorithms learn from, what is refused, and runs from demonstrations to a policy."""

import json
import sys

import numpy as np
import pytest
import yaml

import agbench
from agbench.cli import main
from agbench.data import catalog
from agbench.data.training import training_settings
from agbench.envs.scaling import scaling_of
from agbench.errors import AgBenchWarning, ConfigError, MissingExtraError, UnknownNameError

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
from agbench.training import demonstrations, extras, sb3_env, sqil
from agbench.training.algorithms import ALGORITHMS, algorithm, arguments
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
    refused("iql", "iql: the settings .*'fast'.* are refused", tmp_path, changes=changes, demos="advisor")


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
    assert (
        f"--method il --policy {folder}/policy.npz --seed 0 --steps {64 + transitions}" in printed["submit"]
    )


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


@pytest.mark.slow
@needs_imitation
@pytest.mark.parametrize("algo", ["bc", "gail", "airl"])
def test_amounts_are_imitated(algo, tmp_path):
    task = "greenhouse-setpoint-continuous-v1"
    changes = CHANGES[algo] | {"demo_episodes": 1, "validation.episodes": 1}
    trained = run(task, algo, 64, 0, tmp_path / "run", changes, demos="random", progress=False)
    assert trained.policy(agbench.make(task).reset(seed=0)[0]).shape == (7,)
