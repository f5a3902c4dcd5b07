"""A network's file says what it was made for, and is not run on something else unasked."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import action_map, observer
from agbench.errors import AgBenchWarning, ConfigError
from agbench.evaluation.episode import run_episode
from agbench.policies.networks import heads, mlp
from agbench.policies.networks.made_for import MadeFor, made_for
from agbench.untrusted import RefusedError

WHEAT, BARLEY = "wheat-inputs-v1", "barley-inputs-v1"
YEARS = {"years": [1984]}


def network(task, **overrides):
    """Return a network that does the first thing on every menu, made for a task."""
    spec = override(catalog.task(task), overrides)
    inputs, space = len(observer(spec).entries), action_map(spec).space
    outputs = heads.outputs(space)
    bias = -np.arange(outputs, dtype=np.float64)
    layers = (np.zeros((inputs, outputs)),), (bias,)
    return mlp.Network(("identity",), *layers, heads.default_head(space), made_for=made_for(spec)), space


@pytest.fixture(params=["npz", "onnx"])
def wheat(request, tmp_path):
    """Return the file of a wheat policy."""
    made, space = network(WHEAT)
    path = tmp_path / f"policy.{request.param}"
    if request.param == "npz":
        return mlp.save(made, path)
    pytest.importorskip("onnxruntime")
    from agbench.training import onnx_file

    return onnx_file.save(made, space, path)


def test_a_file_gives_back_what_it_was_made_for(wheat):
    spec = catalog.task(WHEAT)
    names = tuple(entry.name for entry in observer(spec).entries)
    assert agbench.load_policy(wheat, WHEAT).made_for == MadeFor(WHEAT, names, "one menu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert agbench.evaluate(WHEAT, str(wheat), **YEARS).failed == 0


def test_a_wheat_policy_does_not_run_on_barley_without_a_word(wheat):
    loaded = agbench.load_policy(wheat, WHEAT)
    sentence = f"was made for {WHEAT}, not for {BARLEY}. If that is meant, say so: --other-task"
    for source in (wheat, str(wheat), loaded):
        with pytest.raises(ConfigError, match=re.escape(sentence)):
            agbench.evaluate(BARLEY, source, **YEARS)
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        agbench.load_policy(wheat, BARLEY)
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        run_episode(catalog.task(BARLEY), loaded)


@pytest.mark.slow_except("*-1")
@pytest.mark.parametrize("workers", [1, 2])
def test_it_does_where_that_is_said(wheat, workers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = agbench.evaluate(BARLEY, str(wheat), workers=workers, other_task=True, years=[1984, 1986])
    assert result.failed == 0
    loaded = agbench.load_policy(wheat, WHEAT)
    again = agbench.evaluate(BARLEY, loaded, other_task=True, years=[1984, 1986])
    assert again.episodes["return"].tolist() == result.episodes["return"].tolist()


def test_other_observations_are_refused_by_name(tmp_path):
    made, _ = network(WHEAT)
    path = mlp.save(made, tmp_path / "policy.npz")
    names = [entry.name for entry in observer(catalog.task(WHEAT)).entries]
    state = list(catalog.task(WHEAT).observation.state)
    others = override(catalog.task(WHEAT), {"state": state[1:]})
    with pytest.raises(ConfigError, match=f"{names[0]} not shown"):
        agbench.evaluate(others, path, **YEARS)
    turned = override(catalog.task(WHEAT), {"state": [state[1], state[0], *state[2:]]})
    with pytest.raises(ConfigError, match="the same variables in another order"):
        agbench.evaluate(turned, path, **YEARS)


def test_other_actions_are_refused_with_the_remedy(tmp_path):
    made, _ = network("wheat-nitrogen-v1", **{"action.kind": "continuous"})
    path = mlp.save(made, tmp_path / "policy.npz")
    assert made.made_for.actions == "amounts"
    with pytest.raises(
        ConfigError, match=r"chooses amounts; .* is one menu here. Evaluate it with the overr"
    ):
        agbench.evaluate("wheat-nitrogen-v1", path, **YEARS)
    assert agbench.evaluate("wheat-nitrogen-v1", path, action__kind="continuous", **YEARS).failed == 0


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_file_that_says_nothing_runs_with_a_warning(tmp_path, workers):
    made, _ = network(WHEAT)
    path = mlp.save(replace(made, made_for=None), tmp_path / "old.npz")
    with pytest.warns(AgBenchWarning, match="old.npz: does not say what task it was made for") as caught:
        assert agbench.evaluate(BARLEY, path, workers=workers, **YEARS).failed == 0
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"task": None}, "task: missing"),
        ({"task": np.array("x" * 101)}, "task"),
        ({"task": np.array("\x1b[31mred")}, "task: a name that cannot be printed"),
        ({"task": np.array("")}, "task: a name that cannot be printed|task"),
        ({"observations": np.array("DVS")}, "observations: <U3 of shape"),
        ({"actions": np.array("deeds")}, "actions: unknown 'deeds'"),
    ],
)
def test_a_damaged_or_hostile_name_is_refused(tmp_path, change, reason):
    path = mlp.save(network(WHEAT)[0], tmp_path / "policy.npz")
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays = {name: value for name, value in (arrays | change).items() if value is not None}
    np.savez(path, **arrays)
    with pytest.raises(RefusedError, match=reason) as caught:
        agbench.load_policy(path, WHEAT)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"task": WHEAT, "observations": "no list", "actions": "one menu"}, "not a JSON list of names"),
        ({"task": "\x1b[31m", "observations": "[]", "actions": "one menu"}, "cannot be printed"),
        ({"task": "x" * 100_001}, "100,001 letters; at most 100,000"),
    ],
)
def test_hostile_metadata_of_a_graph_are_refused(tmp_path, said, reason):
    pytest.importorskip("onnxruntime")
    import onnx

    from agbench.training import onnx_file

    made, space = network(WHEAT)
    path = onnx_file.save(replace(made, made_for=None), space, tmp_path / "policy.onnx")
    model = onnx.load(path)
    onnx.helper.set_model_props(model, said)
    onnx.save(model, path)
    with pytest.raises(RefusedError, match=reason):
        agbench.load_policy(path, WHEAT)
    onnx.helper.set_model_props(model, {"task": WHEAT, "license": json.dumps("MIT")})
    onnx.save(model, path)
    with pytest.warns(AgBenchWarning, match="does not say what task it was made for"):
        agbench.load_policy(path, WHEAT)


def test_the_command_takes_the_option(tmp_path, monkeypatch, capsys):
    from agbench.cli.app import app

    monkeypatch.chdir(tmp_path)
    path = str(mlp.save(network(WHEAT)[0], tmp_path / "policy.npz"))
    for verb in (["run"], ["evaluate", "--split", "shift"]):
        arguments = [verb[0], BARLEY, "-p", path, *verb[1:]]
        with pytest.raises(ConfigError, match="was made for wheat-inputs-v1"):
            app(arguments, standalone_mode=False)
        app([*arguments, "--other-task"], standalone_mode=False)
        assert BARLEY in capsys.readouterr().out
