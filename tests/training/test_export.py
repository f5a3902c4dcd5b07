"""Export: the arrays act as the Stable-Baselines3 model does."""

import zipfile

import pytest

from agbench.errors import ConfigError
from agbench.policies.networks import mlp
from agbench.training import sb3_env
from agbench.training.export import export
from agbench.training.sb3_zip import algorithm_of

sb3 = pytest.importorskip("stable_baselines3")
TASK = "wheat-nitrogen-v1"


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
    result = export(model, TASK, tmp_path / "policy.npz", algorithm)
    assert result.observations == 1000
    assert result.differing <= 1
    assert result.largest_difference < 1e-4
    network = mlp.read((tmp_path / "policy.npz").read_bytes(), "p", 12, model.action_space)
    assert network.weights[0].shape[0] == 12


def test_a_zip_with_vecnormalize_is_exported(tmp_path):
    envs = sb3.common.vec_env.VecNormalize(sb3_env(TASK, 2, scaled=False))
    model = sb3.PPO("MlpPolicy", envs, n_steps=64, batch_size=64, seed=0, device="cpu").learn(128)
    model.save(tmp_path / "ppo.zip")
    envs.save(tmp_path / "normalise.pkl")
    out = tmp_path / "policy.npz"
    export(tmp_path / "ppo.zip", TASK, out, "ppo", tmp_path / "normalise.pkl")
    network = mlp.read(out.read_bytes(), "p", 12, model.action_space)
    assert network.mean == pytest.approx(envs.obs_rms.mean)
    assert network.clip == 10.0
    assert out.stat().st_size < 60_000


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
    with pytest.raises(ConfigError, match=r"differs from the model on \d+ of 1000"):
        export(model, TASK, tmp_path / "policy.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "DQN", "SAC", "TD3", "DDPG"])
def test_a_zip_names_its_own_algorithm(tmp_path, algorithm):
    overrides = {} if algorithm in ("PPO", "A2C", "DQN") else {"action__kind": "continuous"}
    model = getattr(sb3, algorithm)("MlpPolicy", sb3_env(TASK, 1, **overrides), device="cpu")
    model.save(tmp_path / "model.zip")
    alike = {"DDPG": "TD3"}  # one policy, two names
    assert algorithm_of(tmp_path / "model.zip") == alike.get(algorithm, algorithm)
    assert algorithm_of(tmp_path / "model.zip", algorithm.lower()) == algorithm
    result = export(tmp_path / "model.zip", TASK, tmp_path / "policy.npz")
    assert result.observations == 1000


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
    result = export(tmp_path / "recurrent.zip", TASK, out)
    assert result.observations == 1000
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
        export(model, TASK, tmp_path / "policy.npz")
