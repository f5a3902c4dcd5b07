"""Whose dataset it is: policies are told apart, folders by links and commands lead to the same bytes."""

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import agbench
from agbench.cli import main
from agbench.data import catalog
from agbench.datasets import load
from agbench.datasets import plan as plans
from agbench.datasets.plan import plan_of
from agbench.datasets.playing import Player
from agbench.errors import ConfigError, DatasetError
from agbench.policies.networks.made_for import MadeFor
from agbench.policies.networks.mlp import Network, save

TASK = "wheat-nitrogen-v1"


class Constant:
    """Does the same in every step."""

    name, information = "constant", "observation"

    def __init__(self, action, held=None):
        self.action, self.held = action, held

    def reset(self, seed):
        pass

    def __call__(self, observation):
        return self.action


class Unpickled(Constant):
    def __deepcopy__(self, memo):
        return Unpickled(self.action, self.held)


def test_an_object_with_other_content_is_another_policy(tmp_path):
    for action in (0, 1):
        agbench.collect(TASK, Constant(action), 2, tmp_path / f"{action}", "npz")
        assert set(load(tmp_path / f"{action}").actions.tolist()) == {action}
    agbench.collect(TASK, Constant(0), 2, tmp_path / "0", "npz")
    with pytest.raises(
        DatasetError, match=r"another dataset, wheat-nitrogen/constant-v0: its behaviour differ"
    ):
        agbench.collect(TASK, Constant(1), 2, tmp_path / "0", "npz")
    agbench.collect(TASK, Unpickled(1, threading.Lock()), 2, tmp_path / "2", "npz")
    with pytest.raises(DatasetError, match=r"an object that cannot be pickled.*Give another folder"):
        agbench.collect(TASK, Unpickled(0, threading.Lock()), 2, tmp_path / "2", "npz")


@pytest.mark.parametrize("held", [None, "a lock"])
def test_parts_of_an_object_that_is_another_one_now_are_played_again(tmp_path, monkeypatch, held):
    monkeypatch.setattr(plans, "_ROWS", 8)
    once = Player.play

    def stops(self, episodes):
        if episodes.start:
            raise KeyboardInterrupt
        return once(self, episodes)

    def policy(action):
        return Constant(action) if held is None else Unpickled(action, threading.Lock())

    monkeypatch.setattr(Player, "play", stops)
    with pytest.raises(KeyboardInterrupt):
        agbench.collect(TASK, policy(0), 16, tmp_path / "data", "npz")
    monkeypatch.setattr(Player, "play", once)
    assert (tmp_path / ".data.partial" / "000000.npz").is_file()
    agbench.collect(TASK, policy(2), 16, tmp_path / "data", "npz")
    assert set(load(tmp_path / "data").actions.tolist()) == {2}


