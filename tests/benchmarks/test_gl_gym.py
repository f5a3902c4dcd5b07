"""gl-gym beside ours: a stand-in with its name, in a Python of its own, and Pythons without it."""

import sys
from pathlib import Path

import pytest

from agbench.benchmarks.gl_gym import gl_gym
from agbench.errors import ConfigError

STAND_IN = """
import gymnasium, numpy

class Slow(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Box(-1, 1, (6,))

    def __init__(self, dt):
        assert dt == 900

    def reset(self, seed=None, options=None):
        print("a line of its own")
        return numpy.zeros(2, numpy.float32), {}

    def step(self, action):
        return numpy.zeros(2, numpy.float32), 0.0, False, False, {}

gymnasium.register("gl_gym/GreenLightTomato-v0", Slow)
"""


def test_another_python_measures_when_requested(tmp_path, monkeypatch):
    (tmp_path / "gl_gym.py").write_text(STAND_IN)
    facts = tmp_path / "gl_gym-0.3.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: gl-gym\nVersion: 0.3.2\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with gl_gym(Path(sys.executable), 900) as other:
        assert other.name == "gl-gym 0.3.2"
        assert min(other.rate(0.05), other.rate(0.05)) > 0


def test_a_python_without_it_gets_the_install_command():
    message = r"No module named 'gl_gym'.*-m pip install gl-gym==0\.3\.2"
    with pytest.raises(ConfigError, match=message), gl_gym(Path(sys.executable), 900):
        pass


def test_what_is_no_python_is_refused():
    with (
        pytest.raises(ConfigError, match="--against nowhere/python: No such file"),
        gl_gym(Path("nowhere/python"), 900),
    ):
        pass
