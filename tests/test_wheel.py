"""The wheel: built, installed into a fresh environment elsewhere, and it runs a task."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

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
def fresh(tmp_path_factory):
    """Return the folder of a new environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("agbench-*.whl")
    venv.create(folder / "venv")
    constraints = ("--constraint", ROOT / "constraints.txt")
    pip(folder, "install", "--quiet", "--no-compile", *constraints, wheel)  # most modules are not imported
    return folder


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


def test_the_base_install_has_no_torch(fresh):
    listed = pip(fresh, "list", "--format=freeze")
    names = {line.split("==")[0].lower() for line in listed.splitlines()}
    assert "agbench" in names
    assert not names & {"torch", "stable-baselines3", "stable_baselines3"}


def test_the_installed_command_lists_its_tasks(fresh):
    printed = run(fresh / "venv/bin/agbench", "tasks", cwd=fresh, env=clean_environment())
    assert "wheat-nitrogen-v1" in printed


def test_the_installed_command_builds_the_page_of_a_board(fresh):
    (fresh / "board").mkdir()
    command = (fresh / "venv/bin/agbench", "leaderboard", "build", "--board", "board")
    run(*command, cwd=fresh, env=clean_environment())
    made = {path.name for path in (fresh / "board/site").iterdir()}
    assert {"index.html", "page.css", "tables.js", "icon.svg"} <= made
