"""Kinds of policies: registered where they are written, found when a settings file asks for them."""

import subprocess
import sys

import pytest

import agbench
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.errors import ConfigError, UnknownNameError
from agbench.policies import registry
from agbench.policies.base import KINDS, policy

FIELD, GREENHOUSE = "wheat-nitrogen-v1", "greenhouse-tomato-v1"
NEW = """
import numpy as np
from agbench.data.reading import Strict
from agbench.policies.base import policy

class FractionSettings(Strict):
    share: float

@policy("fraction", settings=FractionSettings, families=["greenhouse"])
class Fraction:
    information = "observation"

    def __init__(self, name, settings, given):
        self.name, self._actions = name, given.actions
        self._wanted = np.full((1, len(given.actions.names)), settings.share)
        self._present = given.columns(given.actions.reads)

    def reset(self, seed):
        pass

    def __call__(self, observation):
        return self._actions.actions_of(self._wanted, observation[None, self._present])[0]
"""


def written(folder, kind, settings="{}"):
    path = folder / "mine.yaml"
    path.write_text(f"policy: {kind}\nsummary: s\nsource: s\nsettings: {settings}\n", encoding="utf-8")
    return path


def kinds_of_settings_files():
    for task in catalog.names("task"):
        for name in catalog.baselines(task):
            yield catalog.find_baseline(task, name)


def test_every_settings_file_names_a_registered_kind_of_its_family():
    for path in kinds_of_settings_files():
        task = catalog.task(path.parent.name)
        result = registry.kind_of(read_file(Baseline, path), task, path)
        assert result.name in KINDS


def test_an_unknown_kind_names_file_and_nearest(tmp_path):
    with pytest.raises(UnknownNameError, match=r"mine.yaml: unknown kind of policy 'scedule'.*'schedule'"):
        agbench.load_policy(written(tmp_path, "scedule"), FIELD)


@pytest.mark.parametrize(
    ("kind", "task", "message"),
    [
        (
            "mpc",
            FIELD,
            "policies of the kind 'mpc' are for greenhouse tasks; wheat-nitrogen-v1 is a field task",
        ),
        (
            "ceres",
            GREENHOUSE,
            "policies of the kind 'ceres' are for field tasks; greenhouse-tomato-v1 is a greenhouse task",
        ),
    ],
)
def test_a_kind_of_another_family_is_refused(tmp_path, kind, task, message):
    with pytest.raises(ConfigError, match=message):
        agbench.load_policy(written(tmp_path, kind), task)


def test_a_new_kind_is_one_new_file(tmp_path, monkeypatch):
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "fraction.py").write_text(NEW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_modules", lambda: ["ours.fraction"])
    path = written(tmp_path, "fraction", "{share: 0.25}")
    try:
        assert agbench.load_policy(path, GREENHOUSE).name == "mine"
        with pytest.raises(
            ConfigError, match=r"mine.yaml: settings: .*unknown key 'shar'. Did you mean 'share'"
        ):
            agbench.load_policy(written(tmp_path, "fraction", "{shar: 0.25}"), GREENHOUSE)
    finally:
        del KINDS["fraction"]


def test_a_policy_of_a_field_loads_no_greenhouse():
    code = (
        "import sys, agbench\n"
        f"for name in ('standard-practice', 'ceres', 'zero'): agbench.load_policy(name, {FIELD!r})\n"
        "print([m for m in sys.modules if m == 'casadi' or 'policies.greenhouse' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_kind_of_another_module_keeps_its_name():
    def schedule(name, settings, interface):
        raise AssertionError

    registry.kind("schedule")
    with pytest.raises(ConfigError, match=r"'schedule' already, agbench\.policies\.field\.schedule:"):
        policy("schedule")(schedule)
    assert registry.kind("schedule").make.__module__ == "agbench.policies.field.schedule"


def test_a_name_too_long_for_a_file_is_unknown_like_any_other(tmp_path):
    name = "n" * 300
    with pytest.raises(UnknownNameError, match="unknown policy"):
        agbench.load_policy(name, FIELD)
    with pytest.raises(UnknownNameError, match="unknown policy"):
        agbench.evaluate(FIELD, name, out=tmp_path / "run")
    with pytest.raises(UnknownNameError, match="unknown task"):
        agbench.make(name)


def test_settings_that_were_changed_are_read_anew(tmp_path):
    doses = []
    for amount in ("20.0", "40"):
        path = written(tmp_path, "calendar", f"{{plan: [{{date: 03-15, input: N, amount: {amount}}}]}}")
        doses.append(agbench.load_policy(path, FIELD).entries[0].amount)
    assert doses == [20.0, 40.0]
