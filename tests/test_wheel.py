"""The wheel: built, installed into a fresh environment elsewhere, and it runs a task.

What it needs is found in the environment of the tests; a slow test installs that too.
"""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]

PROGRAM = """
import gymnasium
env = gymnasium.make("agbench:agbench/wheat-nitrogen-v1", split="test")
env.reset(seed=0, options={"scenario": "wageningen/1984"})
total, over = 0.0, False
while not over:
    _, reward, terminated, truncated, info = env.step(0)
    total, over = total + reward, terminated or truncated
import agbench
print(agbench.__file__, [t.id for t in agbench.tasks()], round(info["yield"], 2), total)
import sys
assert "torch" not in sys.modules
"""


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the file of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (path,) = folder.glob("agbench-*.whl")
    return path


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """Return the folder of a new environment with the wheel alone; what it needs is that of the tests."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "venv")
    pip(folder, "install", "--quiet", "--no-compile", "--no-deps", wheel)
    (site(folder) / "tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def site(folder):
    """Return where the environment in a folder has its packages."""
    (path,) = (folder / "venv/lib").glob("python*/site-packages")
    return path


def pip(folder, *command):
    """Run this environment's pip on the one in a folder, which has none."""
    return run(sys.executable, "-m", "pip", "--python", folder / "venv/bin/python", *command)


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "AGBENCH", "VIRTUAL"))}


def test_the_installed_wheel_runs_a_task_without_the_checkout(fresh):
    printed = run(fresh / "venv/bin/python", "-c", PROGRAM, cwd=fresh, env=clean_environment())
    where, rest = printed.split(maxsplit=1)
    assert Path(where).is_relative_to(fresh)
    assert "'wheat-nitrogen-v1'" in rest.split("] ")[0]
    assert rest.split()[-1] == "0.0"


HEAVY = {"torch", "stable-baselines3", "onnx", "ray", "optuna"}
"""What only extras need."""


def test_the_base_install_needs_nothing_of_the_extras(fresh):
    (own,) = metadata.distributions(name="agbench", path=[str(site(fresh))])
    needed, left = set(), [(text, ("",)) for text in own.requires]
    while left:
        text, extras = left.pop()
        one = Requirement(text)
        name = one.name.lower().replace("_", "-")
        applies = one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
        if applies and name not in needed:
            needed.add(name)
            left += [(next_one, ("", *one.extras)) for next_one in metadata.requires(one.name) or []]
    assert {"numpy", "numba", "casadi", "llvmlite"} <= needed
    assert not needed & HEAVY


@pytest.mark.slow
def test_the_wheel_installs_with_what_it_declares_and_runs(wheel, tmp_path):
    venv.create(tmp_path / "venv")
    constraints = ("--constraint", ROOT / "constraints.txt")
    pip(tmp_path, "install", "--quiet", "--no-compile", *constraints, wheel)  # most modules are not imported
    listed = pip(tmp_path, "list", "--format=freeze")
    names = {line.split("==")[0].lower().replace("_", "-") for line in listed.splitlines()}
    assert "agbench" in names
    assert not names & HEAVY
    printed = run(tmp_path / "venv/bin/python", "-c", PROGRAM, cwd=tmp_path, env=clean_environment())
    assert printed.split()[-1] == "0.0"


def test_the_installed_command_lists_its_tasks(fresh):
    printed = run(fresh / "venv/bin/agbench", "tasks", cwd=fresh, env=clean_environment())
    assert "wheat-nitrogen-v1" in printed


def test_the_installed_command_builds_the_page_of_a_board(fresh):
    (fresh / "board/submissions").mkdir(parents=True)
    command = (fresh / "venv/bin/agbench", "leaderboard", "build", "--board", "board")
    run(*command, cwd=fresh, env=clean_environment())
    made = {path.name for path in (fresh / "board/site").iterdir()}
    assert {"index.html", "page.css", "tables.js", "icon.svg"} <= made
