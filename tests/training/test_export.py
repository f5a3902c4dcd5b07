"""Export: the arrays act as the Stable-Baselines3 model does."""

import zipfile

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
import stable_baselines3 as sb3
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnvWrapper,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)
from torch import nn

import agbench
from agbench.data import catalog, places
from agbench.data.overrides import override
from agbench.errors import ConfigError
from agbench.policies.networks import mlp
from agbench.training import export as module
from agbench.training import sb3_env
from agbench.training.export import export
from agbench.training.sb3_zip import algorithm_of

TASK = "wheat-nitrogen-v1"
SMALL = {"PPO": {"n_steps": 64, "batch_size": 64, "n_epochs": 1}, "DQN": {}, "SAC": {"learning_starts": 100}}


def task_with(**overrides):
    return override(catalog.task(TASK), overrides)


@pytest.mark.usefixtures("all_observations")
@pytest.mark.slow_except("PPO-overrides0")
@pytest.mark.parametrize(
    ("algorithm", "overrides"),
    [
        ("PPO", {}),
        ("DQN", {}),
        ("PPO", {"action__kind": "continuous"}),
        ("SAC", {"action__kind": "continuous"}),
        ("TD3", {"action__kind": "continuous"}),
    ],
)
def test_models_are_exported_as_they_are(tmp_path, algorithm, overrides):
    model = getattr(sb3, algorithm)("MlpPolicy", sb3_env(TASK, 2, **overrides), seed=0, device="cpu")
    result = export(model, task_with(**overrides), tmp_path / "policy.npz", algorithm)
    assert result.observations == 10_000
    assert result.differing <= 1
    assert result.largest_difference < 1e-4
    assert result.saw == "scaled, as the model says"
    network = mlp.read((tmp_path / "policy.npz").read_bytes(), "p", 12, model.action_space)
    assert network.weights[0].shape[0] == 12


@pytest.mark.slow_except("npz-*", "onnx-SiLU")
@pytest.mark.parametrize("kind", [nn.SiLU, nn.LeakyReLU, nn.ELU, nn.Tanh])
@pytest.mark.parametrize("suffix", ["npz", "onnx"])
def test_activations_are_exported_in_both_formats(tmp_path, kind, suffix):
    overrides = {"action__kind": "continuous"}
    model = sb3.PPO(
        "MlpPolicy",
        sb3_env(TASK, 2, **overrides),
        policy_kwargs={"activation_fn": kind, "net_arch": [16, 16]},
        seed=0,
        device="cpu",
    )
    model.policy.action_net.weight.data *= 100.0  # at first they are near 0, as are amounts then
    path = tmp_path / f"policy.{suffix}"
    export(model, task_with(**overrides), path)
    policy = agbench.load_policy(path, task_with(**overrides))
    envs, scaled = (agbench.make_vec(TASK, 8, scaled=way, **overrides) for way in (False, True))
    envs.action_space.seed(0)
    seen, through, given, expected = envs.reset(seed=0)[0], scaled.reset(seed=0)[0], [], []
    policy.reset(0)
    for _ in range(40):
        given += [policy(row) for row in seen]
        expected += list(model.predict(through, deterministic=True)[0])
        actions = envs.action_space.sample()
        seen, through = envs.step(actions)[0], scaled.step(actions)[0]
    assert np.abs(np.array(given) - np.array(expected)).max() < 1e-4
    assert len(np.unique(np.array(given).round(3))) > 20


def test_activations_with_other_arguments_are_refused(tmp_path):
    class Steep(nn.LeakyReLU):
        def __init__(self):
            super().__init__(0.2)

    for kind, reason in (
        (lambda: nn.LeakyReLU(0.2), r"LeakyReLU\(negative_slope=0.2\) cannot be exported"),
        (lambda: nn.ELU(2.0), r"ELU\(alpha=2\) cannot be exported"),
        (Steep, "a layer of the kind Steep cannot be exported"),
        (nn.GELU, "a layer of the kind GELU cannot be exported"),
    ):
        kwargs = {"activation_fn": kind, "net_arch": [8]}
        model = sb3.PPO("MlpPolicy", sb3_env(TASK, 1), policy_kwargs=kwargs, device="cpu")
        with pytest.raises(ConfigError, match=reason):
            export(model, TASK, tmp_path / "policy.npz")
    assert list(tmp_path.iterdir()) == []


