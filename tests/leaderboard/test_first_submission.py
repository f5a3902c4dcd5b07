"""An untrusted path: from an own policy to a row, by the commands of docs/leaderboard.md."""

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from in_process import command

TASK = "wheat-nitrogen-v1"
TEXT = (Path(__file__).parents[2] / "docs/leaderboard.md").read_text("utf-8")
CODE = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]


def lines(block):
    """Return the commands of a block, each in one line."""
    return re.sub(r"\\\n\s*", "", block).splitlines()


COMMANDS = lines(re.search(r"```sh\n(.*?)```", TEXT, re.DOTALL)[1])


def run(line, cwd, code=0):
    """Run a command as the installed script does: the folder it runs in is not on Python's path."""
    words = [sys.executable, "-P", "-c", "from agbench.cli import main; main()", *shlex.split(line)[1:]]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_here(line, cwd, code=0):
    """Run a command in this process, which has loaded the libraries."""
    return "".join(command(*shlex.split(line)[1:], cwd=cwd, code=code))


def test_six_commands_lead_from_a_class_to_a_row(tmp_path):
    (tmp_path / "mine.py").write_text(CODE)
    assert len(COMMANDS) == 6
    evaluate, on_shift, submit, replay, build, serve = COMMANDS
    assert "wrote runs/mine/" in run(evaluate, tmp_path)
    assert "wrote runs/mine-shift/" in run_here(on_shift, tmp_path)
    short = submit.split(" --author")[0]
    assert "needs --author NAME, --contact TEXT, --method" in run_here(short, tmp_path, code=2)
    assert not (tmp_path / "leaderboard").exists()
    (tmp_path / "leaderboard").mkdir()
    printed = run_here(submit, tmp_path)
    assert f"wrote leaderboard/submissions/{TASK}/three-dressings/1" in printed
    assert "'replayed' is the most it can reach" in printed
    assert "80 episodes replayed, equal to the last bit" in run_here(replay, tmp_path)
    assert "1 submission to 1 task\n" in run_here(build, tmp_path)
    assert "three-dressings 1" in (tmp_path / "leaderboard/README.md").read_text("utf-8")
    assert serve == "agbench leaderboard serve"


def commands(policy):
    """Return the commands of the documentation for a kind of policy, the dots filled in."""
    (block,) = re.findall(rf"""```sh title="{policy}"\n(.*?)```""", TEXT, re.DOTALL)
    who = '--agent mine --version 1 --author "A. Grower" --contact grower@example.org'
    return [line.replace("...", who) for line in lines(block)]


def rows(folder):
    with (folder / f"leaderboard/site/data/{TASK}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_zip_of_stable_baselines3_becomes_a_row(tmp_path):
    sb3 = pytest.importorskip("stable_baselines3")
    from agbench.training import sb3_env

    model = sb3.PPO("MlpPolicy", sb3_env(TASK, 2), n_steps=16, batch_size=16, seed=0, device="cpu")
    model.learn(32).save(tmp_path / "ppo.zip")
    _lead_to_a_row(commands("Stable-Baselines3"), tmp_path, "export", "mlp")


@pytest.mark.slow
@pytest.mark.filterwarnings("default::agbench.errors.AgBenchWarning")  # it does not say what it was made for
def test_an_onnx_file_becomes_a_row(tmp_path):
    files = pytest.importorskip("onnx_files")
    (tmp_path / "policy.onnx").write_bytes(files.good(1))
    _lead_to_a_row(commands("ONNX"), tmp_path, "evaluate", "onnx")


def _lead_to_a_row(typed, folder, first, kind):
    """Run commands, and then `build`; there is a row that was reproduced and has its policy with it."""
    assert typed[0].split()[1] == first
    (folder / "leaderboard").mkdir()
    outputs = [run_here(line, folder) for line in typed]
    assert "80 episodes reproduced" in outputs[-1]
    run_here(COMMANDS[4], folder)
    (row,) = [row for row in rows(folder) if row["split"] == "test"]
    assert (row["agent"], row["trust"], row["not_ranked_because"]) == ("mine", "reproduced", "1 of 5 seeds")
    card = yaml.safe_load((folder / f"leaderboard/submissions/{TASK}/mine/1/submission.yaml").read_text())
    assert card["policy"] == {"format": kind}


def test_a_zip_as_a_policy_gets_the_export_command(tmp_path):
    message = run_here(f"agbench evaluate {TASK} --policy ppo.zip", tmp_path, code=2)
    assert f"agbench export {TASK} ppo.zip" in message


def test_an_unknown_kind_of_information_is_an_error(tmp_path):
    (tmp_path / "mine.py").write_text(CODE.replace('"observation"', '"everything"'))
    message = run_here(f"agbench evaluate {TASK} --policy mine:Mine", tmp_path, code=2)
    assert "information 'everything' is none of observation, forecast, state, model" in message
