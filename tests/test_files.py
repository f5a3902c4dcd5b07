"""A folder is written by one process at a time, and a process that is killed keeps nobody out."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

import agbench
from agbench import files
from agbench.cli.app import app
from agbench.data import places
from agbench.errors import ConfigError, DatasetError, ResultError
from agbench.files import alone, place_of, recover, replacing, require_kind, stamp, write, write_text
from agbench.policies.tuning import scales

TASK = "wheat-nitrogen-v1"
HOLDER = """
import sys, time
from pathlib import Path
from agbench.files import alone, write
with alone(Path(sys.argv[1]), RuntimeError):
    print("held", flush=True)
    time.sleep(600)
"""

REPLACER = """
import os, signal, sys
from pathlib import Path
from agbench.files import replacing
moment, seen = int(sys.argv[2]), 0

def hook(event, args):
    global seen
    if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
with replacing(Path(sys.argv[1])) as draft:
    for name in ("a", "b"):
        (draft / name).write_text("new")
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
    settings = {"envs": 1, "n_steps": 64, "batch_size": 64, "validation.episodes": 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agbench.training.export.OBSERVATIONS", 100)
        agbench.train(TASK, "ppo", 64, out=out, settings=settings)


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


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def folder_of(path, text):
    path.mkdir(parents=True)
    for name in ("a", "b"):
        (path / name).write_text(text)
    return path


OLD, NEW = {"a": "old", "b": "old"}, {"a": "new", "b": "new"}


@pytest.mark.parametrize("moment", range(1, 11))
def test_a_folder_that_is_replaced_is_the_old_one_or_the_new_one_whenever_it_is_killed(tmp_path, moment):
    out = folder_of(tmp_path / "out", "old")
    ended = subprocess.run([sys.executable, "-c", REPLACER, str(out), str(moment)], check=False)
    assert ended.returncode == -signal.SIGKILL
    recover(out)
    assert contents(out) in (OLD, NEW)
    with replacing(out) as draft:
        (draft / "a").write_text("next")
    assert contents(out) == {"a": "next"}
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_stays_where_what_would_replace_it_fails(tmp_path):
    out = folder_of(tmp_path / "out", "old")

    def fails(put):
        with replacing(out) as draft:
            put(draft)
            assert contents(out) == OLD
            raise ValueError("own")

    with pytest.raises(ValueError, match="own"):
        fails(lambda draft: (draft / "a").write_text("half"))
    with pytest.raises(FileNotFoundError), replacing(out) as draft:
        draft.rmdir()
    assert contents(out) == OLD
    assert os.listdir(tmp_path) == ["out"]


def test_what_was_moved_aside_waits_for_what_took_its_place(tmp_path):
    old = folder_of(tmp_path / ".out.replacing" / "old", "old")
    out = folder_of(tmp_path / "out", "theirs")
    recover(out)
    assert contents(old) == OLD
    assert contents(out) == {"a": "theirs", "b": "theirs"}
    (out / "a").unlink()
    (out / "b").unlink()
    recover(out)
    assert contents(out) == OLD
    assert os.listdir(tmp_path) == ["out"]


def test_a_place_is_what_a_link_leads_to_and_neither_nothing_nor_here(tmp_path, monkeypatch):
    here = folder_of(tmp_path / "here" / "now", "old").parent
    (tmp_path / "link").symlink_to("here")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert place_of(tmp_path / "link", ConfigError) == here
    assert place_of(here / "now" / "..", ConfigError) == here
    assert place_of(tmp_path / "new", ConfigError) == tmp_path / "new"
    with pytest.raises(ConfigError, match=r"dangling is a symbolic link to .*nowhere, where nothing is\."):
        place_of(tmp_path / "dangling", ConfigError)
    monkeypatch.chdir(here / "now")
    for name, words in ((".", "now is"), ("..", "here holds"), ("../../link", "here holds")):
        with pytest.raises(ConfigError, match=f"{words} the current folder.*Name a folder in it, or run"):
            place_of(Path(name), ConfigError)
    assert place_of(Path("new"), ConfigError) == Path("new")
    with pytest.raises(ConfigError, match=r"/ is where a disk is mounted|/ holds the current folder"):
        place_of(Path("/"), ConfigError)
    monkeypatch.chdir("/")
    monkeypatch.setattr(os.path, "ismount", lambda path: path == here)
    with pytest.raises(ConfigError, match=r"here is where a disk is mounted"):
        place_of(here, ConfigError)


@pytest.mark.parametrize("content", [None, "", "mine"])
def test_what_may_be_replaced_is_absent_empty_or_of_its_kind(tmp_path, content):
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    require_kind(path, lambda _: True, "a report", ResultError)
    if not content:
        require_kind(path, lambda _: False, "a report", ResultError)
        return
    with pytest.raises(ResultError, match=r"file is there already and is not a report of AgBench's: .*Name"):
        require_kind(path, lambda _: False, "a report", ResultError)


def test_a_pipe_is_left_to_who_writes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    require_kind(tmp_path / "pipe", lambda _: False, "a report", ResultError)


@pytest.mark.parametrize("name", ["", ".", "..", "/", "folder", "new/.."])
def test_a_folder_is_no_place_for_a_file(tmp_path, monkeypatch, name):
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResultError, match=r"is a folder; name a file in it\."):
        require_kind(Path(name), lambda _: True, "a report", ResultError)


@pytest.mark.parametrize("name", ["note.txt/a", "note.txt/new/a"])
def test_a_file_is_no_folder_for_another(tmp_path, name):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(ResultError, match=r"note\.txt is a file, not a folder"):
        require_kind(tmp_path / name, lambda _: True, "a report", ResultError)
    with pytest.raises(ResultError, match=r"note\.txt is a file, not a folder"):
        files.require_writable(tmp_path / name, ResultError)


@pytest.mark.parametrize("out", [".", "", ".."])
def test_a_scaling_is_not_played_for_a_folder(out):
    printed = CliRunner().invoke(app, ["scale", TASK, "--episodes", "4", "--out", out])
    assert "is a folder; name a file in it." in str(printed.exception)


@pytest.mark.parametrize("content", [b"task: wheat-nitrogen-v1\n", b"\xff\xfe\0", b"[1, 2]\n", b"text: {"])
def test_a_scaling_takes_the_place_of_a_scaling_alone(tmp_path, content):
    path = tmp_path / "own.yaml"
    shutil.copyfile(places.find_scaling(TASK), path)
    scales.require_file(path)
    path.write_bytes(content)
    printed = CliRunner().invoke(app, ["scale", TASK, "--out", str(path)])
    assert "own.yaml is there already and is not a scaling" in str(printed.exception)
    assert path.read_bytes() == content


def test_a_link_to_a_file_stays_and_the_file_is_written(tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("there", "new"):
        (tmp_path / name).symlink_to(f"a/{name}.txt")
    (tmp_path / "a" / "there.txt").write_text("old")
    for name in ("there", "new"):
        write_text(tmp_path / name, "content")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "a" / f"{name}.txt").read_text() == "content"
    assert sorted(os.listdir(tmp_path / "a")) == ["new.txt", "there.txt"]


@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_pipe_stays_a_pipe_and_is_written_to(tmp_path, through_a_link):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to("pipe")
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(tmp_path / "link" if through_a_link else pipe, "content")
    reader.join(10)
    assert read == ["content"]
    assert pipe.is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]
