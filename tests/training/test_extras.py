"""Extras: what `agbench setup` installs, how, and what it says when it cannot."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("stable_baselines3")
from agbench.errors import ConfigError, UnknownNameError
from agbench.training import extras

ROOT = Path(__file__).parents[2]


def recorded(monkeypatch, code=0, said=""):
    """Let pip do nothing; return what it was called with, and the packages that were to stay as they are."""
    calls = []

    def run(command, **_):
        place = command.index("--constraint") + 1 if "--constraint" in command else None
        kept = Path(command[place]).read_text().split() if place else None
        calls.append((command, kept))
        return SimpleNamespace(returncode=code, stdout="", stderr=said)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_imitation_is_installed_without_what_it_declares(monkeypatch):
    calls = recorded(monkeypatch)
    assert extras.setup("il") == []
    (bare, none), (needed, kept) = calls
    assert bare[:4] == [sys.executable, "-m", "pip", "install"]
    assert bare[-2:] == ["--no-deps", "imitation==1.0.1"]
    assert none is None
    assert "--no-deps" not in needed
    assert {"tqdm", "datasets", "jsonpickle", "scikit-learn", "tensorboard"} <= set(needed)
    torch = metadata.version("torch").partition("+")[0]
    assert {f"numpy=={metadata.version('numpy')}", f"torch=={torch}"} <= set(kept)
    assert not [line for line in kept if line.startswith("agbench")]


def test_what_pip_says_when_it_fails_is_passed_on(monkeypatch):
    recorded(monkeypatch, 1, "one\ntwo\nERROR: no space left")
    with pytest.raises(
        ConfigError, match=r"agbench setup offline: .*d3rlpy==2\.8\.0: one two ERROR: no space"
    ):
        extras.setup("offline")


def test_an_unknown_extra_and_a_missing_pip_are_refused(monkeypatch):
    with pytest.raises(UnknownNameError, match=r"unknown extra 'ofline'\. Did you mean 'offline'"):
        extras.setup("ofline")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"has no pip\. Install it with: .* -m ensurepip"):
        extras.setup("il")


@pytest.mark.parametrize("name", list(extras.EXTRAS))
def test_the_package_declares_the_same(name):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    names = {re.split("[>=<[]", one)[0] for one in declared[name]} - {"agbench"}
    assert names == {re.split("=", one)[0] for one in extras.EXTRAS[name].needed}
