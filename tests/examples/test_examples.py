"""The examples and the blocks of docs/frameworks.md run as they stand; those without their framework skip."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from in_process import script

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/frameworks.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^## ([^\n]+)\n\n```python\n(.*?)```", PAGE, re.S | re.M))
FRAMEWORKS = {
    "Gymnasium": "gymnasium",
    "Stable-Baselines3": "stable_baselines3",
    "RLlib": "ray",
    "TorchRL": "torchrl",
    "Tianshou": "tianshou",
}
EXAMPLES = {
    "gymnasium_wrappers": ("gymnasium", 50, r"batch:  observations \(16, 12\)"),
    "own_task": ("gymnasium", 20, r"march: mean return on test -?\d+\.\d g m-2"),
    "train_sb3": ("stable_baselines3", 4096, r"wheat-nitrogen-v1: mean return on test -?\d"),
    "cleanrl_ppo": ("torch", 4096, r"4096 steps .*\n.*mean return on validation -?\d"),
    "rllib_ppo": ("ray", 1024, r"1024 steps  scaled return"),
    "torchrl_ppo": ("torchrl", 1024, r"1024 steps  scaled return"),
    "tianshou_ppo": ("tianshou", 256, r"best scaled return on validation -?\d"),
}
"""By name: the package that it needs, a tiny number of steps, and what it prints."""
WITH_PROCESSES = ("ray", "torchrl", "tianshou")
"""Frameworks that start processes or threads of their own, which are to end with the test."""


def needs(package):
    """Skip the test where a package is missing."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


def ran(arguments, folder):
    """Return what a Python process prints, run in a folder of its own without our paths."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "RAY_AUTH_MODE": "disabled"}
    environment.pop("AGBENCH_PATH", None)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed_by(package, path, folder, *arguments):
    """Return what a script prints, in a process of its own where its package starts others."""
    if package in WITH_PROCESSES:
        return ran([str(path), *arguments], folder)
    return script(path, *arguments, cwd=folder)


def test_every_example_is_tried():
    assert sorted(EXAMPLES) == sorted(
        path.stem for path in (ROOT / "examples").glob("*.py") if not path.stem.startswith("datasets_")
    )
    assert sorted(FRAMEWORKS) == sorted(BLOCKS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name, tmp_path):
    package, steps, printed = EXAMPLES[name]
    needs(package)
    text = printed_by(package, ROOT / f"examples/{name}.py", tmp_path, "--steps", str(steps))
    assert re.search(printed, text), text


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_block_of_the_page_runs(name, tmp_path):
    """That of Gymnasium in a process of its own, in which nothing was imported before."""
    needs(FRAMEWORKS[name])
    path = tmp_path / "block.py"
    path.write_text(BLOCKS[name], "utf-8")
    if name == "Gymnasium":
        ran([str(path)], tmp_path)
    else:
        printed_by(FRAMEWORKS[name], path, tmp_path)


def test_the_wrappers_see_the_same_fields_in_every_autoreset_mode(tmp_path):
    text = script(ROOT / "examples/gymnasium_wrappers.py", "--steps", "1", cwd=tmp_path)
    assert text.count("are equal: True") == 3


@pytest.mark.slow
def test_the_one_file_ppo_learns_amounts(tmp_path):
    needs("torch")
    small = ("--steps", "64", "--rollout", "8", "--envs", "8")
    task = ("--task", "greenhouse-setpoint-continuous-v1")
    printed = script(ROOT / "examples/cleanrl_ppo.py", *task, *small, cwd=tmp_path)
    assert "greenhouse-setpoint-continuous-v1: mean return on validation" in printed


def test_the_one_file_ppo_says_what_it_cannot_choose(tmp_path):
    needs("torch")
    with pytest.raises(
        SystemExit, match=r"its action is MultiDiscrete.*this file knows amounts and one menu"
    ):
        script(ROOT / "examples/cleanrl_ppo.py", "--task", "farm-nitrogen-v1", cwd=tmp_path)