def test_code_and_named_settings_that_changed_are_another_policy(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    code = tmp_path / "own_policy.py"
    code.write_text("from agbench.policies.registry import load_policy\ndef make(task):\n"
                    "    return load_policy('zero', task)\n")  # fmt: skip
    agbench.collect(TASK, "own_policy:make", 2, tmp_path / "code", "npz")
    code.write_text(code.read_text() + "# other")
    with pytest.raises(DatasetError, match="its behaviour differ"):
        agbench.collect(TASK, "own_policy:make", 2, tmp_path / "code", "npz")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    settings = tmp_path / "baselines" / TASK / "mine.yaml"
    settings.parent.mkdir(parents=True)
    shutil.copy(catalog.find_baseline(TASK, "standard-practice"), settings)
    agbench.collect(TASK, "mine", 2, tmp_path / "named", "npz")
    settings.write_text(settings.read_text().replace("amount: 40.0", "amount: 20.0"))
    with pytest.raises(DatasetError, match="its behaviour differ"):
        agbench.collect(TASK, "mine", 2, tmp_path / "named", "npz")


_FINGERPRINT = """
import numpy as np
from agbench.datasets.fingerprint import of_object
FACTOR = {"a": 1, "b": 2}
def double(value):
    return [one * FACTOR["b"] for one in value]
class Base:
    def act(self, seen):
        return double(seen) if "a" in {"a", "b", "c"} else 0
class Mine(Base):
    def __init__(self):
        super().__init__()
        self.names, self.weights = {"x", "y", "z"}, np.arange(3.0)
print(of_object(Mine()))
"""


def test_a_policy_of_a_script_has_one_fingerprint_wherever_it_runs(tmp_path):
    """Not that of its place, of its lines, or of the order in which sets happen to be."""

    def printed(code, folder, seed):
        folder.mkdir()
        (folder / "script.py").write_text(code)
        command = [sys.executable, str(folder / "script.py")]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    one = printed(_FINGERPRINT, tmp_path / "one", "1")
    assert len(one) == 65
    assert printed("\n\n" + _FINGERPRINT, tmp_path / "moved", "2") == one
    changed = _FINGERPRINT.replace('"b": 2', '"b": 3')
    assert printed(changed, tmp_path / "other", "1") != one


def test_a_link_is_as_good_as_the_folder_that_it_leads_to(tmp_path):
    (tmp_path / "room").mkdir()
    (tmp_path / "link").symlink_to("room")
    (tmp_path / "dangling").symlink_to("elsewhere")
    for name, place in (("link", "room"), ("dangling", "elsewhere")):
        agbench.collect(TASK, "zero", 1, tmp_path / name, "npz")
        assert (tmp_path / place / "metadata.json").is_file()
        assert (tmp_path / name).is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["dangling", "elsewhere", "link", "room"]


def test_the_current_folder_is_not_replaced_by_a_dataset(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=r"is the current folder.*Name a folder in it"):
        agbench.collect(TASK, "zero", 1, ".", "npz")
    assert os.listdir() == []
    out = agbench.collect(TASK, "zero", 1, "made", "npz")
    monkeypatch.chdir(out)
    assert agbench.collect(TASK, "zero", 1, ".", "npz") == out  # it is there, and nothing is written


def test_epsilon_is_that_of_all_policies_that_say_none_of_their_own():
    two = plan_of(TASK, [{"policy": "zero"}, {"policy": "random", "epsilon": 0.25}], 2, epsilon=0.5)
    assert [one.spec.epsilon for one in two.behaviours] == [0.5, 0.25]


def test_the_command_of_a_dataset_makes_the_same_dataset(tmp_path, monkeypatch):
    """Its numbers to the last digit, names with spaces and quotes, and scenarios with a comma."""
    monkeypatch.chdir(tmp_path)
    file = shutil.copy(catalog.find_baseline(TASK, "standard-practice"), "my neighbour's policy.yaml")
    keys = ["netherlands/1990", "netherlands/1991/temperature+2,rain-20"]
    policies = [
        {"policy": file, "share": 1 / 3, "epsilon": 0.12345678},
        {"policy": "random", "share": 2 / 3, "epsilon": {"start": 1 / 7, "end": 0}},
    ]
    options = {"mix": "step", "seed": 3, "scenarios": keys, "observation.state": ["DVS", "LAI"]}
    out = agbench.collect(TASK, policies, 2, tmp_path / "data", "npz", **options)
    told = json.loads((out / "metadata.json").read_text())
    monkeypatch.setattr(sys, "argv", [*shlex.split(told["command"]), "--out", "again"])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
    assert (tmp_path / "again" / "metadata.json").read_text() == (out / "metadata.json").read_text()


def test_a_network_of_another_task_acts_where_that_is_meant(tmp_path):
    names = tuple(f"o{number}" for number in range(12))
    layer = np.zeros((12, 3)), np.array([0.0, 1.0, 0.0])
    made = Network(
        ("identity",), (layer[0],), (layer[1],), "argmax", made_for=MadeFor("rice-v1", names, "one menu")
    )
    file = save(made, tmp_path / "policy.npz")
    policy = agbench.load_policy(file, TASK, other_task=True)
    for source in (file, policy):
        with pytest.raises(ConfigError, match=r"made for rice-v1.*other_task=True"):
            agbench.collect(TASK, source, 2, tmp_path / "refused", "npz")
        agbench.collect(TASK, source, 2, tmp_path / type(source).__name__, "npz", other_task=True)
        data = load(tmp_path / type(source).__name__)
        assert set(data.actions.tolist()) == {1}
        assert "--other-task" in data.metadata["command"]
    assert not (tmp_path / "refused").exists()
