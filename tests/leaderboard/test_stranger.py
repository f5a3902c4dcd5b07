"""A stranger's path: from an own Python class to a row, by the commands of docs/leaderboard.md."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from good_submission import TASK

from agbench.cli.leaderboard import leaderboard

TEXT = (Path(__file__).parents[2] / "docs/leaderboard.md").read_text("utf-8")
CODE = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
COMMANDS = re.search(r"```sh\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()
EXISTING = {command.name for command in leaderboard.registered_commands}


def run(line, cwd, code=0):
    """Run a command as the installed script does: the folder it runs in is not on Python's path."""
    words = [sys.executable, "-P", "-c", "from agbench.cli import main; main()", *shlex.split(line)[1:]]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_five_commands_lead_from_a_class_to_a_row(tmp_path):
    (tmp_path / "mine.py").write_text(CODE)
    assert len(COMMANDS) == 5
    evaluate, submit, replay, build, serve = COMMANDS
    assert "wrote runs/mine/" in run(evaluate, tmp_path)
    short = submit.split(" --author")[0]
    assert "needs --author NAME, --contact TEXT, --method" in run(short, tmp_path, code=2)
    assert not (tmp_path / "leaderboard").exists()
    printed = run(submit, tmp_path)
    assert f"wrote leaderboard/submissions/{TASK}/three-dressings/1" in printed
    assert "'replayed' is the most it can reach" in printed
    assert "11 episodes, equal to the last bit" in run(replay, tmp_path)
    if "build" in EXISTING:
        run(build, tmp_path)
        assert "three-dressings" in (tmp_path / "leaderboard/README.md").read_text("utf-8")
    assert serve == "agbench leaderboard serve"


def test_a_zip_as_a_policy_is_told_how_to_be_one(tmp_path):
    said = run(f"agbench evaluate {TASK} --policy ppo.zip", tmp_path, code=2)
    assert f"agbench export {TASK} ppo.zip" in said


def test_a_policy_that_reads_what_there_is_not_is_told_what_there_is(tmp_path):
    (tmp_path / "mine.py").write_text(CODE.replace('"observation"', '"everything"'))
    said = run(f"agbench evaluate {TASK} --policy mine:Mine", tmp_path, code=2)
    assert "information 'everything' is none of observation, forecast, state, model" in said
