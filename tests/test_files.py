"""A folder is written by one process at a time, and a process that is killed keeps nobody out."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

import agbench
from agbench import files
from agbench.errors import ConfigError, DatasetError, ResultError
from agbench.files import alone, stamp, write, write_text

TASK = "wheat-nitrogen-v1"
HOLDER = """
import sys, time
from pathlib import Path
from agbench.files import alone, write
with alone(Path(sys.argv[1]), RuntimeError):
    print("held", flush=True)
    time.sleep(600)
"""

pytestmark = pytest.mark.skipif(find_spec("fcntl") is None, reason="a system without such locks")


@contextmanager
def held(folder):
    """Let another process write a folder; kill it at the end."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"held\n"
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def evaluate(out):
    agbench.evaluate(TASK, "zero", split="shift", out=out)


def collect(out):
    agbench.collect(TASK, "zero", 2, out, "npz")


def train(out):
    agbench.train(TASK, "ppo", 64, out=out, settings={"envs": 1, "n_steps": 64, "batch_size": 64})


@pytest.mark.parametrize(
    ("writer", "error"), [(evaluate, ResultError), (collect, DatasetError), (train, ConfigError)]
)
def test_the_second_writer_gets_one_sentence_and_a_killed_one_keeps_nobody_out(tmp_path, writer, error):
    with held(tmp_path / "out"):
        with pytest.raises(error, match=r"out: another process is writing it\. Wait for it, or give another"):
            writer(tmp_path / "out")
        assert os.listdir(tmp_path) == [".out.lock"]
    assert os.listdir(tmp_path) == [".out.lock"]
    writer(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_two_commands_at_once_end_with_one_whole_result(tmp_path):
    command = [
        sys.executable,
        "-c",
        "from agbench.cli import main; main()",
        "evaluate",
        TASK,
        "-p",
        "advisor",
        "-o",
        "out",
    ]
    both = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [one.communicate()[1] for one in both]
    ends = [one.returncode for one in both]
    assert 0 in ends
    for end, text in zip(ends, said, strict=True):
        assert end == 0 or (end == 2 and "another process is writing it" in " ".join(text.split()))
    agbench.Result.load(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_a_lock_goes_with_an_error_and_is_no_part_of_the_folder(tmp_path):
    def fails():
        with alone(tmp_path / "a" / "b", ConfigError):
            assert os.listdir(tmp_path / "a") == [".b.lock"]
            raise ValueError("own")

    with pytest.raises(ValueError, match="own"):
        fails()
    assert os.listdir(tmp_path / "a") == []


def test_a_lock_that_was_opened_before_it_went_is_taken_anew(tmp_path, monkeypatch):
    once, opened = files._flock, []

    def goes_meanwhile(file):
        if not opened:
            os.unlink(tmp_path / ".out.lock")
        opened.append(file)
        return once(file)

    monkeypatch.setattr(files, "_flock", goes_meanwhile)
    with alone(tmp_path / "out", ConfigError):
        assert len(opened) == 2
        monkeypatch.setattr(files, "_flock", once)
        with pytest.raises(ConfigError), alone(tmp_path / "out", ConfigError):
            pass


@pytest.mark.parametrize("name", [None, "temporary"])
def test_a_full_disk_names_the_file_that_the_user_asked_for(tmp_path, name):
    def full(temporary):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name and str(temporary))

    with pytest.raises(OSError, match="No space left on device") as caught:
        write(tmp_path / "result.csv", full)
    assert caught.value.filename == str(tmp_path / "result.csv")
    assert not any(tmp_path.iterdir())


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "result.csv", lambda _: (tmp_path / "other").read_text())
    assert caught.value.filename == str(tmp_path / "other")


def test_what_a_killed_writer_left_is_written_over_and_one_at_work_keeps_its_file(tmp_path):
    left = tmp_path / ".result.csv.new.csv"
    left.write_text("half of something longer than what follows")
    seen = []

    def fill(temporary):
        assert temporary == left
        assert temporary.read_bytes() == b""
        write(tmp_path / "result.csv", lambda other: (seen.append(other), other.write_text("theirs")))
        assert (tmp_path / "result.csv").read_text() == "theirs"
        assert left.exists()
        temporary.write_text("mine")

    write(tmp_path / "result.csv", fill)
    assert seen != [left]
    assert (tmp_path / "result.csv").read_text() == "mine"
    assert os.listdir(tmp_path) == ["result.csv"]


def test_a_file_that_was_moved_while_its_lock_was_awaited_is_not_emptied(tmp_path, monkeypatch):
    path, left = tmp_path / "result.csv", tmp_path / ".result.csv.new.csv"
    left.write_text("whole")
    once = files._flock

    def moved_meanwhile(handle):
        left.rename(path)
        return once(handle)

    monkeypatch.setattr(files, "_flock", moved_meanwhile)
    with pytest.raises(RuntimeError, match="stopped"):
        write(path, lambda _: (_ for _ in ()).throw(RuntimeError("stopped")))
    assert path.read_text() == "whole"
    assert os.listdir(tmp_path) == ["result.csv"]


def test_a_file_replaced_by_one_as_long_in_the_same_moment_is_told_from_it(tmp_path):
    file = tmp_path / "settings.yaml"
    write_text(file, "amount: 1")
    first = stamp(file)
    assert stamp(file) == first
    write_text(file, "amount: 2")
    os.utime(file, ns=(first[0], first[0]))
    assert stamp(file) != first