def normalised(algorithm="PPO", steps=128, **kwargs):
    overrides = {"action__kind": "continuous"} if algorithm == "SAC" else {}
    envs = VecNormalize(sb3_env(TASK, 2, scaled=False, **overrides), **kwargs)
    model = getattr(sb3, algorithm)("MlpPolicy", envs, **SMALL[algorithm], seed=0, device="cpu")
    return model.learn(steps), envs, task_with(**overrides)


def raw(algorithm="PPO", steps=128):
    overrides = {"action__kind": "continuous"} if algorithm == "SAC" else {}
    envs = sb3_env(TASK, 2, scaled=False, **overrides)
    model = getattr(sb3, algorithm)("MlpPolicy", envs, **SMALL[algorithm], seed=0, device="cpu")
    return model.learn(steps), task_with(**overrides)


@pytest.mark.slow_except("PPO", "DQN")
@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "SAC"])
def test_a_normalised_model_is_never_exported_without_its_statistics(tmp_path, algorithm):
    model, envs, task = normalised(algorithm)
    model.save(tmp_path / "model.zip")
    out = tmp_path / "policy.npz"
    with pytest.raises(ConfigError, match=r"was trained with VecNormalize.* --normalisation FILE"):
        export(tmp_path / "model.zip", task, out)
    with pytest.raises(ConfigError, match=r"it saw \w+ \S+ last, which is between"):
        export(tmp_path / "model.zip", task, out, normalisation="none")
    assert not out.exists()
    envs.save(tmp_path / "vecnormalize.pkl")
    result = export(tmp_path / "model.zip", task, out)
    assert result.saw == f"normalised by {tmp_path / 'vecnormalize.pkl'}"
    network = mlp.read(out.read_bytes(), "p", 12, model.action_space)
    assert network.mean == pytest.approx(envs.obs_rms.mean)
    assert network.clip == 10.0
    assert out.stat().st_size < 800_000
    assert export(model, task, out).saw == "normalised by its own VecNormalize"


@pytest.mark.parametrize(
    "name",
    ["model_vecnormalize.pkl", "vec_normalize.pkl", "normalise.pkl", "model.pkl", "wheat/vecnormalize.pkl"],
)
def test_statistics_are_found_under_the_usual_names(tmp_path, name):
    model, envs, task = normalised()
    model.save(tmp_path / "model.zip")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    envs.save(tmp_path / name)
    assert export(tmp_path / "model.zip", task, tmp_path / "p.npz").saw == f"normalised by {tmp_path / name}"


def test_checkpoints_and_runs_side_by_side_keep_their_own_statistics(tmp_path):
    model, envs, task = normalised()
    for steps in (100, 200):
        model.save(tmp_path / f"ppo_{steps}_steps.zip")
        envs.obs_rms.mean = envs.obs_rms.mean + steps
        envs.save(tmp_path / f"ppo_vecnormalize_{steps}_steps.pkl")
    for steps in (100, 200):
        result = export(tmp_path / f"ppo_{steps}_steps.zip", task, tmp_path / "p.npz")
        assert result.saw.endswith(f"ppo_vecnormalize_{steps}_steps.pkl")
    model.save(tmp_path / "other.zip")
    with pytest.raises(ConfigError, match="was trained with VecNormalize"):
        export(tmp_path / "other.zip", task, tmp_path / "q.npz")
    envs.save(tmp_path / "normalize.pkl")
    envs.save(tmp_path / "vecnormalize.pkl")
    with pytest.raises(ConfigError, match=r"normalize.pkl and .*vecnormalize.pkl lie beside other.zip"):
        export(tmp_path / "other.zip", task, tmp_path / "q.npz")
    assert not (tmp_path / "q.npz").exists()


def test_statistics_inside_the_zip_are_found(tmp_path):
    model, envs, task = normalised()
    model.save(tmp_path / "model.zip")
    envs.save(tmp_path / "kept.pkl")
    with zipfile.ZipFile(tmp_path / "model.zip", "a") as file:
        file.write(tmp_path / "kept.pkl", "vecnormalize.pkl")
    result = export(tmp_path / "model.zip", task, tmp_path / "p.npz")
    assert result.saw == f"normalised by VecNormalize in {tmp_path / 'model.zip'}"


