"""Graphs as policies: they act as the perceptron does, and what should not run is refused."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from good_submission import network
from gymnasium import spaces

pytest.importorskip("onnxruntime")
import onnx_files as files

import agbench
from agbench.errors import AgBenchWarning
from agbench.policies.networks import onnx
from agbench.untrusted import RefusedError, onnx_runner

TASK = "wheat-nitrogen-v1"
MENU = spaces.Discrete(3)


def policy(content, space=MENU):
    result = onnx.Onnx("mine", content, "policy.onnx", 12, space)
    result.reset(0)
    return result


def test_a_graph_acts_as_the_perceptron_that_it_was_made_of():
    seen = np.random.default_rng(0).normal(5.0, 10.0, (50, 12)).astype(np.float32)
    for space in (MENU, spaces.Box(-1.0, 1.0, (3,), np.float32)):
        graph, expected = policy(files.good(), space), network(1).actions(seen, space)
        result = np.array([graph(row) for row in seen])
        assert result.dtype == expected.dtype
        assert result == pytest.approx(expected, abs=1e-6)
    assert len(set(network(1).actions(seen, MENU).tolist())) > 1


def test_a_memory_starts_anew_with_each_episode():
    counting = policy(files.counting().SerializeToString())
    seen = np.zeros(12, np.float32)
    assert [int(counting(seen)) for _ in range(4)] == [0, 1, 2, 2]
    counting.reset(1)
    assert int(counting(seen)) == 0


def test_a_file_is_evaluated_by_its_path_and_in_other_processes(tmp_path):
    path = tmp_path / "mine.onnx"
    path.write_bytes(files.good())
    with pytest.warns(AgBenchWarning, match="does not say what task it was made for"):
        result = agbench.evaluate(TASK, str(path), years=[1984, 1986])
    assert (result.policy, result.failed) == ("mine", 0)
    again = pickle.loads(pickle.dumps(agbench.load_policy(path, TASK, other_task=True)))
    assert agbench.evaluate(TASK, again, years=[1984, 1986]).episodes.equals(result.episodes)


def test_a_script_needs_no_guard_to_load_a_graph(tmp_path):
    (tmp_path / "mine.onnx").write_bytes(files.good())
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, agbench\n"
        f"policy = agbench.load_policy('mine.onnx', '{TASK}')\n"
        "policy.reset(0)\n"
        "print('took', policy(np.zeros(12)))\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.count("took") == 1, done.stderr


@pytest.mark.parametrize("name", files.BAD)
def test_what_should_not_run_is_refused_before_it_does(name):
    made, reason = files.BAD[name]
    with pytest.raises(RefusedError, match=reason) as caught:
        policy(files.written(made))
    assert caught.value.file == "policy.onnx"
    assert str(caught.value).isprintable()


def test_endless_work_is_refused_by_the_time_it_takes(monkeypatch):
    monkeypatch.setattr(onnx_runner, "START_SECONDS", 0.2)
    monkeypatch.setattr(onnx_runner, "STEP_SECONDS", 0.0)
    content = files.labour().SerializeToString()
    onnx_runner.answer({"do": "load", "inputs": 12, "outputs": 3}, content)
    with pytest.raises(RefusedError, match=r"time: 0 s of processor time for \d+ steps"):
        [onnx_runner.answer({"do": "act"}, np.zeros(12).tobytes()) for _ in range(1000)]


def test_a_refusal_ends_the_evaluation_and_leaves_no_result(monkeypatch, tmp_path):
    path = tmp_path / "mine.onnx"
    path.write_bytes(files.good())
    mine = agbench.load_policy(path, TASK, other_task=True)
    mine.reset(0)
    mine._child.close()  # as the system does to a process that takes too much
    with pytest.raises(RefusedError, match=r"mine.onnx: it broke down before"):
        mine(np.zeros(12))
    monkeypatch.setattr(type(mine), "reset", lambda self, seed: None)
    with pytest.raises(RefusedError, match="broke down"):
        agbench.evaluate(TASK, mine, years=[1984], out=tmp_path / "result")
    assert not (tmp_path / "result").exists()


def test_a_missing_extra_is_an_error_that_prints_the_command(monkeypatch, tmp_path):
    onnx._checker.cache_clear()
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    with pytest.raises(agbench.errors.MissingExtraError, match=r'pip install "agbench\[onnx\]"'):
        policy(files.good())