@pytest.mark.parametrize("algorithm", ["PPO", "SAC"])
def test_statistics_of_another_model_are_not_taken(tmp_path, algorithm):
    _, envs, _ = normalised()
    model, task = raw(algorithm)
    envs.save(tmp_path / "vecnormalize.pkl")
    model.save(tmp_path / "model.zip")
    out = tmp_path / "p.npz"
    assert export(tmp_path / "model.zip", task, out).saw == "as the task shows them"
    assert mlp.read(out.read_bytes(), "p", 12, model.action_space).mean is None
    with pytest.raises(ConfigError, match="the model was trained without VecNormalize"):
        export(tmp_path / "model.zip", task, out, normalisation=tmp_path / "vecnormalize.pkl")


def test_rewards_alone_may_be_normalised(tmp_path):
    model, envs, task = normalised(norm_obs=False)
    model.save(tmp_path / "model.zip")
    out = tmp_path / "p.npz"
    with pytest.raises(ConfigError, match="--normalisation none if it normalised rewards alone"):
        export(tmp_path / "model.zip", task, out)
    assert export(tmp_path / "model.zip", task, out, normalisation="none").saw == "as the task shows them"
    assert export(model, task, out).saw == "as the task shows them"
    envs.save(tmp_path / "vecnormalize.pkl")
    assert export(tmp_path / "model.zip", task, out).saw == "as the task shows them"


@pytest.mark.parametrize("wrapper", ["NormalizeObservation", "RescaleObservation"])
def test_what_others_normalised_is_refused(tmp_path, wrapper):
    wraps = {
        "NormalizeObservation": gymnasium.wrappers.NormalizeObservation,
        "RescaleObservation": lambda env: gymnasium.wrappers.RescaleObservation(
            env, np.float32(-1.0), np.float32(1.0)
        ),
    }
    envs = DummyVecEnv([lambda: wraps[wrapper](agbench.make(TASK))])
    model = sb3.PPO("MlpPolicy", envs, **SMALL["PPO"], seed=0, device="cpu")
    with pytest.raises(ConfigError, match=r"which wheat-nitrogen-v1 does not show: something scaled or norm"):
        export(model, TASK, tmp_path / "p.npz")
    with pytest.raises(ConfigError, match=r"--normalisation FILE|something scaled"):
        export(model.learn(64), TASK, tmp_path / "p.npz")
    assert list(tmp_path.iterdir()) == []


class Halved(VecEnvWrapper):
    def reset(self):
        return self.venv.reset() / 2

    def step_wait(self):
        seen, *others = self.venv.step_wait()
        return seen / 2, *others


@pytest.mark.parametrize(
    ("wrapped", "message"),
    [
        (lambda envs: VecNormalize(VecNormalize(envs)), "has VecNormalize 2 times, one around the other"),
        (lambda envs: VecNormalize(VecMonitor(Halved(envs))), "has a Halved, which may change observations"),
        (Halved, r"has a Halved, .* Train with sb3_env\(task, n\), which scales, or with one VecNormalize"),
    ],
)
def test_wrappers_that_an_export_does_not_hold_are_refused(tmp_path, wrapped, message):
    envs = wrapped(sb3_env(TASK, 2, scaled=False))
    model = sb3.PPO("MlpPolicy", envs, **SMALL["PPO"], device="cpu")
    with pytest.raises(ConfigError, match=message):
        export(model, TASK, tmp_path / "p.npz")
    assert list(tmp_path.iterdir()) == []


def test_wrappers_that_change_no_observation_are_let_through(tmp_path):
    envs = VecCheckNan(VecMonitor(VecNormalize(VecMonitor(sb3_env(TASK, 2, scaled=False)))))
    model = sb3.PPO("MlpPolicy", envs, **SMALL["PPO"], seed=0, device="cpu").learn(128)
    assert export(model, TASK, tmp_path / "p.npz").saw == "normalised by its own VecNormalize"


@pytest.mark.parametrize(
    ("trained", "message"),
    [
        ("maize-inputs-v1", "are scaled as maize-inputs-v1 scales them; wheat-inputs-v1, as .* another task"),
        ("wheat-limits-v1", "are scaled as wheat-limits-v1 scales them"),
        ("wheat-inputs-v1", "are scaled as wheat-inputs-v1 scales them; .* shows other observations.*--set"),
    ],
)
def test_a_model_that_is_scaled_as_another_task_is_refused(tmp_path, trained, message):
    task = catalog.task("wheat-inputs-v1")
    changes = {} if trained != task.task else {"state": task.observation.state[::-1]}
    model = sb3.PPO("MlpPolicy", sb3_env(trained, 1, **changes), **SMALL["PPO"], device="cpu")
    with pytest.raises(ConfigError, match=message):
        export(model, task, tmp_path / "p.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["bounds", "file"])
def test_models_with_scalings_of_their_own_are_exported(tmp_path, way):
    if way == "file":
        text = places.find_scaling(TASK).read_text().replace("DVS: [", "DVS: [1")
        assert text != places.find_scaling(TASK).read_text()
        way = tmp_path / "mine.yaml"
        way.write_text(text)
    model = sb3.PPO("MlpPolicy", sb3_env(TASK, 1, scaled=way), **SMALL["PPO"], device="cpu")
    assert export(model, TASK, tmp_path / "p.npz").saw == "scaled, as the model says"


def test_statistics_of_other_observations_are_refused(tmp_path):
    model, _, task = normalised()
    model.save(tmp_path / "model.zip")
    other = VecNormalize(sb3_env("maize-inputs-v1", 1, scaled=False))
    turned = VecNormalize(sb3_env(TASK, 1, scaled=False, state=task.observation.state[::-1]))
    for statistics, message in (
        (other, r"v.pkl saw observations of the shape \(15,\); wheat-nitrogen-v1 has \(12,\)"),
        (turned, "v.pkl saw observations of other bounds than wheat-nitrogen-v1 has: number 1 is between"),
    ):
        statistics.save(tmp_path / "v.pkl")
        with pytest.raises(ConfigError, match=message):
            export(tmp_path / "model.zip", task, tmp_path / "p.npz", normalisation=tmp_path / "v.pkl")
    assert not (tmp_path / "p.npz").exists()


def test_statistics_of_another_moment_are_refused(tmp_path):
    envs = VecNormalize(sb3_env(TASK, 1, scaled=False))
    model = sb3.DQN("MlpPolicy", envs, learning_starts=10_000, seed=0, device="cpu")
    keep = CheckpointCallback(200, str(tmp_path), "dqn", save_vecnormalize=True)
    model.learn(1_000, callback=keep)
    model.save(tmp_path / "model.zip")
    envs.save(tmp_path / "model.pkl")
    files = {f"dqn_{steps}_steps": f"dqn_vecnormalize_{steps}_steps.pkl" for steps in (200, 1_000)}
    for name, statistics in (*files.items(), ("model", "model.pkl")):
        result = export(sb3.DQN.load(tmp_path / name), TASK, tmp_path / "p.npz", None, tmp_path / statistics)
        assert result.saw.endswith(statistics)
    (tmp_path / "p.npz").unlink()
    for name, statistics in (("dqn_200_steps", "model.pkl"), ("model", files["dqn_200_steps"])):
        with pytest.raises(ConfigError, match=r"are of another moment than the model, .* Save both at once"):
            export(tmp_path / f"{name}.zip", TASK, tmp_path / "p.npz", None, tmp_path / statistics)
    assert not (tmp_path / "p.npz").exists()


def test_scaled_single_environments_are_exported_too(tmp_path):
    envs = DummyVecEnv([lambda: agbench.make(TASK, scaled=True)])
    model = sb3.PPO("MlpPolicy", envs, **SMALL["PPO"], seed=0, device="cpu").learn(64)
    model.save(tmp_path / "model.zip")
    result = export(tmp_path / "model.zip", TASK, tmp_path / "p.npz")
    assert result.saw == "scaled, as the model says"


def test_a_lost_normalisation_shows_in_the_check(tmp_path, monkeypatch):
    model, _, task = normalised()
    model.policy.action_net.weight.data *= 100.0
    monkeypatch.setattr(module, "_taught", lambda network, seen: network)
    with pytest.raises(ConfigError, match=r"differs from the model on [\d,]+ of 400 .* saw normalised by"):
        export(model, task, tmp_path / "p.npz")


def test_the_check_leaves_the_models_own_environment_alone(tmp_path):
    model, envs, task = normalised()
    before = envs.obs_rms.mean.copy(), envs.venv.envs.core.observations.copy(), envs.training
    export(model, task, tmp_path / "p.npz")
    assert np.array_equal(before[0], envs.obs_rms.mean)
    assert np.array_equal(before[1], envs.venv.envs.core.observations)
    assert envs.training is before[2]


@pytest.mark.parametrize(("scaled", "frames"), [(True, 3), (False, 2)])
def test_frames_are_named(tmp_path, scaled, frames):
    envs = VecFrameStack(sb3_env(TASK, 1, scaled=scaled), frames)
    model = sb3.PPO("MlpPolicy", envs, **SMALL["PPO"], device="cpu")
    with pytest.raises(ConfigError, match=rf"\({12 * frames},\), which look like {frames} frames of the 12"):
        export(model, TASK, tmp_path / "p.npz")


def test_a_model_of_an_overridden_task_needs_the_overrides(tmp_path):
    model = sb3.PPO("MlpPolicy", sb3_env(TASK, 1, action__kind="continuous"), device="cpu")
    with pytest.raises(ConfigError, match=r"acts in Box.*takes Discrete\(3\).*--set"):
        export(model, TASK, tmp_path / "p.npz")


def test_only_policies_are_written(tmp_path):
    model = sb3.PPO("MlpPolicy", sb3_env(TASK, 1), device="cpu")
    with pytest.raises(ConfigError, match=r"written as .npz or .onnx"):
        export(model, TASK, tmp_path / "policy.pt")
    np.savez(tmp_path / "actions.npz", episode_00000=np.zeros(3))
    (tmp_path / "other.onnx").write_bytes(b"\x08\x09\x12\x07pytorch")
    for name in ("actions.npz", "other.onnx"):
        with pytest.raises(ConfigError, match=f"{name} is there already and is not a policy of AgBench's"):
            export(model, TASK, tmp_path / name)


def test_what_was_scaled_and_normalised_is_refused(tmp_path):
    envs = sb3.common.vec_env.VecNormalize(sb3_env(TASK, 2))
    envs.save(tmp_path / "normalise.pkl")
    model = sb3.PPO("MlpPolicy", envs, n_steps=64, batch_size=64, seed=0, device="cpu")
    with pytest.raises(
        ConfigError, match="scaled observations through VecNormalize; one of the two is enough"
    ):
        export(model, TASK, tmp_path / "policy.npz", None, tmp_path / "normalise.pkl")


def test_a_model_that_does_otherwise_is_not_written(tmp_path, monkeypatch):
    model = sb3.PPO("MlpPolicy", sb3_env(TASK, 2), seed=0, device="cpu")
    predict = model.predict
    monkeypatch.setattr(
        model, "predict", lambda *a, **k: ((predict(*a, **k)[0] + 1) % 3, None), raising=False
    )
    with pytest.raises(ConfigError, match=r"differs from the model on [\d,]+ of 400"):
        export(model, TASK, tmp_path / "policy.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "DQN", "SAC", "TD3", "DDPG", "TRPO", "QRDQN"])
def test_a_zip_names_its_own_algorithm(tmp_path, algorithm):
    overrides = {"action__kind": "continuous"} if algorithm in ("SAC", "TD3", "DDPG") else {}
    package = sb3 if hasattr(sb3, algorithm) else pytest.importorskip("sb3_contrib")
    model = getattr(package, algorithm)("MlpPolicy", sb3_env(TASK, 1, **overrides), device="cpu")
    model.save(tmp_path / "model.zip")
    alike = {"DDPG": "TD3"}  # one policy, two names
    assert algorithm_of(tmp_path / "model.zip") == alike.get(algorithm, algorithm)
    assert algorithm_of(tmp_path / "model.zip", algorithm.lower()) == algorithm
    result = export(tmp_path / "model.zip", task_with(**overrides), tmp_path / "policy.npz")
    assert result.observations == 400


def test_mistakes_are_named(tmp_path):
    out = tmp_path / "p.npz"
    with pytest.raises(ConfigError, match=r"unknown algorithm 'PPPO'. Did you mean 'PPO'"):
        export("x.zip", TASK, out, "PPPO")
    with pytest.raises(ConfigError, match="there is no such model"):
        export(tmp_path / "x.zip", TASK, out)
    no_zip, empty = tmp_path / "no.zip", tmp_path / "empty.zip"
    no_zip.write_text("none")
    with zipfile.ZipFile(empty, "w") as file:
        file.writestr("data", "[]")
    for path in (no_zip, empty):
        with pytest.raises(ConfigError, match="is not a zip that Stable-Baselines3 saved"):
            export(path, TASK, out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.zip", "no.zip"]


def test_a_zip_of_something_else_is_an_error(tmp_path):
    path, out = tmp_path / "ppo.zip", tmp_path / "p.npz"
    sb3.PPO("MlpPolicy", sb3_env(TASK, 1), device="cpu").save(path)
    with pytest.raises(ConfigError, match=r"ppo.zip: holds a model of PPO, not of SAC. Omit --algo"):
        export(path, TASK, out, "SAC")
    with pytest.raises(ConfigError, match=r"observations of the shape \(12,\); maize-inputs-v1 has \(15,\)"):
        export(path, "maize-inputs-v1", out)
    with pytest.raises(ConfigError, match="is not a file that VecNormalize saved"):
        export(path, TASK, out, normalisation=path)
    with pytest.raises(ConfigError, match="there is no such file of VecNormalize"):
        export(path, TASK, out, normalisation=out)
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    for name, change, reason in (
        ("policy.pth", lambda _: b"", "cannot be loaded as a model of PPO"),
        (
            "data",
            lambda c: c.replace(b"stable_baselines3.common.policies", b"mine"),
            "does not name its algorithm",
        ),
    ):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as file:
            for each, held in content.items():
                file.writestr(each, change(held) if each == name else held)
        with pytest.raises(ConfigError, match=reason):
            export(tmp_path / "bad.zip", TASK, out)
    assert not out.exists()


@pytest.mark.usefixtures("all_observations")
@pytest.mark.slow_except("amounts")
@pytest.mark.parametrize(
    ("overrides", "layers"), [({}, 1), ({"action__kind": "continuous"}, 2)], ids=["menu", "amounts"]
)
def test_a_recurrent_model_is_exported_with_its_memory(tmp_path, overrides, layers):
    contrib = pytest.importorskip("sb3_contrib")
    model = contrib.RecurrentPPO(
        "MlpLstmPolicy",
        sb3_env(TASK, 2, **overrides),
        n_steps=8,
        policy_kwargs={"lstm_hidden_size": 32, "n_lstm_layers": layers},
        seed=0,
        device="cpu",
    )
    model.save(tmp_path / "recurrent.zip")
    out = tmp_path / "policy.npz"
    assert algorithm_of(tmp_path / "recurrent.zip") == "RecurrentPPO"
    result = export(tmp_path / "recurrent.zip", task_with(**overrides), out)
    assert result.observations == 10_000
    assert result.differing <= 1
    assert result.largest_difference < 1e-4
    network = mlp.read(out.read_bytes(), "p", 12, model.action_space)
    assert [(cell.kind, cell.units) for cell in network.cells] == [("lstm", 32)] * layers


def test_a_memory_that_is_left_out_is_noticed(tmp_path, monkeypatch):
    contrib = pytest.importorskip("sb3_contrib")
    envs = sb3_env(TASK, 2, action__kind="continuous")
    model = contrib.RecurrentPPO(
        "MlpLstmPolicy", envs, 1e-3, 8, policy_kwargs={"lstm_hidden_size": 16}, seed=0, device="cpu"
    )
    for name, parameter in model.policy.named_parameters():
        if "lstm" in name or "action_net" in name:
            parameter.data *= 20.0
    step = mlp.Network.step
    monkeypatch.setattr(mlp.Network, "step", lambda self, seen, _: step(self, seen, self.start(len(seen))))
    with pytest.raises(ConfigError, match="differs from the model"):
        export(model, task_with(action__kind="continuous"), tmp_path / "policy.npz")
